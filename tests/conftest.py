"""Settings and fixtures that every test shares."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from recollect.hosts.agents import VARIABLES
from tests.sandbox import GITCONFIG, Sandbox

if TYPE_CHECKING:
    from tests.support.postgres import Server

_OF_THE_RUNNER = {"EMAIL", "EDITOR", *VARIABLES}

# Machines differ in speed and no test asserts on it. A developer's run tries new examples each
# time; in continuous integration, a result depends only on the commit. HYPOTHESIS_PROFILE=thorough
# tries many.
settings.register_profile(
    "new-examples",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("ci", settings.get_profile("new-examples"), derandomize=True)
settings.register_profile("thorough", settings.get_profile("new-examples"), max_examples=2000)
settings.load_profile(
    os.environ.get("HYPOTHESIS_PROFILE", "ci" if "CI" in os.environ else "new-examples")
)


@pytest.fixture
def exact(isolated: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ledger keeps every byte; what random text looks like to redaction is not its matter."""
    monkeypatch.setenv("RECOLLECT_REDACT_STRATEGY", "warn")


@pytest.fixture(scope="module", autouse=True)
def isolated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A home directory of our own: no configuration of the person who runs the tests counts."""
    home = tmp_path_factory.mktemp("home")
    (home / ".gitconfig").write_text(GITCONFIG)
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            # Whoever runs the tests may be an agent.
            if name.startswith(("GIT_", "RECOLLECT_", "XDG_")) or name in _OF_THE_RUNNER:
                patch.delenv(name)
        patch.setenv("HOME", str(home))
        patch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
        patch.setenv("XDG_DATA_HOME", str(home / ".local" / "share"))
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        patch.setenv("GIT_TERMINAL_PROMPT", "0")
        patch.setenv("LC_ALL", "C")
        yield home


@pytest.fixture
def sandbox(isolated: Path, tmp_path: Path) -> Iterator[Sandbox]:
    """An empty place for repositories."""
    place = Sandbox(tmp_path)
    yield place
    place.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server, one for each process of the test run."""
    from tests.support.postgres import any_server

    with any_server() as server:
        yield server


@pytest.fixture(scope="session")
def team_url(postgres: Server) -> Iterator[str]:
    """The URL of a database for many tests; each uses a repository of its own."""
    from tests.support.postgres import new_database

    with new_database(postgres) as url:
        yield url


@pytest.fixture
def hub(sandbox: Sandbox) -> Path:
    """A hub with two commits on main."""
    return sandbox.make_hub()
