"""What commits say about each other: what was named later, and what was taken back."""

from __future__ import annotations

import re
from array import array
from collections import Counter
from datetime import UTC, datetime

from recollect.core.patterns import pattern
from recollect.importing.commit_kinds import TAKES_AWAY
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
# "Deprecate X", and "Undeprecate X" after it.
_DEPRECATES = frozenset(["deprecate", "soft-deprecate"])
_KEEPS = frozenset(["undeprecate", "un-deprecate", "reinstate"])
# "Support X", its revert, and "Support X in Y (2nd try)" after that: by all words of the first, of
# which there are so many, and so many more at most.
_FEWEST_TRIED, _MOST_MORE = 3, 3
# "This reverts commit 1234567 which reverted …", in the middle of a text.
_TAKES_BACK = pattern(
    r"\b(?:revert(?:s|ing|ed)?|undo(?:es)?|restor(?:es?|ing)|re-?appl(?:y|ies)|re-?lands?)"
    r" (?:the )?(?:commit |revert (?:in |of )?(?:commit )?)?([0-9a-f]{7,40})\b",
    re.IGNORECASE,
)
# "Remove the option 'x'": what it names first is gone, and so is what an earlier commit says of it.
_REMOVES = pattern(
    r"(?:[\w./*-]{1,30}: )?(?:remov(?:e[sd]?|ing)|drop(?:s|ped)?|delete[sd]?) (?:(?:the|all|option"
    r"|function|command|flag|support|for|deprecated|experimental|unstable|old) ){0,4}"
    r"(?P<name>`[^`\n]{3,60}`|'[^'\n]{3,60}'|--[a-z][\w-]{2,40}|-Z[\w-]{3,40}|\w{3,60}\(\))"
    r"(?! (?:from|in)\b)",
    re.IGNORECASE,
)
_NAME = pattern(r"`[^`\n]{3,60}`|'[^'\n]{3,60}'|--[a-z][\w-]{2,40}|-Z[\w-]{3,40}|\w{3,60}\(\)")
# "(after v9.1.1341)" in a message whose solution removes something.
_AFTER = pattern(r"\(after (?:patch |commit )?v?(?P<number>\d[\d.]{2,20}\d|[0-9a-f]{7,40})\)")
_PATCH = pattern(r"patch (?P<number>\d[\d.]{2,20}\d):", re.IGNORECASE)
_SHORTEST = 50  # characters of a text, without what was left out of it


