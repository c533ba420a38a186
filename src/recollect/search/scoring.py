"""Computes the score of a memory for a query, and the parts that explain it.

Match combines keyword and vector search. The other parts order memories that match equally well.
The weights are in `search/constants.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from recollect.core.age import not_after
from recollect.core.named_tuple import NamedTuple
from recollect.core.status import UNCONFIRMED
from recollect.search.constants import (
    AGREEMENT_SAMPLE,
    CROWDING_WEIGHT,
    HALF_LIFE_DAYS,
    IMPORTANCE_WEIGHT,
    KEYWORD_WEIGHT,
    MATCH_WEIGHT,
    NEIGHBOUR,
    RECENCY_WEIGHT,
    SECOND_NEIGHBOUR,
    TIE_WEIGHT,
    TRUST_GAIN_PER_USE,
    TRUST_WEIGHT,
    UNCONFIRMED_FACTOR,
    WEAK_MATCH,
    WORD_CROWDING_WEIGHT,
    WORD_KEYWORD_WEIGHT,
)

_DAY = 86_400.0


class Why(NamedTuple):
    """The parts of a score, each from 0 to 1."""

    match: float
    recency: float
    importance: float
    trust: float
    keyword: float = 0.0
    vector: float = 0.0
    strength: float = 0.0
    # Less than 1 if nobody has confirmed the memory.
    standing: float = 1.0
    # Whether the query or the kind of the memory asks for what is new; else age breaks ties only.
    timely: bool = False

    @property
    def score(self) -> float:
        """The weighted sum of the parts, less for an unconfirmed memory."""
        return self.standing * (
            MATCH_WEIGHT * self.match
            + (RECENCY_WEIGHT if self.timely else TIE_WEIGHT) * self.recency
            + IMPORTANCE_WEIGHT * (self.importance + self.strength) / 2
            + TRUST_WEIGHT * self.trust
        )

    def as_json(self) -> dict[str, float]:
        """Return the parts as `--json` prints them."""
        return {name: round(float(getattr(self, name)), 4) for name in self._fields}


def recency(created: float | None, now: float, half_life_days: float = HALF_LIFE_DAYS) -> float:
    """Return 1 for a new memory, halved every half-life; 0 without a date."""
    if created is None:
        return 0.0
    age = (now - not_after(created, now)) / _DAY
    return float(0.5 ** (age / half_life_days))


def standing(status: str) -> float:
    """Return what a score is multiplied with: less than 1 if nobody has confirmed the memory."""
    return UNCONFIRMED_FACTOR if status == UNCONFIRMED else 1.0


def trust(given: float, uses: int) -> float:
    """Return the trust that provenance gives, raised by use, at most 1."""
    return min(1.0, given + (1.0 - given) * TRUST_GAIN_PER_USE * math.log1p(uses))


class Match(NamedTuple):
    """How well a memory matches: relative to the best match, by keywords, and by vector."""

    relative: float
    keyword: float
    vector: float
    # Both together, not relative to others, and without neighbours.
    both: float = 0.0

    @property
    def similarity(self) -> float:
        """The similarity to the query, independent of other matches."""
        return max(self.keyword, self.vector)


def fuse(
    keyword: Mapping[str, float],
    vector: Mapping[str, float],
    crowding: Mapping[str, float] = MappingProxyType({}),
    sequences: Iterable[Sequence[str]] = (),
    *,
    is_exact: bool = True,
) -> dict[str, Match]:
    """Combine keyword and vector scores into one match for each memory.

    `crowding` says how near a memory is to everything: that is no sign of the query, so a part of
    it does not count. `sequences` are the memories of sessions in order: what stands beside a match
    in a talk is part of the same topic, so a memory gets a share of what its neighbours have.
    Without `is_exact`, the vectors are those of single words: whether words mislead is unknown.

    Matches are relative to the best one, so that a memory that answers the query twice as well does
    not lose to one that is merely newer. If even the best match is weak, it stays weak.
    """
    has_sums = bool(vector) and not is_exact
    weight = WORD_KEYWORD_WEIGHT if has_sums else KEYWORD_WEIGHT * _agreement(keyword, vector)
    less = CROWDING_WEIGHT if is_exact else WORD_CROWDING_WEIGHT
    strength = {
        uid: max(vector.get(uid, 0.0) - less * crowding.get(uid, 0.0), 0.0)
        + weight * keyword.get(uid, 0.0) ** 2
        for uid in keyword.keys() | vector.keys()
    }
    blended = strength | _with_neighbours(strength, sequences)
    best = max(max(blended.values(), default=0.0), WEAK_MATCH)
    return {
        uid: Match(
            total / best,
            min(1.0, keyword.get(uid, 0.0)),
            max(vector.get(uid, 0.0), 0.0),
            strength[uid],
        )
        for uid, total in blended.items()
    }


def _with_neighbours(
    strength: Mapping[str, float], sequences: Iterable[Sequence[str]]
) -> dict[str, float]:
    blended = {}
    for uids in sequences:
        own = [strength.get(uid, 0.0) for uid in uids]
        padded = [0.0, 0.0, *own, 0.0, 0.0]
        for at, uid in enumerate(uids):
            if uid in strength:
                before2, before, _, after, after2 = padded[at : at + 5]
                blended[uid] = (
                    own[at] + NEIGHBOUR * (before + after) + SECOND_NEIGHBOUR * (before2 + after2)
                )
    return blended


def _agreement(keyword: Mapping[str, float], vector: Mapping[str, float]) -> float:
    """Return how far the best keyword matches are also near by vector, from 0 to 1.

    For a paraphrase they are not: the few words that happen to match mislead.
    """
    if not vector or not keyword:
        return 1.0
    by_words = sorted(keyword, key=lambda uid: -keyword[uid])[:AGREEMENT_SAMPLE]
    by_meaning = sorted(vector.values(), reverse=True)[:AGREEMENT_SAMPLE]
    found = sum(max(vector.get(uid, 0.0), 0.0) for uid in by_words) / len(by_words)
    best = sum(by_meaning) / len(by_meaning)
    return min(1.0, found / best) if best > 0 else 1.0
