"""What was used and when: local state, not derived, in a file that a rebuild does not touch.

Only what was returned to a reader counts, never what was merely looked at on the way.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from recollect.core.strength import Uses

_BATCH = 500
# Given by itself, at the start of a session or because of a file, not in answer to anything.
STANDING = "standing"
_NO_USE = "('shown', 'injected', 'standing')"


class Usage:
    """The log of what was shown, fetched, injected or cited."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def record(self, uids: Sequence[str], event: str, at: float) -> None:
        """Note that memories were given to a reader."""
        if uids:
            with self._db:
                self._db.executemany(
                    "INSERT INTO use VALUES (?, ?, ?)", [(uid, at, event) for uid in uids]
                )

    def uses(self, uids: Sequence[str] | None = None) -> dict[str, Uses]:
        """How often memories were of use, and when last; of all memories, or of some.

        To be shown or injected is not use: what was shown would be shown again for it.
        """
        asked = f"SELECT uid, count(*), max(at) FROM use WHERE event NOT IN {_NO_USE}"
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
        """When memories last answered something: a search listed them, or a prompt got them."""
        return dict(
            self._db.execute(
                "SELECT uid, max(at) FROM use WHERE event IN ('shown', 'injected') GROUP BY uid"
            )
        )

    def moments(self, uid: str) -> list[float]:
        """When a memory was of use, oldest first."""
        rows = self._db.execute(
            f"SELECT at FROM use WHERE uid = ? AND event NOT IN {_NO_USE} ORDER BY at", (uid,)
        )
        return [at for (at,) in rows]

    def know(self, uids: Sequence[str], at: float) -> None:
        """Note since when memories are known here, where that is not noted yet."""
        if uids:
            with self._db:
                self._db.executemany(
                    "INSERT OR IGNORE INTO known VALUES (?, ?)", [(uid, at) for uid in uids]
                )

    def known(self) -> dict[str, float]:
        """Since when memories are known here."""
        return dict(self._db.execute("SELECT uid, at FROM known"))

    def forget(self, uids: Sequence[str]) -> None:
        """Drop what is known of purged memories."""
        with self._db:
            for table in ("use", "known"):
                self._db.executemany(f"DELETE FROM {table} WHERE uid = ?", [(uid,) for uid in uids])
