"""What was used and when: local state, not derived, in a file that a rebuild does not touch.

Only what was returned to a reader counts, never what was merely looked at on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw

from recollect.core.strength import Uses

_BATCH = 500
# Given at the start of a session because of its kind, not because anybody needed it.
STANDING = "standing"


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

    def counts(self, uids: Sequence[str]) -> Mapping[str, int]:
        """How often each memory was used.

        To be shown or injected is not use: what was shown would be shown again for it.
        """
        counts: dict[str, int] = {}
        for start in range(0, len(uids), _BATCH):
            some = tuple(uids[start : start + _BATCH])
            marks = ",".join("?" * len(some))
            counts.update(
                self._db.execute(
                    "SELECT uid, count(*) FROM use"
                    " WHERE event NOT IN ('shown', 'injected', 'standing')"
                    f" AND uid IN ({marks}) GROUP BY uid",
                    some,
                )
            )
        return counts

    def uses(self, uids: Sequence[str] | None = None) -> dict[str, Uses]:
        """How often memories were given to somebody who needed them, and when last.

        Of all memories, or of some. This is what strength is made of.
        """
        asked = "SELECT uid, count(*), max(at) FROM use WHERE event <> 'standing'"
        if uids is None:
            rows = list(self._db.execute(f"{asked} GROUP BY uid"))
        else:
            rows = []
            for start in range(0, len(uids), _BATCH):
                some = tuple(uids[start : start + _BATCH])
                marks = ",".join("?" * len(some))
                rows += self._db.execute(f"{asked} AND uid IN ({marks}) GROUP BY uid", some)
        return {uid: Uses(count, last) for uid, count, last in rows}

    def fetched(self) -> dict[str, float]:
        """When each memory was last used by itself, not merely listed among others."""
        return dict(
            self._db.execute(
                "SELECT uid, max(at) FROM use WHERE event NOT IN ('standing', 'shown') GROUP BY uid"
            )
        )

    def moments(self, uid: str) -> list[tuple[float, str]]:
        """When a memory was used, and how, oldest first."""
        return list(self._db.execute("SELECT at, event FROM use WHERE uid = ? ORDER BY at", (uid,)))

    def forget(self, uids: Sequence[str]) -> None:
        """Drop what is known of purged memories."""
        with self._db:
            self._db.executemany("DELETE FROM use WHERE uid = ?", [(uid,) for uid in uids])
