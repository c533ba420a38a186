"""Claude Code's hook JSON, as the real client sent it, and ours, as it takes it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.hosts.claude_code.events import _ACTIONS, action_of, read_event, write_reply
from recollect.hosts.protocol import EVENTS, STOP, WRITES, Reply

RECORDED = Path(__file__).parent / "recorded"
FIXTURES = sorted(path.stem for path in RECORDED.glob("*.json"))
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        "session_id",
        "cwd",
        "prompt",
        "tool_name",
        "tool_input",
        "error",
        "source",
        "reason",
        "agent_id",
        "agent_type",
        "last_assistant_message",
        "cursor_version",
    ]
)


def recorded(name: str) -> dict[str, Any]:
    """What the real client sent."""
    payload: dict[str, Any] = json.loads((RECORDED / f"{name}.json").read_text("utf-8"))
    return payload


def event_of(name: str) -> str:
    """The event that a fixture belongs to."""
    return next(event for event in sorted(EVENTS, key=len, reverse=True) if name.startswith(event))


@pytest.mark.parametrize(
    ("entrypoint", "attended", "expected"),
    [
        ("cli", "1", False),
        ("claude-vscode", "1", False),
        ("sdk-cli", "0", True),
        ("sdk-ts", "0", True),
        ("sdk-cli", "", True),
        ("", "", False),
    ],
)
def test_a_session_that_nobody_follows(entrypoint: str, attended: str, expected: bool) -> None:
    """As the real client says it to a hook; older ones have no `ATTENDED`."""
    started = {"CLAUDE_CODE_ENTRYPOINT": entrypoint, "CLAUDE_CODE_SESSION_ATTENDED": attended}

    assert read_event("stop", recorded("stop"), started).unattended is expected


@pytest.mark.parametrize("name", [n for n in FIXTURES if not n.startswith("stop-failure")])
def test_every_recorded_event_is_read(name: str) -> None:
    """Session and directory are known for all of them."""
    event = read_event(event_of(name), recorded(name), {})

    assert event.session
    assert event.directory == "/home/ada/shop"


def test_the_fields_of_the_recorded_events() -> None:
    """What each event is about."""
    assert read_event("session-start", recorded("session-start-compact"), {}).source == "compact"
    prompt = read_event("prompt", recorded("prompt-plain"), {})
    assert prompt.text.startswith("Let the total of the cart start at zero")
    edit = read_event("tool-post", recorded("tool-post-edit"), {})
    assert (edit.tool, edit.files) == ("Edit", ("/home/ada/shop/src/cart.py",))
    failed = read_event("tool-failure", recorded("tool-failure-bash"), {})
    assert (failed.command, failed.error) == ("echo boom >&2; exit 3", "Exit code 3\nboom")
    assert "total starts at zero" in read_event("stop", recorded("stop"), {}).text
    assert read_event("session-end", recorded("session-end-clear"), {}).source == "clear"


def test_what_tools_wrote_found_and_reported() -> None:
    """A written file, a changed one, the report of a subagent, and a page.

    The client fetches no page from loopback ("WebFetch cannot fetch localhost"), so the last has
    the input that it sent, and the shape of its `WebFetchOutput`.
    """
    write = read_event("tool-post", recorded("tool-post-write"), {})
    assert (write.action, write.written, write.replaced) == ("create", "RATE = 0.19\n", "")
    edit = read_event("tool-post", recorded("tool-post-edit"), {})
    assert (edit.action, edit.written) == ("edit", "sum(prices, 0)")
    assert edit.replaced.startswith("def total(prices)")
    agent = read_event("tool-post", recorded("tool-post-agent"), {})
    assert (agent.action, agent.output) == ("agent", "It adds up prices.")
    asked = {"url": "http://127.0.0.1:43671/pool", "prompt": "How large is the pool?"}
    fetch = {**recorded("tool-post-read"), "tool_name": "WebFetch", "tool_input": asked}
    answer = {"bytes": 90, "code": 200, "codeText": "OK", "result": "Ten.", "durationMs": 3}
    page = read_event("tool-post", {**fetch, "tool_response": answer}, {})
    assert (page.action, page.output) == ("fetch", "Ten.")
    assert page.question == "How large is the pool?"
    assert page.address.endswith("/pool")


def test_the_plugin_observes_every_tool_that_teaches() -> None:
    """The matcher names each tool whose action is known, except searches of the web."""
    path = Path(__file__).parents[3] / "plugin" / "hooks" / "hooks.json"
    (entry,) = json.loads(path.read_text("utf-8"))["hooks"]["PostToolUse"]

    named = set(entry["matcher"].split("|"))
    assert {*_ACTIONS, "apply_patch"} - {"WebSearch"} == named


HOOKS = json.loads(
    (Path(__file__).parents[3] / "plugin" / "hooks" / "hooks.json").read_text("utf-8")
)["hooks"]


def test_the_guard_is_registered_for_every_tool_that_writes() -> None:
    """Those of both hosts, whatever file they write, and tools of MCP servers by their names."""
    own, foreign = HOOKS["PreToolUse"]

    writing = {tool for tool, action in _ACTIONS.items() if action in WRITES}
    assert set(own["matcher"].split("|")) == {*writing, "apply_patch"}
    assert all("if" not in hook for entry in (own, foreign) for hook in entry["hooks"])
    matcher = re.compile(foreign["matcher"])
    for tool in ("mcp__files__write_file", "mcp__x__edit_block", "mcp__plugin_a_b__move_file"):
        assert matcher.search(tool)
        assert action_of(tool) in WRITES
    for tool in ("mcp__files__read_text_file", "mcp__plugin_recollect_recollect__get_memory"):
        assert not matcher.search(tool)
        assert action_of(tool) not in WRITES


def test_the_files_that_a_tool_of_an_mcp_server_writes() -> None:
    """Whatever its arguments are called."""
    given = {
        "tool_name": "mcp__files__move_file",
        "tool_input": {"source": "a", "destination": "b"},
    }

    assert read_event("tool-pre", given, {}).files == ("a", "b")


def test_hooks_that_a_person_waits_for_say_what_they_do() -> None:
    """In the status line of the client, while they run."""
    for event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PreCompact", "Stop"):
        for entry in HOOKS[event]:
            for hook in entry["hooks"]:
                assert hook["statusMessage"].startswith("Recollect: ")


def test_a_subagent_has_a_context_of_its_own() -> None:
    """It comes with the session of its parent, which knows other things."""
    event = read_event("tool-post", recorded("tool-post-read-in-subagent"), {})

    assert event.agent
    assert event.context == f"{event.session}/{event.agent}"


@pytest.mark.parametrize(
    ("event", "name"),
    [
        ("prompt", "prompt-command"),
        ("prompt", "prompt-task-notification"),
        ("subagent-stop", "subagent-stop-compaction"),
    ],
)
def test_what_no_person_did_is_ignored(event: str, name: str) -> None:
    """Commands, reports of background tasks, and the client's own fork."""
    assert read_event(event, recorded(name), {}).ignored


