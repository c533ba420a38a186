"""Opening the index's SQLite file, and its transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

import apsw

from recollect.database import UNWRITABLE, load_copy
from recollect.errors import MemoryIndexError
from recollect.index.sqlite.schema import TABLES, VERSION

P = ParamSpec("P")
T = TypeVar("T")
_BUSY_MILLISECONDS = 15_000
# Errors while reading that mean corrupt pages.
_NONSENSE = (KeyError, TypeError, ValueError, AttributeError)


def at_one_moment(method: Callable[P, T]) -> Callable[P, T]:
    """Run a method in one read transaction, so that it sees a single state."""

    @wraps(method)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        db: apsw.Connection = args[0]._db  # type: ignore[attr-defined]
        if db.in_transaction:
            return method(*args, **kwargs)
        db.execute("BEGIN")
        try:
            return method(*args, **kwargs)
        finally:
            end_transaction(db)

    return run


class Immediate:
    """A write transaction that waits for the lock at its start, not in the middle."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            if kind is None:
                self._db.execute("COMMIT")
        finally:
            end_transaction(self._db)


def end_transaction(db: apsw.Connection) -> None:
    """Roll back; an error, such as a full disk, may already have done so."""
    if db.in_transaction:
        db.execute("ROLLBACK")


# If it is unchanged, nothing was written.
Version = tuple[int, int]


def version(db: apsw.Connection) -> Version:
    """Return the state of the database as this connection sees it."""
    return next(iter(db.execute("PRAGMA data_version")))[0], db.total_changes()


def connect(path: Path | None, copy_of: Path | None = None) -> apsw.Connection:
    """Open a file, or a database in memory, and create its tables if it is new."""
    db = apsw.Connection(":memory:" if path is None else str(path))
    if copy_of is not None:
        load_copy(db, copy_of)
    db.set_busy_timeout(_BUSY_MILLISECONDS)
    has_vectors = load_vectors(db)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")  # derived: what a power cut loses is read again
    db.execute("PRAGMA temp_store = MEMORY")
    version = next(iter(db.execute("PRAGMA user_version")))[0]
    if version == 0:
        with Immediate(db):
            if next(iter(db.execute("PRAGMA user_version")))[0] == 0:
                db.execute(TABLES)
                db.execute(f"PRAGMA user_version = {VERSION}")
    elif version != VERSION:
        db.close()
        raise MemoryIndexError(
            f"The index has version {version}; this program needs {VERSION}.", "It is rebuilt."
        )
    elif not has_vectors and list(db.execute("SELECT 1 FROM meta WHERE key = 'model'")):
        db.close()
        raise MemoryIndexError("Its vectors need the package sqlite-vec.", "It is rebuilt.")
    return db


@contextmanager
def failing() -> Iterator[None]:
    """Convert database errors to index errors."""
    try:
        yield
    except apsw.Error as error:
        raise failure(error) from None
    except _NONSENSE as error:
        raise MemoryIndexError(
            f"The index is damaged: {error!r}",
            "Rebuild it with: recollect reindex",
        ) from error


def load_vectors(db: apsw.Connection) -> bool:
    """Load the vector extension by its path: importing its package would load numpy.

    Return whether that worked; without it, search uses words.
    """
    import importlib.util

    spec = importlib.util.find_spec("sqlite_vec")
    if spec is None or not spec.submodule_search_locations:
        return False
    db.enable_load_extension(True)
    try:
        db.load_extension(str(Path(next(iter(spec.submodule_search_locations))) / "vec0"))
    except apsw.ExtensionLoadingError:
        return False
    finally:
        db.enable_load_extension(False)
    return True


def failure(error: Exception) -> MemoryIndexError:
    """Return the index error for a database error."""
    found = MemoryIndexError(f"Cannot use the index: {error}", "Rebuild it with: recollect reindex")
    found.unwritable = isinstance(error, UNWRITABLE)
    return found
