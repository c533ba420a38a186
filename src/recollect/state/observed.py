"""What capture remembers from one event to the next.

How far a transcript was read, what was postponed to the next event, when agents were asked to
draft, and which suggestions people rejected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw

_KEEP_SECONDS = 86_400.0
# A failure is open until it is solved, and the summary of its session names it.
_KEEP_FAILURES = 30 * _KEEP_SECONDS
_SMALLEST_PART = 4096  # bytes
_SAID = ""  # not a tool name


class ObservedState:
    """What was observed in the sessions of one repository."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def position(self, session: str, path: str) -> int:
        """Return how far a session's transcript was read; 0 if it was not."""
        rows = self._db.execute(
            "SELECT position FROM reading WHERE session = ? AND path = ?", (session, path)
        )
        return int(next(iter(rows), (0,))[0])

    def read_to(self, session: str, path: str, position: int, at: float) -> None:
        """Record how far the transcript was read."""
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO reading (session, path, position, at) VALUES (?, ?, ?, ?)",
                (session, path, position, at),
            )

    def claim_part(self, session: str, path: str, most: int) -> int:
        """Return how many bytes to read now: fewer than at an attempt that had no end.

        So a part that takes too long is read in smaller ones, and never blocks the rest.
        """
        rows = self._db.execute(
            "SELECT part FROM reading WHERE session = ? AND path = ?", (session, path)
        )
        (known,) = next(iter(rows), (None,))
        size = most if known is None else max(_SMALLEST_PART, min(most, int(known)))
        with self._db:
            self._db.execute(
                "UPDATE reading SET part = ? WHERE session = ? AND path = ?",
                (size // 2, session, path),
            )
        return size

    def begin_reading(self, session: str, path: str, position: int, at: float) -> None:
        """Record where reading a transcript begins, unless it has begun already."""
        with self._db:
            self._db.execute(
                "INSERT INTO reading (session, path, position, at) VALUES (?1, ?2, ?3, ?4)"
                " ON CONFLICT (session) DO UPDATE"
                " SET path = ?2, position = ?3, at = ?4, part = NULL WHERE path <> ?2",
                (session, path, position, at),
            )
            self._db.execute("DELETE FROM reading WHERE at < ?", (at - _KEEP_FAILURES,))

    def has_begun_reading(self, session: str, path: str) -> bool:
        """Whether reading this transcript has begun."""
        rows = self._db.execute(
            "SELECT 1 FROM reading WHERE session = ? AND path = ?", (session, path)
        )
        return next(iter(rows), None) is not None

    def read_so_far(self, but: str, most: int) -> list[tuple[str, str, int]]:
        """Return the transcripts of other sessions, newest first: session, path and position."""
        return list(
            self._db.execute(
                "SELECT session, path, position FROM reading WHERE session <> ?"
                " ORDER BY at DESC LIMIT ?",
                (but, most),
            )
        )

    def last_message(self, session: str) -> tuple[str, str]:
        """Return hashes of the agent's last message: what the transcript lacked, and all of it."""
        rows = self._db.execute(
            "SELECT ahead, whole FROM last_message WHERE session = ?", (session,)
        )
        return next(iter(rows), ("", ""))

    def note_last_message(self, session: str, ahead: str, whole: str, at: float) -> None:
        """Record the agent's last message."""
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO last_message VALUES (?, ?, ?, ?)",
                (session, ahead, whole, at),
            )
            self._db.execute("DELETE FROM last_message WHERE at < ?", (at - _KEEP_SECONDS,))

    def forget_texts(self) -> None:
        """Delete every text that is kept here: a memory was purged, and any text may contain it."""
        with self._db:
            for table in ("failure", "change", "postponed"):
                self._db.execute(f"DELETE FROM {table}")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def postpone(self, drafts: Sequence[str], at: float) -> None:
        """Keep redacted drafts that exceed the limit of an event, for the next one."""
        with self._db:
            self._db.executemany(
                "INSERT OR IGNORE INTO postponed (at, draft) VALUES (?, ?)",
                [(at, draft) for draft in drafts],
            )

    def postponed(self, most: int) -> list[tuple[int, str]]:
        """Return the oldest postponed drafts with their numbers."""
        rows = self._db.execute("SELECT id, draft FROM postponed ORDER BY id LIMIT ?", (most,))
        return [(int(number), str(draft)) for number, draft in rows]

    def drop_postponed(self, numbers: Sequence[int]) -> None:
        """Delete postponed drafts, because they were considered."""
        with self._db:
            self._db.executemany("DELETE FROM postponed WHERE id = ?", [(n,) for n in numbers])

    def reject(self, fingerprints: Sequence[str], at: float) -> None:
        """Never suggest these again."""
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO rejected VALUES (?, ?)",
                [(fingerprint, at) for fingerprint in fingerprints],
            )

    def forget_rejected(self, fingerprints: Sequence[str]) -> None:
        """Suggest these again."""
        with self._db:
            self._db.executemany(
                "DELETE FROM rejected WHERE fingerprint = ?", [(f,) for f in fingerprints]
            )

    def is_rejected(self, fingerprint: str) -> bool:
        """Whether someone rejected it."""
        rows = self._db.execute("SELECT 1 FROM rejected WHERE fingerprint = ?", (fingerprint,))
        return next(iter(rows), None) is not None

    def asked_at(self, session: str) -> float | None:
        """Return when the agent of a session was last asked to draft."""
        rows = self._db.execute("SELECT at FROM asked WHERE session = ?", (session,))
        return next((float(at) for (at,) in rows), None)

    def add_work(
        self, session: str, tools: Mapping[str, int], exchanges: int, at: float
    ) -> tuple[dict[str, int], int]:
        """Add to the work of a session; return its tools and exchanges since the last summary."""
        with self._db:
            self._db.executemany(
                "INSERT INTO worked VALUES (?, ?, ?, ?) ON CONFLICT (session, tool)"
                " DO UPDATE SET times = times + excluded.times, at = excluded.at",
                [
                    (session, name, times, at)
                    for name, times in ((_SAID, exchanges), *tools.items())
                ],
            )
            self._db.execute("DELETE FROM worked WHERE at < ?", (at - _KEEP_SECONDS,))
        rows = self._db.execute("SELECT tool, times FROM worked WHERE session = ?", (session,))
        used = {str(name): int(times) for name, times in rows}
        return used, used.pop(_SAID, 0)

    def reset_work(self, session: str) -> None:
        """Reset the work of a session, because a summary was requested."""
        with self._db:
            self._db.execute("DELETE FROM worked WHERE session = ?", (session,))

    def claim_request(self, session: str, at: float, pause: float, tokens: int) -> bool:
        """Record a request for drafts and its tokens, unless the last one is within the pause.

        Return whether it was recorded. The pause is in seconds.
        """
        last = self.asked_at(session)
        if last is not None and at - last < pause:
            return False
        with self._db:
            self._db.execute(
                "INSERT INTO asked (session, at, tokens) VALUES (?, ?, ?) ON CONFLICT (session)"
                " DO UPDATE SET at = excluded.at, tokens = tokens + excluded.tokens,"
                " times = times + 1",
                (session, at, tokens),
            )
        return True

    def requests_since(self, at: float) -> tuple[int, int]:
        """Return how often agents were asked to draft since a moment, and the tokens of that."""
        rows = self._db.execute(
            "SELECT coalesce(sum(times), 0), coalesce(sum(tokens), 0) FROM asked WHERE at >= ?",
            (at,),
        )
        times, tokens = next(iter(rows))
        return int(times), int(tokens)

    def has_unsolved(self) -> bool:
        """Whether tools failed without a solution, in any session; see `tool_log`."""
        rows = self._db.execute("SELECT 1 FROM failure WHERE NOT is_kept LIMIT 1")
        return next(iter(rows), None) is not None
