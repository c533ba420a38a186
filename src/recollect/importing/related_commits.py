"""Tells which of many commits belongs to which of a few: by area and by rare words of the subject.

One memory can then tell a story of several commits, as a colleague would.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from recollect.core.named_tuple import NamedTuple
from recollect.importing.commit_message import Message
from recollect.index.text import query_terms

# Commits that one memory names besides its own, and how similar they must be, from 0 to 1.
MOST_RELATED: Final = 8
_LEAST = 0.18
_FEWEST = 2  # words that both have
_COMMON = 10  # a word in more than one of so many commits relates nothing


class Topic(NamedTuple):
    """What a commit is about, in words."""

    oid: str
    words: frozenset[str]


def topic_of(oid: str, message: Message) -> Topic:
    """Return what a commit is about."""
    return Topic(oid, frozenset(query_terms(f"{message.area} {message.subject} {message.reverts}")))


def relate(few: Sequence[Topic], many: Sequence[Topic]) -> dict[str, list[str]]:
    """Return, for some of the few, the most similar of the many; each belongs to one only."""
    count = Counter(word for topic in (*few, *many) for word in topic.words)
    total = len(few) + len(many)
    weights = {word: math.log(total / number) ** 2 for word, number in count.items()}
    norms = {topic.oid: _norm(topic, weights) for topic in few}
    holding: dict[str, list[Topic]] = defaultdict(list)
    for topic in few:
        for word in topic.words:
            holding[word].append(topic)
    found: dict[str, list[str]] = defaultdict(list)
    for topic in many:
        shared: defaultdict[str, float] = defaultdict(float)
        words: Counter[str] = Counter()
        for word in sorted(topic.words):  # the same sums in every process
            if count[word] <= max(2, total // _COMMON):
                for other in holding.get(word, ()):
                    shared[other.oid] += weights[word]
                    words[other.oid] += 1
        norm = _norm(topic, weights)
        ranked = sorted(shared.items(), key=lambda item: (-item[1] / norms[item[0]], item[0]))
        for oid, weight in ranked[:3]:
            is_near = weight / (norm * norms[oid]) >= _LEAST and words[oid] >= _FEWEST
            if is_near and len(found[oid]) < MOST_RELATED:
                found[oid].append(topic.oid)
                break
    return dict(found)


def _norm(topic: Topic, weights: Mapping[str, float]) -> float:
    return math.sqrt(sum(weights[word] for word in sorted(topic.words))) or 1.0
