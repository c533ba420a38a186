"""Helpers for SQLite files: of the index, of the local state, and of other programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import apsw

from recollect.errors import ParseError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

_PAGE = 512  # bytes; no database is smaller
# Errors that mean the location is at fault: it is full, read-only or unreachable.
UNWRITABLE = (
    apsw.FullError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.IOError,
    apsw.PermissionsError,
    apsw.AuthError,
)


def load_copy(db: apsw.Connection, path: Path) -> bool:
    """Load a file that SQLite cannot open in place into a database in memory."""
    try:
        if path.with_name(path.name + "-wal").stat().st_size:
            return False  # the latest writes are not in the main file
    except OSError:
        pass  # no WAL file
    try:
        data = bytearray(path.read_bytes())
    except OSError:
        return False
    if len(data) < _PAGE:
        return False
    data[18:20] = b"\x01\x01"  # a database in memory has no WAL
    db.deserialize("main", bytes(data))
    return True


# Files of other programs

_MAGIC: Final = b"SQLite format 3\0"
_HEAD: Final = 100  # bytes of the header
# Larger values are read as None, without loading them.
MOST_VALUE: Final = 1 << 20
_NO_STORE: Final = "Name the file that the program wrote, or a copy of it."


class ForeignDatabase:
    """The tables of another program's database. Nothing is ever written, not even beside it."""

    def __init__(self, db: apsw.Connection, path: Path) -> None:
        self._db = db
        self._path = path

    def columns(self, table: str) -> frozenset[str]:
        """Return the columns of a table; empty if there is none. Views do not count."""
        kinds = self._db.execute(
            "SELECT 1 FROM sqlite_schema WHERE name = ? AND type = 'table'"
            " AND sql NOT LIKE 'CREATE VIRTUAL%'",
            (table,),
        )
        if next(iter(kinds), None) is None:
            return frozenset()
        return frozenset(
            str(name)
            for (name,) in self._db.execute("SELECT name FROM pragma_table_info(?)", (table,))
        )

    def check(self, needed: Mapping[str, Sequence[str]], program: str) -> None:
        """Raise an error unless some tables exist, each with its columns."""
        for table, columns in needed.items():
            missing = set(columns) - self.columns(table)
            if missing:
                raise ParseError(
                    f"{self._path} is not a store of {program}: the table {table} has no"
                    f" {', '.join(sorted(missing))}.",
                    _NO_STORE,
                )

    def rows(
        self, table: str, wanted: Sequence[str], order: str = "rowid"
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of a table: text, numbers, and None for what is missing or too large."""
        known = self.columns(table)
        found = [name for name in wanted if name in known]
        values = ", ".join(
            f"CASE WHEN octet_length({_quoted(name)}) > {MOST_VALUE} THEN NULL"
            f" WHEN typeof({_quoted(name)}) = 'text' THEN CAST({_quoted(name)} AS BLOB)"
            f" ELSE {_quoted(name)} END"
            for name in found
        )
        if not found:
            return
        rows = self._db.execute(f"SELECT {values} FROM {_quoted(table)} ORDER BY {order}")
        with _foreign(self._path):
            for row in rows:
                said = (
                    one.decode("utf-8", "replace") if isinstance(one, bytes) else one for one in row
                )
                yield dict.fromkeys(wanted) | dict(zip(found, said, strict=True))


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _foreign(path: Path) -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        raise ParseError(f"{path} cannot be read: {error}", _NO_STORE) from None


@contextmanager
def open_foreign(path: Path) -> Iterator[ForeignDatabase]:
    """Open a database that another program wrote, which may be running; check that it is whole.

    Views, triggers and functions of the file do not run: only tables are read.
    """
    try:
        if path.is_symlink() or not path.is_file():
            raise ParseError(f"{path} is not a plain file.", _NO_STORE)
        with path.open("rb") as file:
            head = file.read(_HEAD)
        if not head.startswith(_MAGIC) or len(head) < _HEAD:
            raise ParseError(f"{path} is not an SQLite database.", _NO_STORE)
        if path.stat().st_size < _stated_size(head):
            raise ParseError(f"{path} is damaged: its end is missing.", _NO_STORE)
    except OSError as error:
        raise ParseError(f"{path} cannot be read: {error.strerror}", _NO_STORE) from None
    with _foreign(path):
        db = apsw.Connection(_address(path), flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        with _foreign(path):
            db.set_busy_timeout(5_000)
            db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            db.execute("PRAGMA cell_size_check = ON")
            found = next(iter(db.execute("PRAGMA quick_check(1)")))[0]
            if found != "ok":
                raise ParseError(f"{path} is damaged: {str(found)[:200]}", _NO_STORE)
            yield ForeignDatabase(db, path)
    finally:
        db.close()


def _stated_size(head: bytes) -> int:
    """Return the size that the header of a database states; 0 if it states none."""
    page, written, pages, valid = (
        int.from_bytes(head[start:end], "big")
        for start, end in ((16, 18), (24, 28), (28, 32), (92, 96))
    )
    return (65_536 if page == 1 else page) * pages if written == valid else 0


def _address(path: Path) -> str:
    """Return the address that opens a file and creates no other file beside it."""
    from urllib.parse import quote  # a hook opens no such database

    address = "file:" + quote(str(path.absolute()))
    wal, shared = (path.with_name(path.name + end) for end in ("-wal", "-shm"))
    try:
        if not wal.stat().st_size:
            return address + "?mode=ro&immutable=1"
    except OSError:
        return address + "?mode=ro&immutable=1"
    if not shared.exists():
        raise ParseError(
            f"{path} is not complete: its last changes are in {wal.name}, without {shared.name}.",
            "Start and stop the program that wrote it, or copy the third file, too.",
        )
    return address + "?mode=ro&readonly_shm=1"
