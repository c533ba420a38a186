"""Goes through a past session and finds what is worth keeping, with the detectors of the hooks.

What a person asked to remember comes first, then failures with their cures, what the talk says, and
one summary of the session. Everything said is redacted before anything is found in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from recollect.capture.conversation import Turn
from recollect.capture.detect import Detected, detect
from recollect.capture.features import AGENT, USER, is_question
from recollect.capture.hearsay import declines, is_hearsay, is_settled, without_hearsay
from recollect.capture.kind_of import kind_of
from recollect.capture.learned_unkept import part_prompt
from recollect.capture.markers import DEFAULT_KIND, find_marked
from recollect.capture.noticed_fields import fields_of
from recollect.capture.novelty import NEW, SUPERSEDES, Known, judge
from recollect.capture.open_items import open_items
from recollect.capture.outcomes import (
    correction_of,
    goal_of,
    is_prompt,
    is_wish,
    outcome_of,
    tells_what_to_do,
    without_wishes,
)
from recollect.capture.requests import Request, find_requests, is_covered
from recollect.capture.retractions import takes_back
from recollect.capture.sentences import sentences
from recollect.capture.session_summary import Story, says_something, summary_of
from recollect.capture.tags import tags_of
from recollect.capture.titles import title_and_body
from recollect.capture.unkept import repeats, words_of
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.hosts.protocol import PROMPT, STOP, Event
from recollect.importing.source import Item
from recollect.importing.tool_replay import ToolReplay
from recollect.search.triggers import topicless
from recollect.state.session_marks import COMMIT_MADE, CORRECTED, DONE, OPEN

# Live, a person can review at once what was noticed. Of a history, only the clear cases count.
THRESHOLD: Final = 0.6
# Most of what an agent says is about the code of that day: only its best statement counts, and less
# than what a person says.
_AGENT_THRESHOLD, _AGENT_WEIGHT, _MOST_BY_AGENT = 0.85, 0.7, 1
# A person seldom states such things in their own words, and often pastes them.
_PASTED_THRESHOLD: Final = {"learnings": 0.9, "solutions": 0.9}
# What was true for a while only; the summary of the session has it.
_PASSED: Final = ("progress", "blockers")
# Characters of talk that are searched at once.
_MOST_TALK: Final = 200_000
_MOST_GOALS: Final = 2
_PASSING: Final = ("progress", "sessions")
_CHOSEN: Final = ("decisions", "preferences", "patterns")
_STANDING: Final = ("decisions", "preferences", "constraints")
# Wishes that hold for good; others, such as "keep in mind", may be about the task of that day.
_LASTING: Final = frozenset(
    ("things to remember", "remember", "save to memory", "for later sessions", "from now on")
)
_ASKED_SCORE, _SUMMARY_SCORE, _PASSING_SCORE, _PASTED_WEIGHT = 0.97, 0.7, 0.75, 0.6


# What a person thinks, wonders or reports while they work. It was said to the agent of that day.
_ASIDE: Final = pattern(
    r"\W{0,4}(?:i (?:mean|think|guess|see|tried|wonder|believe|just|was|am|would like|want to)\b"
    r"|(?:i'm|i've|let me|ideally|we seem|it seems|seems|looks like|nothing|just to|any ideas?|why"
    r"|what|how|maybe|perhaps|not sure|often|you can|you have|it (?:was|is|looks))\b|apparent|a\))",
    re.IGNORECASE,
)
# A decision, a preference or a constraint says that something holds from then on.
_HOLDS: Final = pattern(
    r"\b(?:always|never|must|should|shouldn't|default|decided|agreed|cho+se|chosen|instead|prefer"
    r"|only|go(?:ing)? (?:with|for)|let's|need to|needs to|want|don't|do not|won't|cannot|can't|use"
    r"|uses|keep|stick|make sure|no longer|required?)\b",
    re.IGNORECASE,
)


class _Said(NamedTuple):
    """A message with its place, and whether it only answers a question."""

    turn: Turn
    at: int
    moment: int
    is_opinion: bool = False


class SessionReplay:
    """One past session, in order."""

    def __init__(
        self,
        session: str,
        redact: Callable[[str], str],
        relative: Callable[[str, str], str | None],
        commit_at: Callable[[int], str | None],
    ) -> None:
        self._session = session
        self._redact = redact
        self._commit_at = commit_at
        self._tools = ToolReplay(redact, relative)
        self._talk: list[_Said] = []
        self._size = 0
        self._wishes: list[Request] = []
        self._goals: list[str] = []
        self._kept: list[tuple[str, str]] = []  # kind and summary
        self._unkept: list[frozenset[int]] = []
        self._begun = self._last = 0
        self._failed = self._recovered = False
        self._asked = False  # the turn began with a question, and no tool has run since
        self._numbers: dict[int, int] = {}
        self._heard: list[Known] = []
        self._by_agent: list[Item] = []

    def feed(self, at: int, event: Event) -> Iterator[Item]:
        """Take the next event; yield what it completes."""
        self._last = event.moment or self._last
        self._begun = self._begun or event.moment
        if event.name == PROMPT:
            yield from self._prompt(at, event)
        elif event.name == STOP:
            self._answer(at, event)
        else:
            self._asked = False
            self._failed, was = bool(event.error), self._failed or self._recovered
            self._recovered = was and not self._failed
            for solved in self._tools.feed(event):
                learning = solved.learning
                told = {"severity": learning.severity, "category": learning.category}
                yield self._item(at, event.moment, solved.record, learning.score, "tool", told)
        if self._size > _MOST_TALK:
            yield from self._listen()

    def end(self) -> Iterator[Item]:
        """Yield what is left, and the summary of the session."""
        yield from self._listen()
        best = sorted(self._by_agent, key=lambda item: -item.score)[:_MOST_BY_AGENT]
        yield from (item for item in self._by_agent if item in best)
        yield from self._summary()

    # What was said

    def _prompt(self, at: int, event: Event) -> Iterator[Item]:
        self._settle_opinions()
        parted = part_prompt(event.text)
        if parted.unkept:
            self._unkept.append(frozenset(map(hash, words_of(parted.unkept))))
        text = self._redact(parted.kept)
        if takes_back(text) and self._talk:
            self._take_back(correction_of(text), event.moment)
        self._note_goal(text)
        self._asked = any(map(is_question, sentences(text)[:20]))
        self._say(Turn(USER, text, self._failed, self._recovered), at, event.moment)
        yield from self._asked_to_keep(at, event, text)

    def _asked_to_keep(self, at: int, event: Event, text: str) -> Iterator[Item]:
        requests = find_requests(text)
        self._wishes += requests
        marked = [(one.kind, one.content, "", True) for one in find_marked(text)]
        marked += [("", one.content, one.kind, one.rule in _LASTING) for one in requests]
        for kind, content, usual, lasts in marked:
            if not content:
                continue
            found = kind or kind_of(content)
            if not kind and found in _PASSING:
                found = DEFAULT_KIND
            found = usual if usual and found == DEFAULT_KIND else found
            summary, body = title_and_body(content)
            record = {"kind": found, "summary": summary, "body": body, "tags": tags_of(content)}
            score = _ASKED_SCORE if lasts else _PASSING_SCORE
            yield self._item(at, event.moment, record, score, "user", is_rule=lasts)

    def _answer(self, at: int, event: Event) -> None:
        text = self._redact(event.text)
        if self._unkept:
            lines = text.split("\n")
            text = "\n".join(
                one for one in lines if not repeats(map(hash, words_of(one)), self._unkept)
            )
        self._say(Turn(AGENT, text, self._failed, self._recovered), at, event.moment)
        done = outcome_of(text)
        moment = event.moment / 1000
        if done:
            self._tools.log.append((moment, DONE + done))
        items = open_items(text)
        if items or not self._asked:
            self._tools.log = [one for one in self._tools.log if not one[1].startswith(OPEN)]
            self._tools.log += [(moment, OPEN + item) for item in items]

    def _say(self, turn: Turn, at: int, moment: int) -> None:
        self._talk.append(_Said(turn, at, moment))
        self._size += len(turn.text)

    def _settle_opinions(self) -> None:
        """Mark the answers of a turn without tools that began with a question."""
        if not self._asked:
            return
        for number in range(len(self._talk) - 1, -1, -1):
            if self._talk[number].turn.speaker != AGENT:
                break
            self._talk[number] = self._talk[number]._replace(is_opinion=True)

    def _listen(self) -> Iterator[Item]:
        """Yield what the talk so far says that is worth keeping."""
        self._settle_opinions()
        talk, self._talk, self._size = self._talk, [], 0
        for one in detect([said.turn for said in talk], threshold=THRESHOLD):
            said = talk[one.message]
            if not self._counts(one, said):
                continue
            if judge(one.sentence, self._heard).verdict not in (NEW, SUPERSEDES):
                continue
            self._heard.append(Known("", one.sentence))
            by_agent = one.speaker == AGENT
            weight = _PASTED_WEIGHT if one.kind in _PASTED_THRESHOLD else 1.0
            score = one.score * (_AGENT_WEIGHT if by_agent else weight)
            fields = fields_of(one.sentence, one.kind, one.score)
            item = self._item(said.at, said.moment, fields, score, one.speaker)
            if by_agent:
                self._by_agent.append(item)
            else:
                yield item

    def _counts(self, one: Detected, said: _Said) -> bool:
        by_agent = one.speaker == AGENT
        least = _AGENT_THRESHOLD if by_agent else _PASTED_THRESHOLD.get(one.kind, THRESHOLD)
        if one.score < least or one.kind in _PASSED or is_covered(one.sentence, self._wishes):
            return False
        if not by_agent:
            is_aside = _ASIDE.match(one.sentence) or one.sentence.endswith("…")
            holds = one.kind not in _STANDING or _HOLDS.search(one.sentence)
            return bool(holds) and not is_aside and not is_hearsay(one.sentence)
        is_opinion = said.is_opinion and one.kind in _CHOSEN and not is_settled(one.sentence)
        return not is_opinion and not declines(one.sentence)

    # The summary

    def _note_goal(self, text: str) -> None:
        own = without_wishes(without_hearsay(text)) if is_prompt(text) else ""
        if not own or not is_prompt(own) or is_wish(own) or topicless(own) is not None:
            return
        known = self._goals
        is_more = 0 < len(known) < _MOST_GOALS and not tells_what_to_do(known[-1])
        if not known or (is_more and tells_what_to_do(own)):
            known.append(goal_of(own))

    def _take_back(self, correction: str, moment: int) -> None:
        """Drop what the last turn reported as done, and note what the person said instead."""
        began = next((s.moment for s in reversed(self._talk) if s.turn.speaker == USER), 0) / 1000
        self._tools.log = [
            (when, what)
            for when, what in self._tools.log
            if when < began or not what.startswith((DONE, COMMIT_MADE))
        ]
        if correction:
            self._tools.log.append((moment / 1000, CORRECTED + correction))

    def _summary(self) -> Iterator[Item]:
        waiting = [(one.moment, one.learning.summary) for one in self._tools.waiting.values()]
        decided = [text for kind, text in self._kept if kind in ("decisions", "preferences")]
        draft = summary_of(Story(self._goals, self._tools.log, waiting, decided))
        if draft is None or not says_something(draft):
            return
        score = _SUMMARY_SCORE * float(draft["confidence"])
        item = self._item(0, self._last, draft, score, "agent")
        yield item._replace(identity=f"{self._session}#summary", created=_iso(self._begun))

    # Items

    def _item(
        self,
        at: int,
        moment: int,
        record: Mapping[str, Any],
        score: float,
        said_by: str,
        told: Mapping[str, Any] | None = None,
        *,
        is_rule: bool = False,
    ) -> Item:
        number = self._numbers[at] = self._numbers.get(at, 0) + 1
        fields = {k: v for k, v in record.items() if k not in ("kind", "summary", "body") and v}
        fields = {k: list(v) if isinstance(v, tuple) else v for k, v in fields.items()}
        fields["session"] = self._session
        fields["provenance"] = {"said_by": said_by, **(told or {})}
        self._kept.append((str(record["kind"]), str(record["summary"])))
        return Item(
            f"{self._session}@{at}#{number}",
            str(record["kind"]),
            str(record["summary"]),
            str(record.get("body") or ""),
            _iso(moment),
            self._commit_at(moment),
            round(score, 3),
            is_rule,
            fields,
        )


def _iso(moment: int) -> str | None:
    """Return a moment in milliseconds as a timestamp; None if it is not known."""
    if moment <= 0:
        return None
    return datetime.fromtimestamp(moment / 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
