"""The log of each session: its goal and what happened in it, until a summary is written.

The log holds redacted text only. It is kept for 30 days after the last event of a session, because
a session that goes on is summarised again.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from recollect.core.named_tuple import NamedTuple
from recollect.state.session_marks import OPEN, TURN

_KEEP_SECONDS = 30 * 86_400.0


class Due(NamedTuple):
    """A session in which something happened since its last summary."""

    session: str
    began: float
    # When something last happened in it, and when it ended.
    active: float
    ended: float | None


class SessionLog:
    """The logs of the sessions of one repository."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def goal(self, session: str) -> str:
        """Return the goal of a session; empty if it is not known yet."""
        rows = self._db.execute("SELECT text FROM goal WHERE session = ?", (session,))
        return str(next(iter(rows), ("",))[0])

    def set_goal(self, session: str, goal: str, at: float) -> None:
        """Record the goal of a session. It must be redacted."""
        with self._db:
            self._touch(session, at)
            self._db.execute("UPDATE goal SET text = ? WHERE session = ?", (goal, session))

    def add(self, session: str, what: str, at: float) -> None:
        """Record that something happened: tests pass, a commit was made, a file changed."""
        with self._db:
            self._touch(session, at)
            self._db.execute("INSERT INTO milestone VALUES (?, ?, ?)", (session, at, what))

    def entries(self, session: str) -> list[tuple[float, str]]:
        """Return what happened in a session, in order."""
        return list(
            self._db.execute(
                "SELECT at, what FROM milestone WHERE session = ? ORDER BY rowid", (session,)
            )
        )

    def set_open(self, session: str, items: Sequence[str], at: float) -> None:
        """Replace what is left to do in a session."""
        with self._db:
            self._touch(session, at)
            self._db.execute(
                "DELETE FROM milestone WHERE session = ? AND what GLOB ?", (session, OPEN + "*")
            )
            self._db.executemany(
                "INSERT INTO milestone VALUES (?, ?, ?)",
                [(session, at, OPEN + item) for item in items],
            )

    def take_back(self, session: str, prefixes: Sequence[str]) -> None:
        """Delete what the last turn reported as done, because the person corrected it."""
        with self._db:
            for prefix in prefixes:
                self._db.execute(
                    "DELETE FROM milestone WHERE session = ?1 AND what GLOB ?2 AND rowid >"
                    " (SELECT coalesce(max(rowid), 0) FROM milestone"
                    " WHERE session = ?1 AND what GLOB ?3)",
                    (session, prefix + "*", TURN + "*"),
                )

    def due(self, but: str) -> list[Due]:
        """Return the other sessions in which something happened since their last summary.

        The one with the last activity comes first.
        """
        rows = self._db.execute(
            "SELECT goal.session, goal.at, active, session.ended FROM goal"
            " LEFT JOIN session ON session.id = goal.session WHERE goal.session <> ?"
            " AND max(active, coalesce(session.ended, 0)) > summed_to"
            " ORDER BY active DESC, goal.session",
            (but,),
        )
        return [Due(*row) for row in rows]

    def mark_summarised(self, due: Due) -> None:
        """Record that a summary says everything so far, or that none is needed."""
        upto = max(due.active, due.ended or 0.0)
        with self._db:
            self._db.execute("UPDATE goal SET summed_to = ? WHERE session = ?", (upto, due.session))

    def forget_texts(self) -> None:
        """Delete every text: a memory was purged, and any text may contain it."""
        with self._db:
            self._db.execute("DELETE FROM goal")
            self._db.execute("DELETE FROM milestone")

    def _touch(self, session: str, at: float) -> None:
        """Record activity, and delete the logs of sessions that nobody resumed for long."""
        self._db.execute(
            "INSERT INTO goal (session, at, text, active) VALUES (?1, ?2, '', ?2)"
            " ON CONFLICT (session) DO UPDATE SET active = ?2",
            (session, at),
        )
        oldest = at - _KEEP_SECONDS
        self._db.execute(
            "DELETE FROM milestone WHERE session IN (SELECT session FROM goal WHERE active < ?)",
            (oldest,),
        )
        self._db.execute("DELETE FROM goal WHERE active < ?", (oldest,))
