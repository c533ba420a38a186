"""Compares what a day left with what its file expects."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import mean, median
from typing import Any

from benchmarks.day.playing import Injected, PlayedDay, PlayedTurn
from benchmarks.day.scripts import Day, Fact, Position
from recollect.search.tokens import count_tokens

SCRIPT = "script"  # what a miss is called that the script of the day caused
_SUMMARY = "sessions"
_KEPT = ("active", "resolved")
_LONGEST = 160  # characters of a text that is named in a report


@dataclass(frozen=True, slots=True)
class Miss:
    """What should have been otherwise, and why it was not."""

    what: str  # wish, need, junk, stored junk, never, lines, or script
    name: str
    why: Sequence[str]


@dataclass(slots=True)
class Score:
    """The figures of one day, or of several."""

    wishes: int = 0
    wishes_kept: int = 0
    needs: int = 0
    needs_met: int = 0
    injected: int = 0
    junk: int = 0
    titles: int = 0
    title_junk: int = 0
    never: int = 0
    never_kept: int = 0
    stored: int = 0
    stored_junk: int = 0
    drafts_asked: int = 0
    lines: list[int] = field(default_factory=list)  # per turn
    tokens: list[int] = field(default_factory=list)  # per session
    hook_ms: list[float] = field(default_factory=list)
    hooks_cut: int = 0
    seconds: float = 0.0
    misses: list[Miss] = field(default_factory=list)

    def add(self, other: Score) -> None:
        """Add the figures of another day."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def as_json(self) -> dict[str, Any]:
        """The figures, without the misses."""
        return {
            "wishes": self.wishes,
            "wishes_kept": self.wishes_kept,
            "wishes_kept_percent": percent(self.wishes_kept, self.wishes),
            "needs": self.needs,
            "needs_met": self.needs_met,
            "needs_met_percent": percent(self.needs_met, self.needs),
            "injected": self.injected,
            "junk": self.junk,
            "junk_percent": percent(self.junk, self.injected),
            "titles": self.titles,
            "title_junk": self.title_junk,
            "title_junk_percent": percent(self.title_junk, self.titles),
            "forbidden": self.never,
            "forbidden_kept": self.never_kept,
            "stored": self.stored,
            "stored_junk": self.stored_junk,
            "drafts_asked": self.drafts_asked,
            "lines_per_turn_max": max(self.lines, default=0),
            "lines_per_turn_mean": round(mean(self.lines or [0]), 2),
            "tokens_per_session_mean": round(mean(self.tokens or [0])),
            "tokens_per_session_max": max(self.tokens, default=0),
            "hook_ms_median": round(median(self.hook_ms or [0])),
            "hook_ms_p95": round(quantile(self.hook_ms, 0.95)),
            "hooks": len(self.hook_ms),
            "hooks_past_deadline": self.hooks_cut,
            "seconds": round(self.seconds, 1),
        }


def percent(part: int, whole: int) -> float | None:
    """A share in percent; none of nothing."""
    return round(100 * part / whole, 1) if whole else None


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which a share of all values is."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else 0.0


def score_day(played: PlayedDay) -> Score:
    """All figures of one day."""
    score = Score(drafts_asked=played.drafts_asked, seconds=played.seconds)
    _score_wishes(played, score)
    _score_needs(played, score)
    _score_injected(played, score)
    _score_stored(played, score)
    for turn in played.turns:
        score.lines.append(len(turn.lines))
        if len(turn.lines) > 1:
            score.misses.append(Miss("lines", _place(turn), turn.lines))
        score.misses += _script_misses(played.day, turn)
    for session in range(1, len(played.day.sessions) + 1):
        added = [text for one in played.turns if one.session == session for text in one.added]
        score.tokens.append(sum(map(count_tokens, added)))
    score.hook_ms = [1000 * hook.seconds for one in played.turns for hook in one.hooks]
    score.hooks_cut = len(played.failures) + sum(
        hook.outcome != "success" for one in played.turns for hook in one.hooks
    )
    return score


def _script_misses(day: Day, turn: PlayedTurn) -> Iterator[Miss]:
    """What did not go as the day's file means it to: then its figures mean nothing."""
    wanted = day.sessions[turn.session - 1].turns[turn.turn - 1].failures if turn.turn else 0
    if len(turn.refused) != wanted:
        said = [_short(text) for text in turn.refused]
        yield Miss(SCRIPT, _place(turn), [f"{wanted} steps should fail; failed: {said}"])


def _score_wishes(played: PlayedDay, score: Score) -> None:
    kept = [one for one in played.memories if one["status"] in _KEPT and one["kind"] != _SUMMARY]
    for fact in played.day.facts:
        if fact.is_wish and fact.until is None:
            score.wishes += 1
            if any(fact.words.are_in(_text(one)) for one in kept):
                score.wishes_kept += 1
            else:
                score.misses.append(Miss("wish", fact.name, list(_why_not_kept(played, fact))))


