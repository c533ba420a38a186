"""Search by vectors, and how near vectors are to each other in general.

A cosine of 0.5 means much for one query and little for another, and some memories are near to every
query. Both are measured against a sample, so that they cost the same in a store of any size.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from recollect.index.protocol import Match, Spread

if TYPE_CHECKING:
    from recollect.index.sqlite.matrix import Matrix

# The vector table gets slower with every neighbour requested: ask for few, then for many more.
_FIRST, _WIDEN = 1.25, 4
_MOST_NEIGHBOURS = 4096  # the most that the vector table returns at once

# Vectors to compare a query with, and to compare a memory with.
_SAMPLE = 200
_OTHERS = 1_000
# A memory's nearest others.
_NEAREST = 10
# A memory is measured again when there are so many times more vectors than at the last time.
_GROWTH = 2
# What the similarities of a query are like in general, with the default model; it counts like so
# many memories, because few memories say little about it.
_USUAL_MEAN, _USUAL_DEVIATION, _USUAL_COUNT = 0.01, 0.09, 20


class Vectors:
    """Queries by vector on one database: from the vector table or, once kept, from memory."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._kept: Matrix | None = None

    def keep(self) -> None:
        """Keep the vectors in memory, as they are now."""
        dimensions = self._dimensions()
        if dimensions:
            if self._kept is None:
                from recollect.index.sqlite.matrix import Matrix

                self._kept = Matrix(self._db)
            self._kept.load(dimensions)

    def nearest(
        self,
        vector: bytes,
        condition: str,
        parameters: Sequence[Any],
        limit: int,
        including: Sequence[str],
    ) -> list[Match]:
        """Return the memories nearest to a vector that match a condition, and some others."""
        if self._dimensions() != len(vector) // 4:
            return []
        total = _count(self._db)
        most = total if self._is_kept() else min(total, _MOST_NEIGHBOURS)
        best: dict[str, float] = {}
        wanted = min(int(limit * _FIRST), most)
        while wanted:
            _keep_nearest(best, self._neighbours(vector, wanted, condition, parameters))
            if len(best) >= limit or wanted >= most:
                break
            wanted = min(wanted * _WIDEN, most)
        ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))[:limit]
        # A memory of `including` may be among those that the limit cuts off.
        known = {uid for uid, _ in ranked}
        also: dict[str, float] = {}
        _keep_nearest(also, self._cosines(vector, [u for u in including if u not in known]))
        return [Match(uid, cosine) for uid, cosine in (*ranked, *also.items())]

    def spread(self, vector: bytes) -> Spread:
        """Return mean and deviation of the similarities between a vector and a sample of all."""
        if self._dimensions() != len(vector) // 4:
            return Spread()
        last = int(next(iter(self._db.execute("SELECT max(key) FROM chunk")))[0] or 0)
        step = _step(last, _SAMPLE)
        if self._kept is not None and self._is_kept():
            cosines = self._kept.sample(vector, step)
        else:
            sample = ",".join(map(str, range(1, last + 1, step)))
            rows = self._db.execute(
                "SELECT 1 - vec_distance_cosine(vector.embedding, ?) FROM chunk"
                f" JOIN vector ON vector.rowid = chunk.key WHERE chunk.key IN ({sample})",
                (vector,),
            )
            cosines = [cosine for (cosine,) in rows if cosine is not None]
        count = len(cosines) + _USUAL_COUNT
        mean = (math.fsum(cosines) + _USUAL_COUNT * _USUAL_MEAN) / count
        squares = math.fsum((cosine - mean) ** 2 for cosine in cosines)
        return Spread(mean, math.sqrt((squares + _USUAL_COUNT * _USUAL_DEVIATION**2) / count))

    def _neighbours(
        self, vector: bytes, wanted: int, condition: str, parameters: Sequence[Any]
    ) -> Iterable[tuple[str, float]]:
        """Return the nearest vectors whose memories match a condition: uid and cosine."""
        if self._kept is not None and self._is_kept():
            near = self._kept.best(vector, wanted)
            rows = self._db.execute(
                # More numbers than a statement may have parameters.
                f"SELECT uid, key FROM memory WHERE key IN ({','.join(map(str, near))})"
                f" AND {condition}",
                tuple(parameters),
            )
            return [(uid, near[key]) for uid, key in rows]
        return self._db.execute(
            "SELECT memory.uid, 1 - near.distance FROM"
            " (SELECT rowid, distance FROM vector WHERE embedding MATCH ? AND k = ?) AS near"
            " JOIN chunk ON chunk.key = near.rowid JOIN memory ON memory.key = chunk.memory"
            f" WHERE {condition}",
            (vector, wanted, *parameters),
        )

    def _cosines(self, vector: bytes, uids: Sequence[str]) -> Iterable[tuple[str, float]]:
        """Return the cosines of some memories, chunk by chunk."""
        if self._kept is not None and self._is_kept():
            rows = self._db.execute(
                f"SELECT key, uid FROM memory WHERE uid IN ({_marks(uids)})", tuple(uids)
            )
            named = dict(rows)
            return [(named[key], cosine) for key, cosine in self._kept.of(vector, named).items()]
        return self._db.execute(
            "SELECT memory.uid, 1 - vec_distance_cosine(vector.embedding, ?) FROM memory"
            " JOIN chunk ON chunk.memory = memory.key JOIN vector ON vector.rowid = chunk.key"
            f" WHERE memory.uid IN ({_marks(uids)})",
            (vector, *uids),
        )

    def _is_kept(self) -> bool:
        return self._kept is not None and self._kept.is_current()

    def _dimensions(self) -> int:
        rows = self._db.execute("SELECT value FROM meta WHERE key = 'dimensions'")
        return int(next(iter(rows), (0,))[0])


