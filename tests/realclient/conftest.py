"""The client, the model it talks to, and a fresh machine for every test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.realclient.api import MessagesApi
from tests.realclient.client import installed_client, or_skip
from tests.realclient.workplace import HERE, PATIENCE, PLUGIN, Workplace


@pytest.fixture(scope="session")
def client() -> Path:
    """The real client. Without npm we skip, but never where the client is required."""
    return or_skip(installed_client)


@pytest.fixture
def api() -> Iterator[MessagesApi]:
    """A model that says what the test wants."""
    with MessagesApi() as api:
        yield api


@pytest.fixture
def place(tmp_path: Path, client: Path, api: MessagesApi) -> Iterator[Workplace]:
    """A machine with a small repository and our plugin. No hook may fail there unseen."""
    place = Workplace(tmp_path, client, api, PLUGIN, variables=dict(PATIENCE))
    place.set_up()
    yield place
    assert place.hook_failures() == []


@pytest.fixture
def recorded(place: Workplace) -> Workplace:
    """The same machine with the plugin that records, in place of ours."""
    place.plugin = HERE / "recorder"
    records = place.root / "records"
    records.mkdir()
    place.variables["HOOK_RECORDS"] = str(records)
    return place
