"""Each agent on a fresh machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.realclient.api import MessagesApi
from tests.realclient.client import or_skip
from tests.realclient.workplace import PATIENCE, Workplace
from tests.realhosts.agents import AGENTS, Agent, set_up


@pytest.fixture(params=AGENTS)
def agent(request: pytest.FixtureRequest) -> Agent:
    """Every agent in turn."""
    return AGENTS[request.param]


@pytest.fixture
def api() -> Iterator[MessagesApi]:
    """A model that says what the test wants."""
    with MessagesApi() as api:
        yield api


@pytest.fixture
def move_in(tmp_path: Path, api: MessagesApi) -> Iterator[Callable[[Agent], Workplace]]:
    """Make a machine with an agent on it, and nothing of ours in its settings."""
    places = []

    def make(agent: Agent) -> Workplace:
        client = or_skip(agent.fetch)
        place = Workplace(tmp_path / agent.name, client, api, None, variables=dict(PATIENCE))
        set_up(place, agent)
        places.append(place)
        return place

    yield make
    for place in places:
        assert place.hook_failures() == []


@pytest.fixture
def place(agent: Agent, move_in: Callable[[Agent], Workplace]) -> Workplace:
    """The machine of the agent."""
    return move_in(agent)
