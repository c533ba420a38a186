"""Which memories say much the same: greedy single linkage on the words that they share.

Comparing all pairs would take hours for a hundred thousand. An inverted index says which sets share
words at all; of those that hold a word only the last few are asked, and the few that share most
words are compared. Single linkage leads to the others through them, so the work grows with the
number of sets, not with its square.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

# Of the sets that hold a word, so many are asked; of those asked, so many are compared.
_ASKED = 64
_COMPARED = 32
# A word that more sets than this hold says nothing about what they are about, if they are many.
_COMMON_SHARE = 0.05
_MANY = 200
# A merged memory that names more sources than this cannot be read any more.
MOST_MEMBERS = 25


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """The share of common words in all words of two sets."""
    common = len(one & other)
    return common / (len(one) + len(other) - common) if common else 0.0


def find_clusters(
    words: Mapping[str, frozenset[str]], similarity: float, least: int, *, any_word: bool = False
) -> list[list[str]]:
    """Groups of at least so many keys whose words are linked by so much similarity.

    Words that many sets hold do not count, unless any word does.

    The result depends on the sets alone, never on the order in which they come. Keys are in
    their own order, and groups by their first key.
    """
    groups = _linked(words if any_word else _telling(words), similarity)
    clusters = [part for group in groups for part in _parts(sorted(group), least)]
    return sorted(clusters)


def _telling(words: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
    """The sets without the words that many of them hold, as templates of tools have them.

    Where nothing else is in a set they are what it says: the same a thousand times is the same.
    """
    if len(words) < _MANY:
        return dict(words)
    frequency = Counter(word for own in words.values() for word in own)
    most = _COMMON_SHARE * len(words)
    common = frozenset(word for word, count in frequency.items() if count > most)
    return {key: own - common or own for key, own in words.items()}


def _linked(words: Mapping[str, frozenset[str]], similarity: float) -> Iterable[list[str]]:
    # Equal sets are one: a thousand copies need no comparison.
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
            shared.update(known[-_ASKED:])
            known.append(number)
        # What was not asked may share more than was counted, but hardly twice as much.
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
