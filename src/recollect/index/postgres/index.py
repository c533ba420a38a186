"""The index in PostgreSQL: of one repository, or for reading of all that somebody may see."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager

from recollect.core.memory import Memory
from recollect.index.filters import where
from recollect.index.keywords import Keywords
from recollect.index.memories import Memories
from recollect.index.postgres.connection import Connections, SingleConnection, vacuum
from recollect.index.postgres.embeddings import from_wire
from recollect.index.postgres.migrations import TABLES
from recollect.index.postgres.tables import COLUMN_BITS, AtHome, PostgresTables
from recollect.index.postgres.vectors import nearest_to, sample_cosines
from recollect.index.protocol import Filters, Match, Spread
from recollect.index.similarity import spread_of
from recollect.index.table_index import TableIndex
from recollect.index.tables import at_one_moment

_UNERASED = "unerased"  # a setting that is there as long as deleted rows are in the files
# The columns of the words, as the SQLite index names them.
_COLUMNS = ("summary", "tags", "dates", "body", "asked")


class PostgresIndex(TableIndex):
    """An index of repositories by their names. Only one thread at a time may use it.

    With one name, it reads and writes; with several, it only reads. It sees nothing else.
    """

    _tables: PostgresTables

    def __init__(
        self,
        connections: Connections,
        names: Sequence[str],
        owner: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._connections = connections
        self._owner = owner
        self._tables = PostgresTables(connections, names)
        self._memories = Memories(self._tables, owner)

    def close(self) -> None:
        """Close the connection, unless it belongs to a pool."""
        if isinstance(self._connections, SingleConnection):
            self._connections.close()

    def _moment(self) -> AbstractContextManager[object]:
        return self._tables.moment()

    def _writing(self) -> AbstractContextManager[object]:
        return self._tables.writing()

    def _new_keywords(self) -> Keywords:
        from recollect.index.postgres.words import PostgresWords

        return PostgresWords(self._tables)

    def reading(self) -> AbstractContextManager[object]:
        """Return a context in which many reads share one transaction, which is faster."""
        return self._moment()

    # Many repositories

    @at_one_moment
    def repositories_of(self, uids: Sequence[str]) -> dict[str, list[str]]:
        """Return the names of the repositories that have each memory."""
        names = {one.id: one.name for one in self._tables.repositories}
        found: dict[str, list[str]] = {}
        rows = self._rows(
            "SELECT uid, repository FROM memory WHERE uid = ANY (?) ORDER BY repository",
            (list(uids),),
        )
        for uid, repository in rows:
            found.setdefault(uid, []).append(names[repository])
        return found

    @at_one_moment
    def get_many(self, uids: Sequence[str]) -> list[Memory]:
        """Return memories by uid, in the given order; missing ones are left out.

        A memory that is in several repositories is that of the first one: records of one
        repository never change a memory of another.
        """
        if len(self._tables.names) == 1:
            return super().get_many(uids)
        rows = self._rows(
            "SELECT uid, min(repository) FROM memory WHERE uid = ANY (?) GROUP BY uid",
            (list(uids),),
        )
        memories = Memories(AtHome(self._tables, dict(rows)), self._owner)
        return memories.get_many(list(dict.fromkeys(uids)))

    # Vectors

    @at_one_moment
    def nearest(
        self, vector: bytes, filters: Filters, limit: int, including: Sequence[str] = ()
    ) -> list[Match]:
        """Return the memories nearest in meaning, by cosine."""
        return nearest_to(self._tables, vector, *where(filters), limit, including)

    @at_one_moment
    def spread(self, vector: bytes) -> Spread:
        """Return how near a vector is to memories in general."""
        cosines = sample_cosines(self._tables, vector)
        return Spread() if cosines is None else spread_of(cosines)

    def keep_vectors(self) -> None:
        """Do nothing: the database keeps what it needs in memory."""

    def can_embed(self) -> bool:
        """Return True: without pgvector, there are no tables."""
        return True

    def model(self) -> str | None:
        """Return the model that made the vectors, of most repositories."""
        found = self._one(
            "SELECT value FROM meta WHERE key = 'model'"
            " GROUP BY value ORDER BY count(*) DESC, value LIMIT 1"
        )
        return None if found is None else str(found)

    # Upkeep

    def clear(self) -> None:
        """Delete every row of the repository; the next refresh writes them again."""
        with self._writing():
            for table in TABLES:
                self._tables.run(f"DELETE FROM {table}")
            self._tables.run("UPDATE repository SET memories = 0, words = 0, chunks = 0")

    def forget(self) -> None:
        """Delete the repository with every row."""
        with self._writing():
            for table in (*TABLES, "repository"):
                self._tables.run(f"DELETE FROM {table}")

    def has_unerased(self) -> bool:
        """Whether purged text remains in the files of the database."""
        return (
            self._one(f"SELECT value FROM meta WHERE key IN ('purged', '{_UNERASED}')") is not None
        )

    def erase_deleted(self) -> None:
        """Remove what was deleted from the files of the database: after a purge.

        PostgreSQL keeps what an older transaction can still see. Then it has to be done again.
        """
        with self._writing():
            # This transaction is younger than those that deleted something.
            self._tables.put_setting(_UNERASED, "")
            self._tables.run("DELETE FROM meta WHERE key = 'purged'")
            written = str(self._one(f"SELECT xmin FROM meta WHERE key = '{_UNERASED}'"))
        if vacuum(self._connections, written):
            with self._writing():
                self._tables.run(f"DELETE FROM meta WHERE key = '{_UNERASED}'")

    def _every_word(self) -> Iterator[tuple[int, str, str, int]]:
        import struct

        for key, term, packed in self._rows("SELECT memory, term, places FROM posting"):
            for at in struct.unpack(f"<{len(packed) // 4}I", packed):
                yield key, term, _COLUMNS[at >> COLUMN_BITS], at & ((1 << COLUMN_BITS) - 1)

    def _every_vector(self) -> dict[int, bytes]:
        rows = self._rows("SELECT key, vector_send(embedding) FROM chunk")
        return {key: from_wire(sent) for key, sent in rows}
