"""What tools did: failures without a solution, and the changes since, in their order."""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from recollect.core.named_tuple import NamedTuple

KEEP_SECONDS = 7 * 86_400.0
# A session without an end that did nothing for so long was killed.
_SILENT_SECONDS = 1_800.0
_NO_END = 1 << 62


class StoredFailure(NamedTuple):
    """A failure of a tool without a solution."""

    session: str
    # The program and the subcommand that failed.
    task: str
    fingerprint: str
    # When it last happened, what it teaches as JSON, and how often it happened.
    at: float
    learning: str
    times: int
    # The number of the last change before it last happened, and before a run without it.
    since: int
    until: int | None
    # Whether it is a memory already.
    is_kept: int


class ToolLog:
    """What the tools of all sessions did."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    # Failures

    def record_failure(
        self, session: str, task: str, fingerprint: str, learning: str, at: float
    ) -> None:
        """Store a failure until it is solved, at most seven days. It must be redacted."""
        with self._db:
            self._db.execute(
                "INSERT INTO failure (session, task, fingerprint, at, learning, times, since)"
                " VALUES (?, ?, ?, ?, ?, 1, (SELECT coalesce(max(id), 0) FROM change))"
                " ON CONFLICT DO UPDATE SET"
                " at = excluded.at, learning = excluded.learning, times = times + 1,"
                " since = excluded.since, until = NULL",
                (session, task, fingerprint, at, learning),
            )
            self._db.execute("DELETE FROM failure WHERE at < ?", (at - KEEP_SECONDS,))
            self._db.execute("DELETE FROM change WHERE at < ?", (at - KEEP_SECONDS,))

    def failures(self, at: float) -> list[StoredFailure]:
        """Return the unsolved failures of all sessions, newest first."""
        rows = self._db.execute(
            "SELECT session, task, fingerprint, at, learning, times, since, until, is_kept"
            " FROM failure WHERE at > ? ORDER BY at DESC, since DESC",
            (at - KEEP_SECONDS,),
        )
        return [StoredFailure(*row) for row in rows]

    def failures_of(self, session: str) -> list[tuple[float, str]]:
        """Return when the unsolved failures of a session happened, oldest first, and what."""
        return list(
            self._db.execute(
                "SELECT at, learning FROM failure WHERE session = ? ORDER BY at", (session,)
            )
        )

    def fail_again(self, failure: StoredFailure) -> None:
        """Record that the command failed again: earlier changes did not solve it."""
        with self._db:
            self._db.execute(
                "UPDATE failure SET since = (SELECT coalesce(max(id), 0) FROM change), until = NULL"
                " WHERE session = ? AND task = ? AND fingerprint = ?",
                failure[:3],
            )

    def pass_by(self, failure: StoredFailure) -> None:
        """Record that the command failed otherwise: later changes did not solve this failure."""
        with self._db:
            self._db.execute(
                "UPDATE failure SET until = (SELECT coalesce(max(id), 0) FROM change)"
                " WHERE until IS NULL AND session = ? AND task = ? AND fingerprint = ?",
                failure[:3],
            )

    def mark_solved(self, failure: StoredFailure) -> None:
        """Delete a failure, because the command passed."""
        with self._db:
            self._db.execute(
                "DELETE FROM failure WHERE session = ? AND task = ? AND fingerprint = ?",
                failure[:3],
            )

    def unkept(self, session: str, at: float) -> list[StoredFailure]:
        """Return the unsolved failures of a session that are not memories yet."""
        return [f for f in self.failures(at) if not f.is_kept and f.session == session]

    def unkept_elsewhere(self, but: str, at: float) -> list[StoredFailure]:
        """Return those of other sessions that have ended or were killed."""
        found = [f for f in self.failures(at) if not f.is_kept and f.session != but]
        return sorted(f for f in found if self._is_over(f, at))

    def _is_over(self, failure: StoredFailure, at: float) -> bool:
        if failure.at < at - _SILENT_SECONDS:
            return True
        rows = self._db.execute(
            "SELECT 1 FROM session WHERE id = ? AND ended IS NOT NULL", (failure.session,)
        )
        return next(iter(rows), None) is not None

    def mark_kept(self, failures: Sequence[StoredFailure]) -> None:
        """Record that failures are memories now, or need not become any."""
        with self._db:
            self._db.executemany(
                "UPDATE failure SET is_kept = 1 WHERE session = ? AND task = ? AND fingerprint = ?",
                [failure[:3] for failure in failures],
            )

    # Changes

    def record_changes(self, session: str, changes: Sequence[str], at: float) -> None:
        """Record changed files and commands that may solve a failure. They must be redacted."""
        with self._db:
            self._db.executemany(
                "INSERT INTO change (session, path, at) VALUES (?, ?, ?)",
                [(session, change, at) for change in changes],
            )

    def changes_after(self, failure: StoredFailure, session: str) -> list[str]:
        """Return what happened between a failure and the first run without it, in order.

        Only the session that failed and the one that passed count.
        """
        end = failure.until
        rows = self._db.execute(
            "SELECT path FROM change WHERE session IN (?, ?) AND id > ? AND id <= ? ORDER BY id",
            (failure.session, session, failure.since, _NO_END if end is None else end),
        )
        return [path for (path,) in rows]

    def changes_since(self, session: str, mark: str) -> list[str]:
        """Return the changes of a session after the last one that is the mark, in order."""
        rows = self._db.execute(
            "SELECT path FROM change WHERE session = ?1 AND id > (SELECT coalesce(max(id), 0)"
            " FROM change WHERE session = ?1 AND path = ?2) ORDER BY id",
            (session, mark),
        )
        return [path for (path,) in rows]

    # Notices

    def claim_notice(self, fingerprint: str, at: float) -> bool:
        """Record a notice and return True, unless it was recorded before."""
        with self._db:
            self._db.execute("INSERT OR IGNORE INTO tool_notice VALUES (?, ?)", (fingerprint, at))
        return self._db.changes() > 0
