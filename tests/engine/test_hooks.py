"""Every promise of a hook also holds where an engine does its work: the same tests, once more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from tests.hooks import test_runner
from tests.hooks.test_runner import Agent, repo, store
from tests.mcp.conftest import Server, ping, wait_for

__all__ = ["repo", "store"]

_THE_SAME = {name: test for name, test in vars(test_runner).items() if name.startswith("test_")}
assert len(_THE_SAME) > 30
globals().update(_THE_SAME)


@pytest.fixture(autouse=True)
def warm(repo: Path) -> Iterator[Server]:
    """A server in the repository of the test."""
    server = Server(repo)
    try:
        server.wait_until_it_listens()
        yield server
    finally:
        server.end()


class WarmAgent(Agent):
    """Calls hooks, and looks at what they did when the engine has done it all."""

    def call(self, event: str, raw: bytes, env: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Call a hook, and wait until the engine is idle again."""
        said = super().call(event, raw, env)
        ping(self.directory)
        return said


@pytest.fixture
def agent(repo: Path, store: Recollect) -> Agent:
    """An agent in that repository."""
    return WarmAgent(repo)


def test_it_is_the_engine_that_answers(agent: Agent, warm: Server) -> None:
    """The tests of this file test what they say."""

    def is_served() -> bool:
        assert "Use PostgreSQL" in agent.context("session-start", source="startup")
        return ping(agent.directory) == (warm.process.pid, 1)

    wait_for(is_served)  # at its start the engine may be too slow for a hook
