"""What imports read: the items of each part of a source, so that no part is read twice.

The text is redacted. It is deleted after 30 days, and whenever a memory is purged.
"""

from __future__ import annotations

import apsw

_DAYS = 30.0


class ImportedParts:
    """The parts of sources that were read completely."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def items(self, source: str, part: str, stamp: str) -> str | None:
        """Return the items of a part as JSON; None if it was not read, or has changed since."""
        rows = self._db.execute(
            "SELECT items FROM imported_part WHERE source = ? AND part = ? AND stamp = ?",
            (source, part, stamp),
        )
        return next((str(items) for (items,) in rows), None)

    def keep(self, source: str, part: str, stamp: str, items: str, now: float) -> None:
        """Store the items of a part that was read completely."""
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO imported_part VALUES (?, ?, ?, ?, ?)",
                (source, part, stamp, items, now),
            )
            self._db.execute("DELETE FROM imported_part WHERE at < ?", (now - _DAYS * 86_400,))

    def forget_texts(self) -> None:
        """Delete all items: a purge must leave no text behind."""
        with self._db:
            self._db.execute("DELETE FROM imported_part")
