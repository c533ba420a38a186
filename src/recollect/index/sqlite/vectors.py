"""Search by vectors in a SQLite file: in the vector table or, once kept, in memory."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from recollect.index.protocol import Match, Spread
from recollect.index.similarity import SAMPLE, keep_nearest, spread_of, step

if TYPE_CHECKING:
    from recollect.index.sqlite.matrix import Matrix

# The vector table gets slower with every neighbour requested: ask for few, then for many more.
_FIRST, _WIDEN = 1.25, 4
_MOST_NEIGHBOURS = 4096  # the most that the vector table returns at once


class Vectors:
    """Queries by vector on one database: from the vector table or, once kept, from memory."""

    def __init__(self, db: apsw.Connection, dimensions: Callable[[], int]) -> None:
        self._db = db
        self._dimensions = dimensions
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
            keep_nearest(best, self._neighbours(vector, wanted, condition, parameters))
            if len(best) >= limit or wanted >= most:
                break
            wanted = min(wanted * _WIDEN, most)
        ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))[:limit]
        # A memory of `including` may be among those that the limit cuts off.
        known = {uid for uid, _ in ranked}
        also: dict[str, float] = {}
        keep_nearest(also, self._cosines(vector, [u for u in including if u not in known]))
        return [Match(uid, cosine) for uid, cosine in (*ranked, *also.items())]

    def spread(self, vector: bytes) -> Spread:
        """Return mean and deviation of the similarities between a vector and a sample of all."""
        if self._dimensions() != len(vector) // 4:
            return Spread()
        last = int(next(iter(self._db.execute("SELECT max(key) FROM chunk")))[0] or 0)
        every = step(last, SAMPLE)
        if self._kept is not None and self._is_kept():
            cosines = self._kept.sample(vector, every)
        else:
            sample = ",".join(map(str, range(1, last + 1, every)))
            rows = self._db.execute(
                "SELECT 1 - vec_distance_cosine(vector.embedding, ?) FROM chunk"
                f" JOIN vector ON vector.rowid = chunk.key WHERE chunk.key IN ({sample})",
                (vector,),
            )
            cosines = [cosine for (cosine,) in rows if cosine is not None]
        return spread_of(cosines)

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


def _marks(values: Collection[Any]) -> str:
    return ",".join("?" * len(values))


def _count(db: apsw.Connection) -> int:
    return int(next(iter(db.execute("SELECT count(*) FROM chunk")))[0])
