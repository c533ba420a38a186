"""What only Codex does: it runs a hook after its user has trusted it, and writes rollouts."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.realclient.workplace import Workplace
from tests.realhosts.agents import CODEX, Agent, ask
from tests.realhosts.hook_calls import contexts, hook_calls

CENTS = "Money is counted in integer cents"
# As a user runs it: hooks need trust.
ASKING = replace(
    CODEX,
    arguments=lambda prompt: [
        word for word in CODEX.arguments(prompt) if word != "--dangerously-bypass-hook-trust"
    ],
)


@pytest.fixture
def place(move_in: Callable[[Agent], Workplace]) -> Workplace:
    """A machine with Codex and our hooks."""
    place = move_in(CODEX)
    place.recollect("install", "codex")
    return place


def test_hooks_run_after_they_are_trusted(place: Workplace) -> None:
    """`doctor` says what waits for the user, also after a hook has changed."""
    place.remember("decisions", CENTS)
    ask(place, ASKING, "Good morning.")
    assert hook_calls(place) == []
    assert "8 of 8 hooks wait until you trust them" in doctor(place)

    trust_all(place)
    assert "until you trust" not in doctor(place)
    run = ask(place, ASKING, "How is money counted?")

    assert CENTS in contexts(place, "session-start")
    assert CENTS in run.main[0].text
    assert [call.event for call in hook_calls(place)][-2:] == ["stop", "session-end"]

    hooks = place.home / ".codex" / "hooks.json"
    hooks.write_text(hooks.read_text().replace("recollect-hook stop codex", "recollect-hook stop"))
    assert "1 of 8 hooks wait until you trust it" in doctor(place)


def test_the_trust_of_codex_survives_an_update_and_goes_unused(place: Workplace) -> None:
    """Codex writes into the file that we change; removing takes out only what is ours."""
    trust_all(place)
    config = place.home / ".codex" / "config.toml"
    state = config.read_text().partition("[hooks.state]")[2]
    assert state

    place.recollect("install", "codex", "--uninstall")

    assert "[mcp_servers.recollect]" not in config.read_text()
    assert config.read_text().partition("[hooks.state]")[2] == state
    assert (place.home / ".codex" / "hooks.json").read_text() == '{\n    "hooks": {}\n}\n'


def doctor(place: Workplace) -> str:
    """What `recollect doctor` says about the hooks of Codex."""
    found = json.loads(place.recollect("doctor", "--json"))
    return "\n".join(f"{one['message']} {one['hint']}" for one in found if one["check"] == "hooks")


def trust_all(place: Workplace) -> None:
    """Do what "Trust all and continue" does, by the way that Codex's own terminal takes."""
    codex = subprocess.Popen(
        [str(place.client), "app-server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=place.repo,
        env=place.environment(),
        text=True,
    )
    assert codex.stdin is not None
    assert codex.stdout is not None

    def call(number: int, method: str, **given: Any) -> Any:
        request = {"jsonrpc": "2.0", "id": number, "method": method, "params": given}
        print(json.dumps(request), file=codex.stdin, flush=True)
        answers = (json.loads(line) for line in codex.stdout or ())
        return next(one["result"] for one in answers if one.get("id") == number)

    with codex:
        call(1, "initialize", clientInfo={"name": "test", "version": "1"})
        print(json.dumps({"jsonrpc": "2.0", "method": "initialized"}), file=codex.stdin, flush=True)
        (listed,) = call(2, "hooks/list", cwds=[str(place.repo)])["data"]
        states = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in listed["hooks"]}
        edit = {"keyPath": "hooks.state", "value": states, "mergeStrategy": "upsert"}
        call(3, "config/batchWrite", edits=[edit], reloadUserConfig=True)
        codex.stdin.close()
        codex.wait(30)
