"""A team with three repositories, for a test or for a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.place import TeamPlace
from tests.support.browser_fixtures import axe, browser
from tests.support.postgres import Server, new_database

__all__ = ["axe", "browser"]


@pytest.fixture
def database(postgres: Server) -> Iterator[str]:
    """The address of an empty database."""
    with new_database(postgres) as url:
        yield url


@pytest.fixture
def place(isolated: Path, tmp_path: Path, database: str) -> Iterator[TeamPlace]:
    """Three repositories with memories, and a file for their server, which does not run yet."""
    found = TeamPlace(tmp_path, database)
    found.make_repositories()
    yield found
    found.close()


@pytest.fixture(scope="module")
def team(
    isolated: Path, tmp_path_factory: pytest.TempPathFactory, postgres: Server
) -> Iterator[TeamPlace]:
    """The same with a running server, for the tests of a module that change nothing."""
    with new_database(postgres) as url:
        found = TeamPlace(tmp_path_factory.mktemp("team"), url)
        with found.running():
            yield found
