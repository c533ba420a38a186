"""Tells which of many commits belongs to which of a few: by what they name, and by rare words.

One memory can then tell a story of several commits, as a colleague would.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.importing.commit_message import TRACKED, Message
from recollect.index.text import query_terms
from recollect.ledger.commits import Commit

# Commits that one memory names besides its own, and how similar they must be, from 0 to 1.
MOST_RELATED: Final = 5
_LEAST = 0.45
COMMIT_ID: Final = pattern(r"\b[0-9a-f]{7,40}\b")
ISSUE: Final = pattern(r"(?<![\w/-])#(\d{2,7})\b")  # or a pull request, of this repository
# Seconds between commits that mean the same issue by a number: repositories that were merged into
# one had numbers of their own.
_NEAR = 200 * 86_400
_ID_LENGTH = 7
_MOST_SEARCHED = 4_000  # characters of a message in which others are looked for
_MOST_NAMED = 4  # commits in a message that is about them
_FEWEST = 2  # words that both have
_COMMON = 10  # a word in more than one of so many commits relates nothing


class Topic(NamedTuple):
    """What a commit is about, in words."""

    oid: str
    words: frozenset[str]
    names: frozenset[str] = frozenset()  # of itself, and of other commits
    issues: frozenset[str] = frozenset()
    area: str = ""
    time: int = 0


def topic_of(commit: Commit, message: Message) -> Topic:
    """Return what a commit is about."""
    words = query_terms(f"{message.area} {message.subject} {message.reverts}")
    text = commit.message[:_MOST_SEARCHED]
    named = {oid[:_ID_LENGTH] for oid in COMMIT_ID.findall(text)}
    # A list of commits, as of a backport of many, is about none of them.
    names = {commit.oid[:_ID_LENGTH]} | (named if len(named) <= _MOST_NAMED else set())
    issues = frozenset(ISSUE.findall(text)) | frozenset(TRACKED.findall(text))
    area = message.area.casefold()
    return Topic(commit.oid, frozenset(words), frozenset(names), issues, area, commit.time)


def relate(few: Sequence[Topic], many: Sequence[Topic]) -> dict[str, list[str]]:
    """Return, for some of the few, the most similar of the many; each belongs to one only."""
    count = Counter(word for topic in (*few, *many) for word in topic.words)
    total = len(few) + len(many)
    weights = {word: math.log(total / number) ** 2 for word, number in count.items()}
    norms = {topic.oid: _norm(topic, weights) for topic in few}
    areas_of = {topic.oid: topic.area for topic in few}
    holding: dict[str, list[Topic]] = defaultdict(list)
    naming: dict[str, list[Topic]] = defaultdict(list)
    for topic in few:
        for word in topic.words:
            holding[word].append(topic)
        for name in topic.names | topic.issues:
            naming[name].append(topic)
    found: dict[str, list[str]] = defaultdict(list)
    for topic in many:
        shared: defaultdict[str, float] = defaultdict(float)
        words: Counter[str] = Counter()
        for word in sorted(topic.words):  # the same sums in every process
            if count[word] <= max(2, total // _COMMON):
                for other in holding.get(word, ()):
                    shared[other.oid] += weights[word]
                    words[other.oid] += 1
        named = [other.oid for name in sorted(topic.names) for other in naming.get(name, ())]
        named += [
            other.oid
            for issue in sorted(topic.issues)
            for other in naming.get(issue, ())
            if _is_same_issue(topic, other)
        ]
        near = next((oid for oid in named if len(found[oid]) < MOST_RELATED), None)
        if near is not None:
            found[near].append(topic.oid)
            continue
        norm = _norm(topic, weights)
        ranked = sorted(shared.items(), key=lambda item: (-item[1] / norms[item[0]], item[0]))
        for oid, weight in ranked[:3]:
            is_near = weight / (norm * norms[oid]) >= _LEAST and words[oid] >= _FEWEST
            areas = {topic.area, areas_of[oid]} - {""}  # a word means little in another part
            if is_near and len(areas) < 2 and len(found[oid]) < MOST_RELATED:
                found[oid].append(topic.oid)
                break
    return {oid: others for oid, others in found.items() if others}


def _is_same_issue(one: Topic, other: Topic) -> bool:
    """Whether two commits with the same number mean the same issue."""
    is_same_area = one.area != "" and one.area == other.area
    return is_same_area or abs(one.time - other.time) <= _NEAR


def _norm(topic: Topic, weights: Mapping[str, float]) -> float:
    return math.sqrt(sum(weights[word] for word in sorted(topic.words))) or 1.0
