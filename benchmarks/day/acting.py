"""The agent of a day: it does what the script says and, asked to draft, drafts what it was shown.

A real agent that is asked for drafts writes about the lines it is shown. So does this one: it has
a sentence ready for a fact, and writes it only if a line of the request is about that fact, or
into the summary of the session if that is wanted. It never writes about the other lines.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.day.scripts import Day, Fact, Position, Session
from tests.realclient.api import Answer, Request, Turn, is_done, say, use

# How the request of our Stop hook names the command that it wants.
REQUEST = "recollect write drafts"
_END = "END_OF_DRAFTS"


@dataclass(slots=True)
class Agent:
    """The agent in one session."""

    day: Day
    session: Session
    number: int
    folder: Path
    may_draft: bool = True
    asked: int = 0  # how often it was asked to draft
    drafted: set[str] = field(default_factory=set)
    _read: set[str] = field(default_factory=set)
    _turn: int = 0

    def answers(self, turn: int) -> list[Turn]:
        """What it says and does in a turn."""
        self._turn = turn
        return [
            answer
            for step in self.session.turns[turn - 1].steps
            for answer in self._answers(dict(step))
        ]

    def rest(self, request: Request) -> Turn:
        """What it says when its script is over: it is done, unless a hook asks for drafts."""
        asked = request.last_said
        if REQUEST not in asked:
            return is_done(request)
        self.asked += 1
        drafts = list(self._drafts(asked)) if self.may_draft else []
        if not drafts:
            return say("Nothing in there needs to be kept.")
        text = json.dumps(drafts, ensure_ascii=False)
        command = f"{REQUEST} --input - <<'{_END}'\n{text}\n{_END}"
        return use("Bash", command=command, description="Save what the next session should know")

    def _answers(self, step: Mapping[str, Any]) -> Iterator[Answer]:
        path = step.get("read") or step.get("edit") or step.get("write") or ""
        where = str(self.folder / path)
        is_unread = path and path not in self._read and (self.folder / path).exists()
        if is_unread and "read" not in step:  # the client refuses to change what was not read
            yield use("Read", file_path=where)
        self._read |= {path}
        text = step.get("say", "").strip()
        if "bash" in step:
            yield _with(text, use("Bash", command=step["bash"].strip(), description="Run it"))
        elif "read" in step:
            yield _with(text, use("Read", file_path=where))
        elif "edit" in step:
            old, new = step["old"], step["new"]
            yield _with(text, use("Edit", file_path=where, old_string=old, new_string=new))
        elif "write" in step:
            yield _with(text, use("Write", file_path=where, content=step["text"]))
        else:
            yield say(text)

    def _drafts(self, request: str) -> Iterator[dict[str, Any]]:
        now: Position = (self.number, self._turn)
        known = [
            fact
            for fact in self.day.facts
            if fact.draft
            and fact.said[0] == self.number
            and fact.said <= now
            and fact.holds_at(now)
        ]
        for fact in known:
            is_shown = any(fact.words.are_in(line) for line in request.splitlines())
            if is_shown and fact.name not in self.drafted:
                self.drafted.add(fact.name)
                yield draft_of(fact)
        if known and "- sessions (" in request:
            yield _summary(self.session.turns[0].user, [fact.draft for fact in known])


def draft_of(fact: Fact) -> dict[str, Any]:
    """The document that an agent writes about a fact."""
    text = fact.draft
    contents: Mapping[str, Mapping[str, Any]] = {
        "decisions": {
            "decision": text,
            "status": "accepted",
            "rationale": ["It was agreed in this session."],
            "context": "It came up in the work of this session.",
        },
        "preferences": {
            "topic": text,
            "value": text,
            "strength": "strong",
            "reason": "The user asked for it.",
        },
        "constraints": {
            "rule": text,
            "kind": "technical",
            "severity": "medium",
            "active": True,
            "impact": [text],
            "workarounds": [],
        },
        "runbooks": {
            "trigger": text,
            "steps": [text],
            "verification": "The command that failed succeeds.",
            "symptoms": [],
        },
    }
    kind = fact.kind if fact.kind in contents else "constraints"
    return _document(kind, text, contents[kind])


def _document(kind: str, title: str, content: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "action": "create",
        "kind": kind,
        "title": title[:100],
        "tags": [],
        "content": content,
    }


def _summary(asked: str, done: Sequence[str]) -> dict[str, Any]:
    """The summary of a session so far: what was asked first, and what came of it."""
    goal = " ".join(asked.split())[:80]
    content = {"goal": goal, "outcome": "partial", "next_actions": [], "completed": list(done)}
    return _document("sessions", f"Session about: {goal}", content)


def _with(text: str, answer: Answer) -> Answer:
    """The same answer with a text before its tool."""
    blocks: Sequence[dict[str, Any]] = [{"type": "text", "text": text}] if text else []
    return Answer((*blocks, *answer.blocks), answer.input_tokens)
