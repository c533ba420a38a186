"""What Codex keeps in `~/.codex/sessions`: one `rollout-*.jsonl` for each session.

Each line has a `timestamp`, a `type` and a `payload`. The first line, `session_meta`, names the
session, its directory and the state of its repository. A prompt can be in two lines, as what the
person typed and as what the model got; it counts once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from recollect.core.age import seconds_of
from recollect.core.marks import without_own_text
from recollect.core.patterns import pattern
from recollect.hosts.codex.events import read_event
from recollect.hosts.codex.session_meta import entry_of, meta_of
from recollect.hosts.protocol import (
    PROMPT,
    STOP,
    TOOL_FAILURE,
    TOOL_POST,
    Event,
    PastSession,
    Replayed,
)
from recollect.hosts.transcript_lines import own_lines

_MOST_CALLS = 1_000
_FOLDERS = ("sessions", "archived_sessions")
# The tools that run a command; hooks report each of them as `Bash`.
_SHELLS = frozenset(("shell", "shell_command", "exec_command", "local_shell", "container.exec"))
_SHELL, _PATCH = "Bash", "apply_patch"
_EXIT = pattern(
    r"(?:Process exited with code|Exit code:?|exited with code) {0,3}(-?\d{1,9})", re.IGNORECASE
)
# What the client inserts as messages of the user.
_INSERTED = pattern(r"\s{0,9}(?:<[a-z_]{3,40}|# AGENTS\.md instructions|# Context from my IDE)")
_WRAPPER = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh", "/bin/zsh")


def past_sessions(home: Path, environment: Mapping[str, str]) -> Iterator[PastSession]:
    """Yield the sessions with a transcript."""
    config = environment.get("CODEX_HOME")
    base = Path(config) if config else home / ".codex"
    for folder in _FOLDERS:
        for path in sorted((base / folder).rglob("rollout-*.jsonl")):
            try:
                status = path.lstat()
            except OSError:
                continue
            meta = meta_of(path)
            directory = meta.get("cwd")
            if isinstance(directory, str) and directory:
                git = meta.get("git")
                known = git if isinstance(git, dict) else {}
                yield PastSession(
                    path,
                    str(meta.get("id") or path.stem),
                    directory,
                    status.st_size,
                    status.st_mtime_ns,
                    _text(known.get("commit_hash")),
                    _text(known.get("repository_url")),
                )


def replay(path: Path) -> Iterator[Replayed]:
    """Yield what happened in a session."""
    session, directory = path.stem, ""
    calls: dict[str, Mapping[str, Any]] = {}
    last = ("", "")
    for at, line in own_lines(path):
        entry = entry_of(line)
        if entry is None:
            continue
        payload = entry["payload"]
        if entry.get("type") in ("session_meta", "turn_context"):
            session = _text(payload.get("id")) or session
            directory = _text(payload.get("cwd")) or directory
            continue
        moment = int((seconds_of(str(entry.get("timestamp"))) or 0.0) * 1000)
        common = {"session_id": session, "cwd": directory}
        kind = _text(payload.get("type"))
        name, text = message_of(_text(entry.get("type")), kind, payload)
        if name and text and (name, text) != last:
            last = (name, text)
            event = Event(name, session=session, moment=moment, directory=directory, text=text)
            yield Replayed(at, event)
        elif kind in ("function_call", "custom_tool_call", "local_shell_call"):
            if len(calls) < _MOST_CALLS:
                calls[_text(payload.get("call_id"))] = payload
        elif kind in ("function_call_output", "custom_tool_call_output"):
            call = calls.pop(_text(payload.get("call_id")), None)
            if call is not None:
                found = _ran(call, payload.get("output"), common)
                if found is not None:
                    yield Replayed(at, found._replace(moment=moment))


def message_of(kind: str, inner: str, payload: Mapping[str, Any]) -> tuple[str, str]:
    """Return the event of a message, and its text; both are empty if it is none."""
    if kind == "event_msg" and inner == "user_message":
        name, text = PROMPT, _text(payload.get("message"))
    elif kind == "response_item" and inner == "message":
        name = {"user": PROMPT, "assistant": STOP}.get(_text(payload.get("role")), "")
        text = _texts(payload.get("content"))
    else:
        return "", ""
    text = without_own_text(text).encode("utf-8", "replace").decode("utf-8").strip()
    return ("", "") if name == PROMPT and _INSERTED.match(text) else (name, text)


def _ran(call: Mapping[str, Any], output: Any, common: Mapping[str, Any]) -> Event | None:
    """Return the event of a tool that ran; None for a tool that teaches nothing."""
    text, code = _output(output)
    tool, command = tool_of(call), ""
    if tool == _PATCH:
        command = _text(call.get("input")) or _text(_arguments(call).get("input"))
    elif tool == _SHELL:
        command = _command(_arguments(call))
    if not command:
        return None
    failed = code not in (None, 0)
    payload = {
        **common,
        "tool_name": tool,
        "tool_input": {"command": command},
        "tool_response": text,
        "error": f"Exit code {code}\n{text}" if failed else "",
    }
    event = read_event(TOOL_FAILURE if failed else TOOL_POST, payload, {})
    # The exit code is known here, so what the output looks like does not matter.
    return event._replace(name=TOOL_POST, error="") if code == 0 else event


def tool_of(call: Mapping[str, Any]) -> str:
    """Return the tool of a call, as hooks name it."""
    tool = _text(call.get("name"))
    return _SHELL if tool in _SHELLS or call.get("type") == "local_shell_call" else tool


def exit_code_of(payload: Mapping[str, Any]) -> int | None:
    """Return the exit code in the result of a tool; None if it says none."""
    return _output(payload.get("output"))[1]


def _arguments(call: Mapping[str, Any]) -> Mapping[str, Any]:
    given = call.get("action") or call.get("arguments") or call.get("input")
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return {}
    return given if isinstance(given, dict) else {}


def _command(arguments: Mapping[str, Any]) -> str:
    """Return a command line, without the shell that runs it."""
    given = arguments.get("cmd") or arguments.get("command")
    if isinstance(given, list):
        words = [str(word) for word in given]
        if len(words) == 3 and words[0] in _WRAPPER and words[1].startswith("-"):
            return words[2]
        return " ".join(words)
    return _text(given)


def _output(output: Any) -> tuple[str, int | None]:
    """Return the output of a tool and its exit code; the formats changed over the versions."""
    text = _texts(output)
    if text.startswith("{"):
        try:
            given = json.loads(text)
        except (ValueError, RecursionError):
            given = None
        if isinstance(given, dict) and isinstance(given.get("output"), str):
            metadata = given.get("metadata")
            code = metadata.get("exit_code") if isinstance(metadata, dict) else None
            return given["output"], code if type(code) is int else None
    found = _EXIT.search(text[:2_000])
    head, mark, rest = text.partition("\nOutput:\n")
    return rest if mark and len(head) < 1_000 else text, int(found[1]) if found else None


def _texts(content: Any) -> str:
    if isinstance(content, list):
        parts = [block.get("text") for block in content if isinstance(block, dict)]
        return "\n".join(part for part in parts if isinstance(part, str))
    return _text(content)


def _text(value: Any) -> str:
    return value[:1_000_000] if isinstance(value, str) else ""
