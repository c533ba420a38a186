"""Tests here run a server as an agent starts it, in a repository of its own."""

from __future__ import annotations

import pytest

from recollect.hook_client import TRANSPORT
from tests.support.server_fixtures import repo, server

__all__ = ["repo", "server", "transport"]


@pytest.fixture(params=["socket", "loopback"])
def transport(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How hooks reach the engine: as everywhere else, or as on Windows."""
    monkeypatch.setenv(TRANSPORT, request.param)
    name: str = request.param
    return name
