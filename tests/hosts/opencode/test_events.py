"""What our plugin for OpenCode sends, as recorded with the real client, and how we read it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.hosts import protocol as events
from recollect.hosts.opencode import HOST
from recollect.hosts.protocol import Event, Reply
from recollect.hosts.registry import host_of
from recollect.redact.gate import is_id
from tests.hosts.recorded import recorded

RECORDED = recorded("opencode")


def read(name: str, **more: Any) -> Event:
    """An event as we read it."""
    event = "-".join(name.split("-")[:2]) if name.startswith(("session", "tool")) else name
    return HOST.read_event(event, RECORDED[name] | more, {})


@pytest.mark.parametrize("name", RECORDED)
def test_every_event_is_recognised(name: str) -> None:
    """The plugin says who it is; the id of the session is no secret."""
    assert host_of(RECORDED[name], {}).NAME == "opencode"
    event = read(name)
    assert event.session
    assert is_id(event.session)
    assert event.directory == "/home/ada/shop"


def test_every_kind_of_event_was_recorded() -> None:
    """What the journey of the real client brings."""
    assert {"session-start", "prompt", "stop", "session-end", "tool-pre-write"} <= RECORDED.keys()
    assert {"tool-post-read", "tool-post-write", "tool-failure-bash-failing"} <= RECORDED.keys()


def test_files_commands_and_failures() -> None:
    """In the words of the client's tools."""
    assert read("tool-post-read").files == ("/home/ada/shop/src/cart.py",)
    assert read("tool-post-read").output == ""
    assert read("tool-post-write").written == "RATE = 0.19\n"
    failed = read("tool-failure-bash-failing")
    assert failed.action == events.COMMAND
    assert failed.error.startswith("Exit code 3\n")
    assert "boom" in failed.error


@pytest.mark.parametrize(
    ("sent", "typed"),
    [
        ('"say hello"', "say hello"),
        ('"say \\"hello\\" twice"', 'say "hello" twice'),
        ('"a" and "b"', '"a" and "b"'),
        ("hello", "hello"),
        ('"', '"'),
    ],
)
def test_a_prompt_without_the_quotation_marks_of_the_client(sent: str, typed: str) -> None:
    """`opencode run` puts an argument with spaces between them."""
    assert read("prompt", prompt=sent).text == typed


def test_the_text_of_a_command_is_nobodys_prompt() -> None:
    """It is a template; but marked text counts."""
    assert read("prompt", prompt="Review the code", command="review").ignored
    assert not read("prompt", prompt="[remember] Ship on Fridays", command="note").ignored


def test_a_patch_and_a_report() -> None:
    """The files of a patch, and what a subagent says without its frame."""
    patch = {"patchText": "*** Begin Patch\n*** Update File: src/a.py\n@@\n-x\n+y\n*** End Patch"}
    sent = {"host": "opencode", "tool_name": "apply_patch", "tool_input": patch}
    assert HOST.read_event("tool-post", sent, {}).files == ("src/a.py",)
    said = "task_id: 1\n\n<task_result>\nIt adds up.\n</task_result>"
    report = {"host": "opencode", "tool_name": "task", "tool_output": said}
    assert HOST.read_event("tool-post", report, {}).output == "It adds up."


def test_a_reply_is_what_the_plugin_reads() -> None:
    """Context for the model, a notice for the user, a reason to refuse; or nothing."""
    reply = Reply()
    assert HOST.write_reply("prompt", reply) == ""
    reply.context += ["one", "two"]
    reply.alarm, reply.notice, reply.denial = ["mind"], ["kept"], "no"
    said = {"context": "one\ntwo", "notice": "mind\nkept"}
    assert json.loads(HOST.write_reply("prompt", reply)) == said
    assert json.loads(HOST.write_reply("tool-pre", reply)) == {**said, "denial": "no"}


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=6,
)
KEYS = ("session_id", "agent_id", "cwd", "prompt", "tool_name", "tool_input", "exit", "command")


@given(st.sampled_from(events.EVENTS), st.dictionaries(st.sampled_from(KEYS), VALUES))
def test_reading_never_fails(event: str, payload: dict[str, Any]) -> None:
    """Whatever the input is."""
    assert HOST.read_event(event, payload, {}).name == event


def test_a_request_for_drafts() -> None:
    """Only where the plugin says that the agent goes on; an older plugin does not say it."""
    assert read("stop", drafts=True).again is False
    assert read("stop", drafts=False).again is True
    assert HOST.read_event("stop", {"host": "opencode"}, {}).again is True
    reply = Reply()
    reply.request = "Draft it."

    assert json.loads(HOST.write_reply("stop", reply)) == {"request": "Draft it."}
    assert HOST.write_reply("subagent-stop", reply) == ""


def test_a_wish_in_a_command() -> None:
    """The agent carries it out; that the person asked for it is known."""
    wish = read("prompt", command="recollect-remember", arguments='"Use uv."')
    assert (wish.ignored, wish.asked) == ("it is a slash command", "Use uv.")
    other = read("prompt", command="recollect-search", arguments="uv")
    assert (other.ignored, other.asked) == ("it is a slash command", "")
    hostile = read("prompt", command=["recollect-remember"], arguments={"a": 1})
    assert (hostile.ignored, hostile.asked) == ("", "")
