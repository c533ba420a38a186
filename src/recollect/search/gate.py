"""The gate: how likely it is that a memory answers a prompt, from named features of a hit.

Two logistic functions decide: how likely the prompt is about any memory of the store, and if it is,
how likely it is about this one. The probability is their product. They decide what hooks inject and
what a search shows, so that a threshold means the same in a store of three memories and of a
hundred thousand. `python -m benchmarks.gate` fits their coefficients, which are in
`search/gate_coefficients.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from recollect.core.named_tuple import NamedTuple
from recollect.index.protocol import Match, Spread
from recollect.search.gate_coefficients import (
    ABOUT_COLD,
    ABOUT_WARM,
    ABOUT_WORD_VECTORS,
    ANSWERS_COLD,
    ANSWERS_WARM,
    ANSWERS_WORD_VECTORS,
)


class Features(NamedTuple):
    """What is known about a memory and a prompt, each about from 0 to 1 except as noted."""

    # By words: the score relative to the best one, and what it is ahead of the next (below 0:
    # behind the best).
    share: float = 0.0
    margin: float = 0.0
    # The words in common: how much evidence they give, their share of what all words of the prompt
    # are worth, what the rarest is worth and the next rarest, the share in the summary, and in tags
    # and files, and how many of them stand side by side in the prompt and in the memory.
    evidence: float = 0.0
    coverage: float = 0.0
    rarest: float = 0.0
    second: float = 0.0
    titled: float = 0.0
    tagged: float = 0.0
    beside: float = 0.0
    # By meaning: the cosine, its share of the best one, what it is ahead of the next (below 0:
    # behind the best), how far it stands out among the cosines of the prompt (in standard
    # deviations), and how near the memory is to everything.
    cosine: float = 0.0
    nearness: float = 0.0
    ahead: float = 0.0
    stands_out: float = 0.0
    crowding: float = 0.0
    # By both: how well it matches relative to the best one, and what it is ahead of the next (below
    # 0: behind the best).
    match: float = 0.0
    lead: float = 0.0
    # The work: whether the memory is of this episode, and names a file at hand.
    episode: float = 0.0
    at_hand: float = 0.0
    # The prompt: its meaningful words (a logarithm), what those are worth that any memory has, as a
    # share, and whether it asks for memories.
    length: float = 0.0
    known: float = 0.0
    asked: float = 0.0
    # The most that any memory has: evidence, words in common and what they are worth, the rarest,
    # the next rarest, words side by side, the cosine, that of three memories, how it stands out.
    most_evidence: float = 0.0
    most_words: float = 0.0
    most_worth: float = 0.0
    most_rare: float = 0.0
    most_second: float = 0.0
    most_beside: float = 0.0
    most_cosine: float = 0.0
    three_cosines: float = 0.0
    most_outstanding: float = 0.0
    # What the best match has, by words and meaning: its cosine, and its lead.
    first_cosine: float = 0.0
    first_lead: float = 0.0
    # The store: the number of memories (a logarithm).
    size: float = 0.0
    # Whether vectors were there, and whether the prompt's was only the sum of its words; these
    # choose the coefficients.
    warm: bool = False
    summed: bool = False


BIAS = "bias"
NO_FEATURES = Features()
_NO_WORDS = Match("", 0.0)
# Logarithms, and what words are worth, are divided by these to be about 1 at most.
_LONG_PROMPT, _LARGE_STORE = math.log(30), math.log(20_000)
_RARE, _WORTH, _MOST_WORTH = 7.0, 20.0, 2.0
_MANY_WORDS = 4
_LARGEST_SCORE = 5.0  # standard deviations
_FEW = 3
# What `_places` returned, by the identity of the coefficients, which never change.
_PLACES: dict[int, tuple[Mapping[str, float], list[tuple[int, int | None, float]]]] = {}


class Prompt:
    """What was found for a prompt, by words and by meaning: from it come the features of a hit."""

    def __init__(
        self,
        by_words: Mapping[str, Match],
        by_meaning: Mapping[str, float],
        by_both: Mapping[str, float],
        spread: Spread,
        *,
        terms: int,
        known: float,
        memories: int,
        asked: bool,
        is_exact: bool = True,
    ) -> None:
        self._by_words = by_words
        self._by_meaning = by_meaning
        self._by_both = by_both
        self._spread = spread
        self._first, self._next = _best_two(by_both.values())
        self._best, self._second = _best_two(match.score for match in by_words.values())
        nearest = [max(0.0, n) for n in sorted(by_meaning.values(), reverse=True)[:_FEW]]
        self._nearest, self._next_nearest = (*nearest[:2], 0.0, 0.0)[:2]
        found = by_words.values()
        best = max(by_both, key=lambda uid: (by_both[uid], uid), default="")
        self._common = {
            "length": min(1.0, math.log(max(1, terms)) / _LONG_PROMPT),
            "known": known,
            "asked": float(asked),
            "size": math.log(max(1, memories)) / _LARGE_STORE,
            "warm": bool(by_meaning) and is_exact,
            "summed": bool(by_meaning) and not is_exact,
            "most_evidence": min(1.0, max((match.evidence for match in found), default=0.0)),
            "most_words": _few(max((match.words for match in found), default=0)),
            "most_worth": min(_MOST_WORTH, max((m.worth for m in found), default=0.0) / _WORTH),
            "most_rare": max((match.rarest for match in found), default=0.0) / _RARE,
            "most_second": max((match.second for match in found), default=0.0) / _RARE,
            "most_beside": _few(max((match.beside for match in found), default=0)),
            "most_cosine": self._nearest,
            "three_cosines": sum(nearest) / _FEW,
            "most_outstanding": self._outstanding(self._nearest) if nearest else 0.0,
            "first_cosine": max(0.0, by_meaning.get(best, 0.0)),
            "first_lead": min(1.0, self._first - self._next),
        }

    def features_of(self, uid: str, crowding: float) -> Features:
        """Return the features of a memory that was found."""
        match = self._by_words.get(uid, _NO_WORDS)
        share = match.score / self._best if self._best else 0.0
        cosine = max(0.0, self._by_meaning.get(uid, 0.0))
        both = self._by_both.get(uid, 0.0)
        is_first = match.score > 0 and match.score == self._best
        return Features(
            share=share,
            margin=1 - self._second / self._best if is_first else share - 1 if share else 0.0,
            evidence=min(1.0, match.evidence),
            coverage=match.coverage,
            rarest=match.rarest / _RARE,
            second=match.second / _RARE,
            titled=match.titled,
            tagged=match.tagged,
            beside=_few(match.beside),
            cosine=cosine,
            nearness=cosine / self._nearest if self._nearest else 0.0,
            ahead=cosine - (self._next_nearest if cosine == self._nearest else self._nearest),
            stands_out=self._outstanding(cosine) if uid in self._by_meaning else 0.0,
            crowding=crowding,
            match=both / self._first if self._first else 0.0,
            lead=max(-1.0, min(1.0, both - (self._next if both == self._first else self._first))),
            **self._common,  # type: ignore[arg-type]
        )

    def _outstanding(self, cosine: float) -> float:
        return self._spread.stands_out(cosine) / _LARGEST_SCORE


def _few(count: int) -> float:
    """Return a count that matters less the larger it is."""
    return min(count, _MANY_WORDS) / _MANY_WORDS


def _best_two(values: Iterable[float]) -> tuple[float, float]:
    """Return the two largest values; 0 where there is none."""
    first, second = (*sorted(values, reverse=True)[:2], 0.0, 0.0)[:2]
    return first, second


def about(features: Features, asking: float = 1.0) -> float:
    """Return how likely the prompt is about any memory of the store, from 0 to 1.

    `asking` multiplies the odds: whoever searches means a memory more often than whoever types.
    """
    likely = _logistic(features, _coefficients(features)[0])
    return asking * likely / (1.0 - likely + asking * likely)


def answers(features: Features) -> float:
    """Return how likely it is about this memory, if it is about any, from 0 to 1."""
    return _logistic(features, _coefficients(features)[1])


def probability(features: Features, asking: float = 1.0) -> float:
    """Return how likely a memory answers the prompt, from 0 to 1; for `asking`, see `about`."""
    return about(features, asking) * answers(features)


def strongest(features: Features, most: int = 3) -> Sequence[tuple[str, float]]:
    """Return the features that decided most, with what each adds to the log-odds."""
    of_prompt, of_memory = _coefficients(features)
    parts = _parts(features, of_prompt) | _parts(features, of_memory)
    given = [(name, part) for name, part in parts.items() if part]
    return sorted(given, key=lambda part: -abs(part[1]))[:most]


def _coefficients(features: Features) -> tuple[Mapping[str, float], Mapping[str, float]]:
    """Return the coefficients of both functions, for the sort of vectors that were there."""
    if features.warm:
        return ABOUT_WARM, ANSWERS_WARM
    if features.summed:
        return ABOUT_WORD_VECTORS, ANSWERS_WORD_VECTORS
    return ABOUT_COLD, ANSWERS_COLD


def _logistic(features: Features, coefficients: Mapping[str, float]) -> float:
    odds = coefficients[BIAS] + sum(
        [
            weight * features[first] * (1.0 if second is None else features[second])
            for first, second, weight in _places(coefficients)
        ]
    )
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))


def _places(coefficients: Mapping[str, float]) -> list[tuple[int, int | None, float]]:
    """Return where the features of some coefficients are, and their weights.

    Whoever waits for a search has dozens of hits judged; by name, that takes five times as long.
    """
    known = _PLACES.get(id(coefficients))
    if known is None or known[0] is not coefficients:
        at = Features._fields.index
        places = [
            (at(first), at(second) if second else None, weight)
            for name, weight in coefficients.items()
            if name != BIAS
            for first, _, second in [name.partition("*")]
        ]
        known = _PLACES[id(coefficients)] = coefficients, places
    return known[1]


def _parts(features: Features, coefficients: Mapping[str, float]) -> dict[str, float]:
    return {
        name: weight * value_of(features, name)
        for name, weight in coefficients.items()
        if name != BIAS
    }


def value_of(features: Features, name: str) -> float:
    """Return a feature by its name, or the product of two: `length*size`."""
    first, _, second = name.partition("*")
    value = float(getattr(features, first))
    return value * getattr(features, second) if second else value
