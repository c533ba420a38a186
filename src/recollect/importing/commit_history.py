"""What commits say about each other: what was named later, and what was taken back."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime

from recollect.importing.commit_message import Message, body_of, cause_of, parse_message
from recollect.importing.commit_ranking import explains
from recollect.importing.related_commits import COMMIT_ID, ISSUE
from recollect.ledger.commits import Commit

_ID_LENGTH = 7
_MOST_SEARCHED = 4_000  # characters of a message in which others are looked for
# What it adds that later commits name a commit, or its pull request: for each, and at most so many.
_NAMED, _NUMBERED, _MOST_NAMED = 0.6, 0.3, 3
_SHORTEST = 50  # characters of a text, without what was left out of it


class Past:
    """What the commits of a history name and take back; add them newest first."""

    def __init__(self) -> None:
        self._named: Counter[str] = Counter()
        self._numbered: Counter[str] = Counter()
        self._undone: dict[str, tuple[Commit, str]] = {}  # by the id of what was taken back
        self._tried: dict[str, Commit] = {}

    def add(self, commit: Commit, message: Message) -> None:
        """Note what a commit names; the newest comes first."""
        text = commit.message[:_MOST_SEARCHED]
        own = set(ISSUE.findall(text.partition("\n")[0]))
        self._named.update({oid[:_ID_LENGTH] for oid in COMMIT_ID.findall(text)})
        self._numbered.update(set(ISSUE.findall(text)) - own)
        name = commit.oid[:_ID_LENGTH]
        if name in self._undone:
            self._tried[name] = commit
        # A revert that was taken back itself does not count.
        if message.reverted and name not in self._undone:
            self._undone[message.reverted[:_ID_LENGTH]] = (commit, cause_of(message))

    def worth(self, commit: Commit) -> float:
        """Return the points that a commit gets because later ones name it."""
        own = ISSUE.findall(commit.message.partition("\n")[0])
        named = self._named[commit.oid[:_ID_LENGTH]]
        numbered = max((self._numbered[number] for number in own), default=0)
        return _NAMED * min(named, _MOST_NAMED) + _NUMBERED * min(numbered, _MOST_NAMED)

    def explains(self, commit: Commit) -> bool:
        """Whether a commit says why; a revert without a cause must at least be the last word."""
        message = parse_message(commit.message)
        is_settled = commit.oid[:_ID_LENGTH] not in self._undone or bool(cause_of(message))
        is_told = message.reverts or len(body_of(message)) >= _SHORTEST
        return bool(explains(message) and is_told and (is_settled or not message.reverts))

    def end_of(self, commit: Commit) -> str:
        """Return who took a commit back, when, and why; empty if nobody did."""
        found = self._undone.get(commit.oid[:_ID_LENGTH])
        if found is None:
            return ""
        by, cause = found
        said = f"Commit {by.oid[:12]} reverted this in {month_of(by)}"
        return f"{said}: {cause}" if cause else f"{said}."

    def tried_by(self, message: Message) -> Commit | None:
        """Return the commit that a revert takes back, if it is in this history."""
        return self._tried.get(message.reverted[:_ID_LENGTH]) if message.reverted else None


def month_of(commit: Commit) -> str:
    """Return when a commit was written, as in 2024-03."""
    return datetime.fromtimestamp(commit.time, UTC).strftime("%Y-%m")
