"""The hook JSON of Cursor, as https://cursor.com/docs/hooks and its own code describe it.

Nobody drove a Cursor here. The code is the one that runs hooks in Cursor's package `@cursor/sdk`.
The page doesn't say that a prompt accepts context; the code and others who tried it do. A command
that fails is an event of its own, or one with an exit code, depending on how Cursor ran it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.hosts import protocol as events
from recollect.hosts.claude_code.events import mcp_action, prompt_ignored, text_of
from recollect.hosts.protocol import Event, Reply

_ACTIONS: Mapping[str, str] = {
    "Read": events.READ,
    "Write": events.CREATE,
    "Delete": events.EDIT,
    "Shell": events.COMMAND,
    "Fetch": events.FETCH,
    "WebFetch": events.FETCH,
    "WebSearch": events.FETCH,
    "Task": events.AGENT,
}
_MCP = "MCP:"
# What Cursor keeps of a path in the name of a folder.
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_FILE_ACTIONS = frozenset((events.READ, *events.WRITES))
_WITH_CONTEXT = frozenset((events.SESSION_START, events.TOOL_POST, events.TOOL_FAILURE))


def action_of(tool: str) -> str:
    """What a tool does: one of the actions of the protocol. `MCP:tool` is one of a server."""
    if tool.startswith(_MCP):
        return mcp_action(tool.removeprefix(_MCP))
    return _ACTIONS.get(tool, events.OTHER)


def read_event(name: str, payload: Mapping[str, Any], _environment: Mapping[str, str]) -> Event:
    """Read the input of a hook."""
    tool, details = text_of(payload, "tool_name"), _object(payload.get("tool_input"))
    action = action_of(tool)
    output, code = _output(payload.get("tool_output"))
    error = text_of(payload, "error_message")
    if name == events.TOOL_POST and code and action == events.COMMAND:
        name, error = events.TOOL_FAILURE, f"Exit code {code}\n{output}"
    path = text_of(details, "file_path")
    prompt = text_of(payload, "prompt") if name == events.PROMPT else ""
    loops = payload.get("loop_count")
    session = text_of(payload, "conversation_id") or text_of(payload, "session_id")
    directory = _directory(payload)
    return Event(
        name=name,
        session=session,
        directory=directory,
        source=_source(name, payload),
        text=prompt,
        tool=tool,
        action=action,
        files=(path,) if path and "\0" not in path and action in _FILE_ACTIONS else (),
        command=text_of(details, "command"),
        output=output,
        error=error,
        transcript=text_of(payload, "transcript_path") or _transcript(session, directory),
        again=isinstance(loops, int) and loops > 0,
        # After a turn that the user stopped, or that failed, nobody is asked for more.
        unattended=name == events.STOP and text_of(payload, "status") != "completed",
        ignored=prompt_ignored(prompt),
        written=text_of(details, "content"),
        address=text_of(details, "url"),
        question=text_of(details, "query") or text_of(details, "search_term"),
    )


def _source(name: str, payload: Mapping[str, Any]) -> str:
    """Return why a session starts or ends; Cursor reports only the start of a new one."""
    if name == events.SESSION_START:
        return "startup"
    return text_of(payload, "reason") or text_of(payload, "trigger")


def _directory(payload: Mapping[str, Any]) -> str:
    """Return the folder that is open in Cursor. The hooks of a user run in another one."""
    roots = payload.get("workspace_roots")
    named = [root for root in roots if isinstance(root, str)] if isinstance(roots, list) else []
    return named[0] if named else text_of(payload, "cwd")


def _transcript(session: str, directory: str) -> str:
    """Return where the transcript of a session will be: Cursor names it when the file is there."""
    if not session.replace("-", "").isalnum() or not directory:
        return ""
    words = "".join(letter if letter in _NAME else " " for letter in directory).split()
    folder = Path.home() / ".cursor" / "projects" / "-".join(words) / "agent-transcripts"
    return str(folder / session / f"{session}.jsonl")


def _object(value: Any) -> Mapping[str, Any]:
    """Return an object, which may be written as a text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {}
    return value if isinstance(value, dict) else {}


def _output(given: Any) -> tuple[str, int]:
    """Return what a tool printed, and the exit code of a command."""
    said = _object(given)
    code = said.get("exitCode")
    return text_of(said, "output"), code if isinstance(code, int) else 0


def write_reply(name: str, reply: Reply) -> str:
    """Format a reply for stdout: one JSON object, or nothing.

    Cursor shows lines for a user only where a hook refuses something, so none are written.
    """
    said: dict[str, Any] = {}
    context = "\n".join(reply.context)
    if name == events.STOP and reply.request:
        said = {"followup_message": reply.request}
    elif name == events.TOOL_PRE and reply.denial:
        said = {
            "permission": "deny",
            "user_message": reply.denial,
            "agent_message": reply.denial,
        }
    elif name == events.PROMPT and context:
        said = {"continue": True, "additional_context": context}
    elif name in _WITH_CONTEXT and context:
        said = {"additional_context": context}
    return json.dumps(said, ensure_ascii=True) if said else ""
