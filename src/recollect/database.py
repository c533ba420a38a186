"""What every SQLite file of ours needs, in the index and in the local state."""

from __future__ import annotations

from pathlib import Path

import apsw

_PAGE = 512  # bytes; no database is smaller
# What says that the place is to blame: it is full, read-only, or cannot be reached.
UNWRITABLE = (
    apsw.FullError,
    apsw.ReadOnlyError,
    apsw.CantOpenError,
    apsw.IOError,
    apsw.PermissionsError,
    apsw.AuthError,
)


def load_copy(db: apsw.Connection, path: Path) -> bool:
    """Fill a database in memory with what a file holds that cannot be opened where it is."""
    try:
        if path.with_name(path.name + "-wal").stat().st_size:
            return False  # what was written last is not in the file itself
    except OSError:
        pass  # there is none
    try:
        data = bytearray(path.read_bytes())
    except OSError:
        return False
    if len(data) < _PAGE:
        return False
    data[18:20] = b"\x01\x01"  # a database in memory has no log beside it
    db.deserialize("main", bytes(data))
    return True
