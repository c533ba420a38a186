"""The index of a mirror, as a part of an index that many repositories share."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from recollect.errors import MemoryIndexError
from recollect.index.protocol import Index, Progress
from recollect.store.indexing import Indexing

if TYPE_CHECKING:
    from typing import Protocol

    from recollect.embedding import Embedder
    from recollect.ledger.ledger import Ledger

    class ErasingIndex(Index, Protocol):
        """An index that can get rid of what deleted rows leave behind."""

        def has_unerased(self) -> bool:
            """Whether something is left of deleted rows."""

        def erase_deleted(self) -> None:
            """Erase what is left of deleted rows."""


T = TypeVar("T")
_ROUNDS = 5


class SharedIndexing(Indexing):
    """Keeps one repository of a shared index up to date with its mirror.

    There is no file and no copy in memory: if the database is down, whoever asks has to know.
    """

    def __init__(self, ledger: Ledger, index: ErasingIndex, embedder: Embedder | None) -> None:
        super().__init__(ledger, "none")
        self.share_embedder(embedder)
        self._shared = index

    def fresh(self, progress: Progress | None = None) -> Index:
        """Return the index, up to date with the mirror."""
        for _ in range(_ROUNDS):
            since = self._shared.cursor()
            changes = self._ledger.changes(since)
            if changes.cursor == since or self._shared.apply(
                changes.notes,
                since=since,
                cursor=changes.cursor,
                whole=changes.whole,
                progress=progress,
            ):
                break
        else:
            raise MemoryIndexError("Another process changes the index of this repository, too.")
        if self._shared.has_unerased():
            self._shared.erase_deleted()
        return self._shared

    def using(self, job: Callable[[Index], T], progress: Progress | None = None) -> T:
        """Run a job on the fresh index."""
        return job(self.fresh(progress))

    def without_refresh(self) -> Index:
        """Return the index without reading the mirror."""
        return self._shared

    def rebuild(self, progress: Progress | None = None) -> Index:
        """Bring the index up to date, and erase what is left of deleted rows."""
        index = self.fresh(progress)
        self._shared.erase_deleted()
        return index

    def close(self) -> None:
        """Let go of the index."""
        self._shared.close()
