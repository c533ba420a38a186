"""Opening the index's SQLite file, and its transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from recollect.database import UNWRITABLE, load_copy
from recollect.errors import MemoryIndexError
from recollect.index.sqlite.schema import TABLES, VERSION

_BUSY_MILLISECONDS = 15_000
# Errors while reading that mean corrupt pages.
_NONSENSE = (KeyError, TypeError, ValueError, AttributeError)


class Moment:
    """A read transaction; inside another one, nothing. Database errors become index errors."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._is_inner = db.in_transaction

    def __enter__(self) -> None:
        if not self._is_inner:
            self._db.execute("BEGIN")

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if not self._is_inner:
            end_transaction(self._db)
        convert(error)


class Immediate:
    """A write transaction that waits for the lock at its start, not in the middle."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def __enter__(self) -> None:
        with failing():
            self._db.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            if kind is None:
                self._db.execute("COMMIT")
        except apsw.Error as failed:
            raise failure(failed) from None
        finally:
            end_transaction(self._db)
        if isinstance(error, apsw.Error | UnicodeError):
            raise failure(error) from None


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
    except (apsw.Error, *_NONSENSE) as error:
        convert(error)
        raise


def convert(error: BaseException | None) -> None:
    """Raise the index error for a database error, or for what corrupt pages lead to."""
    if isinstance(error, apsw.Error):
        raise failure(error) from None
    if isinstance(error, _NONSENSE):
        raise MemoryIndexError(
            f"The index is damaged: {error!r}",
            "Rebuild it with: recollect reindex",
        ) from error


def load_vectors(db: apsw.Connection) -> bool:
    """Load the vector extension by its path: importing its package would load numpy.

    Return whether that worked; without it, search uses words.
    """
    from importlib.machinery import PathFinder

    spec = PathFinder.find_spec("sqlite_vec")
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
    busy = isinstance(error, apsw.BusyError | apsw.LockedError)
    hint = "Try again later." if busy else "Rebuild it with: recollect reindex"
    said = "another process is writing it" if busy else str(error)
    found = MemoryIndexError(f"Cannot use the index: {said}", hint)
    found.unwritable, found.busy = isinstance(error, UNWRITABLE), busy
    return found
