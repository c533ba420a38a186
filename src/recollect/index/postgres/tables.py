"""The tables of the PostgreSQL index, for the repositories that a reader may see.

Row-level security limits every statement to them, so no statement names a repository. Rows to
insert are collected and written together: a round trip for each would take most of the time.
"""

from __future__ import annotations

import struct
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import lru_cache
from typing import Any, NamedTuple

import psycopg

from recollect.index.postgres.connection import (
    READING_MILLISECONDS,
    REPOSITORIES,
    WRITING_MILLISECONDS,
    Connection,
    Connections,
    begin,
    failure,
)
from recollect.index.postgres.embeddings import Embedding, from_wire
from recollect.index.postgres.migrations import SCHEMA
from recollect.index.rescoring import WEIGHTS
from recollect.index.sqlite.stems import Stemmer
from recollect.index.tables import LONGEST_TERM, Row

# The types of columns that are not text.
_TYPES = {
    **dict.fromkeys(("key", "memory", "id", "place", "number", "checksum"), "bigint"),
    **dict.fromkeys(("repository", "length"), "int"),
    **dict.fromkeys(("local", "visible"), "smallint"),
    **dict.fromkeys(("text", "sketch", "places"), "bytea"),
    **dict.fromkeys(
        ("created", "updated", "expires", "importance", "trust", "moved", "pace"),
        "double precision",
    ),
    "weight": "real",
}
_REPLACING = {
    "record": " ON CONFLICT (place, uid) DO UPDATE SET owner = excluded.owner,"
    " text = excluded.text, digest = excluded.digest",
}
# Rows that are written at once, and keys that are reserved at once.
_MOST_ROWS = 20_000
_FEW_KEYS, _MOST_KEYS = 8, 4096
# A place of a word: the column in the upper bits, then the position in it.
COLUMN_BITS = 28


class Repository(NamedTuple):
    """What every search needs to know about a repository."""

    id: int
    name: str
    version: int
    memories: int
    words: int
    chunks: int
    # How many numbers its vectors have, if it has any.
    dimensions: int | None


