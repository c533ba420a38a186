"""What noticing must know from one event to the next.

How far a transcript was read, which tools
failed and wait for their solution, what was changed since, what people do not want to see again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import apsw

_KEEP_SECONDS = 86_400.0
_SAID = ""  # the name of no tool


class ObservedState:
    """What was noticed in the sessions of one repository."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def position(self, session: str, path: str) -> int:
        """How far the transcript of a session was read; 0 for one that was not."""
        rows = self._db.execute(
            "SELECT position FROM reading WHERE session = ? AND path = ?", (session, path)
        )
        return int(next(iter(rows), (0,))[0])

    def read_to(self, session: str, path: str, position: int, at: float) -> None:
        """Note how far the transcript was read."""
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO reading VALUES (?, ?, ?, ?)", (session, path, position, at)
            )

    def last_message(self, session: str) -> tuple[str, str]:
        """Hashes of what the agent said last: what the transcript lacked of it, and all of it."""
        rows = self._db.execute(
            "SELECT ahead, whole FROM last_message WHERE session = ?", (session,)
        )
        return next(iter(rows), ("", ""))

    def note_last_message(self, session: str, ahead: str, whole: str, at: float) -> None:
        """Note what the agent said last."""
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO last_message VALUES (?, ?, ?, ?)",
                (session, ahead, whole, at),
            )
            self._db.execute("DELETE FROM last_message WHERE at < ?", (at - _KEEP_SECONDS,))

    def failed(self, session: str, fingerprint: str, learning: str, at: float) -> None:
        """Keep what a failed tool taught, until it is solved or a day is over."""
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO failure VALUES (?, ?, ?, ?)",
                (session, fingerprint, at, learning),
            )
            self._db.execute("DELETE FROM failure WHERE at < ?", (at - _KEEP_SECONDS,))
            self._db.execute("DELETE FROM change WHERE at < ?", (at - _KEEP_SECONDS,))

    def failures(self, session: str) -> list[tuple[str, str]]:
        """The unsolved failures of a session, newest first: fingerprint and learning."""
        return list(
            self._db.execute(
                "SELECT fingerprint, learning FROM failure WHERE session = ? ORDER BY at DESC",
                (session,),
            )
        )

    def solved(self, session: str, fingerprint: str) -> None:
        """A failure is solved; what was changed for it counts no more for another."""
        with self._db:
            self._db.execute(
                "DELETE FROM failure WHERE session = ? AND fingerprint = ?", (session, fingerprint)
            )
            self._db.execute("DELETE FROM change WHERE session = ?", (session,))

    def changed(self, session: str, paths: Sequence[str], at: float) -> None:
        """Note which files were changed in a session."""
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO change VALUES (?, ?, ?)",
                [(session, path, at) for path in paths],
            )

    def changes(self, session: str) -> list[str]:
        """The files that were changed in a session, the first one first."""
        rows = self._db.execute(
            "SELECT path FROM change WHERE session = ? ORDER BY at, path", (session,)
        )
        return [path for (path,) in rows]

    def begin(self, session: str, goal: str, at: float) -> None:
        """Note what a session is about, when the first person says it. It must be redacted."""
        with self._db:
            self._db.execute(
                "INSERT OR IGNORE INTO goal (session, at, text) VALUES (?, ?, ?)",
                (session, at, goal),
            )
            for table in ("goal", "milestone"):
                self._db.execute(f"DELETE FROM {table} WHERE at < ?", (at - _KEEP_SECONDS,))

    def has_goal(self, session: str) -> bool:
        """Whether it is known what a session is about."""
        rows = self._db.execute("SELECT 1 FROM goal WHERE session = ?", (session,))
        return next(iter(rows), None) is not None

    def reached(self, session: str, what: str, at: float) -> None:
        """Note that the work came somewhere: tests pass, a commit was made, a file changed."""
        with self._db:
            self._db.execute("INSERT INTO milestone VALUES (?, ?, ?)", (session, at, what))

    def unsummarised(self, but: str) -> list[tuple[str, str, list[str]]]:
        """Sessions that ended and have no summary yet: id, goal, and what was reached."""
        rows = self._db.execute(
            "SELECT goal.session, goal.text FROM goal JOIN session ON session.id = goal.session"
            " WHERE NOT summed AND session.ended IS NOT NULL AND goal.session <> ?"
            " ORDER BY goal.at DESC LIMIT 3",
            (but,),
        )
        return [(session, text, self.milestones(session)) for session, text in list(rows)]

    def milestones(self, session: str) -> list[str]:
        """What was reached in a session, each once, in order."""
        rows = self._db.execute(
            "SELECT what FROM milestone WHERE session = ? GROUP BY what ORDER BY min(at)",
            (session,),
        )
        return [what for (what,) in rows]

    def summed(self, session: str) -> None:
        """A session has its summary, or needs none; its traces are not needed any more."""
        with self._db:
            self._db.execute("UPDATE goal SET summed = 1, text = '' WHERE session = ?", (session,))
            self._db.execute("DELETE FROM milestone WHERE session = ?", (session,))

    def forget_texts(self) -> None:
        """Drop every text that is kept here; a memory was purged, and any of them may hold it."""
        with self._db:
            for table in ("goal", "failure", "milestone", "change"):
                self._db.execute(f"DELETE FROM {table}")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def reject(self, fingerprints: Sequence[str], at: float) -> None:
        """Do not suggest these again."""
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO rejected VALUES (?, ?)",
                [(fingerprint, at) for fingerprint in fingerprints],
            )

    def is_rejected(self, fingerprint: str) -> bool:
        """Whether somebody said no to it."""
        rows = self._db.execute("SELECT 1 FROM rejected WHERE fingerprint = ?", (fingerprint,))
        return next(iter(rows), None) is not None

    def asked_at(self, session: str) -> float | None:
        """When the agent of a session was last asked to draft."""
        rows = self._db.execute("SELECT at FROM asked WHERE session = ?", (session,))
        return next((float(at) for (at,) in rows), None)

    def worked(
        self, session: str, tools: Mapping[str, int], exchanges: int, at: float
    ) -> tuple[dict[str, int], int]:
        """Add to the work of a session; all of it since the last summary: tools, exchanges."""
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

    def counted(self, session: str) -> None:
        """A summary was asked for: what was done until now does not count for the next one."""
        with self._db:
            self._db.execute("DELETE FROM worked WHERE session = ?", (session,))

    def may_ask(self, session: str, at: float, pause: float) -> bool:
        """Whether the agent may be asked to draft now; says yes once in so many seconds."""
        last = self.asked_at(session)
        if last is not None and at - last < pause:
            return False
        with self._db:
            self._db.execute("INSERT OR REPLACE INTO asked VALUES (?, ?)", (session, at))
        return True
