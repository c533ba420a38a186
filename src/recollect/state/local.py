"""Local state, opened on first use: usage, and what hooks remember.

It must never block anything: if its file is not writable, the state is kept in memory; a corrupt
file is renamed, with a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import apsw

from recollect.config.locate import make_private
from recollect.database import UNWRITABLE
from recollect.state.database import open_state
from recollect.state.episodes import Episodes
from recollect.state.maintenance import MaintenanceLog
from recollect.state.observed import ObservedState
from recollect.state.runs import Runs
from recollect.state.sessions import Sessions
from recollect.state.usage import Usage

STATE_FILE = "usage.db"
T = TypeVar("T")


class _SelfRepairingState:
    """A part of the state whose methods are retried if the file becomes unusable."""

    def __init__(self, make: Callable[[], object], mend: Callable[[apsw.Error], None]) -> None:
        self._make = make
        self._mend = mend

    def __getattr__(self, name: str) -> Any:
        """Return a method of that part, with the retry."""

        def run(*args: Any, **options: Any) -> Any:
            try:
                return getattr(self._make(), name)(*args, **options)
            except apsw.Error as error:
                self._mend(error)
                return getattr(self._make(), name)(*args, **options)

        return run


class LocalState:
    """The local state of one ledger, in its directory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._db: apsw.Connection | None = None
        self._is_in_memory = False
        self.warnings: list[str] = []

    @property
    def usage(self) -> Usage:
        """The log of what readers got."""
        return self._mending(Usage)

    @property
    def sessions(self) -> Sessions:
        """What hooks remember about sessions."""
        return self._mending(Sessions)

    @property
    def observed(self) -> ObservedState:
        """What capture remembers about sessions."""
        return self._mending(ObservedState)

    @property
    def episodes(self) -> Episodes:
        """The episodes of sessions."""
        return self._mending(Episodes)

    @property
    def maintenance(self) -> MaintenanceLog:
        """The log of sleep runs."""
        return self._mending(MaintenanceLog)

    @property
    def runs(self) -> Runs:
        """What import and sleep runs wrote."""
        return Runs(self._opened())

    def forget(self, uids: Sequence[str]) -> None:
        """Delete what is stored about purged memories."""
        if uids:
            self.usage.forget(uids)
            self.sessions.forget(uids)
            self.episodes.forget_texts()
            self.observed.forget_texts()

    def make_folder(self) -> None:
        """Create the folder, so that the state gets a file even if nothing is stored yet."""
        try:
            make_private(self._folder)
        except OSError:
            return  # the state is kept in memory instead

    def close(self) -> None:
        """Close the file."""
        if self._db is not None:
            self._db.close()
            self._db = None
        self._is_in_memory = False

    def replace_broken(self) -> None:
        """Rename a corrupt file and start with a new one."""
        self.close()
        path = self._folder / STATE_FILE
        try:
            for suffix in ("", "-wal", "-shm"):
                broken = path.with_name(path.name + suffix)
                if broken.exists():
                    broken.replace(_free_name(broken))
        except OSError as error:
            self._keep_in_memory(None, f"{path} is corrupt and cannot be renamed: {error}.")
        else:
            self.warnings.append(f"{path} was corrupt. Renamed it; usage starts again from zero.")

    def _mending(self, part: Callable[[apsw.Connection], T]) -> T:
        """Return a part of the state that survives a corrupt, read-only or full file."""
        return cast("T", _SelfRepairingState(lambda: part(self._opened()), self._mend))

    def _mend(self, error: apsw.Error) -> None:
        if isinstance(error, UNWRITABLE):
            path = self._folder / STATE_FILE
            self._keep_in_memory(path, f"Cannot write {path}: {error}.")
        elif isinstance(error, apsw.BusyError | apsw.LockedError):
            raise error
        elif self._is_in_memory:
            self._keep_in_memory(None, "")  # the copy was corrupt too
        else:
            self.replace_broken()

    def _keep_in_memory(self, copy_of: Path | None, why: str) -> None:
        """Continue without a file, with its contents if they are readable."""
        self.close()
        if why:
            self.warnings.append(f"{why} Usage is not recorded for now.")
        try:
            self._db = open_state(None, copy_of)
        except apsw.Error:
            self._db = open_state(None)
        self._is_in_memory = True

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
        except apsw.Error as error:
            if isinstance(error, (*UNWRITABLE, apsw.BusyError, apsw.LockedError)):
                if path.is_dir():
                    self.replace_broken()
                else:
                    self._keep_in_memory(path, "")
            else:
                self.replace_broken()
        return self._db or self._open_anew(path)

    def _open_anew(self, path: Path) -> apsw.Connection:
        try:
            return open_state(path)
        except apsw.Error:
            return open_state(None)


def _free_name(path: Path) -> Path:
    """Return an unused name for a corrupt file, so that earlier ones stay."""
    name, number = path.with_name(f"{path.name}.broken"), 1
    while name.exists():
        name, number = path.with_name(f"{path.name}.broken.{number}"), number + 1
    return name