def test_what_looks_like_a_command_but_is_none() -> None:
    """A path at the start of a prompt is a path."""
    assert not read_event("prompt", {"prompt": "/etc/hosts is wrong"}, {}).ignored
    assert not read_event("subagent-stop", recorded("subagent-stop-real"), {}).ignored


def test_cursor_runs_these_hooks_too_and_gets_nothing() -> None:
    """By its environment, or by its payload."""
    assert read_event("prompt", {"prompt": "x"}, {"CURSOR_VERSION": "3"}).ignored
    assert read_event("prompt", {"prompt": "x", "cursor_version": "3"}, {}).ignored


def reply(context: list[str], notice: list[str]) -> Reply:
    """A reply with this in it."""
    answer = Reply()
    answer.context += context
    answer.notice += notice
    return answer


@given(st.sampled_from(EVENTS), st.lists(st.text(), max_size=3), st.lists(st.text(), max_size=2))
def test_one_json_object_or_nothing(name: str, context: list[str], notice: list[str]) -> None:
    """Pure ASCII, one object, the event's name where context is."""
    printed = write_reply(name, reply(context, notice))

    if printed:
        assert printed.isascii()
        said = json.loads(printed)
        assert set(said) <= {"systemMessage", "hookSpecificOutput"}
        if context and "hookSpecificOutput" in said:
            assert set(said["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}


@pytest.mark.parametrize("name", ["stop", "subagent-stop", "session-end", "pre-compact"])
def test_where_the_client_takes_no_context_nothing_is_said(name: str) -> None:
    """At a stop it would make the agent go on; the user may see a line there."""
    shown = '{"systemMessage": "notice"}' if name == "stop" else ""

    assert write_reply(name, reply(["context"], ["notice"])) == shown


@given(st.sampled_from(EVENTS), st.dictionaries(KEYS, ANYTHING))
def test_any_payload_is_read(name: str, payload: dict[str, Any]) -> None:
    """Missing or of the wrong type: reading never fails, and every text is one."""
    event = read_event(name, payload, {})

    assert all(isinstance(path, str) for path in event.files)
    assert isinstance(event.text, str)


def test_a_stop_shows_one_line() -> None:
    """What the agent is asked for, and what was noticed in the turn."""
    asking = Reply()
    asking.request = "Write a draft."
    asking.notice = ["Recollect: noticed two decisions"]

    said = json.loads(write_reply(STOP, asking))

    assert said["systemMessage"].count("Recollect: ") == 1
    assert "\n" not in said["systemMessage"]
    assert said["systemMessage"].endswith(" · noticed two decisions")
    assert said["hookSpecificOutput"]["additionalContext"] == "Write a draft."
