"""What was used and when: local state, not derived, in a file that a rebuild does not touch.

Only what was returned to a reader counts, never what was merely looked at on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw

_BATCH = 500


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
                    "SELECT uid, count(*) FROM use WHERE event NOT IN ('shown', 'injected')"
                    f" AND uid IN ({marks}) GROUP BY uid",
                    some,
                )
            )
        return counts

    def forget(self, uids: Sequence[str]) -> None:
        """Drop what is known of purged memories."""
        with self._db:
            self._db.executemany("DELETE FROM use WHERE uid = ?", [(uid,) for uid in uids])
