"""How near vectors are to each other in general.

A cosine of 0.5 means much for one query and little for another, and some memories are near to every
query. Both are measured against a sample, so that they cost the same in a store of any size.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence

from recollect.index.protocol import Spread

# Vectors to compare a query with, and to compare a memory with.
SAMPLE = 200
OTHERS = 1_000
# A memory is measured again when there are so many times more vectors than at the last time.
GROWTH = 2
# Memories that are measured in one transaction.
MEASURED_AT_ONCE = 100
# A model that replaced another so many seconds ago is new.
LATELY = 2 * 60 * 60
# A memory's nearest others.
_NEAREST = 10
# What the similarities of a query are like in general, with the default model; it counts like so
# many memories, because few memories say little about it.
_USUAL_MEAN, _USUAL_DEVIATION, _USUAL_COUNT = 0.01, 0.09, 20


def spread_of(cosines: Collection[float]) -> Spread:
    """Return mean and deviation of the similarities between a vector and a sample of all."""
    count = len(cosines) + _USUAL_COUNT
    mean = (math.fsum(cosines) + _USUAL_COUNT * _USUAL_MEAN) / count
    squares = math.fsum((cosine - mean) ** 2 for cosine in cosines)
    return Spread(mean, math.sqrt((squares + _USUAL_COUNT * _USUAL_DEVIATION**2) / count))


def step(total: int, sample: int) -> int:
    """Return the distance between the keys of a sample, as far as keys are without gaps."""
    return max(1, total // sample)


def keep_nearest(best: dict[str, float], found: Iterable[tuple[str, float]]) -> None:
    """Keep the cosine of the nearest chunk of each memory."""
    for uid, cosine in found:
        best[uid] = max(best.get(uid, -1.0), cosine)


def crowding(
    own: Iterable[tuple[int, bytes | None]], sample: Sequence[tuple[int, bytes]]
) -> Iterator[tuple[int, float]]:
    """Return, for memories with their first vectors, how near they are to the nearest others."""
    import numpy as np

    memories = np.array([memory for memory, _ in sample], dtype=np.int64)
    rows = np.array([np.frombuffer(vector, dtype="<f4") for _, vector in sample], dtype=np.float32)
    for key, vector in own:
        near = 0.0
        if vector is not None and sample:
            cosines = np.sort((rows @ np.frombuffer(vector, dtype="<f4"))[memories != key])
            near = float(cosines[-_NEAREST:].mean()) if len(cosines) else 0.0
        yield key, near
