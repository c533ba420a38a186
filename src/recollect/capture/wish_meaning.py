"""How likely a clause asks the agent to remember something, by what it means.

The wish model (`capture/wish_model.py`) knows words. "Let that be settled" has none of those that
people usually ask with, but its embedding is near those of clauses that ask. A logistic regression
over the embeddings of a clause and of its sentence rates that. It needs a loaded embedder, so the
engine runs it, and only for sentences that the wish model does not rule out.

`python -m benchmarks.capture.train_meaning` makes the weights in `wish_meaning.bin` beside this
module. They are for the vectors of one embedder; with another one, there is no rating.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Sequence
from functools import cache
from operator import mul
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recollect.core.named_tuple import NamedTuple

if TYPE_CHECKING:
    from recollect.embedding import Embedder

FILE: Final = Path(__file__).with_name("wish_meaning.bin")
MAGIC: Final = b"recollect meant wishes 1\n"
SCALE: Final = 0.3  # of the features that are no part of a vector
MOST_CLAUSES: Final = 12  # of a sentence

# The clauses of a sentence, the sentence last → the vector of each.
Embed = Callable[[Sequence[str]], list[bytes]]


class Place(NamedTuple):
    """Where a sentence stands in its prompt, and whether it is a question."""

    place: int
    total: int
    is_question: bool


class Asked(NamedTuple):
    """The clause of a sentence that most likely asks: its number, and its log odds."""

    clause: int
    odds: float


def embed_with(embedder: Embedder | None) -> Embed | None:
    """Return how to embed clauses, if the weights are for the vectors of this embedder."""
    return embedder.embed if embedder is not None and embedder.name == _weights().model else None


def named_features(place: Place, clauses: int) -> tuple[float, ...]:
    """Return the features of a clause that its vectors do not have; the last is always on."""
    return tuple(
        SCALE * is_true
        for is_true in (
            place.is_question,
            clauses == 1,
            place.place == 0,
            place.place == place.total - 1,
            place.total == 1,
            True,
        )
    )


def rate_clauses(clauses: Sequence[str], sentence: str, place: Place, embed: Embed) -> Asked:
    """Return the clause of a sentence that most likely asks."""
    chosen = clauses[:MOST_CLAUSES] or [sentence]
    *vectors, whole = (_floats(one) for one in embed([*chosen, sentence]))
    known = _weights()
    size = len(whole)
    own, around = known.values[:size], known.values[size : 2 * size]
    base = _dot(around, whole)
    base += _dot(known.values[2 * size :], named_features(place, len(clauses)))
    odds = [base + _dot(own, vector) for vector in vectors]
    best = max(range(len(odds)), key=odds.__getitem__)
    return Asked(best, odds[best])


def log_odds(chance: float) -> float:
    """Return the log odds of a chance; a chance of 0 or 1 is nearly that."""
    chance = min(max(chance, 1e-6), 1 - 1e-6)
    return math.log(chance / (1 - chance))


class _Weights(NamedTuple):
    model: str
    values: Sequence[float]


@cache
def _weights() -> _Weights:
    data = FILE.read_bytes()
    start = len(MAGIC) + 4
    end = start + int.from_bytes(data[len(MAGIC) : start])
    header = json.loads(data[start:end])
    return _Weights(header["embedder"], _floats(data[end:]))


def _floats(data: bytes) -> tuple[float, ...]:
    return struct.unpack(f"<{len(data) // 4}f", data)


def _dot(one: Sequence[float], other: Sequence[float]) -> float:
    return math.fsum(map(mul, one, other))
