"""The shared index: opened for one repository to write, for those of a person to read."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from recollect.index.postgres.connection import failing, leading, open_pool
from recollect.index.postgres.index import PostgresIndex
from recollect.index.postgres.vectors import build_index

_MOST_CONNECTIONS = 8
_MOST_LOCKS = 6
# Whoever builds the index of the vectors holds this lock; no repository can have this name.
_VECTORS = "/vectors"


class Indexes:
    """The index of all repositories, in PostgreSQL."""

    def __init__(self, url: str) -> None:
        self._pool = open_pool(url, max_size=_MOST_CONNECTIONS)
        # Whoever holds a lock needs another connection for its work: from one pool, many of them
        # could wait for each other.
        self._locks = open_pool(url, min_size=0, max_size=_MOST_LOCKS)

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

    @contextmanager
    def leading(self, name: str) -> Iterator[bool]:
        """Hold the lock of a repository, if no other worker has it; gives whether it is held.

        The database drops it with the connection, so a killed worker leaves none behind.
        """
        with failing(), leading(self._locks, name) as is_leader:
            yield is_leader

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
        self._locks.close()
        self._pool.close()
