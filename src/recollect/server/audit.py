"""The audit log: who asked or wrote what, when, in which repositories, and how many memories came.

Whoever may read the table may read what people asked, so secrets are removed from it first, as
from everything that reaches a disk.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from recollect.core.named_tuple import NamedTuple
from recollect.redact.gate import redact_message
from recollect.server.database import Database

_MOST_QUERY = 500
# What somebody may not see is named as they wrote it, so it is as long as they like.
_MOST_NAME = 200


class Entry(NamedTuple):
    """One line of the log."""

    at: datetime
    person: str
    action: str
    query: str
    repositories: tuple[str, ...]
    hits: int
    outcome: str

    def as_json(self) -> dict[str, Any]:
        """The entry as `--json` prints it."""
        return {
            **self._asdict(),
            "at": self.at.isoformat(),
            "repositories": list(self.repositories),
        }


class Audit:
    """Writes and reads the log."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def note(
        self,
        person: str,
        action: str,
        query: str,
        repositories: Collection[str],
        hits: int,
        outcome: str = "ok",
    ) -> None:
        """Write a line. If that fails, so does the request: nothing is read without a trace."""
        self._database.run(
            "insert into audit (person, action, query, repositories, hits, outcome)"
            " values (%s, %s, %s, %s, %s, %s)",
            person[:_MOST_NAME],
            action,
            # Redacted before it is cut, so that no half of a secret stays.
            redact_message(query).replace("\0", "")[:_MOST_QUERY],
            sorted(redact_message(name).replace("\0", "")[:_MOST_NAME] for name in repositories),
            hits,
            outcome,
        )

    def last(self, limit: int, person: str | None = None) -> list[Entry]:
        """The last lines, newest first."""
        rows = self._database.run(
            "select at, person, action, query, repositories, hits, outcome"
            " from audit where %s::text is null or person = %s order by id desc limit %s",
            person,
            person,
            limit,
        )
        return [Entry(*row)._replace(repositories=tuple(row[4])) for row in rows]

    def forget(self, days: int) -> None:
        """Delete what is older than some days."""
        self._database.run("delete from audit where at < now() - make_interval(days => %s)", days)
