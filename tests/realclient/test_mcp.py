"""The tools and the warm engine, with the real client that starts and ends them."""

from __future__ import annotations

import json
import os
import time
from signal import SIGKILL
from typing import Any

from tests.realclient.api import Request, Script, Silence, say, use
from tests.realclient.engine import ping
from tests.realclient.hook_output import check_hook_output
from tests.realclient.processes import processes_of
from tests.realclient.workplace import Workplace

CENTS = "Money is counted in integer cents"
SERVER = "mcp__plugin_recollect_memory__"
ALLOWED = ("--allowedTools", f"{SERVER}*")


def results(request: Request) -> list[Any]:
    """What the tools said, as the model got it."""
    return [
        block["content"]
        for message in request.body["messages"]
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_result"
    ]


def test_the_model_stores_and_searches(place: Workplace) -> None:
    """What a tool stored is in the ledger, for plain git too, and a tool finds it."""
    place.api.play(
        Script(
            [
                use(f"{SERVER}store_memory", kind="decisions", summary=CENTS, body="Floats drift."),
                use(f"{SERVER}search_memories", query="How is money counted?"),
                use(f"{SERVER}get_memory", id="nonsense"),
                say("Done."),
            ]
        )
    )

    run = place.ask("Remember how we count money.", options=ALLOWED)

    stored, found, refused = (str(result) for result in results(run.main[-1]))
    assert '\\"done\\":\\"stored\\"' in json.dumps(stored)
    assert CENTS in found
    assert "There is no memory nonsense" in refused
    assert CENTS in place.git("notes", "--ref=mem/decisions", "show", "HEAD")
    (memory,) = json.loads(place.recollect("list", "--json"))
    assert memory["provenance"] == {"said_by": "agent", "via": "mcp", "host": "claude-code"}
    check_hook_output(run)


def test_the_client_starts_the_server_and_tells_the_model_of_it(place: Workplace) -> None:
    """The server is connected, and what it says of itself is in front of the model."""
    run = place.ask("Good morning.")

    start = next(event for event in run.events if event.get("subtype") == "init")
    servers = {server["name"]: server["status"] for server in start["mcp_servers"]}
    assert servers["plugin:recollect:memory"] in ("connected", "pending")
    check_hook_output(run)


def test_hooks_are_served_by_the_engine(place: Workplace) -> None:
    """Once the server is up, the work of hooks is its work; what they say is the same."""
    place.remember("decisions", CENTS)
    with place.start("Good morning.", several=True) as talk:
        talk.wait_for_result()
        talk.wait_until(lambda: ping(place) is not None, "engine")
        place.remember("learnings", "The label printer needs a restart on Mondays")
        talk.say("Why does the label printer need a restart?")
        talk.wait_for_result()
        served = ping(place)
        run = talk.finish()

    assert served is not None
    assert served[1] >= 1
    assert "needs a restart on Mondays" in run.main[-1].text
    assert ping(place) is None
    check_hook_output(run)


def test_a_server_that_is_killed_is_not_missed(place: Workplace) -> None:
    """Hooks go on without it, the session too."""
    with place.start("Good morning.", several=True) as talk:
        talk.wait_for_result()
        talk.wait_until(lambda: ping(place) is not None, "engine")
        found = ping(place)
        assert found is not None
        os.kill(found[0], SIGKILL)
        talk.say(f"[remember:decisions] {CENTS}")
        talk.wait_for_result()
        run = talk.finish()

    assert CENTS in place.git("notes", "--ref=mem/decisions", "show", "HEAD")
    check_hook_output(run)


def test_a_client_that_is_killed_takes_the_server_along(place: Workplace) -> None:
    """No process is left, and no socket."""
    place.api.play(Script([Silence()]))
    with place.start(f"[remember:decisions] {CENTS}") as talk:
        talk.wait_for_request()
        talk.wait_until(lambda: ping(place) is not None, "engine")
        talk.signal(SIGKILL)
        talk.finish()  # it looks for processes that were left behind

    assert processes_of(place.root) == {}
    end = time.monotonic() + 10
    while ping(place) is not None:
        assert time.monotonic() < end
    assert CENTS in place.git("notes", "--ref=mem/decisions", "show", "HEAD")
