"""Qwen Code's hook JSON, as the real client sent it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.hosts import protocol as events
from recollect.hosts.protocol import Reply
from recollect.hosts.qwen import HOST
from recollect.hosts.qwen.setup import QWEN
from recollect.hosts.registry import host_of
from tests.hosts.recorded import recorded

RECORDED = recorded("qwen")


def read(name: str, event: str) -> events.Event:
    """An event as we read it."""
    return HOST.read_event(event, RECORDED[name], {})


@pytest.mark.parametrize("name", RECORDED)
def test_every_event_is_recognised(name: str) -> None:
    """By its transcript; session and directory are known."""
    assert host_of(RECORDED[name], {}).NAME == "qwen"
    event = read(name, "stop")
    assert event.session
    assert event.directory == "/home/ada/shop"


def test_a_prompt_is_what_the_person_typed() -> None:
    """It is reported again without a text after every tool, and then nobody typed anything."""
    assert read("prompt", events.PROMPT).text == "Add a tax rate."
    assert read("prompt", events.PROMPT).ignored == ""
    assert "nobody typed" in read("prompt-empty", events.PROMPT).ignored


def test_tools() -> None:
    """What was read, written, run, and what failed."""
    file = read("tool-post-read_file", events.TOOL_POST)
    assert (file.action, file.files) == (events.READ, ("/home/ada/shop/src/cart.py",))
    write = read("tool-post-write_file", events.TOOL_POST)
    assert (write.action, write.written) == (events.CREATE, "RATE = 0.19\n")
    ran = read("tool-post-run_shell_command", events.TOOL_POST)
    assert (ran.action, ran.command) == (events.COMMAND, "git status --short")
    assert ran.output.splitlines()[-1] == "?? src/tax.py"
    assert ran.error == ""
    failed = read("tool-failure-run_shell_command-failing", events.TOOL_FAILURE)
    assert (failed.name, failed.error) == (events.TOOL_FAILURE, "Exit code 3\nboom")
    guarded = read("tool-pre-write_file", events.TOOL_PRE)
    assert (guarded.action, guarded.files) == (events.CREATE, ("/home/ada/shop/src/tax.py",))


def test_the_end_of_a_turn() -> None:
    """The last message of the agent."""
    assert read("stop", events.STOP).text == "The tax has a module of its own."


def test_replies_have_the_form_of_claude_code() -> None:
    """The same names of events."""
    reply = Reply()
    reply.context.append("text")
    said = json.loads(HOST.write_reply(events.PROMPT, reply))

    assert said["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"


def test_hooks_that_were_recorded_are_served() -> None:
    """The others come with a compaction, a subagent, and the end of a session in a terminal."""
    seen = {payload["hook_event_name"] for payload in RECORDED.values()}

    unseen = {hook.name for hook in QWEN.hooks} - seen
    assert unseen == {"PreCompact", "SubagentStop", "SessionEnd"}


@given(
    event=st.sampled_from(events.EVENTS),
    payload=st.dictionaries(
        st.sampled_from(["prompt", "submitted_prompt", "tool_name", "tool_input", "error"]),
        st.none() | st.text() | st.dictionaries(st.text(), st.integers()),
    ),
)
def test_reading_never_fails(event: str, payload: dict[str, Any]) -> None:
    """Whatever the input is."""
    HOST.read_event(event, payload, {})


def test_what_a_hook_asked_for_is_no_prompt() -> None:
    """The client reports the request for drafts as a prompt, which nobody typed."""
    request = '<recollect-guide source="recollect">\nRemember that cows fly.\n</recollect-guide>'
    payload = {**RECORDED["prompt"], "prompt": request}
    del payload["submitted_prompt"]

    assert HOST.read_event(events.PROMPT, payload, {}).ignored
    assert not HOST.read_event(events.PROMPT, {**payload, "prompt": "Go on."}, {}).ignored
