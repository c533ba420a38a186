"""The server's own tables: who may see what, what was asked, and how old each mirror is.

They are the only data of a team that git doesn't have. Everything else in the database is derived.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg.rows import TupleRow
from psycopg_pool import ConnectionPool, PoolTimeout

from recollect.core.named_tuple import NamedTuple
from recollect.errors import DatabaseDown, ServerError

Connection = psycopg.Connection[TupleRow]
SCHEMA: Final = "recollect_team"
_WAIT = 5.0  # seconds for a connection
_STATEMENT = "15s"
_MOST_CONNECTIONS = 6

# Each runs once, in order, in one transaction with the number of the last one.
_MIGRATIONS: Sequence[str] = (
    """
    create table tokens (
        id bigint generated always as identity primary key,
        person text not null,
        -- Without one, the proxy says who it is.
        digest bytea unique,
        repositories text[] not null,
        can_write boolean not null,
        created timestamptz not null default now(),
        expires timestamptz,
        revoked timestamptz
    );
    create unique index on tokens (person) where digest is null and revoked is null;
    create table audit (
        id bigint generated always as identity primary key,
        at timestamptz not null default now(),
        person text not null,
        action text not null,
        query text not null,
        repositories text[] not null,
        hits integer not null,
        outcome text not null
    );
    create index on audit (at);
    create index on audit (person, at);
    -- Losing it in a crash gives everybody a fresh minute.
    create unlogged table spent (
        person text not null,
        minute timestamptz not null,
        requests integer not null,
        primary key (person, minute)
    );
    create table mirrors (
        repository text primary key,
        -- When somebody asked for a look, when the last one began, when one last succeeded, and
        -- when something had changed.
        wanted timestamptz,
        tried timestamptz,
        read timestamptz,
        changed timestamptz,
        memories integer not null default 0,
        problem text not null default ''
    );
    """,
    """
    -- Browsers that have signed in; revoking the token ends them, too.
    create table sign_ins (
        digest bytea primary key,
        token bigint not null references tokens on delete cascade,
        expires timestamptz not null
    );
    """,
)


class Age(NamedTuple):
    """What is known about a mirror; ages in seconds, None for never."""

    name: str
    read: float | None
    changed: float | None
    memories: int
    problem: str


class Database:
    """The pool of connections to the server's tables."""

    def __init__(self, url: str) -> None:
        self._pool = ConnectionPool(
            url,
            min_size=0,
            max_size=_MOST_CONNECTIONS,
            timeout=_WAIT,
            kwargs={
                "autocommit": True,
                "connect_timeout": int(_WAIT),
                "options": f"-c statement_timeout={_STATEMENT} -c search_path={SCHEMA}",
            },
            check=ConnectionPool.check_connection,
            open=True,
            name="recollect-team",
        )

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """Lend a connection; each statement is a transaction of its own unless the caller says."""
        try:
            with self._pool.connection() as connection:
                yield connection
        except PoolTimeout:
            raise DatabaseDown("The database does not answer.") from None
        except psycopg.Error as error:  # a table that is gone, or a server that only reads now
            raise DatabaseDown(f"The database failed: {_first_line(error)}") from None

    def run(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run one statement, and return its rows, if it has any."""
        with self.connection() as connection:
            cursor = connection.execute(statement.encode(), values)
            return cursor.fetchall() if cursor.description else []

    def migrate(self) -> None:
        """Create the tables, or bring them up to date; others wait meanwhile."""
        with self.connection() as connection, connection.transaction():
            connection.execute("select pg_advisory_xact_lock(hashtext('recollect_team'))")
            connection.execute(f"create schema if not exists {SCHEMA}".encode())
            connection.execute("create table if not exists version (number integer not null)")
            row = connection.execute("select number from version").fetchone()
            done = row[0] if row else 0
            if done > len(_MIGRATIONS):
                raise ServerError(
                    f"The database is of a newer version ({done}) than this program.",
                    "Update Recollect on this machine.",
                )
            for statements in _MIGRATIONS[done:]:
                connection.execute(statements.encode())
            connection.execute("delete from version")
            connection.execute("insert into version values (%s)", (len(_MIGRATIONS),))

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()


def _first_line(error: Exception) -> str:
    """What the database said; the rest may repeat the statement and its values."""
    return str(error).strip().split("\n")[0][:200]
