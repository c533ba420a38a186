"""What capture remembers from one event to the next.

How far a transcript was read, which failed tools have no solution yet, what changed since, and
which suggestions people rejected.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw

_KEEP_SECONDS = 86_400.0
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
                "INSERT OR REPLACE INTO reading VALUES (?, ?, ?, ?)", (session, path, position, at)
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

    def record_failure(self, session: str, fingerprint: str, learning: str, at: float) -> None:
        """Keep what a failed tool taught, for a day or until it is solved."""
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO failure VALUES (?, ?, ?, ?)",
                (session, fingerprint, at, learning),
            )
            self._db.execute("DELETE FROM failure WHERE at < ?", (at - _KEEP_SECONDS,))
            self._db.execute("DELETE FROM change WHERE at < ?", (at - _KEEP_SECONDS,))

    def failures(self, session: str) -> list[tuple[str, str]]:
        """Return the unsolved failures of a session, newest first: fingerprint and learning."""
        return list(
            self._db.execute(
                "SELECT fingerprint, learning FROM failure WHERE session = ? ORDER BY at DESC",
                (session,),
            )
        )

    def mark_solved(self, session: str, fingerprint: str) -> None:
        """Mark a failure as solved; the changes so far do not count for another one."""
        with self._db:
            self._db.execute(
                "DELETE FROM failure WHERE session = ? AND fingerprint = ?", (session, fingerprint)
            )
            self._db.execute("DELETE FROM change WHERE session = ?", (session,))

    def record_changes(self, session: str, paths: Sequence[str], at: float) -> None:
        """Record which files were changed in a session."""
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO change VALUES (?, ?, ?)",
                [(session, path, at) for path in paths],
            )

    def changes(self, session: str) -> list[str]:
        """Return the files that were changed in a session, earliest first."""
        rows = self._db.execute(
            "SELECT path FROM change WHERE session = ? ORDER BY at, path", (session,)
        )
        return [path for (path,) in rows]

    def begin(self, session: str, goal: str, at: float) -> None:
        """Record the goal of a session, from the first prompt. It must be redacted."""
        with self._db:
            self._db.execute(
                "INSERT OR IGNORE INTO goal (session, at, text) VALUES (?, ?, ?)",
                (session, at, goal),
            )
            for table in ("goal", "milestone"):
                self._db.execute(f"DELETE FROM {table} WHERE at < ?", (at - _KEEP_SECONDS,))

    def has_goal(self, session: str) -> bool:
        """Whether the goal of a session is known."""
        rows = self._db.execute("SELECT 1 FROM goal WHERE session = ?", (session,))
        return next(iter(rows), None) is not None

    def record_milestone(self, session: str, what: str, at: float) -> None:
        """Record a milestone: tests pass, a commit was made, a file changed."""
        with self._db:
            self._db.execute("INSERT INTO milestone VALUES (?, ?, ?)", (session, at, what))

    def unsummarised(self, but: str) -> list[tuple[str, str, list[str]]]:
        """Return ended sessions without a summary: id, goal and milestones."""
        rows = self._db.execute(
            "SELECT goal.session, goal.text FROM goal JOIN session ON session.id = goal.session"
            " WHERE NOT summed AND session.ended IS NOT NULL AND goal.session <> ?"
            " ORDER BY goal.at DESC LIMIT 3",
            (but,),
        )
        return [(session, text, self.milestones(session)) for session, text in list(rows)]

    def milestones(self, session: str) -> list[str]:
        """Return the milestones of a session, unique and in order."""
        rows = self._db.execute(
            "SELECT what FROM milestone WHERE session = ? GROUP BY what ORDER BY min(at)",
            (session,),
        )
        return [what for (what,) in rows]

    def mark_summarised(self, session: str) -> None:
        """Mark a session as summarised, or as not needing a summary; delete its milestones."""
        with self._db:
            self._db.execute("UPDATE goal SET summed = 1, text = '' WHERE session = ?", (session,))
            self._db.execute("DELETE FROM milestone WHERE session = ?", (session,))

    def forget_texts(self) -> None:
        """Delete every text that is kept here: a memory was purged, and any text may contain it."""
        with self._db:
            for table in ("goal", "failure", "milestone", "change"):
                self._db.execute(f"DELETE FROM {table}")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def reject(self, fingerprints: Sequence[str], at: float) -> None:
        """Never suggest these again."""
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO rejected VALUES (?, ?)",
                [(fingerprint, at) for fingerprint in fingerprints],
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

    def claim_request(self, session: str, at: float, pause: float) -> bool:
        """Record a request for a draft and return True, unless the last one is within the pause.

        The pause is in seconds.
        """
        last = self.asked_at(session)
        if last is not None and at - last < pause:
            return False
        with self._db:
            self._db.execute("INSERT OR REPLACE INTO asked VALUES (?, ?)", (session, at))
        return True
