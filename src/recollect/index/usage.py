"""What was used and when: local state, not derived, in a file that a rebuild does not touch.

Only what was returned to a reader counts, never what was merely looked at on the way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import apsw

_BUSY_MILLISECONDS = 5_000
_BATCH = 500
# Applied in order; the number of applied ones is the file's version. Never edit, only append.
MIGRATIONS = (
    """
    CREATE TABLE use (uid TEXT NOT NULL, at REAL NOT NULL, event TEXT NOT NULL);
    CREATE INDEX use_uid ON use (uid);
    """,
)


class Usage:
    """The log of what was shown, fetched, injected or cited."""

    def __init__(self, path: Path | None) -> None:
        self._db = apsw.Connection(":memory:" if path is None else str(path))
        self._db.set_busy_timeout(_BUSY_MILLISECONDS)
        self._db.execute("PRAGMA journal_mode = WAL")
        version = next(iter(self._db.execute("PRAGMA user_version")))[0]
        if version < len(MIGRATIONS):
            self._migrate()

    def _migrate(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            version = next(iter(self._db.execute("PRAGMA user_version")))[0]
            for step in MIGRATIONS[version:]:
                self._db.execute(step)
            self._db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
            self._db.execute("COMMIT")
        except BaseException:
            self._db.execute("ROLLBACK")
            raise

    def record(self, uids: Sequence[str], event: str, at: float) -> None:
        """Note that memories were given to a reader."""
        if uids:
            with self._db:
                self._db.executemany(
                    "INSERT INTO use VALUES (?, ?, ?)", [(uid, at, event) for uid in uids]
                )

    def counts(self, uids: Sequence[str]) -> Mapping[str, int]:
        """How often each memory was used.

        To be shown among others is not use: what was shown would be shown again for it.
        """
        counts: dict[str, int] = {}
        for start in range(0, len(uids), _BATCH):
            some = tuple(uids[start : start + _BATCH])
            marks = ",".join("?" * len(some))
            counts.update(
                self._db.execute(
                    f"SELECT uid, count(*) FROM use WHERE event <> 'shown' AND uid IN ({marks})"
                    " GROUP BY uid",
                    some,
                )
            )
        return counts

    def forget(self, uids: Sequence[str]) -> None:
        """Drop what is known of purged memories."""
        with self._db:
            self._db.executemany("DELETE FROM use WHERE uid = ?", [(uid,) for uid in uids])

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()
