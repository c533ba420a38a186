"""Codex's hook input, as recorded from the real client (0.166)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recollect.hosts import protocol as events
from recollect.hosts.codex import HOST
from recollect.hosts.codex.events import files_read, has_failed
from recollect.hosts.protocol import Reply
from recollect.hosts.registry import host_of
from tests.hosts.recorded import recorded

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


@pytest.mark.parametrize(("source", "expected"), [("exec", True), ("cli", False), (None, False)])
def test_a_session_that_nobody_follows(tmp_path: Path, source: str | None, expected: bool) -> None:
    """The first line of the transcript says how it began; variables are another agent's."""
    path = tmp_path / "rollout-1.jsonl"
    path.write_text(json.dumps({"type": "session_meta", "payload": {"source": source}}) + "\n")
    payload = {**COMMON, "transcript_path": str(path), "last_assistant_message": "Done."}
    outer = {"CLAUDE_CODE_SESSION_ATTENDED": "0"}

    assert HOST.read_event(events.STOP, payload, outer).unattended is expected


@pytest.mark.parametrize("path", ["", "/nowhere/rollout-1.jsonl", "/", "a\0b"])
def test_a_transcript_that_cannot_be_read_says_nothing(path: str) -> None:
    """Reading an event never fails."""
    payload = {**COMMON, "transcript_path": path}

    assert HOST.read_event(events.STOP, payload, {}).unattended is False


def test_it_names_its_files_in_a_patch() -> None:
    """`apply_patch` is an edit of the files that its patch names."""
    payload = {**COMMON, "tool_name": "apply_patch", "tool_input": {"command": PATCH}}

    event = HOST.read_event(events.TOOL_POST, payload, {})

    assert event.action == events.EDIT
    assert event.files == ("new.txt", "b/c.py")


def test_its_subagents_and_searches() -> None:
    """They have names of their own."""
    assert HOST.action_of("spawn_agent") == events.AGENT
    assert HOST.action_of("web_search") == events.FETCH
    assert HOST.action_of("Bash") == events.COMMAND


def test_its_commands_and_their_output() -> None:
    """What a tool printed is a text."""
    payload = {
        **COMMON,
        "tool_name": "Bash",
        "tool_input": {"command": "ls"},
        "tool_response": "AGENTS.md\nmade.txt\n",
    }

    event = HOST.read_event(events.TOOL_POST, payload, {})

    assert (event.action, event.command) == (events.COMMAND, "ls")
    assert event.output == "AGENTS.md\nmade.txt\n"


RECORDED = recorded("codex")


def test_every_recorded_event_is_recognised() -> None:
    """Also those without a turn."""
    for payload in RECORDED.values():
        assert host_of(payload, {}).NAME == "codex"


def test_what_the_real_client_sent() -> None:
    """A file that a command shows, a patch, a command that fails without a word, the end."""
    shown = HOST.read_event(events.TOOL_POST, RECORDED["tool-post-Bash"], {})
    assert (shown.action, shown.files) == (events.READ, ("/home/ada/shop/src/cart.py",))
    patch = HOST.read_event(events.TOOL_POST, RECORDED["tool-post-apply_patch"], {})
    assert patch.files == ("/home/ada/shop/src/tax.py",)
    boom = HOST.read_event(events.TOOL_POST, RECORDED["tool-post-Bash-failing"], {})
    assert (boom.name, boom.output) == (events.TOOL_POST, "boom\n")  # nothing says that it failed
    stop = HOST.read_event(events.STOP, RECORDED["stop"], {})
    assert stop.text == "The tax has a module of its own."


@pytest.mark.parametrize(
    ("command", "output", "failed"),
    [
        ("python3 x.py", "Traceback …\nModuleNotFoundError: No module named 'x'\n", True),
        ("make", "cc x.c\nmake: *** [all] Error 1\n", True),
        ("cargo build", "error[E0432]: unresolved import\n", True),
        ("foo", "bash: line 1: foo: command not found\n", True),
        ("sed -n 1p x", "sed: can't read x: No such file or directory\n", True),
        ("npm test", "npm ERR! Test failed.\n", True),
        ("pytest", "=========== 2 failed, 3 passed in 1.2s ===========\n", True),
        ("git push", "fatal: no upstream\n", False),
        ("cat build.log", "ValueError: quoted, not its own\n", False),
        ("rg Error", "x.py: error: in a comment\n", False),
        ("make", "all good\n", False),
        ("make", "", False),
        ("make", "x" * 100_000, False),
    ],
)
def test_a_failure_is_recognised_by_its_last_line(command: str, output: str, failed: bool) -> None:
    """Codex does not tell hooks the exit code. In doubt, nothing failed."""
    assert has_failed(command, output) is failed


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat a.py", ("a.py",)),
        ("sed -n 1,80p src/a.py", ("src/a.py",)),
        ("nl -ba a.py | sed -n 1,20p", ("a.py",)),
        ("head -n 20 a.py b.py", ("a.py", "b.py")),
        ("sed -i s/a/b/ a.py", ()),
        ("cat a.py > b.py", ()),
        ("cat $(ls)", ()),
        ("python3 a.py", ()),
        ("cat 'a", ()),
        ("", ()),
    ],
)
def test_files_that_a_command_shows(command: str, files: tuple[str, ...]) -> None:
    """Codex has no tool to read a file."""
    assert files_read(command) == files


def test_a_failure_is_answered_under_the_event_that_codex_has() -> None:
    """It has no event for failures."""
    reply = Reply()
    reply.context.append("text")

    said = json.loads(HOST.write_reply(events.TOOL_FAILURE, reply))

    assert said["hookSpecificOutput"]["hookEventName"] == "PostToolUse"
