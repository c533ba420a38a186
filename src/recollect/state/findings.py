"""What detection found in the talk of each session, until the agent has drafted it or declined.

The texts are redacted. They stay for a day at most.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from recollect.core.named_tuple import NamedTuple

_KEEP_SECONDS = 86_400.0


class StoredFinding(NamedTuple):
    """A sentence that detection found."""

    number: int
    kind: str
    score: float
    text: str


class Findings:
    """The findings of the sessions of one repository."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def add(
        self,
        session: str,
        found: Sequence[tuple[str, float, str]],
        at: float,
        *,
        messages: int = 0,
    ) -> None:
        """Add findings (kind, score, text), and count the messages that they come from."""
        with self._db:
            self._db.execute(
                "INSERT INTO talk VALUES (?, ?, ?) ON CONFLICT (session)"
                " DO UPDATE SET messages = messages + excluded.messages, at = excluded.at",
                (session, messages, at),
            )
            heard = self._messages(session)
            self._db.executemany(
                "INSERT OR IGNORE INTO finding (session, kind, score, text, message, at)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                [(session, kind, score, text, heard, at) for kind, score, text in found],
            )
            for table in ("finding", "talk"):
                self._db.execute(f"DELETE FROM {table} WHERE at < ?", (at - _KEEP_SECONDS,))

    def recent(self, session: str, messages: int) -> list[StoredFinding]:
        """Return the open findings in the last messages of a session, earliest first."""
        since = self._messages(session) - messages
        rows = self._db.execute(
            "SELECT number, kind, score, text FROM finding"
            " WHERE session = ? AND message > ? AND NOT closed ORDER BY number",
            (session, since),
        )
        return [StoredFinding(*row) for row in rows]

    def close(self, session: str, numbers: Sequence[int]) -> None:
        """Close findings: the agent was asked about them, or they are memories."""
        with self._db:
            self._db.executemany(
                "UPDATE finding SET closed = 1 WHERE session = ? AND number = ?",
                [(session, number) for number in numbers],
            )

    def _messages(self, session: str) -> int:
        rows = self._db.execute("SELECT messages FROM talk WHERE session = ?", (session,))
        return int(next(iter(rows), (0,))[0])

    def forget_texts(self) -> None:
        """Delete every text, because a memory was purged and any text may contain it."""
        with self._db:
            self._db.execute("DELETE FROM finding")
