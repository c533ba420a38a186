"""Gemini CLI's hook JSON, as recorded from the real client.

Three things differ from Claude Code. What a hook answered at the start comes back in front of the
first prompt. A tool that failed is reported like one that did not, so its result tells. The text
that a reply adds is wrapped in a tag, and its angle brackets are escaped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from recollect.core.marks import without_own_text
from recollect.hosts import protocol as events
from recollect.hosts.claude_code.events import mcp_action, prompt_ignored, text_of, written_reply
from recollect.hosts.protocol import Event, Reply
from recollect.hosts.shell_results import read_shell_result, text_of_content

# The client's name of each event whose reply may carry context.
_WITH_CONTEXT: Mapping[str, str] = {
    events.SESSION_START: "SessionStart",
    events.PROMPT: "BeforeAgent",
    events.TOOL_POST: "AfterTool",
    events.TOOL_FAILURE: "AfterTool",
}
ACTIONS: Mapping[str, str] = {
    "read_file": events.READ,
    "read_many_files": events.READ,
    "write_file": events.CREATE,
    "replace": events.EDIT,
    "run_shell_command": events.COMMAND,
    "web_fetch": events.FETCH,
    "google_web_search": events.FETCH,
}
_FILE_ACTIONS = frozenset((events.READ, *events.WRITES))
# Around what hooks added, ours or others': its angle brackets are escaped, so it ends at its tag.
_OPENING, _CLOSING = "<hook_context>", "</hook_context>"


def action_of(tool: str) -> str:
    """What a tool does: one of the actions of the protocol."""
    return ACTIONS.get(tool) or (mcp_action(tool) if tool.startswith("mcp_") else events.OTHER)


def read_event(name: str, payload: Mapping[str, Any], _environment: Mapping[str, str]) -> Event:
    """Read the input of a hook."""
    given = payload.get("tool_input")
    details = given if isinstance(given, dict) else {}
    tool = text_of(payload, "tool_name")
    action = action_of(tool)
    prompt = without_added(text_of(payload, "prompt"))
    output = error = ""
    if name == events.TOOL_POST:
        output, error = _result(payload.get("tool_response"))
        name = events.TOOL_FAILURE if error else name
    path = text_of(details, "file_path")
    is_prompt = name == events.PROMPT
    return Event(
        name=name,
        session=text_of(payload, "session_id"),
        directory=text_of(payload, "cwd"),
        source=text_of(payload, "source") or text_of(payload, "reason"),
        text=prompt if is_prompt else text_of(payload, "prompt_response"),
        tool=tool,
        action=action,
        files=(path,) if path and "\0" not in path and action in _FILE_ACTIONS else (),
        command=text_of(details, "command"),
        output=output,
        error=error,
        transcript=text_of(payload, "transcript_path"),
        again=payload.get("stop_hook_active") is True,
        ignored=prompt_ignored(prompt) if is_prompt else "",
        written=text_of(details, "content") or text_of(details, "new_string"),
        replaced=_original(payload.get("tool_response")) or text_of(details, "old_string"),
        question=text_of(details, "prompt") or text_of(details, "query"),
    )


def without_added(text: str) -> str:
    """Return a prompt without what hooks added to it."""
    *parts, rest = text.split(_CLOSING)  # an expression would take quadratic time for open tags
    typed = []
    removed = False
    for part in parts:
        before, tag, _ = part.partition(_OPENING)
        typed.append((before.lstrip() if removed else before) + ("" if tag else _CLOSING))
        removed = bool(tag)
    return without_own_text("".join(typed) + (rest.lstrip() if removed else rest))


def _result(response: Any) -> tuple[str, str]:
    """Return the output of a tool, and its error if it failed."""
    if not isinstance(response, dict):
        return "", ""
    output, code = read_shell_result(text_of_content(response.get("llmContent")))
    failed = response.get("error")
    if isinstance(failed, dict):
        return output, text_of(failed, "message") or output
    return output, f"Exit code {code}\n{output}" if code else ""


def _original(response: Any) -> str:
    shown = response.get("returnDisplay") if isinstance(response, dict) else None
    return text_of(shown, "originalContent") if isinstance(shown, dict) else ""


def write_reply(name: str, reply: Reply) -> str:
    """Format a reply for stdout: one JSON object, or nothing."""
    if name == events.TOOL_PRE:
        if not reply.denial:
            return ""
        return json.dumps({"decision": "deny", "reason": reply.denial}, ensure_ascii=True)
    return written_reply(name, reply, _WITH_CONTEXT)
