"""Keeps the index up to date with the ledger: the file of this clone and, if there is one, a
team's database. Whoever has no time, such as a hook, uses the file only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from recollect.config.config import data_dir
from recollect.errors import EmbeddingError, MemoryIndexError
from recollect.index.protocol import Index, Progress
from recollect.ledger.ledger import Ledger
from recollect.store.local_index import INDEX_FILE, ROUNDS, LocalIndex, repaired

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    from recollect.embedding import Embedder
    from recollect.store.team_index import TeamIndex

    T = TypeVar("T")

__all__ = ["INDEX_FILE", "Indexing"]

_NO_EXTENSION = "The package sqlite-vec, which finds vectors, is missing or broken."
_INSTALL_EXTENSION = "To install it, run: pip install --force-reinstall sqlite-vec"
_EMBED_BATCH = 32
# How many memories are compared with others after some were embedded: at least, and for each.
_MEASURED, _MEASURED_EACH = 200, 4


class Indexing:
    """The index of one ledger."""

    def __init__(self, ledger: Ledger, model: str, model_path: str = "", url: str = "") -> None:
        self._ledger = ledger
        self._model = model
        self._model_path = model_path
        self._local = LocalIndex(ledger)
        self._url = "" if ledger.repository.is_user_ledger else url
        self._team: TeamIndex | None = None
        self._embedder: Embedder | None = None
        self._embedder_tried = False

    @property
    def path(self) -> Path:
        """The path of the index file."""
        return self._local.path

    @property
    def warnings(self) -> list[str]:
        """Warnings about problems that did no harm."""
        return self._local.warnings

    @property
    def about_file(self) -> list[str]:
        """Those of them that are about the file."""
        return self._local.about_file

    @property
    def progress(self) -> Progress | None:
        """Who receives the progress of a long read."""
        return self._local.progress

    @progress.setter
    def progress(self, progress: Progress | None) -> None:
        self._local.progress = progress

    @property
    def most_changes(self) -> int | None:
        """The most changes that a hook has time for."""
        return self._local.most_changes

    @most_changes.setter
    def most_changes(self, most: int | None) -> None:
        self._local.most_changes = most

    def look(self, *, once: bool) -> None:
        """Look at the ledger again; then at each use or, with `once`, only after a write.

        An event of a hook asks the index a dozen times, and is answered from one state.
        """
        self._local.look(once=once)

    @property
    def behind(self) -> int:
        """How many changes a hook left out."""
        return self._local.behind

    @behind.setter
    def behind(self, changes: int) -> None:
        self._local.behind = changes

    def close(self) -> None:
        """Close the file and the connection."""
        self._local.close()
        if self._team is not None:
            self._team.close()

    @property
    def team(self) -> TeamIndex | None:
        """The index in a team's database, if there is one and somebody has time for it."""
        if not self._url or self.most_changes is not None:
            return None
        if self._team is None:
            from recollect.store.team_index import TeamIndex  # never for a hook

            self._team = TeamIndex(self._url, self._ledger, self.warnings)
        return self._team

    def fresh(self, progress: Progress | None = None) -> Index:
        """Return the index, up to date with the ledger."""
        local = self._local.fresh(progress)
        index = self.team.fresh(local, progress) if self.team is not None else None
        return local if index is None else repaired(index, self._without_team)

    def _without_team(self, error: MemoryIndexError) -> Index:
        assert self._team is not None
        self._team.give_up(error)
        return self._local.fresh()

    def without_refresh(self) -> Index:
        """Return the index without reading the ledger, which may be damaged."""
        return self._local.without_refresh()

    def using(self, job: Callable[[Index], T], progress: Progress | None = None) -> T:
        """Run a job on the fresh index; if its file is corrupt, rebuild and run it again."""
        try:
            return job(self.fresh(progress))
        except MemoryIndexError as error:
            return job(self._local.rebuilt_after(error, progress))

    def rebuild(self, progress: Progress | None = None) -> Index:
        """Delete the index and rebuild it from the ledger."""
        local = self._local.rebuild(progress)
        if self.team is not None:
            self.team.clear()
            return self.fresh(progress)
        return local

    def as_of(self, moment: str) -> Index:
        """Return an index of the ledger at a moment: of the records written by then."""
        return self._local.as_of(moment)

    def differences(self) -> dict[str, list[str]]:
        """Compare the index with one that is built anew: the uids of what differs, by table."""
        for _ in range(ROUNDS):
            index, built = self.fresh(), self._local.in_memory()
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
                    self._model,
                    self._model_path,
                    environment=os.environ,
                    verified=data_dir(os.environ),
                    once=True,
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
        if self._embedder is not None and self._local.is_open:
            self._local.fresh().keep_vectors()

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
        if (
            self.team is not None and not self.team.problem
        ):  # hooks search the file, so it goes first
            local = self._local.without_refresh()
            done = self._embed(embedder, local, most, progress, pause, replace=replace)
            return done + self.team.copy_vectors(local, embedder.name)
        return self._embed(embedder, index, most, progress, pause, replace=replace)

    def _embed(
        self,
        embedder: Embedder,
        index: Index,
        most: int | None,
        progress: Progress | None,
        pause: Callable[[], None] | None,
        *,
        replace: bool,
    ) -> int:
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
