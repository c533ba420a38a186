"""Connecting to PostgreSQL: for one process, or with a pool for a server.

Nothing waits long for a database: connecting, each statement and each lock have a time limit. The
limits are set for a transaction, not for a session, so that a pooler such as PgBouncer works, too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from recollect.config.database_url import secrets_of, shown_url
from recollect.errors import MemoryIndexError
from recollect.index.postgres.migrations import (
    ROWS_ROLE,
    SCHEMA,
    SETTING,
    TABLES,
    bypasses_security,
    extension_schema,
    migrate,
)

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool

_CONNECT_SECONDS = 3
_UNANSWERED_MILLISECONDS = 10_000  # until a connection without an answer counts as lost
READING_MILLISECONDS = 10_000
WRITING_MILLISECONDS = 10 * 60 * 1000
_LOCK_MILLISECONDS = 60_000
# Any number, so that our locks are not those of another program.
_LEADING = 0x52454C

# The repositories that the transaction sees, with the counts that every search needs.
REPOSITORIES = (
    "SELECT id, name, version, memories, words, chunks, (SELECT value::int FROM meta"
    " WHERE meta.repository = repository.id AND key = 'dimensions') FROM repository ORDER BY id"
)
_READING = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_WRITING = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """A connection that knows where our tables are, and in which role to use them."""

    path = SCHEMA
    role = "none"


class Connections(Protocol):
    """A pool of connections, or a single one."""

    def connection(self) -> AbstractContextManager[Connection]:
        """Return a connection for one transaction."""


class SingleConnection:
    """One connection that is opened when it is needed, and again after it was lost."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Connection | None = None

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Return the connection."""
        if self._connection is None or self._connection.closed:
            with failing(self._url):
                self._connection = self._opened()
        yield self._connection

    def _opened(self) -> Connection:
        connection = Connection.connect(self._url, **_options(self._url))
        try:
            prepare(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def close(self) -> None:
        """Close the connection; it is opened again if it is needed."""
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()
            self._connection = None


def open_pool(url: str, *, min_size: int = 1, max_size: int = 10) -> ConnectionPool[Connection]:
    """Open a pool for a server, after migrating the database."""
    from psycopg_pool import ConnectionPool

    first = SingleConnection(url)
    with first.connection():
        pass
    first.close()
    with failing(url):
        pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            connection_class=Connection,
            kwargs=_options(url),
            min_size=min_size,
            max_size=max_size,
            timeout=_CONNECT_SECONDS,
            configure=prepare,
            check=ConnectionPool.check_connection,
            open=True,
        )
    return pool


def _options(url: str) -> dict[str, Any]:
    """Return what the URL and libpq's environment leave open."""
    with failing(url):
        said = conninfo_to_dict(url)
    defaults = {
        "connect_timeout": _CONNECT_SECONDS,
        "tcp_user_timeout": _UNANSWERED_MILLISECONDS,
        "application_name": "recollect",
    }
    given = {key: value for key, value in defaults.items() if key not in said}
    # A pooler may give the next transaction to another session, which has nothing prepared.
    return {**given, "autocommit": True, "prepare_threshold": None}


def prepare(connection: Connection) -> None:
    """Migrate the database if needed, and make the connection ready for transactions."""
    from recollect.index.postgres.embeddings import register

    migrate(connection)
    extension = extension_schema(connection)
    register(connection, extension)
    connection.path = f"{SCHEMA}, {extension}"
    connection.role = ROWS_ROLE if bypasses_security(connection) else "none"


def begin(
    connection: Connection, names: Sequence[str], milliseconds: int, *, is_reading: bool
) -> psycopg.Cursor[tuple[Any, ...]]:
    """Begin a transaction that sees some repositories, and return the rows of `REPOSITORIES`.

    All of it is one round trip, which takes longer than the work in it.
    """
    settings = {
        SETTING: json.dumps(names),
        "search_path": connection.path,
        "statement_timeout": str(milliseconds),
        "lock_timeout": str(_LOCK_MILLISECONDS),
        "role": connection.role,
        # Compiling a statement takes longer than ours run.
        "jit": "off",
    }
    values = ", ".join(
        f"set_config('{name}', {sql.Literal(value).as_string(connection)}, true)"
        for name, value in settings.items()
    )
    how = _READING if is_reading else _WRITING
    cursor = connection.execute(f"{how}; SELECT {values}; {REPOSITORIES}".encode())
    cursor.nextset()
    cursor.nextset()
    return cursor


@contextmanager
def leading(connections: Connections, name: str) -> Iterator[bool]:
    """Return whether this process leads a repository; it does until the context ends.

    The lock belongs to a connection, so a process that dies leaves it to the next one.
    """
    with connections.connection() as connection, failing():
        key = (_LEADING, name)
        row = connection.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", key).fetchone()
        is_leader = bool(row and row[0])
        try:
            yield is_leader
        finally:
            if is_leader and not connection.closed:
                connection.execute("SELECT pg_advisory_unlock(%s, hashtext(%s))", key)


def vacuum(connections: Connections, written: str = "") -> bool:
    """Remove what was deleted from the tables and their indexes, and measure the tables anew.

    Return whether nobody could see what the transaction with the number `written` deleted.
    """
    with connections.connection() as connection, failing():
        older = connection.execute(
            "SELECT 1 FROM pg_stat_activity WHERE datname = current_database()"
            " AND pid <> pg_backend_pid()"
            " AND greatest(age(backend_xmin), age(backend_xid)) >= age(%s::xid) LIMIT 1",
            (written or "2147483647",),
        ).fetchone()
        for table in TABLES:
            connection.execute(f"VACUUM (ANALYZE) {SCHEMA}.{table}".encode())
    return older is None


@contextmanager
def failing(url: str = "") -> Iterator[None]:
    """Convert errors of the database to index errors, without a password in them."""
    try:
        yield
    except psycopg.Error as error:
        raise failure(error, url) from None


def failure(error: BaseException, url: str = "") -> MemoryIndexError:
    """Return the index error for an error of the database."""
    text = " ".join(str(error).split()) or type(error).__name__
    for secret in secrets_of(url):
        text = text.replace(secret, "***")
    where = f" at {shown_url(url)}" if url else ""
    found = MemoryIndexError(
        f"Cannot use the index in PostgreSQL{where}: {text}",
        "Check that the database is running and that index.url is right.",
    )
    found.unwritable = True
    return found
