"""Local state, opened when it is first needed: what was used, and what hooks remember.

It must never stand in the way: where its file cannot be written, it is kept in memory; a broken one
is put aside, with a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import apsw

from recollect.state.database import open_state
from recollect.state.episodes import Episodes
from recollect.state.maintenance import Rest
from recollect.state.observed import Noticing
from recollect.state.sessions import Sessions
from recollect.state.usage import Usage

STATE_FILE = "usage.db"


class LocalState:
    """The local state of one ledger, in its directory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._db: apsw.Connection | None = None
        self.warnings: list[str] = []

    @property
    def usage(self) -> Usage:
        """The log of what was given to readers."""
        return Usage(self._opened())

    @property
    def sessions(self) -> Sessions:
        """What hooks must know from one event to the next."""
        return Sessions(self._opened())

    @property
    def noticing(self) -> Noticing:
        """What noticing must know from one event to the next."""
        return Noticing(self._opened())

    @property
    def episodes(self) -> Episodes:
        """The course of sessions."""
        return Episodes(self._opened())

    @property
    def rest(self) -> Rest:
        """When the repository slept."""
        return Rest(self._opened())

    def forget(self, uids: Sequence[str]) -> None:
        """Drop what is known of purged memories."""
        if uids:
            self.usage.forget(uids)
            self.sessions.forget(uids)
            self.episodes.forget_texts()
            self.noticing.forget_texts()

    def make_folder(self) -> None:
        """Let there be a file, also where nothing is remembered yet."""
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError:
            return  # then it is kept in memory

    def close(self) -> None:
        """Let go of the file."""
        if self._db is not None:
            self._db.close()
            self._db = None

    def put_aside(self) -> None:
        """Let a broken file be, under another name, and begin anew."""
        self.close()
        path = self._folder / STATE_FILE
        for suffix in ("", "-wal", "-shm"):
            broken = path.with_name(path.name + suffix)
            if broken.exists():
                broken.replace(broken.with_name(broken.name + ".broken"))
        self.warnings.append(f"{path} was broken; it was put aside, and usage starts anew.")

    def _opened(self) -> apsw.Connection:
        if self._db is None:
            self._db = self._open()
        return self._db

    def _open(self) -> apsw.Connection:
        path = self._folder / STATE_FILE
        if not self._folder.is_dir():
            return open_state(None)
        try:
            return open_state(path)
        except (apsw.NotADBError, apsw.CorruptError):
            self.put_aside()
            return open_state(path)
        except apsw.Error:
            return open_state(None)
