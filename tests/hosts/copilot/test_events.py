"""The hook input of GitHub Copilot CLI, as recorded from the real client (1.0.102)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recollect.hosts import protocol as events
from recollect.hosts.copilot import HOST
from recollect.hosts.copilot.setup import HOOKS
from recollect.hosts.protocol import Reply
from recollect.hosts.registry import host_of, host_of_transcript
from tests.hosts.recorded import recorded

RECORDED = recorded("copilot")
TRANSCRIPT = Path(__file__).parent / "recorded" / "transcript.jsonl"
INSIDE = {"COPILOT_CLI": "1"}
# As Copilot hands it to the hooks in `.claude/settings.json`.
CLAUDES: dict[str, Any] = {
    "hook_event_name": "UserPromptSubmit",
    "session_id": "22fcbb9d",
    "timestamp": "2026-11-18T12:56:24.940Z",
    "cwd": "/home/ada/shop",
    "prompt": "remember that releases are on Tuesdays",
}


def test_every_recorded_event_is_recognised() -> None:
    """By the name of the field with the session, also without the host in the command."""
    assert len(RECORDED) >= len(HOOKS) - 1  # no tool of the journey throws
    for payload in RECORDED.values():
        assert host_of(payload, {}).NAME == "copilot"


def test_what_the_real_client_sent() -> None:
    """The start, a prompt, a file, a patch, and a command that fails."""
    start = HOST.read_event(events.SESSION_START, RECORDED["session-start"], {})
    assert (start.source, start.directory) == ("startup", "/home/ada/shop")
    prompt = HOST.read_event(events.PROMPT, RECORDED["prompt"], {})
    assert (prompt.text, prompt.ignored) == ("Add a tax rate.", "")
    view = HOST.read_event(events.TOOL_POST, RECORDED["tool-post-view"], {})
    assert (view.action, view.files) == (events.READ, ("/home/ada/shop/src/cart.py",))
    patch = HOST.read_event(events.TOOL_POST, RECORDED["tool-post-apply_patch"], {})
    assert (patch.action, patch.files) == (events.EDIT, ("/home/ada/shop/src/tax.py",))
    fine = HOST.read_event(events.TOOL_POST, RECORDED["tool-post-bash"], {})
    assert (fine.name, fine.command, fine.error) == (events.TOOL_POST, "git status --short", "")
    boom = HOST.read_event(events.TOOL_POST, RECORDED["tool-post-bash-failing"], {})
    assert (boom.name, boom.output) == (events.TOOL_FAILURE, "boom\n")
    assert boom.error == "Exit code 3\nboom\n"


def test_the_transcript_is_known_before_the_stop() -> None:
    """Only a stop names it; the session of a killed agent is read from there."""
    environment = {"COPILOT_HOME": "/home/ada/.copilot"}
    prompt = HOST.read_event(events.PROMPT, RECORDED["prompt"], environment)
    stop = HOST.read_event(events.STOP, RECORDED["stop"], environment)

    assert prompt.transcript == stop.transcript
    assert host_of_transcript(stop.transcript, stop.session) == "copilot"
    away = {**RECORDED["prompt"], "sessionId": "../../etc"}
    assert HOST.read_event(events.PROMPT, away, environment).transcript == ""


def test_a_one_shot_run_is_recognised() -> None:
    """Its system prompt says so; then nobody is asked for drafts."""
    payload = {**RECORDED["stop"], "transcriptPath": str(TRANSCRIPT)}

    assert HOST.read_event(events.STOP, payload, {}).unattended is True
    assert HOST.read_event(events.STOP, RECORDED["stop"], {}).unattended is False


def test_the_transcript_is_read() -> None:
    """Both sides, and that a command failed."""
    part = HOST.read_transcript(TRANSCRIPT, 0, most=1 << 22)

    assert part is not None
    assert [(one.role, one.text) for one in part.messages] == [
        ("user", "Add a tax rate."),
        ("assistant", "I look at the cart first, because the tax depends on it."),
        ("assistant", "The tax has a module of its own."),
    ]
    assert part.tools == {"view": 1, "apply_patch": 1, "bash": 2}
    assert part.failed


def test_hooks_of_claude_code_that_copilot_runs_are_ignored() -> None:
    """Otherwise a session with both would capture everything twice."""
    host = host_of(CLAUDES, INSIDE, "claude-code")

    assert host.NAME == "copilot"
    assert host.read_event(events.PROMPT, CLAUDES, INSIDE).ignored


def test_claude_code_in_copilots_shell_is_served() -> None:
    """It inherits the variable, but names a transcript of its own."""
    payload = {**CLAUDES, "transcript_path": "/home/ada/.claude/projects/-x/22fcbb9d.jsonl"}
    host = host_of(payload, INSIDE, "claude-code")

    assert host.NAME == "claude-code"
    assert not host.read_event(events.PROMPT, payload, INSIDE).ignored


def test_replies() -> None:
    """Flat, as the client reads them."""
    reply = Reply()
    reply.context.append("text")
    assert json.loads(HOST.write_reply(events.TOOL_FAILURE, reply)) == {"additionalContext": "text"}
    assert HOST.write_reply(events.STOP, reply) == ""
    reply.request, reply.denial = "draft", "no"
    said = json.loads(HOST.write_reply(events.STOP, reply))
    assert said == {"decision": "block", "reason": "draft"}
    said = json.loads(HOST.write_reply(events.TOOL_PRE, reply))
    assert said == {"permissionDecision": "deny", "permissionDecisionReason": "no"}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)
FIELDS = ["sessionId", "prompt", "toolName", "toolArgs", "toolResult", "source", "transcriptPath"]


@given(
    event=st.sampled_from(events.EVENTS),
    payload=st.dictionaries(
        st.sampled_from(FIELDS),
        ANYTHING | st.dictionaries(st.sampled_from(["textResultForLlm", "path"]), ANYTHING),
    ),
)
def test_reading_never_fails(event: str, payload: dict[str, Any]) -> None:
    """Whatever the input is."""
    HOST.read_event(event, payload, {})
