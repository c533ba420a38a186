"""The PostgreSQL index keeps the contract, and survives what happens to servers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from uuid import uuid4

import pytest

from recollect.index.postgres.connection import SingleConnection
from recollect.index.postgres.index import PostgresIndex
from recollect.index.protocol import Index
from tests.index.contract import IndexContract


class TestPostgres(IndexContract):
    """An index in a database, in a repository of its own."""

    @pytest.fixture
    def make(self, team_url: str) -> Iterator[Callable[[], Index]]:
        """Each one in a repository of its own."""
        connection, numbers, name = SingleConnection(team_url), count(), uuid4().hex
        yield lambda: PostgresIndex(connection, [f"{name}-{next(numbers)}"])
        connection.close()
