"""Episodes of a session: what tools touched recently, and where one topic ended.

This is local data, kept as long as anyone may resume the session. It holds only salted hashes of
the words that tools touched, and only redacted words about a boundary.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import apsw

_KEEP_SECONDS = 30 * 86_400.0


class Episodes:
    """The episodes of sessions."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def note(self, session: str, words: Iterable[int], at: float, most: int) -> None:
        """Record the hashed words of a tool call; only the last few calls are kept."""
        with self._db:
            self._db.execute(
                "INSERT INTO activity (session, at, words) VALUES (?, ?, ?)",
                (session, at, json.dumps(sorted(words))),
            )
            self._keep(session, most)

    def salt(self) -> bytes:
        """The salt that makes this repository's hashes unlike those of any other."""
        return bytes(next(iter(self._db.execute("SELECT value FROM salt")))[0])

    def recent(self, session: str) -> list[frozenset[int]]:
        """Return the words of the last tool calls, oldest first."""
        rows = self._db.execute(
            "SELECT words FROM activity WHERE session = ? ORDER BY id", (session,)
        )
        return [frozenset(json.loads(words)) for (words,) in rows]

    def mark(self, session: str, context: str, at: float, keep: int) -> None:
        """Record a boundary; only the calls after it count for the next one."""
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
        """Return when the current episode began: at the last boundary, or with the session."""
        rows = self._db.execute("SELECT max(at) FROM boundary WHERE session = ?", (session,))
        (found,) = next(iter(rows))
        if found is None:
            rows = self._db.execute("SELECT began FROM session WHERE id = ?", (session,))
            found = next(iter(rows), (None,))[0]
        return None if found is None else float(found)

    def boundaries(self, session: str) -> list[tuple[float, str]]:
        """Return when a session changed its topic, and what the topic was."""
        return list(
            self._db.execute(
                "SELECT at, context FROM boundary WHERE session = ? ORDER BY at", (session,)
            )
        )

    def all_boundaries(self) -> list[tuple[str, float, str]]:
        """Return the boundaries of every session, oldest first."""
        return list(self._db.execute("SELECT session, at, context FROM boundary ORDER BY at"))

    def resume(self, session: str, at: float) -> None:
        """Resume a session: the time in between does not count."""
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
        """Return when a session was resumed, and after how many seconds."""
        return list(self._db.execute("SELECT at, seconds FROM pause WHERE session = ?", (session,)))

    def forget_texts(self) -> None:
        """Delete the topics of boundaries: a memory was purged, and they may contain its words."""
        with self._db:
            self._db.execute("UPDATE boundary SET context = ''")
