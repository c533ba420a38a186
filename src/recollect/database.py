"""Helpers for the SQLite files of the index and of the local state."""

from __future__ import annotations

from pathlib import Path

import apsw

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
