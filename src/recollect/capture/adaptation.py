"""Learns from accepted and rejected suggestions what this person keeps.

A small model on top of the one that comes with Recollect: one weight per kind, and one for each of
a few hundred hashed words. Every weight and their sum are bounded, so that a series of rejections
lowers the score of what is like them, and can neither silence detection nor flood it. The weights
are numbers in local state; they hold no text and are never shared. `reset` deletes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from recollect.capture.features import Said, Vector, bucket, vector

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from recollect.store.store import Store

SIZE: Final = 256  # weights of words
MAX_WEIGHT: Final = 0.5
MAX_SHIFT: Final = 1.0  # of all weights together, in log-odds
_STEP_KIND: Final = 0.15
_STEP_WORD: Final = 0.1


def learn(store: Store, text: str, kind: str, accepted: bool) -> None:
    """Adjust the weights after a person accepted or rejected a text."""
    sign = 1.0 if accepted else -1.0
    features = vector(Said(text))
    steps = {f"kind {kind}": sign * _STEP_KIND}
    for name in _buckets(features):
        steps[name] = sign * _STEP_WORD
    store.local.adapted.add(steps, MAX_WEIGHT)


def reset(store: Store) -> None:
    """Forget everything that was learned."""
    store.local.adapted.clear()


def shift(store: Store) -> Callable[[Vector, str], float]:
    """Return what to add to the log-odds of a sentence, by its features and its kind."""
    weights = store.local.adapted.weights()

    def of(features: Vector, kind: str) -> float:
        if not weights:
            return 0.0
        names = _buckets(features)
        words = sum(weights.get(name, 0.0) for name in names) / math.sqrt(max(1, len(names)))
        total = weights.get(f"kind {kind}", 0.0) + words
        return max(-MAX_SHIFT, min(MAX_SHIFT, total))

    return of


def _buckets(features: Vector) -> list[str]:
    """Return the weights that the pairs of words of a text have; pairs say more than words."""
    pairs = [word for word in features.words if " " in word]
    return sorted({f"word {bucket(word, SIZE)}" for word in pairs})
