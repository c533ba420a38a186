"""What sessions were asked to keep: which memories, and the files that changed in the same turn.

It says what to link at the end of a turn, what "no, forget that" means, and which wishes need not
be kept again when a transcript is read a second time.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

_KEEP_SECONDS = 30 * 86_400.0


class KeptState:
    """What was asked for in the sessions of one repository."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def record(self, session: str, kept: Sequence[tuple[str, str]], at: float) -> None:
        """Record memories, by uid or nonce, and the fingerprints of the wishes."""
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO kept (session, name, fingerprint, at) VALUES (?, ?, ?, ?)",
                [(session, name, fingerprint, at) for name, fingerprint in kept],
            )
            self._db.execute("DELETE FROM kept WHERE at < ?", (at - _KEEP_SECONDS,))

    def is_handled(self, fingerprint: str) -> bool:
        """Whether a wish was kept before, in any session."""
        rows = self._db.execute("SELECT 1 FROM kept WHERE fingerprint = ?", (fingerprint,))
        return next(iter(rows), None) is not None

    def last(self, session: str, since: float) -> list[str]:
        """Return what the last event of a session that kept something kept, if it is recent."""
        rows = self._db.execute(
            "SELECT name FROM kept WHERE session = ?1 AND at >= ?2 AND at ="
            " (SELECT max(at) FROM kept WHERE session = ?1) ORDER BY name",
            (session, since),
        )
        return [str(name) for (name,) in rows]

    def drop(self, session: str, names: Sequence[str]) -> None:
        """Record that memories were forgotten again; their wishes still count as handled."""
        with self._db:
            self._db.executemany(
                "UPDATE kept SET at = 0, linked = 1 WHERE session = ? AND name = ?",
                [(session, name) for name in names],
            )

    def unlinked(self, session: str) -> list[str]:
        """Return what was kept in this turn."""
        rows = self._db.execute(
            "SELECT name FROM kept WHERE session = ? AND NOT linked ORDER BY at, name", (session,)
        )
        return [str(name) for (name,) in rows]

    def add_files(self, session: str, paths: Sequence[str]) -> None:
        """Record files that changed in this turn."""
        with self._db:
            self._db.executemany(
                "INSERT OR IGNORE INTO kept_file VALUES (?, ?)", [(session, path) for path in paths]
            )

    def files(self, session: str) -> list[str]:
        """Return the files that changed since something was kept in this turn."""
        rows = self._db.execute(
            "SELECT path FROM kept_file WHERE session = ? ORDER BY path", (session,)
        )
        return [str(path) for (path,) in rows]

    def end_turn(self, session: str) -> None:
        """Record that the files of this turn are linked."""
        with self._db:
            self._db.execute("UPDATE kept SET linked = 1 WHERE session = ?", (session,))
            self._db.execute("DELETE FROM kept_file WHERE session = ?", (session,))

    def forget_texts(self) -> None:
        """Delete what may say something about a purged memory."""
        with self._db:
            self._db.execute("DELETE FROM kept_file")
            self._db.execute("UPDATE kept SET fingerprint = ''")
