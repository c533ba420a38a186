"""The index of this clone in a team's database: refreshing it, and doing without it.

Only what the team shares goes there. Private memories never leave the machine, so a clone that has
some answers from its file, which has everything. A database that is down, slow or full does no harm
either: the file answers, and one warning says so.
"""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.config.database_url import shown_url
from recollect.config.locate import make_private
from recollect.core.places import SHARED
from recollect.errors import MemoryIndexError
from recollect.index.protocol import Cursor, Index, Progress
from recollect.ledger.ledger import Ledger, key_of
from recollect.store.local_index import ROUNDS

if TYPE_CHECKING:
    from recollect.index.postgres.index import PostgresIndex
    from recollect.index.sqlite.index import SqliteIndex

# The name of this clone's rows in the database, and when the database last failed.
_NAME_FILE = "index-name"
_DOWN_FILE = "index-url-down"
# Nobody tries again for so many seconds: a host that does not answer costs each try a few.
_PAUSE = 60.0
_COPIED_AT_ONCE = 500
_INSTALL = "To install it, run: pip install 'git-recollect[postgres]'"


class TeamIndex:
    """The index of one clone in a database."""

    def __init__(self, url: str, ledger: Ledger, warnings: list[str]) -> None:
        self._url = url
        self._ledger = ledger
        self._warnings = warnings
        self._index: PostgresIndex | None = None
        # Why the database is not in use; empty if it is.
        self.problem = ""
        self._retry_at = 0.0

    @property
    def address(self) -> str:
        """The address of the database, without a password."""
        return shown_url(self._url)

    def close(self) -> None:
        """Close the connection."""
        if self._index is not None:
            self._index.close()
            self._index = None

    def fresh(self, local: Index, progress: Progress | None = None) -> PostgresIndex | None:
        """Return the index up to date with the ledger; None if the file must answer."""
        private = len(local.outside([SHARED]))
        if private:
            self.problem = (
                f"This clone has private or unconfirmed memories ({private}). They never leave it,"
                " so the file answers."
            )
            return None
        try:
            if self._is_pausing():
                return None
            index = self._refreshed(local, progress)
            if index.has_unerased():
                index.erase_deleted()
            if index.needs_rebuild():  # the clone has another owner
                index.clear()
                index = self._refreshed(local, progress)
        except MemoryIndexError as error:
            self.give_up(error)
            return None
        self.problem = ""
        return index

    def copy_vectors(self, local: SqliteIndex, model: str) -> int:
        """Copy vectors that the file has to memories that have none in the database."""
        if self.problem or self._index is None or local.model() != model:
            return 0
        copied = 0
        try:
            while batch := self._index.pending(model, _COPIED_AT_ONCE):
                known = local.vectors_of([memory.uid for memory in batch])
                if not known:
                    break  # the file does not have them yet
                self._index.store_vectors(model, known)
                copied += len(known)
            if copied:
                self._index.measure_crowding(copied)
        except MemoryIndexError as error:
            self.give_up(error)
        return copied

    def give_up(self, error: MemoryIndexError) -> None:
        """Use the file for a while, and say so once."""
        self.close()
        self.problem = error.message
        self._retry_at = time.monotonic() + _PAUSE
        warning = f"{error.message} The index in this clone answers instead. {error.hint}"
        if warning not in self._warnings:
            self._warnings.append(warning)
        with suppress(OSError):  # else the next process finds out by itself
            make_private(self._file(_DOWN_FILE).parent)
            self._file(_DOWN_FILE).write_text(f"{self.address}\n{error.message}", "utf-8")

    def _is_pausing(self) -> bool:
        """Whether the database failed a moment ago, here or in another process."""
        if time.monotonic() < self._retry_at:
            return True
        if self._index is not None:
            return False
        try:
            ago = time.time() - self._file(_DOWN_FILE).stat().st_mtime
            where, _, said = self._file(_DOWN_FILE).read_text("utf-8", "replace").partition("\n")
        except OSError:
            return False
        if where != self.address or not 0 <= ago < _PAUSE:
            return False
        self.problem = said
        warning = f"{said} It is tried again in a minute; the index in this clone answers."
        if warning not in self._warnings:
            self._warnings.append(warning)
        return True

    def clear(self) -> None:
        """Delete this clone's rows, so that the next refresh writes them again."""
        self._retry_at = 0.0
        with suppress(OSError):
            self._file(_DOWN_FILE).unlink()
        try:
            self._opened().clear()
        except MemoryIndexError as error:
            self.give_up(error)

    def _refreshed(self, local: Index, progress: Progress | None) -> PostgresIndex:
        index = self._opened()
        for _ in range(ROUNDS):
            since = index.cursor()
            # What is not shared counts as read: nothing of it is sent, not even its refs.
            changes = self._ledger.changes({**_others(local.cursor()), **since})
            cursor = _shared(changes.cursor)
            if cursor == since:
                break
            notes = ((place, note) for place, note in changes.notes if place.space == SHARED)
            whole = [key for key in changes.whole if key.space == SHARED]
            if index.apply(notes, since=since, cursor=cursor, whole=whole, progress=progress):
                break
        return index

    def _opened(self) -> PostgresIndex:
        if self._index is None:
            try:
                from recollect.index.postgres.connection import SingleConnection
                from recollect.index.postgres.index import PostgresIndex
            except ImportError as error:
                raise MemoryIndexError(
                    f"index.url needs a package that is missing ({error.name}).", _INSTALL
                ) from None
            self._index = PostgresIndex(
                SingleConnection(self._url), [self._name()], lambda: self._ledger.author
            )
        return self._index

    def _name(self) -> str:
        """Return the name of this clone's rows: its own, since two clones may differ."""
        path = self._file(_NAME_FILE)
        try:
            return path.read_text("ascii")
        except FileNotFoundError:
            from uuid import uuid4

            make_private(path.parent)
            new = path.with_name(f"{_NAME_FILE}.{uuid4()}")
            new.write_text(f"clone {uuid4()}", "ascii")
            with suppress(FileExistsError):  # another process was faster
                path.hardlink_to(new)
            new.unlink()
        except (OSError, UnicodeError) as error:
            raise MemoryIndexError(f"Cannot read {path}: {error}", "Delete it.") from None
        return self._name()

    def _file(self, name: str) -> Path:
        return self._ledger.repository.state_dir / name


def _shared(cursor: Cursor) -> dict[str, str]:
    return {ref: tree for ref, tree in cursor.items() if key_of(ref).space == SHARED}


def _others(cursor: Cursor) -> dict[str, str]:
    return {ref: tree for ref, tree in cursor.items() if key_of(ref).space != SHARED}
