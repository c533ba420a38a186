"""Groups similar memories: greedy single linkage on the words that they share.

Comparing all pairs of a hundred thousand memories would take hours. An inverted index finds the
sets that share words. For each word, only the last few sets are considered, and only those that
share most words are compared. Single linkage reaches the others through them, so the work grows
with the number of sets, not with its square.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

# For each word, this many sets are considered; of those, this many are compared.
_CONSIDERED = 64
_COMPARED = 32
# A word that more than this share of many sets contain says nothing about their subject.
_COMMON_SHARE = 0.05
_MANY = 200
# A merged memory with more sources than this is not readable.
MOST_MEMBERS = 25


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the share of common words in all words of two sets."""
    common = len(one & other)
    return common / (len(one) + len(other) - common) if common else 0.0


def find_clusters(
    words: Mapping[str, frozenset[str]], similarity: float, least: int, *, any_word: bool = False
) -> list[list[str]]:
    """Return groups of at least `least` keys whose words are linked by this similarity.

    Words that many sets contain do not count, unless `any_word` is set.

    The result depends only on the sets, not on their order. Keys are sorted within a group, and
    groups are sorted by their first key.
    """
    groups = _linked(words if any_word else _without_common_words(words), similarity)
    clusters = [part for group in groups for part in _parts(sorted(group), least)]
    return sorted(clusters)


def _without_common_words(words: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """Remove words that many sets contain, such as those of a tool's template.

    If nothing else is left of a set, it keeps its words: a thousand copies are still copies.
    """
    if len(words) < _MANY:
        return dict(words)
    frequency = Counter(word for own in words.values() for word in own)
    most = _COMMON_SHARE * len(words)
    common = frozenset(word for word, count in frequency.items() if count > most)
    return {key: own - common or own for key, own in words.items()}


def _linked(words: Mapping[str, frozenset[str]], similarity: float) -> Iterable[list[str]]:
    # Equal sets are grouped first: a thousand copies need no comparison.
    equal: dict[frozenset[str], list[str]] = {}
    for key in sorted(words):
        if words[key]:
            equal.setdefault(words[key], []).append(key)
    sets = list(equal)
    leader = list(range(len(sets)))

    def find(member: int) -> int:
        while leader[member] != member:
            leader[member] = leader[leader[member]]
            member = leader[member]
        return member

    holding: dict[str, list[int]] = {}
    for number, own in enumerate(sets):
        shared: Counter[int] = Counter()
        for word in own:
            known = holding.setdefault(word, [])
            shared.update(known[-_CONSIDERED:])
            known.append(number)
        # Sets that were not considered may share more words than counted, but hardly twice as many.
        enough = similarity * len(own) / 2
        likely = [other for other, count in shared.items() if count >= enough]
        if len(likely) > _COMPARED:
            likely.sort(key=lambda other: (-shared[other], other))
        for other in likely[:_COMPARED]:
            if find(other) != find(number) and jaccard(sets[other], own) >= similarity:
                leader[find(number)] = find(other)
    groups: dict[int, list[str]] = {}
    for number, own in enumerate(sets):
        groups.setdefault(find(number), []).extend(equal[own])
    return groups.values()


def _parts(group: Sequence[str], least: int) -> list[list[str]]:
    """Split a group into readable parts, none of them too small; drop a group that is too small."""
    if len(group) < least:
        return []
    count = math.ceil(len(group) / MOST_MEMBERS)
    size = math.ceil(len(group) / count)
    parts = [list(group[start : start + size]) for start in range(0, len(group), size)]
    if len(parts[-1]) < least:
        rest = parts.pop()
        parts[-1] += rest
    return parts
