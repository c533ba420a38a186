"""Vectors of commit messages, so that a question in other words finds them, too.

A vector takes one byte for each dimension: the order of the nearest hardly changes, and the file
stays small. Commits that say something below their subject have one first, and what is left of the
most that there may be goes to commits that are only a subject.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import apsw

from recollect.core.named_tuple import NamedTuple
from recollect.index.sqlite.connection import Immediate, failing

TABLES = "CREATE TABLE vectors (key INTEGER PRIMARY KEY, vector BLOB NOT NULL);"
_MODEL = "model"
# Those that explain come first, the best first. A subject tells no more than another, so the newest
# of them follow; those that weigh less, such as chores, have none.
_WANTED = "(body <> '' OR weight >= ?)"
_ORDER = (
    "body = '', CASE body WHEN '' THEN 0 ELSE weight END DESC,"
    " CASE body WHEN '' THEN 0 ELSE points END DESC, time DESC, key"
)
_LARGEST = 127


class Untold(NamedTuple):
    """A commit that has no vector yet."""

    key: int
    subject: str
    body: str


class CommitVectors:
    """The vectors of the commits in one file."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def model(self) -> str:
        """Return the model that the vectors are of; empty if there are none."""
        rows = self._db.execute("SELECT value FROM meta WHERE key = ?", (_MODEL,))
        return str(next(iter(rows), ("",))[0])

    def missing(self, model: str, most: int, bare_weight: float) -> list[Untold]:
        """Return the commits that need a vector: those that tell most first, then their chores.

        Last come those that are only a subject, if they weigh at least `bare_weight`. Vectors of
        another model, and of commits that are not among the `most`, are deleted.
        """
        with failing(), Immediate(self._db):
            if self.model() != model:
                self._db.execute("DELETE FROM vectors")
                self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (_MODEL, model))
            best = f"SELECT key FROM commits WHERE {_WANTED} ORDER BY {_ORDER} LIMIT ?"
            bounds = (bare_weight, most)
            self._db.execute(f"DELETE FROM vectors WHERE key NOT IN ({best})", bounds)
            rows = self._db.execute(
                f"SELECT key, subject, body FROM commits WHERE key IN ({best})"
                " AND key NOT IN (SELECT key FROM vectors)"
                f" ORDER BY {_ORDER}",
                bounds,
            )
            return [Untold(*row) for row in rows]

    def count_missing(self, model: str, most: int, bare_weight: float) -> int:
        """Return how many commits, of at most so many, have no vector of a model."""
        wanted = f"SELECT count(*) FROM commits WHERE {_WANTED}"
        with failing():
            here = int(next(iter(self._db.execute("SELECT count(*) FROM vectors")))[0])
            here = here if self.model() == model else 0
            if here >= most:  # what follows reads all texts
                return 0
            need = int(next(iter(self._db.execute(wanted, (bare_weight,))))[0])
            return max(0, min(need, most) - here)

    def add(self, vectors: Iterable[tuple[int, bytes]]) -> None:
        """Keep vectors (float32), all or none; a commit that has gone meanwhile gets none."""
        import numpy as np

        with failing(), Immediate(self._db):
            for key, vector in vectors:
                numbers = np.frombuffer(vector, dtype="<f4")
                steps = numbers * (_LARGEST / max(float(np.abs(numbers).max()), 1e-9))
                self._db.execute(
                    "INSERT OR REPLACE INTO vectors SELECT key, ? FROM commits WHERE key = ?",
                    (np.rint(steps).astype(np.int8).tobytes(), key),
                )

    def nearest(self, vector: bytes, limit: int, least: float) -> list[tuple[int, float]]:
        """Return the commits nearest to a vector, with their cosines, from `least` on."""
        import numpy as np

        with failing():
            rows: Sequence[tuple[int, bytes]] = list(
                self._db.execute(
                    "SELECT key, vector FROM vectors WHERE length(vector) = ?", (len(vector) // 4,)
                )
            )
        if not rows:
            return []
        steps = np.frombuffer(b"".join(row[1] for row in rows), dtype=np.int8)
        matrix = steps.reshape(len(rows), -1).astype(np.float32)
        lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix))
        cosines = (matrix @ np.frombuffer(vector, dtype="<f4")) / np.maximum(lengths, 1e-9)
        best = np.argsort(-cosines, kind="stable")[:limit]
        return [(rows[n][0], float(cosines[n])) for n in best if cosines[n] >= least]
