"""The hook input of Cursor, as its own code made it (`tests/realhosts/test_cursor.py`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.hosts import protocol as events
from recollect.hosts.cursor import HOST
from recollect.hosts.cursor.setup import HOOKS, installation
from recollect.hosts.protocol import Reply
from recollect.hosts.registry import host_of, host_of_transcript
from recollect.hosts.settings_files import SettingsFile
from tests.hosts.recorded import recorded

RECORDED = recorded("cursor")
SESSION = "8d6c2b51-9a3e-4e0b-8a4c-b2f0c9a51e77"
TRANSCRIPT = f"/home/ada/.cursor/projects/home-ada-shop/agent-transcripts/{SESSION}/{SESSION}.jsonl"
INSIDE = {"CURSOR_VERSION": "3.20.17"}


@pytest.mark.parametrize("transcript", [None, TRANSCRIPT])
def test_only_the_command_names_cursor(transcript: str | None) -> None:
    """Hooks of Claude Code get the same input, and do nothing; also old ones, which name nobody."""
    for payload in RECORDED.values():
        given = {**payload, "transcript_path": transcript}
        assert host_of(given, INSIDE, "cursor").NAME == "cursor"
        for named in ("claude-code", ""):
            host = host_of(given, INSIDE, named)
            assert host.NAME == "claude-code"
            assert "Cursor" in host.read_event(events.PROMPT, given, INSIDE).ignored


def test_a_transcript_is_recognised_by_its_path() -> None:
    """The next session reads the rest of it, whichever agent runs that."""
    assert host_of_transcript(TRANSCRIPT, SESSION) == "cursor"


def test_what_the_code_of_cursor_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    """The start, a prompt, files, and a command that fails, in both ways."""
    monkeypatch.setenv("HOME", "/home/ada")
    start = HOST.read_event(events.SESSION_START, RECORDED["session-start"], INSIDE)
    assert (start.source, start.directory, start.session) == ("startup", "/home/ada/shop", SESSION)
    assert start.transcript == TRANSCRIPT  # the file is not there yet, so Cursor names none
    prompt = HOST.read_event(events.PROMPT, RECORDED["prompt"], INSIDE)
    assert prompt.text.startswith("remember that releases")
    assert prompt.ignored == ""
    read = HOST.read_event(events.TOOL_POST, RECORDED["tool-post-Read"], INSIDE)
    assert (read.action, read.files) == (events.READ, ("/home/ada/shop/src/mail.py",))
    written = HOST.read_event(events.TOOL_POST, RECORDED["tool-post-Write"], INSIDE)
    assert (written.action, written.files) == (events.CREATE, ("/home/ada/shop/src/tax.py",))
    assert written.written == "RATE = 19\n"
    fine = HOST.read_event(events.TOOL_POST, RECORDED["tool-post-Shell"], INSIDE)
    assert (fine.name, fine.command, fine.error) == (events.TOOL_POST, "git status --short", "")
    failed = HOST.read_event(events.TOOL_FAILURE, RECORDED["tool-failure-Shell"], INSIDE)
    assert failed.error == "ModuleNotFoundError: No module named 'pricelib'"
    boom = HOST.read_event(events.TOOL_POST, RECORDED["tool-post-Shell-failing"], INSIDE)
    assert (boom.name, boom.error) == (events.TOOL_FAILURE, "Exit code 1\nboom\n")


def test_a_turn_that_was_stopped() -> None:
    """Then nobody is asked for drafts, nor a second time."""
    stop = RECORDED["stop"]
    assert HOST.read_event(events.STOP, stop, INSIDE).unattended is False
    aborted = HOST.read_event(events.STOP, {**stop, "status": "aborted"}, INSIDE)
    again = HOST.read_event(events.STOP, {**stop, "loop_count": 1}, INSIDE)
    assert (aborted.unattended, again.again) == (True, True)


def test_replies() -> None:
    """Each in the field that the event has; nothing is better than an empty object."""
    said, asked, denied = Reply(), Reply(), Reply()
    said.context.append("A memory.")
    asked.request = "Draft."
    denied.denial = "Not this file."

    assert json.loads(HOST.write_reply(events.SESSION_START, said)) == {
        "additional_context": "A memory."
    }
    assert json.loads(HOST.write_reply(events.PROMPT, said)) == {
        "continue": True,
        "additional_context": "A memory.",
    }
    assert json.loads(HOST.write_reply(events.STOP, asked)) == {"followup_message": "Draft."}
    assert json.loads(HOST.write_reply(events.TOOL_PRE, denied))["permission"] == "deny"
    assert HOST.write_reply(events.STOP, said) == HOST.write_reply(events.PROMPT, Reply()) == ""


def test_the_transcript_is_read(tmp_path: Path) -> None:
    """What was typed, without what Cursor put around it, and what the agent said and called."""
    text = "<user_info>\nLinux\n</user_info>\n<user_query>\nUse SQLite.\n</user_query>"
    lines = [
        {"role": "user", "message": {"content": [{"type": "text", "text": text}]}},
        {
            "role": "assistant",
            "message": {
                "content": [
                    {"type": "text", "text": "SQLite it is."},
                    {"type": "tool_use", "name": "Write", "input": {}},
                ]
            },
        },
        {"type": "turn_ended", "status": "success"},
    ]
    path = tmp_path / "one.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))

    part = HOST.read_transcript(path, 0, most=1 << 20)

    assert part is not None
    assert [(one.role, one.text) for one in part.messages] == [
        ("user", "Use SQLite."),
        ("assistant", "SQLite it is."),
    ]
    assert part.tools == {"Write": 1}


@pytest.mark.parametrize("scope", ["user", "project"])
def test_a_command_is_one_word_and_its_arguments(scope: str) -> None:
    """Cursor puts the input behind it, and removes what looks like a comment in the file."""
    hooks, _ = installation(scope, Path("/repo"), Path("/home/ada"), {}).files
    assert isinstance(hooks, SettingsFile)
    commands = [entry.value["command"] for entry in hooks.entries if len(entry.keys) == 2]

    assert len(commands) == len(HOOKS)
    for command in commands:
        assert command.startswith("sh -c '")
        assert command.count("'") == 2
        assert command.endswith("'")
        assert "//" not in command


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
FIELDS = ("conversation_id", "workspace_roots", "tool_name", "tool_input", "tool_output", "prompt")


@given(st.dictionaries(st.sampled_from(FIELDS), VALUES), st.sampled_from(events.EVENTS))
def test_reading_never_fails(payload: dict[str, object], name: str) -> None:
    """Whatever comes, there is an event."""
    assert HOST.read_event(name, payload, INSIDE).name in events.EVENTS
