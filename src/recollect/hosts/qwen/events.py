"""Qwen Code's hook JSON, as recorded from the real client: the format of Claude Code, its tools.

It reports a prompt again, without a text, whenever the model goes on after a tool, and what a hook
asked for at a stop. What a person typed is in a field of its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.core.marks import without_own_text
from recollect.hosts import protocol as events
from recollect.hosts.claude_code import events as claude_code
from recollect.hosts.claude_code.events import text_of, write_reply
from recollect.hosts.protocol import Event
from recollect.hosts.shell_results import read_shell_result, text_of_content

__all__ = ["write_reply"]

ACTIONS: Mapping[str, str] = {
    "read_file": events.READ,
    "write_file": events.CREATE,
    "edit": events.EDIT,
    "notebook_edit": events.EDIT,
    "run_shell_command": events.COMMAND,
    "web_fetch": events.FETCH,
    "agent": events.AGENT,
}
_FILE_ACTIONS = frozenset((events.READ, *events.WRITES))


def action_of(tool: str) -> str:
    """What a tool does: one of the actions of the protocol."""
    return ACTIONS.get(tool) or claude_code.action_of(tool)


def read_event(name: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> Event:
    """Read the input of a hook."""
    # The variables are those of a Claude Code that started it, if there are any.
    event = claude_code.read_event(name, payload, environment)._replace(unattended=False)
    if name == events.PROMPT:
        typed = text_of(payload, "submitted_prompt")
        if not typed and not without_own_text(event.text).strip():
            return event._replace(ignored="the agent goes on; nobody typed anything")
        return event._replace(text=typed or event.text)
    if name in (events.TOOL_PRE, events.TOOL_POST, events.TOOL_FAILURE):
        return _with_tool(event, payload)
    return event


def _with_tool(event: Event, payload: Mapping[str, Any]) -> Event:
    given, response = payload.get("tool_input"), payload.get("tool_response")
    details = given if isinstance(given, dict) else {}
    answer = response if isinstance(response, dict) else {}
    action = action_of(event.tool)
    event = event._replace(action=action, output=text_of_content(answer.get("llmContent")))
    if action in _FILE_ACTIONS:
        path = text_of(details, "file_path") or text_of(details, "notebook_path")
        event = event._replace(files=(path,) if path and "\0" not in path else event.files)
    if action in events.WRITES:
        shown = answer.get("returnDisplay")
        before = text_of(shown, "originalContent") if isinstance(shown, dict) else ""
        return event._replace(
            written=text_of(details, "content") or text_of(details, "new_string"),
            replaced=before or text_of(details, "old_string"),
        )
    if action == events.FETCH:
        asked = text_of(details, "prompt")
        return event._replace(address=text_of(details, "url"), question=asked)
    if action == events.COMMAND:
        output, code = read_shell_result(event.error or event.output)
        error = f"Exit code {code}\n{output}" if code else output
        return event._replace(output=output, error=error if event.error else "")
    return event
