"""Keeps the index up to date with the ledger, and rebuilds it when it is corrupt.

The index is derived: whatever happens to its file, the ledger restores it. If no file can be
written, the index is built in memory.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from recollect.config.locate import make_private
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import Note
from recollect.core.places import Place
from recollect.errors import EmbeddingError, MemoryIndexError
from recollect.index.protocol import Cursor, Index, Progress
from recollect.index.sqlite.index import SqliteIndex
from recollect.ledger.ledger import Ledger

if TYPE_CHECKING:
    from recollect.embedding import Embedder

T = TypeVar("T")
INDEX_FILE = "index.db"
_NO_EXTENSION = "The package sqlite-vec, which finds vectors, is missing or broken."
_INSTALL_EXTENSION = "To install it, run: pip install --force-reinstall sqlite-vec"
_ROUNDS = 5
_EMBED_BATCH = 32
# How many memories are compared with others after some were embedded: at least, and for each.
_MEASURED, _MEASURED_EACH = 200, 4


class _SelfRepairingIndex:
    """An index that is rebuilt once if its file turns out to be corrupt during use."""

    def __init__(self, index: Index, rebuilt_after: Callable[[MemoryIndexError], Index]) -> None:
        self._index = index
        self._rebuilt_after = rebuilt_after

    def __getattr__(self, name: str) -> Any:
        """Return a method of the index that is retried on the new index if it fails."""

        def run(*args: Any, **options: Any) -> Any:
            try:
                return _finished(getattr(self._index, name)(*args, **options))
            except MemoryIndexError as error:
                self._index = self._rebuilt_after(error)
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

    @property
    def path(self) -> Path:
        """The path of the index file."""
        return self._ledger.repository.state_dir / INDEX_FILE

    def close(self) -> None:
        """Close the file."""
        if self._index is not None:
            self._index.close()
            self._index = None
        self._forget_past()
        self._is_memory_only = False

    def fresh(self, progress: Progress | None = None) -> Index:
        """Return the index, up to date with the ledger; a corrupt file is rebuilt."""
        try:
            index = self._refreshed(progress)
            if index.needs_rebuild():
                # Deleted text remains in database files, and this text was purged.
                index = self.rebuild(progress)
        except MemoryIndexError as error:
            index = self._rebuilt_after(error, progress)
        return cast("Index", _SelfRepairingIndex(index, self._rebuilt_after))

    def without_refresh(self) -> Index:
        """Return the index without reading the ledger, which may be damaged."""
        return self._opened()

    def using(self, job: Callable[[Index], T], progress: Progress | None = None) -> T:
        """Run a job on the fresh index; if its file is corrupt, rebuild and run it again."""
        try:
            return job(self.fresh(progress))
        except MemoryIndexError as error:
            return job(self._rebuilt_after(error, progress))

    def _rebuilt_after(self, error: MemoryIndexError, progress: Progress | None = None) -> Index:
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
                self.close()  # the first memory arrived: from now on the index has a file
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
            return self._in_memory()  # nothing to store yet: create no file
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
        """Return an index of the ledger at a moment: of the records written by then.

        The last one is kept: who looks at a moment asks more than one question.
        """
        cursor = self.using(lambda index: index.cursor())
        index = self._opened()
        if self._past is None or self._past.cursor != cursor:
            self._forget_past()
            self._past = _Past(cursor, index.stamps())
        earlier = bisect_right(self._past.stamps, moment)
        if self._past.built is not None and self._past.earlier == earlier:
            return self._past.built
        if self._past.built is not None:
            self._past.built.close()
        past = self._in_memory()
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

    def differences(self) -> dict[str, list[str]]:
        """Compare the index with one that is built anew: the uids of what differs, by table."""
        for _ in range(_ROUNDS):
            index, built = self.fresh(), self._in_memory()
            changes = self._ledger.changes({})
            built.apply(changes.notes, since={}, cursor=changes.cursor)
            if self._ledger.unread:
                return {}  # the index may know more than the ledger can give now
            if index.cursor() == changes.cursor:  # else somebody writes: look again
                ours, theirs = index.fingerprints(), built.fingerprints()
                either = ours.keys() | theirs.keys()
                differ: dict[str, list[str]] = {}
                for table, uid in sorted(either):
                    if ours.get((table, uid)) != theirs.get((table, uid)):
                        differ.setdefault(table, []).append(uid)
                return differ
        return {}

    # Vectors

    @property
    def embedder(self) -> Embedder | None:
        """Return the embedder, loaded on first use; None, with one warning, if there is none."""
        if not self._embedder_tried:
            from recollect.embedding import open_embedder

            self._embedder_tried = True
            try:
                if self._model != "none" and not self.fresh().can_embed():
                    raise EmbeddingError(_NO_EXTENSION, _INSTALL_EXTENSION)
                self._embedder = open_embedder(
                    self._model, self._model_path, environment=os.environ
                )
            except EmbeddingError as error:
                self.warnings.append(f"{error.message} Search uses keywords only. {error.hint}")
        return self._embedder

    @property
    def loaded_embedder(self) -> Embedder | None:
        """Return the embedder if it is loaded; a hook has no time to load one."""
        return self._embedder

    def embed_query(self, index: Index, pending: int = 0) -> Callable[[str], bytes] | None:
        """Return how to embed a query, if a model is loaded; a hook has no time to load one.

        If at most `pending` memories have no vectors yet, they get theirs first: what was kept a
        moment ago must be found. There is no way if the vectors are of another model.
        """
        embedder = self._embedder
        if embedder is not None and 0 < index.count_pending(embedder.name) <= pending:
            self.embed_pending(index)
        if embedder is None or index.model() not in (None, embedder.name):
            return None
        return lambda text: embedder.embed([text])[0]

    def share_embedder(self, embedder: Embedder | None) -> None:
        """Use an embedder that was loaded elsewhere, or none."""
        self._embedder = embedder
        self._embedder_tried = True

    def keep_vectors(self) -> None:
        """Prepare for many queries by meaning, if a model is loaded."""
        if self._embedder is not None and self._index is not None:
            self.using(lambda index: index.keep_vectors())

    def embed_pending(
        self,
        index: Index,
        *,
        most: int | None = None,
        replace: bool = False,
        progress: Progress | None = None,
        pause: Callable[[], None] | None = None,
    ) -> int:
        """Embed memories that have no vectors yet; return how many.

        Vectors of another model are replaced, but if they are new only with `replace`: two
        processes with different models would drop each other's vectors without end. `pause` is
        called every few milliseconds, so that other work can go first.
        """
        embedder = self.embedder
        if embedder is None or not index.can_embed():
            return 0
        from recollect.embedding import chunks

        done = 0
        while most is None or done < most:
            known = index.model()
            is_foreign = known not in (None, embedder.name)
            if is_foreign and (done or (not replace and index.switched_lately())):
                break
            batch = index.pending(embedder.name, min(_EMBED_BATCH, (most or done + 1000) - done))
            if not batch:
                break
            pieces: dict[str, Sequence[str]] = {
                memory.uid: [
                    *chunks(memory.body, embedder, title=memory.summary),
                    *chunks(memory.asked, embedder),
                ]
                for memory in batch
            }
            texts = [text for texts in pieces.values() for text in texts]
            vectors = iter(embedder.embed(texts, pause))
            stored: Mapping[str, Sequence[bytes]] = {
                uid: [next(vectors) for _ in own] for uid, own in pieces.items()
            }
            if index.model() not in (known, embedder.name):
                break  # another process has changed it meanwhile
            index.store_vectors(embedder.name, stored)
            done += len(batch)
            if progress is not None:
                progress(done)
        if done:
            index.measure_crowding(max(_MEASURED, _MEASURED_EACH * done))
        return done
