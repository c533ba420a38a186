"""The hook JSON of GitHub Copilot CLI, as recorded from the real client.

A command that failed is reported like one that did not; the last line of its result has the exit
code. Only a stop names the transcript, so for other events the path is put together. A reply is
flat: context in the nested form of Claude Code does not reach the model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.core.patterns import pattern
from recollect.hosts import protocol as events
from recollect.hosts.claude_code.events import mcp_action, prompt_ignored, text_of
from recollect.hosts.environment import COPILOT_HOME_VARIABLE
from recollect.hosts.patches import patched_files
from recollect.hosts.protocol import Event, Reply

_ACTIONS: Mapping[str, str] = {
    "view": events.READ,
    "create": events.CREATE,
    "edit": events.EDIT,
    "apply_patch": events.EDIT,
    "bash": events.COMMAND,
    "powershell": events.COMMAND,
    "web_fetch": events.FETCH,
    "task": events.AGENT,
}
_FILE_ACTIONS = frozenset((events.READ, *events.WRITES))
_WITH_CONTEXT = frozenset(
    (
        *(events.SESSION_START, events.PROMPT),
        *(events.TOOL_PRE, events.TOOL_POST, events.TOOL_FAILURE),
    )
)
# The last line of what a command printed.
_ENDED = pattern(r"<shellId: [^\n<>]{1,40} completed with exit code (-?\d{1,9})>\s*\Z", re.ASCII)
_MOST_END = 200
# The system prompt of `copilot -p` says so, near the start of the transcript.
_ONE_SHOT, _MOST_HEAD = b"You are running in non-interactive mode", 1 << 18


def action_of(tool: str) -> str:
    """What a tool does: one of the actions of the protocol. `server-tool` is one of MCP."""
    return _ACTIONS.get(tool) or (mcp_action(tool) if "-" in tool else events.OTHER)


def read_event(name: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> Event:
    """Read the input of a hook."""
    if "sessionId" not in payload:
        reason = "GitHub Copilot CLI also runs the hooks of Claude Code"
        return Event(name, session=text_of(payload, "session_id"), ignored=reason)
    tool, given = text_of(payload, "toolName"), payload.get("toolArgs")
    details = given if isinstance(given, dict) else {"input": given}
    action, session = action_of(tool), text_of(payload, "sessionId")
    result = payload.get("toolResult")
    output, code = _output(text_of(result, "textResultForLlm") if isinstance(result, dict) else "")
    error = text_of(payload, "error")
    if name == events.TOOL_POST and code and action == events.COMMAND:
        name, error = events.TOOL_FAILURE, f"Exit code {code}\n{output}"
    prompt = text_of(payload, "prompt") if name == events.PROMPT else ""
    source = text_of(payload, "source") or text_of(payload, "reason") or text_of(payload, "trigger")
    transcript = text_of(payload, "transcriptPath") or _transcript(session, environment)
    return Event(
        name=name,
        session=session,
        directory=text_of(payload, "cwd"),
        source="startup" if source == "new" else source,
        text=prompt,
        tool=tool,
        action=action,
        files=_files(tool, details) if action in _FILE_ACTIONS else (),
        command=text_of(details, "command"),
        output=output,
        error=error,
        transcript=transcript,
        again=payload.get("stop_hook_active") is True,
        unattended=name == events.STOP and _is_one_shot(transcript),
        ignored=prompt_ignored(prompt),
        written=text_of(details, "file_text") or text_of(details, "new_str"),
        replaced=text_of(details, "old_str"),
        address=text_of(details, "url"),
    )


def _files(tool: str, details: Mapping[str, Any]) -> tuple[str, ...]:
    if tool == "apply_patch":
        return patched_files(text_of(details, "input") or text_of(details, "patch"))
    path = text_of(details, "path")
    return (path,) if path and "\0" not in path else ()


def _output(said: str) -> tuple[str, int]:
    """Return the output of a tool and its exit code, which is 0 if the text does not say."""
    start = max(0, len(said) - _MOST_END)
    found = _ENDED.search(said, start)
    return (said[: found.start()], int(found[1])) if found else (said, 0)


def _transcript(session: str, environment: Mapping[str, str]) -> str:
    """Return where the transcript of a session is, for events that do not name it."""
    if not session or not session.replace("-", "").isalnum():
        return ""
    home = environment.get(COPILOT_HOME_VARIABLE)
    folder = Path(home) if home else Path.home() / ".copilot"
    return str(folder / "session-state" / session / "events.jsonl")


def _is_one_shot(transcript: str) -> bool:
    from recollect.hosts.transcript_lines import own_lines

    return any(_ONE_SHOT in line for _, line in own_lines(Path(transcript), _MOST_HEAD))


def write_reply(name: str, reply: Reply) -> str:
    """Format a reply for stdout: one JSON object, or nothing."""
    said: dict[str, str] = {}
    if name == events.STOP and reply.request:
        said = {"decision": "block", "reason": reply.request}
    elif name == events.TOOL_PRE and reply.denial:
        said = {"permissionDecision": "deny", "permissionDecisionReason": reply.denial}
    elif name in _WITH_CONTEXT and reply.context:
        said = {"additionalContext": "\n".join(reply.context)}
    return json.dumps(said, ensure_ascii=True) if said else ""
