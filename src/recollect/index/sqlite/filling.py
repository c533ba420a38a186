"""Fills the tables of a new file: many rows with one call, and the indexes after the rows.

A statement for each row takes as long for the call as for the row. An index that gets its entries
in order, all at once, takes a fraction of the time of one that gets them as they come.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.index.tables import Row

_AT_ONCE = 2_000  # rows of one table
_INDEXES = "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL"


class Filling:
    """The rows that wait, by their statement. The caller's transaction is around everything."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._waiting: dict[str, list[Row]] = {}
        self._keys: dict[str, int | None] = {}
        self._dropped: list[str] = []

    def next_key(self, table: str) -> int:
        """Return the key of the next row of a table, to which nobody else adds any."""
        if table not in self._keys:
            self._keys[table] = next(iter(self._db.execute(f"SELECT max(rowid) FROM {table}")))[0]
        key = self._keys[table] = (self._keys[table] or 0) + 1
        return key

    def add(self, sql: str, rows: Sequence[Row]) -> None:
        """Let rows wait until there are many."""
        waiting = self._waiting.setdefault(sql, [])
        waiting += rows
        if len(waiting) >= _AT_ONCE:
            self._drop_indexes()  # there are so many rows that it pays
            self._db.executemany(sql, waiting)
            waiting.clear()

    def write(self) -> None:
        """Write the rows that wait, because somebody reads or changes rows."""
        for sql, rows in self._waiting.items():
            if rows:
                self._db.executemany(sql, rows)
                rows.clear()

    def finish(self) -> None:
        """Write the rest, and make the indexes."""
        self.write()
        for sql in self._dropped:
            self._db.execute(sql)
        self._dropped = []

    def _drop_indexes(self) -> None:
        if not self._dropped:
            found = list(self._db.execute(_INDEXES))
            self._dropped = [sql for _, sql in found]
            for name, _ in found:
                self._db.execute(f"DROP INDEX {name}")
