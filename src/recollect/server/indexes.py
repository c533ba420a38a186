"""The shared index: opened for one repository to write, for those of a person to read."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager

from recollect.index.postgres.connection import leading, open_pool
from recollect.index.postgres.index import PostgresIndex
from recollect.index.postgres.vectors import build_index

_MOST_CONNECTIONS = 16
# Whoever builds the index of the vectors holds this lock; no repository can have this name.
_VECTORS = "/vectors"


class Indexes:
    """The index of all repositories, in PostgreSQL."""

    def __init__(self, url: str) -> None:
        self._pool = open_pool(url, max_size=_MOST_CONNECTIONS)

    def of(self, name: str) -> PostgresIndex:
        """Open it for one repository."""
        return PostgresIndex(self._pool, [name])

    @contextmanager
    def reading(self, names: Collection[str]) -> Iterator[list[PostgresIndex]]:
        """Open it for the repositories that somebody may see; the database hides all others."""
        if not names:
            yield []
            return
        index = PostgresIndex(self._pool, sorted(names))
        try:
            yield [index]
        finally:
            index.close()

    def leading(self, name: str) -> AbstractContextManager[bool]:
        """Hold the lock of a repository, if no other worker has it; gives whether it is held.

        The database drops it with the connection, so a killed worker leaves none behind.
        """
        return leading(self._pool, name)

    def look_after(self, dimensions: int) -> None:
        """Build the index of the vectors when there are many; others go on meanwhile."""
        with self.leading(_VECTORS) as is_leader:
            if is_leader:
                build_index(self._pool, dimensions)

    def forget(self, name: str) -> None:
        """Delete everything of a repository that is followed no more."""
        index = self.of(name)
        index.forget()
        index.erase_deleted()

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()
