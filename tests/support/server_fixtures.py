"""Fixtures: a server as an agent starts it, a process with pipes in a repository of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sandbox import Sandbox
from tests.support.server import Server, serving


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a commit."""
    path = sandbox.init("shop")
    sandbox.commit(path)
    return path


@pytest.fixture
def server(repo: Path) -> Iterator[Server]:
    """A server in that repository, whose engine hears hooks."""
    with serving(repo) as server:
        yield server
