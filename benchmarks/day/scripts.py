"""Reads a day from its file: what is said and done, and what should be remembered of it.

A day is data. `benchmarks/day/README.md` describes the fields.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "days"
TUNING, HELD_OUT = "tuning", "held-out"

Position = tuple[int, int]  # session and turn, from 1; turn 0 is the start of the session
STEPS = ("say", "bash", "read", "edit", "write")


class BadDay(Exception):
    """A day's file is wrong; the text says where."""


@dataclass(frozen=True, slots=True)
class Words:
    """Patterns that all occur in a text that says a certain thing."""

    patterns: tuple[re.Pattern[str], ...]

    def are_in(self, text: str) -> bool:
        """Whether a text says it."""
        return all(pattern.search(text) for pattern in self.patterns)


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that is worth knowing in a later session."""

    name: str
    words: Words
    said: Position
    until: Position | None  # when it stopped being true
    is_wish: bool
    kind: str
    draft: str  # the sentence that the agent writes when it is asked to draft

    def holds_at(self, position: Position) -> bool:
        """Whether it is true then, and worth knowing."""
        return self.until is None or position < self.until


@dataclass(frozen=True, slots=True)
class Wrong:
    """A statement that was corrected or taken back: from then on nobody should read it."""

    words: Words
    since: Position


@dataclass(frozen=True, slots=True)
class Turn:
    """A prompt, what the agent does then, and what it needs to know for it."""

    user: str
    steps: Sequence[Mapping[str, Any]]
    needs: Sequence[str]

    @property
    def failures(self) -> int:
        """How many of its commands are meant to fail."""
        return sum(bool(step.get("fails")) for step in self.steps)


@dataclass(frozen=True, slots=True)
class Session:
    """A session and how it ends."""

    about: Words  # what a true summary of it says
    turns: Sequence[Turn]
    end: str  # "exit", "kill", or "kill-in-turn"
    worktree: str
    resume: int  # the number of the session that it continues, or 0
    is_hasty: bool  # the first prompt comes before the server is up


@dataclass(frozen=True, slots=True)
class Day:
    """A working day in a project of its own."""

    number: int
    name: str
    split: str
    project: Mapping[str, Any]
    sessions: Sequence[Session]
    facts: Sequence[Fact]
    wrong: Sequence[Wrong]
    never: Mapping[str, Words]  # what must not be kept in any form, by name

    def fact(self, name: str) -> Fact:
        """The fact of that name."""
        return next(fact for fact in self.facts if fact.name == name)


def all_days() -> list[Path]:
    """The files of all days, in order."""
    return sorted(HERE.glob("*/*.toml"), key=lambda path: int(path.stem.partition("-")[0]))


def read_day(path: Path) -> Day:
    """Read and check one day."""
    data = tomllib.loads(path.read_text("utf-8"))
    try:
        day = Day(
            number=int(path.stem.partition("-")[0]),
            name=path.stem.partition("-")[2],
            split=path.parent.name,
            project=data["project"],
            sessions=[_session(one) for one in data["session"]],
            facts=[_fact(name, one) for name, one in data["fact"].items()],
            wrong=[Wrong(_words(one), _position(one["since"])) for one in data.get("wrong", ())],
            never={one["name"]: _words(one) for one in data.get("never", ())},
        )
    except (KeyError, TypeError, ValueError, re.error) as error:
        raise BadDay(f"{path.name}: {error!r}") from error
    _check(day, path.name)
    return day


def _check(day: Day, file: str) -> None:
    known = {fact.name: fact for fact in day.facts}
    for number, session in enumerate(day.sessions, 1):
        last = session.turns[-1].steps
        if session.end == "kill-in-turn" and last and last[-1].keys() == {"say"}:
            raise BadDay(f"{file}: session {number} ends before it is killed: a say without a tool")
        for count, turn in enumerate(session.turns, 1):
            for need in turn.needs:
                if need not in known:
                    raise BadDay(f"{file}: turn {number}.{count} needs {need!r}, which is no fact")
                fact = known[need]
                if fact.said[0] >= number or not fact.holds_at((number, count)):
                    raise BadDay(f"{file}: {need!r} isn't a fact of the past at {number}.{count}")
            for step in turn.steps:
                if not step.keys() & set(STEPS):
                    raise BadDay(f"{file}: turn {number}.{count} has an unknown step: {step}")
    for fact in day.facts:
        spoken = day.sessions[fact.said[0] - 1].turns[fact.said[1] - 1]
        done = (str(value) for step in spoken.steps for value in step.values())
        if not fact.words.are_in("\n".join((spoken.user, *done))):
            raise BadDay(f"{file}: the words of {fact.name!r} aren't in the turn that says it")
        if fact.draft and not fact.words.are_in(fact.draft):
            raise BadDay(f"{file}: the words of {fact.name!r} aren't in its draft")


def _session(data: Mapping[str, Any]) -> Session:
    return Session(
        about=_words({"words": data["about"]}),
        turns=[
            Turn(str(one["user"]).strip(), one.get("agent", ()), one.get("needs", ()))
            for one in data["turn"]
        ],
        end=str(data.get("end", "exit")),
        worktree=str(data.get("worktree", "")),
        resume=int(data.get("resume", 0)),
        is_hasty=bool(data.get("hasty", False)),
    )


def _fact(name: str, data: Mapping[str, Any]) -> Fact:
    return Fact(
        name=name,
        words=_words(data),
        said=_position(data["said"]),
        until=_position(data["until"]) if "until" in data else None,
        is_wish=bool(data.get("wish", False)),
        kind=str(data.get("kind", "decisions")),
        draft=str(data.get("draft", "")),
    )


def _words(data: Mapping[str, Any]) -> Words:
    words = data["words"]
    return Words(
        tuple(
            re.compile(word, re.IGNORECASE)
            for word in ([words] if isinstance(words, str) else words)
        )
    )


def _position(text: str) -> Position:
    session, _, turn = str(text).partition(".")
    return int(session), int(turn)
