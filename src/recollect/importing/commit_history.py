"""What commits say about each other: what was named later, and what was taken back."""

from __future__ import annotations

import re
from collections import Counter
from datetime import UTC, datetime

from recollect.core.patterns import pattern
from recollect.importing.commit_message import Message, body_of, cause_of, parse_message
from recollect.importing.commit_ranking import explains
from recollect.importing.related_commits import COMMIT_ID, ISSUE
from recollect.importing.verbs import first_verb
from recollect.index.text import query_terms
from recollect.ledger.commits import Commit

_ID_LENGTH = 7
_MOST_SEARCHED = 4_000  # characters of a message in which others are looked for
# What it adds that later commits name a commit, or its pull request: for each, and at most so many.
_NAMED, _NUMBERED, _MOST_NAMED = 0.6, 0.3, 3
# "Disallow X", and "Implement X" after it: by the first verb, and all other words of the first.
_FORBIDS = frozenset(["disallow", "forbid", "prohibit", "ban", "reject", "refuse", "disable"])
_ALLOWS = frozenset(
    ["implement", "allow", "support", "enable", "permit", "reinstate", "restore", "relax"]
)
_FEWEST = 2  # other words
# "This reverts commit 1234567 which reverted …", in the middle of a text.
_TAKES_BACK = pattern(
    r"\b(?:revert(?:s|ing|ed)?|undo(?:es)?|restor(?:es?|ing)|re-?appl(?:y|ies)|re-?lands?)"
    r" (?:the )?(?:commit |revert (?:in |of )?(?:commit )?)?([0-9a-f]{7,40})\b",
    re.IGNORECASE,
)
_SHORTEST = 50  # characters of a text, without what was left out of it


class Past:
    """What the commits of a history name and take back; add them newest first."""

    def __init__(self) -> None:
        self._named: Counter[str] = Counter()
        self._numbered: Counter[str] = Counter()
        self._undone: dict[str, tuple[Commit, str]] = {}  # by the id of what was taken back
        self._tried: dict[str, Commit] = {}
        self._order: dict[str, int] = {}  # newest first
        self._taken_back: set[str] = set()  # ids that any later text takes back
        self._allowed: dict[str, list[tuple[str, frozenset[str]]]] = {}  # by each word

    def add(self, commit: Commit, message: Message) -> None:
        """Note what a commit names; the newest comes first."""
        self._order[commit.oid] = len(self._order)
        text = commit.message[:_MOST_SEARCHED]
        own = set(ISSUE.findall(text.partition("\n")[0]))
        self._named.update({oid[:_ID_LENGTH] for oid in COMMIT_ID.findall(text)})
        self._numbered.update(set(ISSUE.findall(text)) - own)
        self._taken_back.update(oid[:_ID_LENGTH] for oid in _TAKES_BACK.findall(text))
        if first_verb(message.subject) in _ALLOWS:
            words = _object_of(message)
            for word in words:
                self._allowed.setdefault(word, []).append((commit.oid, words))
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

    def is_over(self, commit: Commit) -> bool:
        """Whether a later commit took back a revert, or allowed what this one forbids."""
        message = parse_message(commit.message)
        if message.reverts:
            name = commit.oid[:_ID_LENGTH]
            return name in self._undone or name in self._taken_back
        if first_verb(message.subject) not in _FORBIDS:
            return False
        words = _object_of(message)
        later = self._allowed.get(min(words, key=self._count), []) if len(words) >= _FEWEST else []
        return any(words <= said and self._is_later(oid, commit) for oid, said in later)

    def _count(self, word: str) -> tuple[int, str]:
        return len(self._allowed.get(word, ())), word

    def _is_later(self, oid: str, commit: Commit) -> bool:
        return self._order[oid] < self._order[commit.oid]

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


def _object_of(message: Message) -> frozenset[str]:
    """Return the words of a subject without its verb: what it is about."""
    return frozenset(query_terms(message.subject.partition(" ")[2]))


def month_of(commit: Commit) -> str:
    """Return when a commit was written, as in 2024-03."""
    return datetime.fromtimestamp(commit.time, UTC).strftime("%Y-%m")
