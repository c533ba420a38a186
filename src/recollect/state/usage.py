"""Usage: what was used and when; an index rebuild does not touch it.

Only what was returned to a reader counts, not what a search merely examined.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from recollect.core.strength import Uses

_BATCH = 500
# Injected unasked, at the start of a session or because of a file.
STANDING = "standing"
_NO_USE = "('shown', 'injected', 'standing')"


class Usage:
    """The log of what was shown, fetched, injected or cited."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def record(self, uids: Sequence[str], event: str, at: float) -> None:
        """Record that a reader got memories."""
        if uids:
            with self._db:
                self._db.executemany(
                    "INSERT INTO use VALUES (?, ?, ?)", [(uid, at, event) for uid in uids]
                )

    def uses(self, uids: Sequence[str] | None = None) -> dict[str, Uses]:
        """Return how often memories were used, and when last; for all memories, or some.

        Being shown or injected is not use: otherwise what was shown would be shown again.
        """
        # Both indexes look alike to SQLite; one has only the rows that count.
        asked = (
            "SELECT uid, count(*), max(at) FROM use INDEXED BY use_counted"
            f" WHERE event NOT IN {_NO_USE}"
        )
        if uids is None:
            rows = list(self._db.execute(f"{asked} GROUP BY uid"))
        else:
            rows = []
            for start in range(0, len(uids), _BATCH):
                some = tuple(uids[start : start + _BATCH])
                marks = ",".join("?" * len(some))
                rows += self._db.execute(f"{asked} AND uid IN ({marks}) GROUP BY uid", some)
        return {uid: Uses(times, last) for uid, times, last in rows}

    def shown(self) -> dict[str, float]:
        """Return when memories last answered something: a search result or a prompt injection."""
        return dict(
            self._db.execute(
                "SELECT uid, max(at) FROM use WHERE event IN ('shown', 'injected') GROUP BY uid"
            )
        )

    def moments(self, uid: str) -> list[float]:
        """Return when a memory was used, oldest first."""
        rows = self._db.execute(
            f"SELECT at FROM use WHERE uid = ? AND event NOT IN {_NO_USE} ORDER BY at", (uid,)
        )
        return [at for (at,) in rows]

    def know(self, uids: Sequence[str], at: float) -> None:
        """Record since when memories are known here, if that is not recorded yet."""
        if uids:
            with self._db:
                self._db.executemany(
                    "INSERT OR IGNORE INTO known VALUES (?, ?)", [(uid, at) for uid in uids]
                )

    def known(self) -> dict[str, float]:
        """Return since when memories are known here."""
        return dict(self._db.execute("SELECT uid, at FROM known"))

    def forget(self, uids: Sequence[str]) -> None:
        """Delete what is stored about purged memories."""
        with self._db:
            for table in ("use", "known"):
                self._db.executemany(f"DELETE FROM {table} WHERE uid = ?", [(uid,) for uid in uids])
