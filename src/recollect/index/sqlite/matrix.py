"""Every vector of an index in one matrix, for a process that answers many queries.

The vector table reads all vectors from the file for each query, and looks up a single one slowly.
From a matrix, the cosines of a query with 20,000 memories take 3 ms instead of 30. Making it takes
longer than one query, so it is made between queries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import apsw

from recollect.index.sqlite.connection import Version, version

if TYPE_CHECKING:
    from collections.abc import Collection

    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

# With more vectors than fit, every query reads the file.
_MOST_BYTES = 48 << 20

_STATE = "SELECT count(*), total(checksum), total(memory), total(key), max(key) FROM chunk"
_VECTORS = (
    "SELECT chunk.key, chunk.memory, vector.embedding FROM chunk"
    " JOIN vector ON vector.rowid = chunk.key WHERE chunk.key > ? ORDER BY chunk.key"
)


class Matrix:
    """The vectors of one database, as they were when `load` was called last."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._rows: Floats | None = None
        # The chunk and the memory of each row.
        self._chunks: NDArray[np.int64]
        self._memories: NDArray[np.int64]
        # The last query, and its cosines.
        self._last: tuple[bytes, Floats]
        self._state: tuple[Any, ...] = ()
        self._version: Version = (0, 0)

    def load(self, dimensions: int) -> None:
        """Read the vectors that it does not have yet; all of them if others have changed."""
        if self.is_current():
            return
        import numpy as np

        state = self._read_state()
        if state[0] * dimensions * 4 > _MOST_BYTES:
            self._rows = None
            return
        last = self._state[-1] if self._rows is not None and self._is_part() else 0
        found = list(self._db.execute(_VECTORS, (last or 0,)))
        rows = np.frombuffer(b"".join(row[2] for row in found), dtype="<f4")
        rows = rows.reshape(len(found), dimensions)
        chunks, memories = (np.array([row[at] for row in found], dtype=np.int64) for at in (0, 1))
        if last and self._rows is not None:
            rows = np.concatenate([self._rows, rows])
            chunks = np.concatenate([self._chunks, chunks])
            memories = np.concatenate([self._memories, memories])
        self._rows, self._chunks, self._memories = rows, chunks, memories
        self._last = b"", rows[:, 0]
        self._state, self._version = state, version(self._db)

    def is_current(self) -> bool:
        """Whether it has the vectors of the database, and no others."""
        if self._rows is None:
            return False
        now = version(self._db)
        if now != self._version:
            if self._read_state() != self._state:
                return False
            self._version = now
        return True

    def best(self, vector: bytes, most: int) -> dict[int, float]:
        """Return the memories of the nearest rows, each with its largest cosine."""
        import numpy as np

        cosines = self._cosines(vector)
        rows = np.argpartition(-cosines, most - 1)[:most] if most < len(cosines) else slice(None)
        return _largest(self._memories[rows], cosines[rows])

    def of(self, vector: bytes, memories: Collection[int]) -> dict[int, float]:
        """Return the largest cosine of some memories."""
        import numpy as np

        rows = np.isin(self._memories, np.fromiter(memories, dtype=np.int64))
        return _largest(self._memories[rows], self._cosines(vector)[rows])

    def sample(self, vector: bytes, step: int) -> list[float]:
        """Return the cosines of every so many chunks, from the first one on."""
        found: list[float] = self._cosines(vector)[(self._chunks - 1) % step == 0].tolist()
        return found

    def _cosines(self, vector: bytes) -> Floats:
        """Return the cosine of a vector with every row; a query needs them several times."""
        import numpy as np

        assert self._rows is not None
        asked, known = self._last
        if asked != vector:
            known = self._rows @ np.frombuffer(vector, dtype="<f4")
            self._last = vector, known
        return known

    def _is_part(self) -> bool:
        """Whether the vectors that it has are still there and unchanged."""
        rows = self._db.execute(f"{_STATE} WHERE key <= ?", (self._state[-1],))
        return tuple(next(iter(rows))) == self._state

    def _read_state(self) -> tuple[Any, ...]:
        """Return what differs after a vector has come, gone or changed."""
        return next(iter(self._db.execute(_STATE)))


def _largest(memories: NDArray[np.int64], cosines: Floats) -> dict[int, float]:
    best: dict[int, float] = {}
    for memory, cosine in zip(memories.tolist(), cosines.tolist(), strict=True):
        if cosine > best.get(memory, -2.0):
            best[memory] = cosine
    return best
