"""Fixtures for the backends of the index."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.support.postgres import Server, any_server, new_database


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server."""
    with any_server() as server:
        yield server


@pytest.fixture(scope="session")
def team_url(postgres: Server) -> Iterator[str]:
    """The URL of a database for many tests; each uses a repository of its own."""
    with new_database(postgres) as url:
        yield url
