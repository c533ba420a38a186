"""Codex's hook JSON, as recorded from the real client: the format of Claude Code, with differences.

`apply_patch` changes files. Files are read with commands. The output of a tool is a string, without
the exit code of a command, so a failure is recognised by the last line of the output.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from recollect.core.patterns import pattern
from recollect.hosts import protocol as events
from recollect.hosts.claude_code import events as claude_code
from recollect.hosts.claude_code.events import written_reply
from recollect.hosts.patches import patched_files
from recollect.hosts.protocol import Event, Reply

_ACTIONS: Mapping[str, str] = {
    "apply_patch": events.EDIT,
    "spawn_agent": events.AGENT,
    "web_search": events.FETCH,
}
# Codex's name of each event whose reply may carry context.
_WITH_CONTEXT: Mapping[str, str] = {
    events.SESSION_START: "SessionStart",
    events.PROMPT: "UserPromptSubmit",
    events.TOOL_PRE: "PreToolUse",
    events.TOOL_POST: "PostToolUse",
    events.TOOL_FAILURE: "PostToolUse",
}
_READERS = frozenset(("cat", "nl", "head", "tail", "less", "bat", "sed"))
# What such commands print may quote errors that are not their own.
_QUOTING = frozenset((*_READERS, "grep", "rg", "git", "find", "ls", "awk", "jq", "echo", "printf"))
_NOT_ONE_COMMAND = frozenset(";&<>$`\n(){}")
_LONGEST = 2_000
# The last line of what failed.
_FAILED = pattern(
    r"(?:[\w.]{1,80}(?:Error|Exception)\b(?::|$)|(?:error|fatal|panic)(?:\[\w{1,12}\])?: "
    r"|\S{1,200}: (?:\S{1,40} ){0,3}(?:command )?not found$|\S{1,40}: \*\*\* |npm (?:ERR!|error)"
    r"|FAILED \S|=+ .{0,80}\d+ (?:failed|errors?)\b|.{0,200}: No such file or directory$)",
)


def action_of(tool: str) -> str:
    """What a tool does: one of the actions of the protocol."""
    return _ACTIONS.get(tool) or claude_code.action_of(tool)


def read_event(name: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> Event:
    """Read the input of a hook."""
    event = claude_code.read_event(name, payload, environment)
    event = event._replace(action=action_of(event.tool), unattended=False)
    if name == events.STOP:
        from recollect.hosts.codex.session_meta import is_one_shot

        return event._replace(unattended=is_one_shot(event.transcript))
    if event.tool == "apply_patch":
        return event._replace(files=patched_files(event.command))
    if name != events.TOOL_POST or event.action != events.COMMAND:
        return event
    if has_failed(event.command, event.output):
        return event._replace(name=events.TOOL_FAILURE, error=event.output)
    files = files_read(event.command)
    return event._replace(action=events.READ, files=files) if files else event


def has_failed(command: str, output: str) -> bool:
    """Whether the output of a command ends like that of one that failed."""
    last = output[-_LONGEST:].rstrip().rpartition("\n")[2].strip()
    word = command.lstrip().partition(" ")[0]
    if not _FAILED.match(last):
        return False
    # These print what others said; about themselves they begin with their name.
    return word not in _QUOTING or last.startswith(f"{word}: ")


def files_read(command: str) -> tuple[str, ...]:
    """Return the files that a simple command shows, such as `sed -n 1,80p FILE`."""
    if len(command) > _LONGEST or not _NOT_ONE_COMMAND.isdisjoint(command):
        return ()
    try:
        words = shlex.split(command.partition("|")[0])
    except ValueError:
        return ()
    if not words or words[0] not in _READERS or (words[0] == "sed" and "-n" not in words):
        return ()
    named = [word for word in words[1:] if not word.startswith("-") and not word.isdigit()]
    return tuple(named[1:] if words[0] == "sed" else named)


def write_reply(name: str, reply: Reply) -> str:
    """Format a reply for stdout: one JSON object, or nothing."""
    return written_reply(name, reply, _WITH_CONTEXT)
