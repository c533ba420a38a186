"""What only GitHub Copilot CLI does: it also runs the hooks of Claude Code."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.realclient.api import Script, say
from tests.realclient.workplace import Workplace
from tests.realhosts.agents import COPILOT, Agent, ask
from tests.realhosts.hook_calls import hook_calls

CENTS = "Money is counted in integer cents"
TUESDAYS = "Releases are on Tuesdays"


@pytest.fixture
def place(move_in: Callable[[Agent], Workplace]) -> Workplace:
    """A machine with Copilot and a memory."""
    place = move_in(COPILOT)
    place.remember("decisions", CENTS)
    place.api.play(Script([say("Done.")]))
    return place


def test_a_project_brings_hooks_and_server(place: Workplace) -> None:
    """Who has only the project's settings gets the memory, and the tools."""
    place.recollect("install", "copilot", "--scope", "project")

    run = ask(place, COPILOT, "Good morning.")

    assert CENTS in run.main[0].text
    assert "recollect-search_memories" in json.dumps(run.main[0].body["tools"])


def test_hooks_of_claude_code_beside_ours_do_nothing(place: Workplace) -> None:
    """Copilot runs both for the same session; one of them keeps the wish."""
    place.recollect("install", "copilot")
    folder = place.repo / ".claude"
    folder.mkdir()
    names = {"SessionStart": "session-start", "UserPromptSubmit": "prompt", "Stop": "stop"}
    hooks = {
        name: [{"hooks": [{"type": "command", "command": f"recollect-hook {event} claude-code"}]}]
        for name, event in names.items()
    }
    (folder / "settings.json").write_text(json.dumps({"hooks": hooks}))

    run = ask(place, COPILOT, "remember that releases are on Tuesdays")

    prompts = [call for call in hook_calls(place) if call.event == "prompt"]
    assert sorted("sessionId" in call.given for call in prompts) == [False, True]
    assert [call.said for call in prompts if "sessionId" not in call.given] == [{}]
    assert place.recollect("list").count(TUESDAYS) == 1
    assert run.main[0].text.count(CENTS) == 1
