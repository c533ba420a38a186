"""Which memories say much the same: greedy single linkage on the words that they share.

Comparing all pairs would take hours for a hundred thousand. Two sets can only share a given part
of their words if they share one of their rarest few (prefix filtering), so a set is compared only
with those that hold one of its rarest words, and of these only with the last few: single linkage
leads to the others through them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

# With how many sets that hold the same rare word each one is compared.
_COMPARED = 24
# A merged memory that names more sources than this cannot be read any more.
MOST_MEMBERS = 25


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of common words in all words of two sets."""
    common = len(one & other)
    return common / (len(one) + len(other) - common) if common else 0.0


def find_clusters(
    words: Mapping[str, frozenset[str]], similarity: float, least: int
) -> list[list[str]]:
    """Groups of at least so many keys whose words are linked by so much similarity.

    The result depends on the sets alone, never on the order in which they come. Keys are in
    their own order, and groups by their first key.
    """
    groups = _linked(words, similarity)
    clusters = [part for group in groups for part in _parts(sorted(group), least)]
    return sorted(clusters)


def _linked(words: Mapping[str, frozenset[str]], similarity: float) -> Iterable[list[str]]:
    frequency = Counter(word for own in words.values() for word in own)
    # Equal sets are one: a thousand copies need no comparison.
    equal: dict[frozenset[str], list[str]] = {}
    for key in sorted(words):
        if words[key]:
            equal.setdefault(words[key], []).append(key)
    # From small to large, so that a partner large enough is always among the later ones.
    ordered = sorted(equal, key=lambda own: (len(own), equal[own][0]))
    leader = list(range(len(ordered)))

    def find(member: int) -> int:
        while leader[member] != member:
            leader[member] = leader[leader[member]]
            member = leader[member]
        return member

    holding: dict[str, list[int]] = {}
    for number, own in enumerate(ordered):
        rare = sorted(own, key=lambda word: (frequency[word], word))
        prefix = rare[: len(own) - math.ceil(similarity * len(own)) + 1]
        seen: set[int] = set()
        for word in prefix:
            known = holding.setdefault(word, [])
            for other in known[-_COMPARED:]:
                if other not in seen:
                    seen.add(other)
                    if len(ordered[other]) < similarity * len(own):
                        continue
                    if find(other) != find(number) and jaccard(ordered[other], own) >= similarity:
                        leader[find(number)] = find(other)
            known.append(number)
    groups: dict[int, list[str]] = {}
    for number, own in enumerate(ordered):
        groups.setdefault(find(number), []).extend(equal[own])
    return groups.values()


def _parts(group: Sequence[str], least: int) -> list[list[str]]:
    """A group in parts that can be read, none of them too small; a group that is, is none."""
    if len(group) < least:
        return []
    count = math.ceil(len(group) / MOST_MEMBERS)
    size = math.ceil(len(group) / count)
    parts = [list(group[start : start + size]) for start in range(0, len(group), size)]
    if len(parts[-1]) < least:
        rest = parts.pop()
        parts[-1] += rest
    return parts