class PostgresTables:
    """The tables as some repositories see them: many for reading, one for writing."""

    def __init__(self, connections: Connections, names: Sequence[str]) -> None:
        self._connections = connections
        self.names = tuple(names)
        self.repositories: list[Repository] = []
        self._connection: Connection | None = None
        self.stem = Stemmer()
        # While writing: rows to insert by table and columns, keys, and how counts change.
        self._rows: dict[tuple[str, tuple[str, ...]], list[Row]] = {}
        self._vectors: list[Row] = []
        self._keys: dict[str, list[int]] = {}
        self._reserved: dict[str, int] = {}
        self._terms: Counter[str] = Counter()
        self._counts: Counter[str] = Counter()

    # Transactions

    @contextmanager
    def moment(self) -> Iterator[None]:
        """Read from a single state."""
        if self._connection is not None:
            yield
            return
        with self._transaction(READING_MILLISECONDS, is_reading=True):
            yield

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Write everything or nothing; one writer at a time for a repository."""
        (name,) = self.names
        with self._transaction(WRITING_MILLISECONDS, is_reading=False) as connection:
            connection.execute(
                "INSERT INTO repository (name) VALUES (%s) ON CONFLICT DO NOTHING", (name,)
            )
            # Another writer may have waited for this lock longer: read the counts after it.
            connection.execute("SELECT 1 FROM repository FOR UPDATE")
            self._keep_repositories(connection.execute(REPOSITORIES.encode()))
            try:
                yield
                self._flush()
                self._write_counts(connection)
            finally:
                self._rows, self._vectors = {}, []
                self._terms, self._counts = Counter(), Counter()

    @contextmanager
    def _transaction(self, milliseconds: int, *, is_reading: bool) -> Iterator[Connection]:
        with self._failing(), self._connections.connection() as connection:
            try:
                cursor = begin(connection, self.names, milliseconds, is_reading=is_reading)
                self._keep_repositories(cursor)
                self._connection = connection
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                if not connection.closed:
                    connection.execute("ROLLBACK")
                raise
            finally:
                self._connection = None

    def _keep_repositories(self, rows: Iterable[Row]) -> None:
        self.repositories = [Repository(*row) for row in rows]

    @contextmanager
    def _failing(self) -> Iterator[None]:
        try:
            yield
        except (psycopg.Error, UnicodeError) as error:
            raise failure(error) from None

    # Reading

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Return the rows of a query."""
        if self._connection is None:
            with self.moment():
                return self.rows(sql, parameters)
        self._flush()
        return self._run(sql, parameters).fetchall()

    def among(self, column: str, values: Collection[str]) -> tuple[str, Row]:
        """Return the condition that a column has one of some values, and its parameters."""
        return f"{column} = ANY (?)", (list(values),)

    def version(self) -> object:
        """Return what differs after a write in one of the repositories."""
        with self.moment():
            return [(one.id, one.version) for one in self.repositories]

    def filling(self) -> AbstractContextManager[object]:
        """Do nothing special: rows are sent as they come."""
        return nullcontext()

    def text_version(self) -> object:
        """Return the same: the engine of one person does not make vectors here meanwhile."""
        return self.version()

    def total(self) -> int:
        """Return how many memories there are."""
        with self.moment():
            return sum(one.memories for one in self.repositories)

    def clock(self) -> float:
        """Return the time of the database, in seconds since 1970."""
        return float(self.rows("SELECT extract(epoch FROM now())::double precision")[0][0])

    def _run(self, sql: str, parameters: Sequence[Any]) -> psycopg.Cursor[Row]:
        assert self._connection is not None
        with self._failing():
            values = [_portable(value) for value in parameters]
            return self._connection.execute(_translated(sql), values)

    # Writing

    @property
    def _repository(self) -> int:
        (one,) = self.repositories
        return one.id

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        """Run a statement without a result."""
        self._flush()
        self._run(sql, parameters)

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Insert rows that are not there yet."""
        if rows:
            waiting = self._rows.setdefault((table, tuple(columns)), [])
            waiting += rows
            if len(waiting) >= _MOST_ROWS:
                self._flush()

    def _flush(self) -> None:
        while self._rows:
            (table, columns), rows = self._rows.popitem()
            for start in range(0, len(rows), _MOST_ROWS):
                self._insert_now(table, columns, rows[start : start + _MOST_ROWS])
        if self._vectors:  # not as an array: that would go over the wire as text
            assert self._connection is not None
            rows, self._vectors = self._vectors, []
            with self._failing():
                self._connection.cursor().executemany(
                    "INSERT INTO chunk (memory, checksum, embedding, repository)"
                    f" VALUES (%s, %s, %s, {self._repository})".encode(),
                    rows,
                )

    def _insert_now(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        assert self._connection is not None
        values = zip(columns, zip(*rows, strict=True), strict=True)
        arrays = [
            list(column) if name in _TYPES else list(map(_portable, column))
            for name, column in values
        ]
        # In the binary format, which takes half the time for so many values.
        marks = ", ".join(f"%b::{_TYPES.get(column, 'text')}[]" for column in columns)
        names = ", ".join(columns)
        sql = (
            f"INSERT INTO {table} ({names}, repository) SELECT {names}, {self._repository}"
            f" FROM unnest({marks}) AS new ({names}){_REPLACING.get(table, '')}"
        )
        with self._failing():
            self._connection.execute(sql.encode(), arrays)

    def put_record(self, row: Row) -> None:
        """Insert or replace a record."""
        self.insert("record", ("uid", "place", "owner", "text", "digest"), [row])

    def put_setting(self, key: str, value: str) -> None:
        """Insert or replace a value of the table `meta`."""
        self.run(
            "INSERT INTO meta (key, value, repository) VALUES (?, ?, ?)"
            " ON CONFLICT (repository, key) DO UPDATE SET value = excluded.value",
            (key, value, self._repository),
        )

    def add_place(self, row: Row) -> int:
        """Insert a place. Return its key."""
        key = self._next_key("place", "id")
        self.insert("place", ("id", "space", "kind", "anchor"), [(key, *row)])
        return key

    def add_memory(self, columns: Sequence[str], row: Row) -> int:
        """Insert a memory. Return its key."""
        key = self._next_key("memory", "key")
        self.insert("memory", ("key", *columns), [(key, *row)])
        self._counts["memories"] += 1
        return key

    def drop_memory(self, key: int) -> None:
        """Delete the row of a memory."""
        self.run("DELETE FROM memory WHERE key = ?", (key,))
        self._counts["memories"] -= 1

    def _next_key(self, table: str, column: str) -> int:
        """Return an unused key. Keys are reserved many at a time, more each time."""
        keys = self._keys.get(table, [])
        if not keys:
            self._reserved[table] = min(_MOST_KEYS, 4 * self._reserved.get(table, _FEW_KEYS // 4))
            rows = self._run(
                f"SELECT nextval(pg_get_serial_sequence('{SCHEMA}.{table}', '{column}'))"
                " FROM generate_series(1, ?)",
                (self._reserved[table],),
            )
            keys = self._keys[table] = sorted((key for (key,) in rows), reverse=True)
        return keys.pop()

    def put_words(self, key: int, texts: Sequence[str]) -> None:
        """Insert the words of a memory: the texts of the five columns."""
        places: dict[str, list[int]] = {}
        weights: Counter[str] = Counter()
        length = 0
        for column, text in enumerate(texts):
            stems = self.stem.document(text) if text else []
            length += len(stems)
            for at, stem in enumerate(stems):
                stem = stem[:LONGEST_TERM]
                places.setdefault(stem, []).append(column << COLUMN_BITS | at)
                weights[stem] += WEIGHTS[column]  # type: ignore[assignment]
        rows = [
            (length, key, weights[stem], stem, struct.pack(f"<{len(at)}I", *at))
            for stem, at in places.items()
        ]
        self.insert("posting", ("length", "memory", "weight", "term", "places"), rows)
        self._terms.update(places.keys())
        self._counts["words"] += length

    def drop_words(self, key: int) -> None:
        """Delete the words of a memory."""
        rows = self.rows("DELETE FROM posting WHERE memory = ? RETURNING term, length", (key,))
        self._terms.subtract(term for term, _ in rows)
        self._counts["words"] -= rows[0][1] if rows else 0

    def put_vectors(self, vectors: Sequence[tuple[int, Sequence[bytes]]]) -> None:
        """Insert the vectors of some memories, each with the key of its memory."""
        for key, own in vectors:
            self._vectors += [(key, zlib.crc32(vector), Embedding(vector)) for vector in own]
            self._counts["chunks"] += len(own)

    def drop_vectors(self, keys: Sequence[int]) -> None:
        """Delete the vectors of some memories."""
        self._flush()
        gone = self._run("DELETE FROM chunk WHERE memory = ANY (?)", (list(keys),))
        self._counts["chunks"] -= gone.rowcount

    def empty_vectors(self, dimensions: int) -> None:  # noqa: ARG002 - a column takes any number
        """Delete every vector."""
        self._flush()
        self._counts["chunks"] -= self._run("DELETE FROM chunk", ()).rowcount

    def sample_vectors(self, step: int) -> list[tuple[int, bytes]]:
        """Return the memory and the vector of every so many chunks."""
        rows = self.rows(
            "SELECT memory, vector_send(embedding) FROM chunk WHERE key % ? = 0", (step,)
        )
        return [(memory, from_wire(sent)) for memory, sent in rows]

    def first_vectors(self, keys: Sequence[int]) -> dict[int, bytes]:
        """Return the first vector of each of some memories."""
        rows = self.rows(
            "SELECT DISTINCT ON (memory) memory, vector_send(embedding) FROM chunk"
            " WHERE memory = ANY (?) ORDER BY memory, key",
            (list(keys),),
        )
        return {memory: from_wire(sent) for memory, sent in rows}

    def _write_counts(self, connection: Connection) -> None:
        """Write how many memories have each word, and the counts of the repository."""
        changed = {term: by for term, by in sorted(self._terms.items()) if by}
        connection.execute(
            "INSERT INTO term (term, doc, repository) SELECT term, doc, %s"
            " FROM unnest(%s::text[], %s::int[]) AS new (term, doc)"
            " ON CONFLICT (term, repository) DO UPDATE SET doc = term.doc + excluded.doc",
            (self._repository, list(changed), list(changed.values())),
        )
        if any(by < 0 for by in changed.values()):
            gone = [term for term, by in changed.items() if by < 0]
            connection.execute("DELETE FROM term WHERE doc <= 0 AND term = ANY (%s)", (gone,))
        counts = self._counts
        connection.execute(
            "UPDATE repository SET version = version + 1, memories = memories + %s,"
            " words = words + %s, chunks = chunks + %s",
            (counts["memories"], counts["words"], counts["chunks"]),
        )


@lru_cache(maxsize=512)
def _translated(sql: str) -> bytes:
    """Return a statement as psycopg wants it."""
    return sql.replace("%", "%%").replace("?", "%s").encode()


def _portable(value: Any) -> Any:
    """Return a value that PostgreSQL accepts: its text has no NUL, and is always UTF-8."""
    if isinstance(value, str) and ("\0" in value or not value.isascii()):
        return value.encode("utf-8", "replace").decode().replace("\0", "\ufffd")
    if isinstance(value, list):
        return [_portable(one) for one in value]
    return value


class AtHome:
    """The tables as memories see them that are each in one repository of several.

    Whoever writes in one repository must not change a memory of another one.
    """

    def __init__(self, tables: PostgresTables, homes: Mapping[str, int]) -> None:
        self._homes = homes
        self.rows, self.version, self.total = tables.rows, tables.version, tables.total
        self.text_version = tables.text_version

    def among(self, column: str, values: Collection[str]) -> tuple[str, Row]:
        """Return the condition that a column has one of some values, in its own repository."""
        own = [value for value in values if value in self._homes]
        return (
            f"({column}, repository) IN (SELECT * FROM unnest(?::text[], ?::int[]))",
            (own, [self._homes[value] for value in own]),
        )
