"""The index of one ledger in a file beside it: opening, refreshing and repairing it.

The index is derived: whatever happens to its file, the ledger restores it. If no file can be
written, the index is built in memory.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from recollect.config.locate import make_private
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import Note
from recollect.core.places import Place
from recollect.errors import MemoryIndexError
from recollect.index.protocol import Cursor, Index, Progress
from recollect.index.sqlite.index import SqliteIndex
from recollect.ledger.ledger import Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

INDEX_FILE = "index.db"
ROUNDS = 5


def repaired(index: Index, replaced_after: Callable[[MemoryIndexError], Index]) -> Index:
    """Return an index that is replaced if it turns out to be unusable."""
    return _RepairedIndex(index, replaced_after)


class _RepairedIndex:
    """An index that is replaced if it turns out to be unusable: corrupt, or out of reach."""

    def __init__(self, index: Index, replaced_after: Callable[[MemoryIndexError], Index]) -> None:
        self._index = index
        self._replaced_after = replaced_after

    def __getattr__(self, name: str) -> Any:
        """Return a method of the index that is retried on the new index if it fails."""

        def run(*args: Any, **options: Any) -> Any:
            try:
                return _finished(getattr(self._index, name)(*args, **options))
            except MemoryIndexError as error:
                self._index = self._replaced_after(error)
                return _finished(getattr(self._index, name)(*args, **options))

        return run


def _finished(result: Any) -> Any:
    """Return a result, with lazy results read at once."""
    return list(result) if isinstance(result, Iterator) else result


class _Past(NamedTuple):
    """When the records that an index knows were written, and the last index of the past."""

    cursor: Cursor
    stamps: Sequence[str]
    # How many records it was made of: whoever asks for the same ones gets the same index.
    earlier: int = -1
    built: SqliteIndex | None = None


class LocalIndex:
    """The index of one ledger, in its file."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._index: SqliteIndex | None = None
        self.warnings: list[str] = []
        # Those of them that are about the file: it was rebuilt, or it cannot be written.
        self.about_file: list[str] = []
        # Set if no file can be written.
        self._is_memory_only = False
        self._past: _Past | None = None
        # Receives the progress of a long read, if someone is watching.
        self.progress: Progress | None = None
        # A hook has no time for more changes than this; it then uses what is there.
        self.most_changes: int | None = None
        self.behind = 0
        # Whether to look once only, until this process writes; and the ledger's writes by then.
        self._looks_once = False
        self._looked: int | None = None

    @property
    def path(self) -> Path:
        """The path of the index file."""
        return self._ledger.repository.state_dir / INDEX_FILE

    def close(self) -> None:
        """Close the file."""
        if self._index is not None:
            self._index.close()
            self._index = self._looked = None
        self._forget_past()
        self._is_memory_only = False

    def fresh(self, progress: Progress | None = None) -> Index:
        """Return the index, up to date with the ledger; a corrupt file is rebuilt."""
        try:
            if self._index is not None and self._looked == self._ledger.writes:
                return repaired(self._index, self.rebuilt_after)
            index = self._refreshed(progress)
            if index.needs_rebuild():
                # Deleted text remains in database files, and this text was purged.
                index = self.rebuild(progress)
        except MemoryIndexError as error:
            index = self.rebuilt_after(error, progress)
        return repaired(index, self.rebuilt_after)

    def without_refresh(self) -> SqliteIndex:
        """Return the index without reading the ledger, which may be damaged."""
        return self._opened()

    def rebuilt_after(self, error: MemoryIndexError, progress: Progress | None = None) -> Index:
        """Return the index after an error: rebuilt, or in memory if it cannot be written."""
        if not error.unwritable and not self._is_memory_only:
            try:
                index = self.rebuild(progress)
            except MemoryIndexError as again:
                error = again
            else:
                self._warn_of_file(f"Rebuilt the index: {error.message}")
                return index
        elif not self._is_memory_only:
            try:  # another process may have replaced the file: then use the new one
                self.close()
                return self._refreshed(progress)
            except MemoryIndexError as again:
                error = again
        self._warn_of_file(f"The index is kept in memory only: {error.message}")
        try:
            return self._without_file(self.path, progress)
        except MemoryIndexError:  # the contents of the file are corrupt too
            return self._without_file(None, progress)

    def _warn_of_file(self, text: str) -> None:
        self.warnings.append(text)
        self.about_file.append(text)

    def _without_file(self, copy_of: Path | None, progress: Progress | None) -> Index:
        """Return an index without a file, from the file's contents or from the notes alone."""
        self.close()
        self._is_memory_only = True
        self._index = SqliteIndex(None, self._owner, copy_of=copy_of)
        return self._refreshed(progress)

    def rebuild(self, progress: Progress | None = None) -> Index:
        """Delete the index and rebuild it from the ledger.

        What it knew about notes that are unreadable now is carried over: nothing else may have it.
        """
        self.close()
        old = self.path.with_name(f"{INDEX_FILE}.old")
        try:
            for suffix in ("", "-wal", "-shm"):
                path = self.path.with_name(INDEX_FILE + suffix)
                if path.is_dir() and not path.is_symlink():
                    path.rename(path.with_name(f"{path.name}.broken"))
            for suffix in ("", "-wal"):  # what others have open may be only in the WAL
                with suppress(FileNotFoundError):
                    self.path.with_name(INDEX_FILE + suffix).replace(f"{old}{suffix}")
            self.path.with_name(INDEX_FILE + "-shm").unlink(missing_ok=True)
            index = self._refreshed(progress)
            self._carry_over(old, index)
        except OSError as error:
            raise MemoryIndexError(f"Cannot replace the index: {error}") from None
        finally:
            for suffix in ("", "-wal", "-shm"):
                with suppress(OSError):
                    old.with_name(old.name + suffix).unlink()
        return index

    def _carry_over(self, old: Path, index: Index) -> None:
        """Copy notes that the ledger no longer provides from an old file."""
        unread = self._ledger.unread
        if not unread or not old.exists():
            return
        read = {place for place, _, _ in index.texts()}
        notes: dict[Place, Note] = {}
        try:
            known = SqliteIndex(old, self._owner)
            for place, uid, text in known.texts():
                if place[:2] in unread and place not in read:
                    notes.setdefault(place, {})[uid] = text
            known.close()
        except MemoryIndexError:
            return  # it is corrupt too
        cursor = index.cursor()
        index.apply(notes.items(), since=cursor, cursor=cursor)

    def look(self, *, once: bool) -> None:
        """Look at the ledger again; then at each use or, with `once`, only after a write."""
        self._looks_once, self._looked = once, None

    def _refreshed(self, progress: Progress | None) -> Index:
        progress = progress or self.progress
        for _ in range(ROUNDS):
            index = self._opened()
            since = index.cursor()
            changes = self._ledger.changes(since)
            if changes.cursor == since:
                return self._have_looked(index)
            if self.most_changes is not None and changes.size > self.most_changes:
                self.behind = changes.size
                return index
            if index.path is None and not self._is_memory_only:
                self.close()  # the first memory arrived: from now on the index has a file
                continue
            if index.apply(
                changes.notes,
                since=since,
                cursor=changes.cursor,
                whole=changes.whole,
                progress=progress,
            ):
                return self._have_looked(index)
        return self._opened()

    def _have_looked(self, index: SqliteIndex) -> SqliteIndex:
        self._looked = self._ledger.writes if self._looks_once else None
        return index

    def _opened(self) -> SqliteIndex:
        if self._index is None:
            self._index = self._open()
        return self._index

    def _open(self) -> SqliteIndex:
        if not self.path.exists() and not self._ledger.tips():
            return self.in_memory()  # nothing to store yet: create no file
        try:
            make_private(self.path.parent)
            return SqliteIndex(self.path, self._owner)
        except OSError:
            self._is_memory_only = True
            return self.in_memory()
        except MemoryIndexError:
            if self.path.exists():
                raise
            self._is_memory_only = True
            return self.in_memory()

    def in_memory(self) -> SqliteIndex:
        """Return an empty index without a file."""
        return SqliteIndex(None, self._owner)

    def _owner(self) -> str:
        return self._ledger.author

    @property
    def is_open(self) -> bool:
        """Whether the file is open."""
        return self._index is not None

    def as_of(self, moment: str) -> Index:
        """Return an index of the ledger at a moment: of the records written by then.

        The last one is kept: who looks at a moment asks more than one question.
        """
        cursor = self.fresh().cursor()
        index = self._opened()
        if self._past is None or self._past.cursor != cursor:
            self._forget_past()
            self._past = _Past(cursor, index.stamps())
        earlier = bisect_right(self._past.stamps, moment)
        if self._past.built is not None and self._past.earlier == earlier:
            return self._past.built
        if self._past.built is not None:
            self._past.built.close()
        past = self.in_memory()
        if 2 * earlier < len(self._past.stamps):
            past.apply(index.notes_at(moment), since={}, cursor=cursor)
        else:  # most of it is as it was: take back the rest
            index.copy_into(past)
            since = past.cursor()
            past.apply(past.notes_at(moment, changed=True), since=since, cursor=since)
        self._past = self._past._replace(earlier=earlier, built=past)
        return past

    def _forget_past(self) -> None:
        if self._past is not None and self._past.built is not None:
            self._past.built.close()
        self._past = None
