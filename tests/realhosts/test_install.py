"""Installing into settings that exist, with each agent's real settings files, and back."""

from __future__ import annotations

import json

import pytest

from tests.realclient.workplace import Workplace
from tests.realhosts.agents import Agent


def snapshot(place: Workplace) -> dict[str, bytes]:
    """Every file and folder of the agent and the project, but not of git and of ours."""
    found = {}
    for path in sorted(place.home.rglob("*")):
        name = path.relative_to(place.home).as_posix()
        if "/.git/" not in f"/{name}/" and not name.startswith(
            (".local", ".cache", ".config/recollect")
        ):
            found[name] = b"" if path.is_dir() else path.read_bytes()
    return found


@pytest.mark.parametrize("scope", ["user", "project"])
def test_in_twice_and_out_again(place: Workplace, agent: Agent, scope: str) -> None:
    """A dry run changes nothing, the second installation neither; the end is the beginning."""
    command = ("install", agent.name, "--scope", scope)
    before = snapshot(place)

    shown = place.recollect(*command, "--dry-run")
    assert "+" in shown
    assert snapshot(place) == before

    place.recollect(*command)
    once = snapshot(place)
    assert once != before
    place.recollect(*command)
    assert snapshot(place) == once
    assert place.recollect(*command, "--dry-run") == ""

    place.recollect(*command, "--uninstall")
    assert snapshot(place) == before
    place.recollect(*command, "--uninstall")
    assert snapshot(place) == before


def test_settings_that_do_not_exist(place: Workplace, agent: Agent) -> None:
    """What is made for the installation goes with it."""
    for name in agent.settings:
        (place.home / name).unlink()
    before = snapshot(place)

    place.recollect("install", agent.name)
    assert snapshot(place) != before
    place.recollect("install", agent.name, "--uninstall")

    assert snapshot(place) == before


def test_the_agents_on_the_machine_are_listed(place: Workplace, agent: Agent) -> None:
    """Before and after."""
    (state,) = [one for one in _listed(place) if one["agent"] == agent.name]
    assert state["installed"] is False
    place.recollect("install", agent.name)
    (state,) = [one for one in _listed(place) if one["agent"] == agent.name]
    assert state["installed"] is True
    assert f"{agent.name:12} installed" in place.recollect("install")


def _listed(place: Workplace) -> list[dict[str, object]]:
    listed: list[dict[str, object]] = json.loads(place.recollect("install", "--json"))
    return listed
