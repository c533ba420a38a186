"""The episodes of a session: what tools touched lately, and where one thing ended.

Local facts, kept as long as anybody may resume the session. Of what tools touched only salted
hashes of words are kept, of a boundary only redacted words.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import apsw

_KEEP_SECONDS = 30 * 86_400.0


class Episodes:
    """What is known of the course of sessions."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def note(self, session: str, words: Iterable[int], at: float, most: int) -> None:
        """Note the words of a tool call, by their hashes; only the last few calls are kept."""
        with self._db:
            self._db.execute(
                "INSERT INTO activity (session, at, words) VALUES (?, ?, ?)",
                (session, at, json.dumps(sorted(words))),
            )
            self._keep(session, most)

    def salt(self) -> bytes:
        """What makes the hashes of this repository unlike those of any other."""
        return bytes(next(iter(self._db.execute("SELECT value FROM salt")))[0])

    def recent(self, session: str) -> list[frozenset[int]]:
        """The words of the last tool calls, oldest first."""
        rows = self._db.execute(
            "SELECT words FROM activity WHERE session = ? ORDER BY id", (session,)
        )
        return [frozenset(json.loads(words)) for (words,) in rows]

    def mark(self, session: str, context: str, at: float, keep: int) -> None:
        """Note a boundary; of the calls only those after it count for the next one."""
        with self._db:
            self._db.execute("INSERT INTO boundary VALUES (?, ?, ?)", (session, at, context))
            self._keep(session, keep)
            for table in ("boundary", "activity", "pause"):
                self._db.execute(f"DELETE FROM {table} WHERE at < ?", (at - _KEEP_SECONDS,))

    def _keep(self, session: str, most: int) -> None:
        self._db.execute(
            "DELETE FROM activity WHERE session = ?1 AND id NOT IN"
            " (SELECT id FROM activity WHERE session = ?1 ORDER BY id DESC LIMIT ?2)",
            (session, most),
        )

    def began(self, session: str) -> float | None:
        """When the episode at hand began: at the last boundary, or with the session."""
        rows = self._db.execute("SELECT max(at) FROM boundary WHERE session = ?", (session,))
        (found,) = next(iter(rows))
        if found is None:
            rows = self._db.execute("SELECT began FROM session WHERE id = ?", (session,))
            found = next(iter(rows), (None,))[0]
        return None if found is None else float(found)

    def boundaries(self, session: str) -> list[tuple[float, str]]:
        """When a session turned to something else, and what that was about."""
        return list(
            self._db.execute(
                "SELECT at, context FROM boundary WHERE session = ? ORDER BY at", (session,)
            )
        )

    def facts(self, session: str) -> list[tuple[str, str, str]]:
        """The boundaries of a session as subject, predicate and object."""
        return [
            (
                f"session:{session}",
                "boundary_at",
                f"{datetime.fromtimestamp(at, tz=UTC):%Y-%m-%dT%H:%M:%SZ} {context}".rstrip(),
            )
            for at, context in self.boundaries(session)
        ]

    def resume(self, session: str, at: float) -> None:
        """A session goes on where it was: the time in between does not count for it."""
        rows = self._db.execute(
            "SELECT max(at) FROM (SELECT at FROM activity WHERE session = ?1 UNION ALL"
            " SELECT at FROM boundary WHERE session = ?1 UNION ALL"
            " SELECT at FROM trace WHERE session = ?1)",
            (session,),
        )
        (last,) = next(iter(rows))
        if last is not None and last < at:
            with self._db:
                self._db.execute("INSERT INTO pause VALUES (?, ?, ?)", (session, at, at - last))

    def pauses(self, session: str) -> Sequence[tuple[float, float]]:
        """When a session was resumed, and after how many seconds."""
        return list(self._db.execute("SELECT at, seconds FROM pause WHERE session = ?", (session,)))

    def forget_texts(self) -> None:
        """Drop what boundaries were about; a memory was purged, and they may hold its words."""
        with self._db:
            self._db.execute("UPDATE boundary SET context = ''")
