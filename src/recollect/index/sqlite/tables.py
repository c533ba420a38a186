"""The tables of a SQLite index, for reading and for writing."""

from __future__ import annotations

import gc
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager

import apsw

from recollect.index.sqlite.connection import Version, failing, version
from recollect.index.sqlite.schema import RECORD, insertion, vector_table
from recollect.index.tables import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.index.sqlite.filling import Filling

# More values than this go through JSON: a statement has a limited number of parameters.
_MOST_MARKS = 1_000
_WORDS = ("rowid", "summary", "tags", "dates", "body", "asked")


class SqliteTables:
    """The tables of one database."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._seen: Version | None = None
        self._text_version: tuple[object, ...] = ()
        self._filling: Filling | None = None

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Return the rows of a query."""
        with failing():
            if self._filling is not None:
                self._filling.write()
            return list(self._db.execute(sql, tuple(parameters)))

    def among(self, column: str, values: Collection[str] | Collection[int]) -> tuple[str, Row]:
        """Return the condition that a column has one of some values, and its parameters."""
        if len(values) <= _MOST_MARKS:
            return f"{column} IN ({','.join('?' * len(values))})", tuple(values)
        import json

        return f"{column} IN (SELECT value FROM json_each(?))", (json.dumps(list(values)),)

    def version(self) -> object:
        """Return the state of the database as this connection sees it."""
        return version(self._db)

    def text_version(self) -> object:
        """Return what differs after a write of this connection, or after one of notes.

        While the engine makes vectors, its other connection writes ten times in a second.
        """
        now = version(self._db)
        if now != self._seen:
            changed = now[1]
            applied = self.rows("SELECT value FROM meta WHERE key = 'applied'")
            cursor = self.rows("SELECT ref, tree FROM cursor ORDER BY ref")
            self._seen, self._text_version = now, (changed, *applied, *cursor)
        return self._text_version

    def total(self) -> int:
        """Return how many memories there are."""
        return int(self._one("SELECT count(*) FROM memory"))

    def clock(self) -> float:
        """Return the time, in seconds since 1970."""
        return float(self._one("SELECT unixepoch()"))

    def _one(self, sql: str) -> Any:
        return self.rows(sql)[0][0]

    # Writing: errors are converted by the transaction

    @contextmanager
    def filling(self) -> Iterator[None]:
        """Fill tables that are empty: rows are inserted many at once. See `Filling`.

        Meanwhile, nobody looks for garbage in circles: there is none, and to look through hundreds
        of thousands of records again and again takes up to a tenth of the time.
        """
        from recollect.index.sqlite.filling import Filling  # for a new file only

        self._filling = filling = Filling(self._db)
        was_looking = gc.isenabled()
        gc.disable()
        try:
            yield
            filling.finish()
        finally:
            if was_looking:
                gc.enable()
            self._filling = None
            filling.end()

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        """Run a statement without a result."""
        if self._filling is not None:
            self._filling.write()
        self._db.execute(sql, tuple(parameters))

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Insert rows that are not there yet."""
        if self._filling is not None:
            self._filling.add(table, columns, rows)
        elif rows:
            self._db.executemany(insertion(table, columns), rows)

    def put_record(self, row: Row) -> None:
        """Insert or replace a record."""
        if self._filling is not None:
            self._filling.add("record", RECORD, [row])
        else:
            self._db.execute(insertion("record", RECORD), row)

    def put_setting(self, key: str, value: str) -> None:
        """Insert or replace a value of the table `meta`."""
        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))

    def add_place(self, row: Row) -> int:
        """Insert a place. Return its key."""
        return self._add("place", "id", ("space", "kind", "anchor"), row)

    def add_memory(self, columns: Sequence[str], row: Row) -> int:
        """Insert a memory. Return its key."""
        return self._add("memory", "key", columns, row)

    def _add(self, table: str, key: str, columns: Sequence[str], row: Row) -> int:
        if self._filling is not None:
            return self._filling.add_keyed(table, key, columns, row)
        self.insert(table, columns, [row])
        return self._db.last_insert_rowid()

    def drop_memory(self, key: int) -> None:
        """Delete the row of a memory."""
        self._db.execute("DELETE FROM memory WHERE key = ?", (key,))

    def put_words(self, key: int, texts: Sequence[str]) -> None:
        """Insert the words of a memory."""
        self.insert("words", _WORDS, [(key, *texts)])

    def drop_words(self, key: int) -> None:
        """Delete the words of a memory."""
        self._db.execute("DELETE FROM words WHERE rowid = ?", (key,))

    def put_vectors(self, vectors: Sequence[tuple[int, Sequence[bytes]]]) -> None:
        """Insert the vectors of some memories, each with the key of its memory."""
        first = self._one("SELECT coalesce(max(key), 0) + 1 FROM chunk")
        every = [(key, vector) for key, own in vectors for vector in own]
        chunks = [(at, key, zlib.crc32(vector)) for at, (key, vector) in enumerate(every, first)]
        self.insert("chunk", ("key", "memory", "checksum"), chunks)
        rows = [(at, vector) for at, (_, vector) in enumerate(every, first)]
        self.insert("vector", ("rowid", "embedding"), rows)

    def drop_vectors(self, keys: Sequence[int]) -> None:
        """Delete the vectors of some memories."""
        which, values = self.among("memory", keys)
        chunks = list(self._db.execute(f"SELECT key FROM chunk WHERE {which}", values))
        if chunks:
            self._db.executemany("DELETE FROM vector WHERE rowid = ?", chunks)
            self._db.execute(f"DELETE FROM chunk WHERE {which}", values)

    def empty_vectors(self, dimensions: int) -> None:
        """Delete every vector; the next ones have so many dimensions."""
        self._db.execute("DROP TABLE IF EXISTS vector; DELETE FROM chunk;")
        self._db.execute(vector_table(dimensions))

    # The vector table would search the sample in the file again for each memory.
    def sample_vectors(self, step: int) -> list[tuple[int, bytes]]:
        """Return the memory and the vector of every so many chunks."""
        return [
            (memory, embedding)
            for memory, embedding in self._db.execute(
                "SELECT chunk.memory, vector.embedding FROM chunk"
                " JOIN vector ON vector.rowid = chunk.key WHERE chunk.key % ? = 0",
                (step,),
            )
        ]

    def first_vectors(self, keys: Sequence[int]) -> dict[int, bytes]:
        """Return the first vector of each of some memories."""
        found = {}
        for key in keys:
            for (embedding,) in self._db.execute(
                "SELECT embedding FROM vector WHERE rowid ="
                " (SELECT min(key) FROM chunk WHERE memory = ?)",
                (key,),
            ):
                found[key] = embedding
        return found
