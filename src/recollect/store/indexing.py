"""Keeps the index in step with the ledger, and mends it when it is broken.

The index is derived: whatever happens to its file, the ledger brings it back. Where no file can be
written, it is built in memory.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from recollect.config.locate import make_private
from recollect.core.note import Note, read_stored
from recollect.core.places import Place
from recollect.errors import EmbeddingError, MemoryIndexError
from recollect.index.protocol import Index, Progress
from recollect.index.sqlite.index import SqliteIndex
from recollect.ledger.ledger import Ledger

if TYPE_CHECKING:
    from recollect.embedding import Embedder

T = TypeVar("T")
INDEX_FILE = "index.db"
_ROUNDS = 5
_EMBED_BATCH = 32


class _Mending:
    """An index that is made anew, once, where its file turns out to be broken while it is used."""

    def __init__(self, index: Index, anew: Callable[[MemoryIndexError], Index]) -> None:
        self._index = index
        self._anew = anew

    def __getattr__(self, name: str) -> Any:
        """A method of the index, run again on the new one where it fails."""

        def run(*args: Any, **options: Any) -> Any:
            try:
                return _finished(getattr(self._index, name)(*args, **options))
            except MemoryIndexError as error:
                self._index = self._anew(error)
                return _finished(getattr(self._index, name)(*args, **options))

        return run


def _finished(result: Any) -> Any:
    """What a method gives; what would be read later is read now."""
    return list(result) if isinstance(result, Iterator) else result


class Indexing:
    """The index of one ledger."""

    def __init__(self, ledger: Ledger, model: str, model_path: str = "") -> None:
        self._ledger = ledger
        self._model = model
        self._model_path = model_path
        self._index: SqliteIndex | None = None
        self._embedder: Embedder | None = None
        self._embedder_tried = False
        self.warnings: list[str] = []
        # Set where no file can be written.
        self._is_memory_only = False
        # Told how far a long read is, where somebody is watching.
        self.progress: Progress | None = None
        # A hook has no time to take in more changes than this; then it uses what is there.
        self.most_changes: int | None = None
        self.behind = 0

    @property
    def path(self) -> Path:
        """Where the index file is."""
        return self._ledger.repository.state_dir / INDEX_FILE

    def close(self) -> None:
        """Let go of the file."""
        if self._index is not None:
            self._index.close()
            self._index = None
        self._is_memory_only = False

    def fresh(self, progress: Progress | None = None) -> Index:
        """The index, in step with the ledger; it mends itself where its file is broken."""
        try:
            index = self._refreshed(progress)
            if index.needs_rebuild():
                # Deleted text lingers in database files, and this text was purged.
                index = self.rebuild(progress)
        except MemoryIndexError as error:
            index = self._anew(error, progress)
        return cast("Index", _Mending(index, self._anew))

    def as_it_is(self) -> Index:
        """The index without reading the ledger, which may be damaged."""
        return self._opened()

    def using(self, job: Callable[[Index], T], progress: Progress | None = None) -> T:
        """Run a job on the fresh index; where its file is broken, rebuild and run it again."""
        try:
            return job(self.fresh(progress))
        except MemoryIndexError as error:
            return job(self._anew(error, progress))

    def _anew(self, error: MemoryIndexError, progress: Progress | None = None) -> Index:
        if not error.unwritable and not self._is_memory_only:
            try:
                index = self.rebuild(progress)
            except MemoryIndexError as again:
                error = again
            else:
                self.warnings.append(f"The index was built anew: {error.message}")
                return index
        elif not self._is_memory_only:
            try:  # another process may have replaced the file: then the new one is as good
                self.close()
                return self._refreshed(progress)
            except MemoryIndexError as again:
                error = again
        self.warnings.append(f"The index is kept in memory only: {error.message}")
        try:
            return self._without_file(self.path, progress)
        except MemoryIndexError:  # what is in the file is broken, too
            return self._without_file(None, progress)

    def _without_file(self, copy_of: Path | None, progress: Progress | None) -> Index:
        """An index without a file, of what the file holds or of the notes alone."""
        self.close()
        self._is_memory_only = True
        self._index = SqliteIndex(None, self._owner, copy_of=copy_of)
        return self._refreshed(progress)

    def rebuild(self, progress: Progress | None = None) -> Index:
        """Throw the index away and build it from the ledger.

        What it knew of notes that cannot be read now is carried over: nothing else may know it.
        """
        self.close()
        old = self.path.with_name(f"{INDEX_FILE}.old")
        try:
            for suffix in ("", "-wal", "-shm"):
                path = self.path.with_name(INDEX_FILE + suffix)
                if path.is_dir() and not path.is_symlink():
                    path.rename(path.with_name(f"{path.name}.broken"))
            for suffix in ("", "-wal"):  # what others have open may be in the log only
                with suppress(FileNotFoundError):
                    self.path.with_name(INDEX_FILE + suffix).replace(f"{old}{suffix}")
            self.path.with_name(INDEX_FILE + "-shm").unlink(missing_ok=True)
            index = self._refreshed(progress)
            self._carry_over(old, index)
        except OSError as error:
            raise MemoryIndexError(f"The index cannot be replaced: {error}") from None
        finally:
            for suffix in ("", "-wal", "-shm"):
                with suppress(OSError):
                    old.with_name(old.name + suffix).unlink()
        return index

    def _carry_over(self, old: Path, index: Index) -> None:
        """Take notes over from an old file that the ledger cannot give any more."""
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
            return  # it is broken, too
        cursor = index.cursor()
        index.apply(notes.items(), since=cursor, cursor=cursor)

    def _refreshed(self, progress: Progress | None) -> Index:
        progress = progress or self.progress
        for _ in range(_ROUNDS):
            index = self._opened()
            since = index.cursor()
            changes = self._ledger.changes(since)
            if changes.cursor == since:
                return index
            if self.most_changes is not None and changes.size > self.most_changes:
                self.behind = changes.size
                return index
            if index.path is None and not self._is_memory_only:
                self.close()  # the first memory has come: from now on the index has a file
                continue
            if index.apply(
                changes.notes,
                since=since,
                cursor=changes.cursor,
                whole=changes.whole,
                progress=progress,
            ):
                return index
        return self._opened()

    def _opened(self) -> SqliteIndex:
        if self._index is None:
            self._index = self._open()
        return self._index

    def _open(self) -> SqliteIndex:
        if not self.path.exists() and not self._ledger.tips():
            return self._in_memory()  # nothing to remember yet: leave no trace
        try:
            make_private(self.path.parent)
            return SqliteIndex(self.path, self._owner)
        except OSError:
            self._is_memory_only = True
            return self._in_memory()
        except MemoryIndexError:
            if self.path.exists():
                raise
            self._is_memory_only = True
            return self._in_memory()

    def _in_memory(self) -> SqliteIndex:
        return SqliteIndex(None, self._owner)

    def _owner(self) -> str:
        return self._ledger.author

    def as_of(self, moment: str) -> Index:
        """An index of the ledger as it was then: of the records that had been written by then."""

        def earlier(notes: Iterable[tuple[Place, Note | None]]) -> Iterable[tuple[Place, Note]]:
            for place, note in notes:
                known = {
                    uid: text
                    for uid, text in (note or {}).items()
                    if (read_stored(text).timestamp or "") <= moment
                }
                if known:
                    yield place, known

        changes = self._ledger.changes({})
        index = self._in_memory()
        index.apply(earlier(changes.notes), since={}, cursor=changes.cursor)
        return index

    # Vectors

    @property
    def embedder(self) -> Embedder | None:
        """The embedder, loaded when it is first needed; None, with one warning, without one."""
        if not self._embedder_tried:
            from recollect.embedding import open_embedder

            self._embedder_tried = True
            try:
                self._embedder = open_embedder(
                    self._model, self._model_path, environment=os.environ
                )
            except EmbeddingError as error:
                self.warnings.append(f"{error.message} Search goes by keywords. {error.hint}")
        return self._embedder

    @property
    def embed_query(self) -> Callable[[str], bytes] | None:
        """How to turn a query into a vector, if a model is loaded: a hook has no time to."""
        embedder = self._embedder
        return None if embedder is None else lambda text: embedder.embed([text])[0]

    def share_embedder(self, embedder: Embedder | None) -> None:
        """Use an embedder that was loaded elsewhere, or none."""
        self._embedder = embedder
        self._embedder_tried = True

    def embed_pending(
        self, index: Index, *, most: int | None = None, progress: Progress | None = None
    ) -> int:
        """Give vectors to memories that have none yet; how many got them."""
        embedder = self.embedder
        if embedder is None:
            return 0
        from recollect.embedding import chunks

        done = 0
        while most is None or done < most:
            batch = index.pending(embedder.name, min(_EMBED_BATCH, (most or done + 1000) - done))
            if not batch:
                break
            pieces: dict[str, Sequence[str]] = {
                memory.uid: chunks(memory.body, embedder, title=memory.summary) for memory in batch
            }
            vectors = iter(embedder.embed([text for texts in pieces.values() for text in texts]))
            stored: Mapping[str, Sequence[bytes]] = {
                uid: [next(vectors) for _ in texts] for uid, texts in pieces.items()
            }
            index.store_vectors(embedder.name, stored)
            done += len(batch)
            if progress is not None:
                progress(done)
        return done
