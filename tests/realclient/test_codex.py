"""The tools in the real Codex, which starts and ends the server itself."""

from __future__ import annotations

import json
from pathlib import Path
from signal import SIGKILL

import pytest

from recollect.mcp.tools import TOOLS
from tests.realclient import codex
from tests.realclient.api import MessagesApi, Script, Silence, say, use
from tests.realclient.client import or_skip
from tests.realclient.responses import tool_results, tools_of
from tests.realclient.workplace import Conversation, Workplace

CENTS = "Money is counted in integer cents"
SERVER = "mcp__recollect"


@pytest.fixture(scope="session")
def program() -> Path:
    """The real Codex. Without npm we skip, but never where the client is required."""
    return or_skip(codex.installed_codex)


@pytest.fixture
def place(tmp_path: Path, program: Path, api: MessagesApi) -> Workplace:
    """A machine with a small repository, and Codex set up as our page says."""
    place = Workplace(tmp_path, program, api, None)
    codex.set_up(place)
    return place


def test_the_model_stores_and_searches(place: Workplace) -> None:
    """Every tool is offered from the first request on; results come back; the ledger has it."""
    place.api.play(
        Script(
            [
                use(f"{SERVER}/store_memory", kind="decisions", summary=CENTS, body="Floats drift"),
                use(f"{SERVER}/search_memories", query="How is money counted?"),
                use(f"{SERVER}/get_memory", id="nonsense"),
                say("Done."),
            ]
        )
    )

    run = codex.ask(place, "Remember how we count money.")

    assert tools_of(run.requests[0].body)[SERVER] == TOOLS.keys()
    answers = [tool_results(request.body) for request in run.requests]
    assert [len(results) for results in answers] == [0, 1, 2, 3]
    stored, found, refused = answers[-1]
    assert '"done":"stored"' in stored
    assert CENTS in found
    assert "There is no memory nonsense" in refused
    assert CENTS in place.git("notes", "--ref=mem/decisions", "show", "HEAD")
    (memory,) = json.loads(place.recollect("list", "--json"))
    assert memory["provenance"] == {"said_by": "agent", "via": "mcp", "host": "codex"}
    assert place.hook_failures() == []


def test_a_codex_that_is_killed_takes_the_server_along(place: Workplace) -> None:
    """Also in the middle of a turn; what was stored until then is kept."""
    place.api.play(
        Script([use(f"{SERVER}/store_memory", kind="decisions", summary=CENTS), Silence()])
    )
    command = [str(place.client), "exec", "--json", "--skip-git-repo-check", "Remember."]
    with Conversation(place, command, place.repo) as conversation:
        conversation.close_input()
        conversation.wait_for_request(2)
        conversation.signal(SIGKILL)
        conversation.finish()  # it looks for processes that were left behind

    assert CENTS in place.git("notes", "--ref=mem/decisions", "show", "HEAD")