def _score_needs(played: PlayedDay, score: Score) -> None:
    for turn in played.turns:
        if turn.turn == 0:
            continue
        for name in played.day.sessions[turn.session - 1].turns[turn.turn - 1].needs:
            score.needs += 1
            fact = played.day.fact(name)
            if _says(turn.context, fact) or _is_in_conversation(played, turn, fact):
                score.needs_met += 1
            else:
                why = [*_why_not_kept(played, fact), *_why_not_injected(played, turn)]
                score.misses.append(Miss("need", f"{name} at {_place(turn)}", why))


def _says(context: str, fact: Fact) -> bool:
    """Whether the agent can read it: quotation marks of the frame do not count."""
    return fact.words.are_in("\n".join(line.removeprefix("> ") for line in context.splitlines()))


def _is_in_conversation(played: PlayedDay, turn: PlayedTurn, fact: Fact) -> bool:
    """Whether the agent still reads what was said when the fact was told: the session goes on.

    Then hooks rightly don't repeat it.
    """
    session, number = fact.said
    said = played.day.sessions[session - 1].turns[number - 1].user
    return " ".join(said.split()) in " ".join(turn.conversation.split())


def _score_injected(played: PlayedDay, score: Score) -> None:
    seen: set[tuple[int, str]] = set()
    for turn in played.turns:
        for memory in turn.injected:
            if (turn.session, memory.id) in seen:
                continue
            seen.add((turn.session, memory.id))
            score.injected += 1
            reason = junk_reason(played.day, memory, (turn.session, turn.turn))
            if reason:
                score.junk += 1
                named = f"{_short(memory.text)} ({memory.kind} {memory.status} at {_place(turn)})"
                score.misses.append(Miss("junk", named, [reason]))
        for memory in turn.titles:
            score.titles += 1
            score.title_junk += bool(junk_reason(played.day, memory, (turn.session, turn.turn)))


def junk_reason(day: Day, memory: Injected, at: Position) -> str:
    """Why a memory should not be in front of the agent at a time; empty if it should."""
    matching = [fact for fact in day.facts if fact.words.are_in(memory.text)]
    is_wrong = any(one.since <= at and one.words.are_in(memory.text) for one in day.wrong)
    holds = any(fact.holds_at(at) for fact in matching)
    if memory.kind == _SUMMARY:
        if is_wrong:
            return "a summary that states what was corrected"
        is_true = any(session.about.are_in(memory.text) for session in day.sessions)
        return "" if holds or is_true else "a summary that says nothing true"
    if holds:
        return ""
    if is_wrong or matching:
        return "no longer true"
    return "no fact of the day"


def _score_stored(played: PlayedDay, score: Score) -> None:
    end = (len(played.day.sessions) + 1, 0)
    there = [one for one in played.memories if one["status"] in (*_KEPT, "unconfirmed")]
    for one in there:
        score.stored += 1
        memory = Injected(one["id"], one["kind"], one["status"], _text(one))
        reason = junk_reason(played.day, memory, end)
        if reason:
            score.stored_junk += 1
            named = f"{_short(memory.text)} ({memory.kind} {memory.status})"
            score.misses.append(Miss("stored junk", named, [reason]))
    for name, words in played.day.never.items():
        score.never += 1
        kept = [one for one in there if words.are_in(_text(one))]
        if kept:
            score.never_kept += 1
            score.misses.append(Miss("never", name, [_short(_text(one)) for one in kept]))


def _why_not_kept(played: PlayedDay, fact: Fact) -> Iterator[str]:
    found = [one for one in played.memories if fact.words.are_in(_text(one))]
    waiting = [one for one in played.waiting if fact.words.are_in(json.dumps(one))]
    if found:
        yield from (
            f"there as {one['status']} {one['kind']}: {_short(_text(one))}" for one in found
        )
    elif waiting:
        yield "only waiting for review"
    else:
        yield "not kept"
    session, turn = fact.said
    said = played.turn(session, turn)
    yield f"said in {_place(said)}:"
    yield from (f"  {line}" for trace in played.traces_of(said) for line in trace_lines(trace))


def _why_not_injected(played: PlayedDay, turn: PlayedTurn) -> Iterator[str]:
    yield f"needed in {_place(turn)}:"
    for position in (0, turn.turn):
        for trace in played.traces_of(played.turn(turn.session, position)):
            if trace["event"] in ("session-start", "prompt"):
                yield from (f"  {line}" for line in trace_lines(trace))


def trace_lines(trace: Mapping[str, Any]) -> Iterator[str]:
    """A trace of `recollect why`, briefly."""
    steps = trace["steps"]
    if not steps:
        return
    yield f"{trace['event']} {trace['milliseconds']:.0f} ms"
    for step in steps:
        details = ", ".join(
            f"{name} {_short(json.dumps(value))}"
            for name, value in step.items()
            if name not in ("what", "reason")
        )
        reason = f": {step['reason']}" if step.get("reason") else ""
        yield f"  {step['what']}{reason}" + (f" ({details})" if details else "")


def _text(memory: Mapping[str, Any]) -> str:
    content = memory.get("content")
    more = json.dumps(content, ensure_ascii=False) if content else ""
    return "\n".join(filter(None, (memory["summary"], memory.get("body"), more)))


def _place(turn: PlayedTurn) -> str:
    return f"{turn.session}.{turn.turn}"


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else line[: _LONGEST - 1] + "…"
