"""Codex's hook input, as recorded from the real client (0.166)."""

from __future__ import annotations

from typing import Any

from recollect.hosts import codex
from recollect.hosts import protocol as events
from recollect.hosts.registry import host_of

SESSION = "01a1e0b8-aad6-7453-9e1d-8bea8fb202d4"
TRANSCRIPT = f"/home/ada/.codex/sessions/2026/11/15/rollout-2026-11-15T19-39-21-{SESSION}.jsonl"
COMMON: dict[str, Any] = {
    "session_id": SESSION,
    "transcript_path": TRANSCRIPT,
    "cwd": "/work",
    "model": "gpt-5.5",
    "permission_mode": "bypassPermissions",
}
PATCH = "*** Begin Patch\n*** Add File: new.txt\n+hello\n*** Update File: b/c.py\n*** End Patch"


def test_it_is_recognised() -> None:
    """By the name of its transcript, or by the id of a turn."""
    assert host_of({**COMMON, "source": "startup"}, {}).NAME == "codex"
    assert host_of({"turn_id": "01a1", "session_id": SESSION}, {}).NAME == "codex"
    assert host_of({"session_id": SESSION, "transcript_path": "/x/fb4d.jsonl"}, {}).NAME == (
        "claude-code"
    )


def test_it_names_its_files_in_a_patch() -> None:
    """`apply_patch` is an edit of the files that its patch names."""
    payload = {**COMMON, "tool_name": "apply_patch", "tool_input": {"command": PATCH}}

    event = codex.read_event(events.TOOL_POST, payload, {})

    assert event.action == events.EDIT
    assert event.files == ("new.txt", "b/c.py")


def test_its_subagents_and_searches() -> None:
    """They have names of their own."""
    assert codex.action_of("spawn_agent") == events.AGENT
    assert codex.action_of("web_search") == events.FETCH
    assert codex.action_of("Bash") == events.COMMAND


def test_its_commands_and_their_output() -> None:
    """What a tool printed is a text."""
    payload = {
        **COMMON,
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_response": "AGENTS.md\nmade.txt\n",
    }

    event = codex.read_event(events.TOOL_POST, payload, {})

    assert (event.action, event.command) == (events.COMMAND, "ls")
    assert event.output == "AGENTS.md\nmade.txt\n"
