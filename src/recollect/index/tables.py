"""What the shared parts of the index ask of a database with tables.

Statements are written once, in SQL that both SQLite and PostgreSQL understand, with `?` for each
value. What the two do differently is a method here.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from functools import wraps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ParamSpec, Protocol, TypeAlias, TypeVar

    P = ParamSpec("P")
    T = TypeVar("T")
else:  # a hook is not to wait for `typing`
    Protocol = object

Row: TypeAlias = "tuple[Any, ...]"

# Sorts uids by time: the first character only says whether they prove their text.
BIRTH = "substr(uid, 2)"
# The owner of a quarantined record: no memory has this uid.
NOBODY = ""
# A longer word of a text is cut, because an index of PostgreSQL cannot hold it. In characters.
LONGEST_TERM = 500
# The facets of a memory: table, column.
FACETS = (
    ("tag", "tag"),
    ("file", "path"),
    ("named", "path"),
    ("concept", "concept"),
    ("relation", "target"),
    ("slug", "slug"),
)


class Tables(Protocol):
    """The tables of one index, for reading."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Return the rows of a query."""

    def among(self, column: str, values: Collection[str]) -> tuple[str, Row]:
        """Return the condition that a column has one of some values, and its parameters."""

    def version(self) -> object:
        """Return a value that differs after a write of anybody."""

    def text_version(self) -> object:
        """Return a value that differs after memories changed: new vectors may leave it alone."""

    def total(self) -> int:
        """Return how many memories there are."""


class WritableTables(Tables, Protocol):
    """The same for writing, inside a transaction of the caller."""

    def filling(self) -> AbstractContextManager[object]:
        """Fill empty tables: rows may wait until somebody reads or changes some."""

    def run(self, sql: str, parameters: Sequence[Any] = ()) -> None:
        """Run a statement without a result."""

    def insert(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Insert rows that are not there yet."""

    def put_record(self, row: Row) -> None:
        """Insert or replace a record: uid, place, owner, text, digest."""

    def put_setting(self, key: str, value: str) -> None:
        """Insert or replace a value of the table `meta`."""

    def add_place(self, row: Row) -> int:
        """Insert a place: space, kind, anchor. Return its key."""

    def add_memory(self, columns: Sequence[str], row: Row) -> int:
        """Insert a memory. Return its key."""

    def drop_memory(self, key: int) -> None:
        """Delete the row of a memory."""

    def put_words(self, key: int, texts: Sequence[str]) -> None:
        """Insert the words of a memory: the texts of the five columns."""

    def drop_words(self, key: int) -> None:
        """Delete the words of a memory."""

    def clock(self) -> float:
        """Return the time of the database, in seconds since 1970."""

    def sample_vectors(self, step: int) -> list[tuple[int, bytes]]:
        """Return the memory and the vector of every so many chunks."""

    def first_vectors(self, keys: Sequence[int]) -> dict[int, bytes]:
        """Return the first vector of each of some memories."""

    def empty_vectors(self, dimensions: int) -> None:
        """Delete every vector; the next ones have so many dimensions."""

    def put_vectors(self, vectors: Sequence[tuple[int, Sequence[bytes]]]) -> None:
        """Insert the vectors of some memories, each with the key of its memory."""

    def drop_vectors(self, keys: Sequence[int]) -> None:
        """Delete the vectors of some memories."""


class Momentary(Protocol):
    """Something that can read several times from a single state."""

    def _moment(self) -> AbstractContextManager[object]: ...


def at_one_moment(method: Callable[P, T]) -> Callable[P, T]:
    """Run a method in one read transaction, so that it sees a single state."""

    @wraps(method)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        index: Momentary = args[0]  # type: ignore[assignment]
        with index._moment():
            return method(*args, **kwargs)

    return run


def decode(text: bytes) -> str:
    """Decode a record as it is in the ledger."""
    return text.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Encode a record as it is in the ledger."""
    return text.encode("utf-8", "surrogateescape")


def clean(text: str | None) -> str | None:
    """Make a text valid for a database: bytes that were never UTF-8 become question marks."""
    if text is None or text.isascii():  # most of them, fifteen for each memory
        return text
    return text.encode("utf-8", "replace").decode()


def has_others(tables: Tables, voice: str) -> bool:
    """Whether there are memories of more than one author."""
    # Two looks into an index: PostgreSQL would read every memory for the least and the greatest.
    others = (
        "SELECT 1 WHERE EXISTS (SELECT 1 FROM memory WHERE voice < ?)"
        " OR EXISTS (SELECT 1 FROM memory WHERE voice > ?)"
    )
    return bool(tables.rows(others, (voice, voice)))