class Past:
    """What the commits of a history name and take back; add them newest first."""

    def __init__(self) -> None:
        self._named: Counter[str] = Counter()
        self._numbered: Counter[str] = Counter()
        self._undone: set[str] = set()  # ids of what was taken back
        self._tried: dict[str, Commit] = {}
        self._order: dict[str, int] = {}  # newest first
        self._taken_back: set[str] = set()  # ids that any later text takes back
        self._allowed: dict[str, list[tuple[str, frozenset[str]]]] = {}  # by each word
        self._kept: dict[str, list[tuple[str, frozenset[str]]]] = {}  # the same
        self._said: dict[str, array[int]] = {}  # numbers of commits by each word of their subject
        self._removed: dict[str, int] = {}  # the newest commit that removed what has a name
        self._sizes = array("i")  # words of each commit; -1 for what took something away

    def add(self, commit: Commit, message: Message) -> None:
        """Note what a commit names; the newest comes first."""
        self._order[commit.oid] = len(self._order)
        text = commit.message[:_MOST_SEARCHED]
        own = set(ISSUE.findall(text.partition("\n")[0]))
        self._named.update({oid[:_ID_LENGTH] for oid in COMMIT_ID.findall(text)})
        self._numbered.update(set(ISSUE.findall(text)) - own)
        self._taken_back.update(oid[:_ID_LENGTH] for oid in _TAKES_BACK.findall(text))
        verb = first_verb(message.subject)
        for verbs, noted in ((_ALLOWS, self._allowed), (_KEEPS, self._kept)):
            if verb in verbs:
                words = _object_of(message)
                for word in words:
                    noted.setdefault(word, []).append((commit.oid, words))
        self._note(message)
        for said in filter(None, (message.subject, message.solution)):
            gone = _REMOVES.match(said)
            if gone:
                self._removed.setdefault(_bare(gone["name"]), self._order[commit.oid])
        if first_verb(message.solution) in TAKES_AWAY:
            for after in _AFTER.finditer(text):
                self._removed.setdefault(after["number"][:20], self._order[commit.oid])
        name = commit.oid[:_ID_LENGTH]
        if name in self._undone:
            self._tried[name] = commit
        # A revert that was taken back itself does not count.
        if message.reverted and name not in self._undone:
            self._undone.add(message.reverted[:_ID_LENGTH])

    def _note(self, message: Message) -> None:
        """Note the words of a subject, by the number of its commit."""
        is_end = message.reverts or first_verb(message.subject) in TAKES_AWAY | _DEPRECATES
        words = () if is_end else frozenset(query_terms(message.subject))
        for word in words:
            self._said.setdefault(word, array("i")).append(len(self._sizes))
        self._sizes.append(-1 if is_end else len(words))

    def _is_landed_again(self, commit: Commit, message: Message) -> bool:
        """Whether a later commit has the subject that a revert took back."""
        taken = parse_message(message.reverts.strip('"“” '))
        words = frozenset(query_terms(taken.subject))
        if len(words) < _FEWEST_TRIED or first_verb(taken.subject) in TAKES_AWAY | _DEPRECATES:
            return False
        rarest = min(words, key=lambda word: (len(self._said.get(word, ())), word))
        later = (n for n in self._said.get(rarest, ()) if n < self._order[commit.oid])
        others = [set(self._said.get(word, ())) for word in words]
        return any(
            self._sizes[n] <= len(words) + _MOST_MORE and all(n in other for other in others)
            for n in later
        )

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
        """Whether a later commit took this one back, or allowed what this one forbids.

        A revert is over, too, if what it took back landed again.
        """
        message = parse_message(commit.message)
        name = commit.oid[:_ID_LENGTH]
        if name in self._undone:
            return True
        if message.reverts:
            return name in self._taken_back or self._is_landed_again(commit, message)
        verb = first_verb(message.subject)
        if self._is_removed(commit, message):
            return True
        if verb not in _FORBIDS | _DEPRECATES:
            return False
        words = _object_of(message)
        noted = self._kept if verb in _DEPRECATES else self._allowed
        rarest = min(words, key=lambda word: (len(noted.get(word, ())), word), default="")
        later = noted.get(rarest, []) if len(words) >= _FEWEST else []
        return any(words <= said and self._is_later(oid, commit) for oid, said in later)

    def _is_removed(self, commit: Commit, message: Message) -> bool:
        """Whether a later commit removed what this one is about, by its name in the code."""
        said = message.solution or message.subject
        if first_verb(said) in TAKES_AWAY | _DEPRECATES:
            return False
        number = _PATCH.match(commit.message)
        names = [_bare(name) for name in _NAME.findall(said[:_MOST_SEARCHED])]
        asked = [*names[:1], *([number["number"]] if number else []), commit.oid[:_ID_LENGTH]]
        here = self._order[commit.oid]
        return any(self._removed.get(name, here) < here for name in asked)

    def _is_later(self, oid: str, commit: Commit) -> bool:
        return self._order[oid] < self._order[commit.oid]

    def tried_by(self, message: Message) -> Commit | None:
        """Return the commit that a revert takes back, if it is in this history."""
        return self._tried.get(message.reverted[:_ID_LENGTH]) if message.reverted else None


def _bare(name: str) -> str:
    return name.strip("`'").removesuffix("()")


def _object_of(message: Message) -> frozenset[str]:
    """Return the words of a subject without its verb: what it is about."""
    return frozenset(query_terms(message.subject.partition(" ")[2]))


def month_of(commit: Commit) -> str:
    """Return when a commit was written, as in 2024-03."""
    return datetime.fromtimestamp(commit.time, UTC).strftime("%Y-%m")
