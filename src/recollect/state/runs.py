"""Runs: what imports and sleep wrote, so that you can undo a whole run.

Only uids and times are stored. It survives an index rebuild.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

import apsw

from recollect.core.named_tuple import NamedTuple
from recollect.core.uid import is_nonce

SLEEP: Final = "sleep"
IMPORT: Final = "import"
_MOST_RUNS = 200

Pair = tuple[str, str]


class Run(NamedTuple):
    """One import or sleep run: its time, and the records it wrote, each with its memory."""

    number: int
    kind: str
    at: float
    records: tuple[tuple[str, str], ...]
    is_undone: bool
    # When sleep last ran before this run.
    slept_before: float | None = None

    @property
    def name(self) -> str:
        """The name that users type."""
        return f"{self.kind}-{self.number}"

    @property
    def is_open(self) -> bool:
        """Whether it has not ended: it runs, or was killed. Its records are what it planned."""
        return any(is_nonce(name) for name, _ in self.records)


class Runs:
    """The runs of one repository."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def begin(
        self, kind: str, at: float, records: Iterable[Pair], slept_before: float | None = None
    ) -> str:
        """Record a run before it writes, in case of a crash; return its name."""
        with self._db:
            self._db.execute(
                "INSERT INTO run (kind, at, records, slept_before) VALUES (?, ?, ?, ?)",
                (kind, at, json.dumps(list(records)), slept_before),
            )
            number = self._db.last_insert_rowid()
            self._db.execute("DELETE FROM run WHERE id <= ?", (number - _MOST_RUNS,))
        return f"{kind}-{number}"

    def end(self, name: str, *, written: Iterable[Pair]) -> None:
        """Record what a run wrote; delete a run that wrote nothing.

        If another import took it for killed before it had written anything, it comes back.
        """
        records = list(written)
        with self._db:
            if records:
                self._db.execute(
                    "INSERT INTO run (id, kind, at, records)"
                    " VALUES (?, ?, CAST(strftime('%s', 'now') AS REAL), ?)"
                    " ON CONFLICT (id) DO UPDATE SET records = excluded.records",
                    (_number(name), name.rpartition("-")[0], json.dumps(records)),
                )
            else:
                self._db.execute("DELETE FROM run WHERE id = ?", (_number(name),))

    def undone(self, name: str, at: float) -> None:
        """Record that a run was undone."""
        with self._db:
            self._db.execute("UPDATE run SET undone = ? WHERE id = ?", (at, _number(name)))

    def all(self) -> list[Run]:
        """Return the stored runs, newest first."""
        rows = self._db.execute(
            "SELECT id, kind, at, records, undone IS NOT NULL, slept_before FROM run"
            " ORDER BY id DESC"
        )
        return [
            Run(number, kind, at, tuple(map(tuple, json.loads(records))), bool(undone), before)
            for number, kind, at, records, undone, before in rows
        ]

    def named(self, name: str) -> Run | None:
        """Return the run with that name."""
        return next((run for run in self.all() if run.name == name.strip().lower()), None)


def _number(name: str) -> int:
    return int(name.rpartition("-")[2])
