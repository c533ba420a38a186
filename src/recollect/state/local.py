"""Local state, opened on first use: usage, and what hooks remember.

It must never block anything: if its file is not writable, the state is kept in memory; a corrupt
file is renamed, with a warning.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import apsw

from recollect.config.locate import make_private
from recollect.database import UNWRITABLE
from recollect.state.adapted import Adapted
from recollect.state.database import open_state
from recollect.state.episodes import Episodes
from recollect.state.noticed import Noticed
from recollect.state.observed import ObservedState
from recollect.state.session_log import SessionLog
from recollect.state.sessions import Sessions
from recollect.state.usage import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    from recollect.state.findings import Findings
    from recollect.state.imported import ImportedParts
    from recollect.state.kept import KeptState
    from recollect.state.maintenance import MaintenanceLog
    from recollect.state.runs import Runs
    from recollect.state.tool_log import ToolLog

    T = TypeVar("T")

STATE_FILE = "usage.db"


class _SelfRepairingState:
    """A part of the state whose methods are retried if the file becomes unusable."""

    def __init__(self, make: Callable[[], object], repair: Callable[[apsw.Error], None]) -> None:
        self._make = make
        self._repair = repair

    def __getattr__(self, name: str) -> Any:
        """Return a method of that part, with the retry."""

        def run(*args: Any, **options: Any) -> Any:
            try:
                return getattr(self._make(), name)(*args, **options)
            except apsw.Error as error:
                self._repair(error)
                return getattr(self._make(), name)(*args, **options)

        return run


class LocalState:
    """The local state of one ledger, in its directory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._db: apsw.Connection | None = None
        self._is_in_memory = False
        self._lacks_folder = False
        self.warnings: list[str] = []

    @property
    def usage(self) -> Usage:
        """The log of what readers got."""
        return self._self_repairing(Usage)

    @property
    def sessions(self) -> Sessions:
        """What hooks remember about sessions."""
        return self._self_repairing(Sessions)

    @property
    def observed(self) -> ObservedState:
        """What capture remembers about sessions."""
        return self._self_repairing(ObservedState)

    @property
    def noticed(self) -> Noticed:
        """What is known about unconfirmed memories."""
        return self._self_repairing(Noticed)

    @property
    def session_log(self) -> SessionLog:
        """What happened in each session, for its summary."""
        return self._self_repairing(SessionLog)

    @property
    def adapted(self) -> Adapted:
        """What detection learned from accepted and rejected suggestions."""
        return self._self_repairing(Adapted)

    @property
    def kept(self) -> KeptState:
        """What sessions were asked to keep."""
        from recollect.state import kept  # most events need none

        return self._self_repairing(kept.KeptState)

    @property
    def tools(self) -> ToolLog:
        """What tools did: failures without a solution, and changes."""
        from recollect.state.tool_log import ToolLog  # few events need it

        return self._self_repairing(ToolLog)

    @property
    def episodes(self) -> Episodes:
        """The episodes of sessions."""
        return self._self_repairing(Episodes)

    @property
    def findings(self) -> Findings:
        """What detection found in the talk."""
        from recollect.state.findings import Findings

        return self._self_repairing(Findings)

    @property
    def maintenance(self) -> MaintenanceLog:
        """The log of sleep runs."""
        from recollect.state.maintenance import MaintenanceLog

        return self._self_repairing(MaintenanceLog)

    @property
    def imported(self) -> ImportedParts:
        """What imports read."""
        from recollect.state.imported import ImportedParts

        return self._self_repairing(ImportedParts)

    @property
    def runs(self) -> Runs:
        """What import and sleep runs wrote."""
        from recollect.state.runs import Runs

        return Runs(self._opened())

    def forget(self, uids: Sequence[str]) -> None:
        """Delete what is stored about purged memories."""
        if uids:
            self.usage.forget(uids)
            self.sessions.forget(uids)
            self.noticed.forget(uids)
            self.episodes.forget_texts()
            self.findings.forget_texts()
            self.session_log.forget_texts()
            self.observed.forget_texts()
            self.kept.forget_texts()
            self.imported.forget_texts()

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

    def _self_repairing(self, part: Callable[[apsw.Connection], T]) -> T:
        """Return a part of the state that survives a corrupt, read-only or full file."""
        return _SelfRepairingState(lambda: part(self._opened()), self._repair)  # type: ignore[return-value]

    def _repair(self, error: apsw.Error) -> None:
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
        if self._lacks_folder and self._folder.is_dir():
            self.close()  # something has made the folder since, so a file can keep what follows
        if self._db is None:
            self._db = self._open()
        return self._db

    def _open(self) -> apsw.Connection:
        path = self._folder / STATE_FILE
        self._lacks_folder = not self._folder.is_dir()
        if self._lacks_folder:
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
