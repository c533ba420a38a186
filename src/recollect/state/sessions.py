"""What hooks remember from one event to the next: sessions, injected memories, traces.

Old rows are deleted automatically: nobody asks why something happened a month ago.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

import apsw

from recollect.core.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_KEEP_SECONDS = 30 * 86_400.0
_MOST_TRACES = 500
# Before the version of a memory that a context holds only the title of.
TITLE_OF = "title of "
# The same for a memory that says no more than its title.
WHOLE_TITLE = TITLE_OF + "all of "


class Trace(NamedTuple):
    """The result of one event."""

    at: float
    session: str
    event: str
    milliseconds: float
    steps: Sequence[Mapping[str, Any]]
    host: str = ""


class Given(NamedTuple):
    """A context that a memory was injected into: in which version, when, and if it was cited."""

    context: str
    version: str
    at: float
    is_cited: bool


class Span(NamedTuple):
    """When a session began and ended; None if it has not ended."""

    session: str
    began: float
    ended: float | None


class Sessions:
    """The agent sessions of one repository."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def begin(self, session: str, at: float) -> None:
        """Record that a session began or resumed."""
        with self._db:
            self._db.execute(
                "INSERT INTO session (id, began) VALUES (?, ?)"
                " ON CONFLICT (id) DO UPDATE SET ended = NULL",
                (session, at),
            )
            oldest = at - _KEEP_SECONDS
            self._db.execute("DELETE FROM given WHERE at < ?", (oldest,))
            self._db.execute("DELETE FROM session WHERE began < ?", (oldest,))

    def end(self, session: str, at: float) -> None:
        """Record that a session ended."""
        with self._db:
            self._db.execute(
                "INSERT INTO session (id, began, ended) VALUES (?1, ?2, ?2)"
                " ON CONFLICT (id) DO UPDATE SET ended = ?2",
                (session, at),
            )

    def given(self, context: str) -> dict[str, str]:
        """Return what was injected into a context: uid → version."""
        return dict(
            self._db.execute("SELECT uid, version FROM given WHERE context = ?", (context,))
        )

    def contexts_of(self, uid: str) -> list[Given]:
        """Return the contexts that a memory was injected into, the last one first."""
        rows = self._db.execute(
            "SELECT context, version, at, cited FROM given WHERE uid = ? ORDER BY at DESC", (uid,)
        )
        return [Given(context, version, at, bool(cited)) for context, version, at, cited in rows]

    def spans(self) -> list[Span]:
        """Return the sessions that began here, the last one first."""
        rows = self._db.execute("SELECT id, began, ended FROM session ORDER BY began DESC")
        return [Span(*row) for row in rows]

    def give(self, context: str, memories: Iterable[tuple[str, str]], at: float) -> None:
        """Record that memories, by uid and version, were injected into a context."""
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO given (context, uid, version, at) VALUES (?, ?, ?, ?)",
                [(context, uid, version, at) for uid, version in memories],
            )

    def uncited(self, context: str) -> list[str]:
        """Return what was injected into a context and not yet cited in an answer."""
        rows = self._db.execute(
            "SELECT uid FROM given WHERE context = ? AND NOT cited ORDER BY uid", (context,)
        )
        return [uid for (uid,) in rows]

    def cite(self, context: str, uids: Iterable[str]) -> None:
        """Record that an answer cited memories."""
        with self._db:
            self._db.executemany(
                "UPDATE given SET cited = 1 WHERE context = ? AND uid = ?",
                [(context, uid) for uid in uids],
            )

    def forget_given(self, context: str) -> None:
        """Record that a context no longer exists."""
        with self._db:
            self._db.execute("DELETE FROM given WHERE context = ?", (context,))

    def trace(self, trace: Trace) -> None:
        """Store the result of an event."""
        with self._db:
            self._db.execute(
                "INSERT INTO trace (at, session, event, milliseconds, steps, host)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                (
                    trace.at,
                    trace.session,
                    trace.event,
                    trace.milliseconds,
                    json.dumps(trace.steps),
                    trace.host,
                ),
            )
            self._db.execute(
                "DELETE FROM trace WHERE id <= last_insert_rowid() - ?", (_MOST_TRACES,)
            )

    def traces(self, limit: int, session: str | None = None) -> list[Trace]:
        """Return the results of the last events, newest first."""
        condition, parameters = ("session = ?", [session]) if session else ("1", [])
        rows = self._db.execute(
            "SELECT at, session, event, milliseconds, steps, host FROM trace"
            f" WHERE {condition} ORDER BY id DESC LIMIT ?",
            (*parameters, limit),
        )
        return [
            Trace(at, session, event, taken, json.loads(steps), host)
            for at, session, event, taken, steps, host in rows
        ]

    def last_events(self) -> dict[str, tuple[float, str]]:
        """Return when each host was last served here, and which event that was."""
        rows = self._db.execute("SELECT host, max(at), event FROM trace GROUP BY host")
        return {host: (at, event) for host, at, event in rows}

    def forget(self, uids: Iterable[str]) -> None:
        """Delete what is stored about purged memories."""
        with self._db:
            self._db.executemany("DELETE FROM given WHERE uid = ?", [(uid,) for uid in uids])

    def is_learning_offered(self) -> bool:
        """Whether learning was offered, dismissed or done in this repository."""
        return bool(list(self._db.execute("SELECT 1 FROM offered LIMIT 1")))

    def note_learning_offered(self, now: float) -> None:
        """Record that learning needs no further offer."""
        with self._db:
            self._db.execute("INSERT INTO offered VALUES (?)", (now,))
