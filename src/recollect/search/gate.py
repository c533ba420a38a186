"""The gate: how likely it is that a memory answers a prompt, from named features of a hit.

One logistic function decides what hooks inject and what a search shows, so that a threshold means
the same in a store of three memories and of a hundred thousand. `python -m benchmarks.gate` fits
the coefficients in `search/gate_coefficients.py`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from recollect.core.named_tuple import NamedTuple
from recollect.index.protocol import Match, Spread
from recollect.search.gate_coefficients import COLD, WARM


class Features(NamedTuple):
    """What is known about a memory and a prompt, each about from 0 to 1 except as noted."""

    # By words: the score relative to the best one, and what it is ahead of the next (below 0:
    # behind the best).
    share: float = 0.0
    margin: float = 0.0
    # The words in common: how much evidence they give, their share of what all words of the prompt
    # are worth, what the rarest is worth, and the share in the summary, and in tags and files.
    evidence: float = 0.0
    coverage: float = 0.0
    rarest: float = 0.0
    titled: float = 0.0
    tagged: float = 0.0
    words: float = 0.0
    # By meaning: the cosine, its inverse rank, how far it stands out among the cosines of the
    # prompt (in standard deviations), and how near the memory is to everything.
    cosine: float = 0.0
    nearest: float = 0.0
    stands_out: float = 0.0
    crowding: float = 0.0
    # By both: how well it matches, what it is ahead of the next (below 0: behind the best), and
    # whether it is among the best by words and by meaning.
    match: float = 0.0
    lead: float = 0.0
    agree: float = 0.0
    # The prompt: its meaningful words (a logarithm), and whether it asks for memories.
    length: float = 0.0
    asked: float = 0.0
    # The store: the number of memories (a logarithm).
    size: float = 0.0
    # The work: whether the memory is of this episode, and names a file at hand.
    episode: float = 0.0
    at_hand: float = 0.0
    # Whether vectors were there; they choose the coefficients.
    warm: bool = False


BIAS = "bias"
NO_FEATURES = Features()
_NO_WORDS = Match("", 0.0)
# How far down both lists "among the best" reaches.
_BEST = 3
# Logarithms, and what the rarest words are worth, are divided by these to be about 1 at most.
_LONG_PROMPT, _LARGE_STORE, _RARE = math.log(30), math.log(20_000), 7.0
_MANY_WORDS = 4
_LARGEST_SCORE = 5.0  # standard deviations
_LARGEST_MATCH = 3.0


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
        memories: int,
        asked: bool,
    ) -> None:
        self._by_words = by_words
        self._by_meaning = by_meaning
        self._by_both = by_both
        self._spread = spread
        self._first, self._next = _best_two(by_both.values())
        scores = sorted((match.score for match in by_words.values()), reverse=True)
        self._best, self._second = _best_two(scores)
        self._third = scores[_BEST - 1] if len(scores) >= _BEST else 0.0
        nearest = sorted(by_meaning, key=lambda uid: -by_meaning[uid])
        self._ranks = {uid: rank for rank, uid in enumerate(nearest, 1)}
        self._common = {
            "length": min(1.0, math.log(max(1, terms)) / _LONG_PROMPT),
            "asked": float(asked),
            "size": math.log(max(1, memories)) / _LARGE_STORE,
            "warm": bool(by_meaning),
        }

    def features_of(self, uid: str, crowding: float) -> Features:
        """Return the features of a memory that was found."""
        match = self._by_words.get(uid, _NO_WORDS)
        share = match.score / self._best if self._best else 0.0
        rank = self._ranks.get(uid)
        cosine = max(0.0, self._by_meaning.get(uid, 0.0))
        both = self._by_both.get(uid, 0.0)
        is_first = match.score > 0 and match.score == self._best
        return Features(
            share=share,
            margin=1 - self._second / self._best if is_first else share - 1 if share else 0.0,
            evidence=min(1.0, match.evidence),
            coverage=match.coverage,
            rarest=match.rarest / _RARE,
            titled=match.titled,
            tagged=match.tagged,
            words=min(match.words, _MANY_WORDS) / _MANY_WORDS,
            cosine=cosine,
            nearest=1 / rank if rank else 0.0,
            stands_out=self._spread.stands_out(cosine) / _LARGEST_SCORE if rank else 0.0,
            crowding=crowding,
            match=min(both, _LARGEST_MATCH),
            lead=max(-1.0, min(1.0, both - (self._next if both == self._first else self._first))),
            agree=float(rank is not None and rank <= _BEST and 0 < match.score >= self._third),
            **self._common,  # type: ignore[arg-type]
        )


def _best_two(values: Iterable[float]) -> tuple[float, float]:
    """Return the two largest values; 0 where there is none."""
    first, second = (*sorted(values, reverse=True)[:2], 0.0, 0.0)[:2]
    return first, second


def log_odds(features: Features) -> float:
    """Return the sum of the features, each by its coefficient."""
    return (WARM if features.warm else COLD)[BIAS] + sum(_parts(features).values())


def probability(features: Features) -> float:
    """Return how likely a memory answers the prompt, from 0 to 1."""
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, log_odds(features)))))


def strongest(features: Features, most: int = 3) -> Sequence[tuple[str, float]]:
    """Return the features that decided most, with what each adds to the log-odds."""
    parts = {name: part for name, part in _parts(features).items() if part}
    return sorted(parts.items(), key=lambda part: -abs(part[1]))[:most]


def _parts(features: Features) -> dict[str, float]:
    coefficients = WARM if features.warm else COLD
    return {
        name: weight * getattr(features, name)
        for name, weight in coefficients.items()
        if name != BIAS
    }