def _keep_nearest(best: dict[str, float], found: Iterable[tuple[str, float]]) -> None:
    """Keep the cosine of the nearest chunk of each memory."""
    for uid, cosine in found:
        best[uid] = max(best.get(uid, -1.0), cosine)


def _marks(values: Collection[Any]) -> str:
    return ",".join("?" * len(values))


def measure(db: apsw.Connection, most: int) -> int:
    """Measure memories that are new, or were measured among far fewer; return how many."""
    total = _count(db)
    keys = [
        key
        for (key,) in db.execute(
            "SELECT key FROM memory WHERE embedded = 1 AND ? * measured < ? LIMIT ?",
            (_GROWTH, total, most),
        )
    ]
    if not keys:
        return 0
    import numpy as np

    # The vector table would search the sample in the file again for each memory.
    sample = list(
        db.execute(
            "SELECT chunk.memory, vector.embedding FROM chunk"
            " JOIN vector ON vector.rowid = chunk.key WHERE chunk.key % ? = 0",
            (_step(total, _OTHERS),),
        )
    )
    memories = np.array([memory for memory, _ in sample], dtype=np.int64)
    others = [np.frombuffer(embedding, dtype="<f4") for _, embedding in sample]
    rows = np.array(others, dtype=np.float32)
    for key in keys:
        vectors = db.execute(
            "SELECT embedding FROM vector WHERE rowid ="
            " (SELECT min(key) FROM chunk WHERE memory = ?)",
            (key,),
        )
        own = next((np.frombuffer(embedding, dtype="<f4") for (embedding,) in vectors), None)
        near = 0.0
        if own is not None and sample:
            cosines = np.sort((rows @ own)[memories != key])[-_NEAREST:]
            near = float(cosines.mean()) if len(cosines) else 0.0
        db.execute("UPDATE memory SET crowding = ?, measured = ? WHERE key = ?", (near, total, key))
    return len(keys)


def _count(db: apsw.Connection) -> int:
    return int(next(iter(db.execute("SELECT count(*) FROM chunk")))[0])


def _step(total: int, sample: int) -> int:
    """Return the distance between the keys of a sample, as far as keys are without gaps."""
    return max(1, total // sample)
