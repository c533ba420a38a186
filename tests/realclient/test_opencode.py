"""A day with the real OpenCode: what is said is kept, and what is known comes when it helps."""

from __future__ import annotations

import json
from pathlib import Path
from signal import SIGKILL

import pytest

from tests.realclient import opencode
from tests.realclient.api import MessagesApi, Request, Script, Silence, Turn, say, use
from tests.realclient.chat_completions import tool_results, tools_of
from tests.realclient.client import or_skip
from tests.realclient.workplace import PATIENCE, Conversation, Workplace

INTEGER = "The total stays an integer of cents, because the bank rounds down"
CENTS = "Money is counted in integer cents"


@pytest.fixture(scope="session")
def program() -> Path:
    """The real OpenCode. Without npm we skip, but never where the client is required."""
    return or_skip(opencode.installed_opencode)


@pytest.fixture
def bare(tmp_path: Path, program: Path, api: MessagesApi) -> Workplace:
    """A machine with a small repository and OpenCode, and nothing of ours."""
    place = Workplace(tmp_path, program, api, None, variables=dict(PATIENCE))
    opencode.set_up(place)
    return place


@pytest.fixture
def place(bare: Workplace) -> Workplace:
    """The same machine with our plugin, installed by our command."""
    bare.recollect("install", "opencode")
    return bare


def test_a_wish_is_kept_and_comes_back_in_the_next_session(place: Workplace) -> None:
    """At the start of a session, and at the prompt that needs it."""
    opencode.ask(place, "Remember that releases are cut on Tuesdays with the blue pipeline.")
    (kept,) = json.loads(place.recollect("list", "--json"))
    assert "blue pipeline" in kept["summary"]
    assert kept["provenance"]["said_by"] == "user"
    place.remember("constraints", "Never call the billing host from a test")
    place.remember("learnings", "The thumbnail worker needs libvips 8.14 or it leaks memory")

    run = opencode.ask(place, "Why does the thumbnail worker leak memory?")

    first = run.main[0].body
    system = "\n".join(said["content"] for said in first["messages"] if said["role"] == "system")
    prompt = json.dumps([said for said in first["messages"] if said["role"] == "user"])
    assert "Never call the billing host" in system
    assert "libvips 8.14" in prompt
    sessions = {trace["session"] for trace in json.loads(place.recollect("why", "--json"))}
    assert len(sessions) == 2
    assert any(session in opencode.session_of(run) for session in sessions)
    assert place.hook_failures() == []


def test_a_file_and_a_failure_bring_what_is_known(place: Workplace) -> None:
    """With the result of the tool; a command that fails, and a tool that throws."""
    cart = place.repo / "src" / "cart.py"
    place.remember(
        "solutions",
        "ModuleNotFoundError: No module named 'frobnicate' is fixed with make vendor",
        "-m",
        "Error: ModuleNotFoundError: No module named 'frobnicate'\nFix: run make vendor",
    )
    turns = [
        use("read", filePath=str(cart)),
        use("bash", command="python3 -c 'import frobnicate'", description="Try it"),
        use("edit", filePath=str(cart), oldString="not there", newString="x"),
        say("Done."),
    ]

    def answer(_: Request) -> Turn:
        """While the session runs, a colleague's memory of the file arrives."""
        if len(turns) == 4:
            place.remember("learnings", INTEGER, "--file", "src/cart.py")
        return turns.pop(0)

    place.api.play(Script(rest=answer))

    run = opencode.ask(place, "Look at the cart.")

    read, failed, thrown = tool_results(run.main[-1].body)
    assert INTEGER in read
    assert "make vendor" in failed
    assert "Could not find oldString" in thrown
    assert place.hook_failures() == []


def test_the_model_stores_and_searches(place: Workplace) -> None:
    """Our server is offered by the plugin; the ledger has what the model stored."""
    place.api.play(
        Script(
            [
                use("recollect_store_memory", kind="decisions", summary=CENTS, body="Floats drift"),
                use("recollect_search_memories", query="How is money counted?"),
                say("Done."),
            ]
        )
    )

    run = opencode.ask(place, "How do we count money?")

    assert "recollect_store_memory" in tools_of(run.main[0].body)
    stored, found = tool_results(run.main[-1].body)
    assert '"done":"stored"' in stored
    assert CENTS in found
    assert CENTS in place.git("notes", "--ref=mem/decisions", "show", "HEAD")


def test_an_opencode_that_is_killed_leaves_nothing_behind(place: Workplace) -> None:
    """Also in the middle of a turn; what was asked for until then is kept."""
    place.api.play(Script([Silence()]))
    said = opencode.command(place, "Remember that the staging host is called heron.")
    with Conversation(place, said, place.repo) as conversation:
        conversation.close_input()
        conversation.wait_for_request(2)  # the other one is for a title
        conversation.signal(SIGKILL)
        conversation.finish()  # it looks for processes that were left behind

    assert "heron" in place.recollect("list")


def test_without_recollect_the_agent_works_as_before(place: Workplace) -> None:
    """The plugin is silent where the command is missing."""
    place.programs = ()

    run = opencode.ask(place, "Say hello.")

    assert [event["part"]["text"] for event in run.events if event["type"] == "text"] == ["Done."]


@pytest.mark.parametrize("scope", ["user", "project"])
def test_installing_and_removing_leaves_no_trace(bare: Workplace, scope: str) -> None:
    """Twice, next to settings of the user's own, which do not change."""
    before = contents(bare.home)

    for _ in range(2):
        bare.recollect("install", "opencode", "--scope", scope)
    assert contents(bare.home) != before
    bare.recollect("install", "opencode", "--scope", scope, "--uninstall")

    assert contents(bare.home) == before


def contents(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, without our own data directory."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else b""
        for path in folder.rglob("*")
        if ".local" not in path.parts and ".cache" not in path.parts and ".git" not in path.parts
    }
