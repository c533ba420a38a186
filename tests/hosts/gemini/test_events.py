"""Gemini CLI's hook JSON, as the real client sent it, and ours, as it takes it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.hosts import protocol as events
from recollect.hosts.gemini import HOST
from recollect.hosts.gemini.events import without_added
from recollect.hosts.gemini.setup import GEMINI
from recollect.hosts.protocol import Reply
from recollect.hosts.registry import host_of
from tests.attack.growth import pumped, too_fast_growing
from tests.hosts.recorded import lost_fields, recorded

RECORDED = recorded("gemini")


def read(name: str, event: str) -> events.Event:
    """An event as we read it."""
    return HOST.read_event(event, RECORDED[name], {})


@pytest.mark.parametrize("name", RECORDED)
def test_every_event_is_recognised(name: str) -> None:
    """By its name or its transcript; session and directory are known."""
    assert host_of(RECORDED[name], {}).NAME == "gemini"
    event = read(name, "stop")
    assert event.session
    assert event.directory == "/home/ada/shop"


def test_an_event_without_a_transcript_is_recognised_by_its_session() -> None:
    """The client sets it in the environment of the hook."""
    payload = {"session_id": "s1", "hook_event_name": "SessionStart"}

    assert host_of(payload, {"GEMINI_SESSION_ID": "s1"}).NAME == "gemini"
    assert host_of(payload, {"GEMINI_SESSION_ID": "another"}).NAME == "claude-code"


def test_a_prompt_is_what_the_person_typed() -> None:
    """The client puts what the hook said at the start in front of it, escaped."""
    assert "<hook_context>" in RECORDED["prompt"]["prompt"]
    assert read("prompt", events.PROMPT).text == "Add a tax rate."


def test_text_of_other_hooks_is_no_prompt_either() -> None:
    """A tag without an end is the person's own."""
    assert without_added("<hook_context>x</hook_context>\n\ngo") == "go"
    assert without_added("what is <hook_context>?") == "what is <hook_context>?"
    assert without_added("a</hook_context> b <hook_context>x</hook_context> c") == (
        "a</hook_context> b c"
    )


@pytest.mark.parametrize("end", ["", "</hook_context>"])
@pytest.mark.parametrize(
    "tags", ["<hook_context>", "</hook_context>", "<hook_context>\n</hook_context>"]
)
def test_many_tags_take_linear_time(tags: str, end: str) -> None:
    """Also where none of them ends."""
    assert too_fast_growing(without_added, pumped("", tags, end)) == ""
    assert "hook_context>go" in without_added(tags * 1000 + end + "<hook_context>go")


def test_tools() -> None:
    """What was read, written, run, and what failed."""
    file = read("tool-post-read_file", events.TOOL_POST)
    assert (file.action, file.files) == (events.READ, ("/home/ada/shop/src/cart.py",))
    write = read("tool-post-write_file", events.TOOL_POST)
    assert (write.action, write.written) == (events.CREATE, "RATE = 0.19\n")
    ran = read("tool-post-run_shell_command", events.TOOL_POST)
    assert (ran.name, ran.action, ran.command) == ("tool-post", "command", "git status --short")
    assert ran.output.splitlines()[-1] == "?? src/tax.py"
    failed = read("tool-post-run_shell_command-failing", events.TOOL_POST)
    assert (failed.name, failed.error) == (events.TOOL_FAILURE, "Exit code 3\nboom")


def test_an_error_of_a_tool() -> None:
    """It has a field of its own."""
    response = {"llmContent": "", "error": {"message": "File not found.", "type": "x"}}
    event = HOST.read_event(
        events.TOOL_POST, {"tool_name": "read_file", "tool_response": response}, {}
    )

    assert (event.name, event.error) == (events.TOOL_FAILURE, "File not found.")


def test_the_end_of_a_turn_and_of_a_session() -> None:
    """All that the agent said in the turn, and the reason."""
    stop = read("stop", events.STOP)
    assert stop.text.splitlines() == [
        "I look at the cart first, because the tax depends on it.",
        "The tax has a module of its own.",
    ]
    assert not stop.again
    assert read("session-end", events.SESSION_END).source == "exit"
    assert read("session-start", events.SESSION_START).source == "startup"


def test_replies() -> None:
    """Context under its own names of events; a stop that asks for more; a denial."""
    reply = Reply()
    reply.context.append("text")
    for name, its in ((events.PROMPT, "BeforeAgent"), (events.TOOL_FAILURE, "AfterTool")):
        said = json.loads(HOST.write_reply(name, reply))
        wanted = {"hookEventName": its, "additionalContext": "text"}
        assert said == {"hookSpecificOutput": wanted}
    assert HOST.write_reply(events.STOP, reply) == ""
    assert HOST.write_reply(events.TOOL_PRE, reply) == ""
    reply.request, reply.denial = "draft", "no"
    assert json.loads(HOST.write_reply(events.STOP, reply))["decision"] == "block"
    assert json.loads(HOST.write_reply(events.TOOL_PRE, reply)) == {
        "decision": "deny",
        "reason": "no",
    }


def test_hooks_are_those_that_were_recorded() -> None:
    """Each event that the extension serves was seen, and is served under its own name."""
    seen = {payload["hook_event_name"] for payload in RECORDED.values()}

    assert {hook.name for hook in GEMINI.hooks} == seen


def test_a_changed_contract_names_the_field() -> None:
    """What a new version of the client leaves out or changes is told."""
    before = RECORDED["tool-post-read_file"]
    response = {"llmContent": ["x"], "returnDisplay": "", "more": 1}
    now = {**before, "tool_response": response, "new": 1}
    del now["cwd"]

    assert lost_fields("AfterTool", before, now) == [
        "AfterTool.cwd is gone",
        "AfterTool.tool_response.llmContent was str, and is ['str']",
    ]
    assert lost_fields("AfterTool", before, before) == []


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(
    event=st.sampled_from(events.EVENTS),
    payload=st.dictionaries(
        st.sampled_from(["prompt", "tool_name", "tool_input", "tool_response", "cwd", "source"]),
        ANYTHING | st.dictionaries(st.sampled_from(["llmContent", "error", "command"]), ANYTHING),
    ),
)
def test_reading_never_fails(event: str, payload: dict[str, Any]) -> None:
    """Whatever the input is."""
    HOST.read_event(event, payload, {})
