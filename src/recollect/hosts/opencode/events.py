"""What our plugin for OpenCode sends to a hook, and what it reads.

`plugin.js` beside this module is the other side. It passes on what OpenCode says, as it says it:
the names of tools and of their arguments are OpenCode's. Reading never fails.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from recollect.core.marks import MARKER
from recollect.hosts import protocol as events
from recollect.hosts.patches import patched_files
from recollect.hosts.protocol import Event, Reply

_ACTIONS: Mapping[str, str] = {
    "read": events.READ,
    "write": events.CREATE,
    "edit": events.EDIT,
    "multiedit": events.EDIT,
    "patch": events.EDIT,
    "apply_patch": events.EDIT,
    "bash": events.COMMAND,
    "webfetch": events.FETCH,
    "websearch": events.FETCH,
    "task": events.AGENT,
}
# The output of other tools says nothing that is not in their arguments.
_WITH_OUTPUT = (events.COMMAND, events.FETCH, events.AGENT)
_REPORT = ("<task_result>", "</task_result>")
_MOST_TEXT = 1_000_000
_REMEMBER, _MOST_ASKED = ("recollect-remember", "recollect-save"), 4_000


def action_of(tool: str) -> str:
    """What a tool does: one of the actions of the protocol."""
    return _ACTIONS.get(tool, events.OTHER)


def read_event(name: str, payload: Mapping[str, Any], _environment: Mapping[str, str]) -> Event:
    """Read the input of a hook."""
    arguments = payload.get("tool_input")
    details = arguments if isinstance(arguments, dict) else {}
    tool = _text(payload, "tool_name")
    action = action_of(tool)
    text = (
        _typed(payload, "prompt")
        if name == events.PROMPT
        else _text(payload, "last_assistant_message")
    )
    output = _output(action, _text(payload, "tool_output"))
    return Event(
        name=name,
        session=_text(payload, "session_id"),
        agent=_text(payload, "agent_id"),
        directory=_text(payload, "cwd"),
        source=_text(payload, "source") or _text(payload, "reason"),
        text=text,
        tool=tool,
        action=action,
        files=_files(details),
        command=_text(details, "command"),
        output=output,
        error=_error(name, payload, output),
        # The plugin says if the agent can be asked for drafts after this turn. An older one cannot.
        again=name == events.STOP and payload.get("drafts") is not True,
        ignored=_why_ignored(name, payload, text),
        asked=_asked(name, payload),
        written=_text(details, "content") or _text(details, "newString"),
        replaced=_text(details, "oldString"),
        address=_text(details, "url"),
        question=_text(details, "query"),
    )


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    return value[:_MOST_TEXT] if isinstance(value, str) else ""


def _typed(payload: Mapping[str, Any], key: str) -> str:
    """Return what a person typed. `opencode run "…"` puts quotation marks around it."""
    prompt = _text(payload, key)
    inner = prompt.strip()[1:-1]
    if prompt.strip() == f'"{inner}"' and '"' not in inner.replace('\\"', ""):
        return inner.replace('\\"', '"')
    return prompt


def _files(details: Mapping[str, Any]) -> tuple[str, ...]:
    path = _text(details, "filePath")
    named = (path,) if path else patched_files(_text(details, "patchText"))
    return tuple(path for path in named if "\0" not in path)


def _output(action: str, said: str) -> str:
    if action not in _WITH_OUTPUT:
        return ""
    if action == events.AGENT and _REPORT[0] in said:
        return said.partition(_REPORT[0])[2].rpartition(_REPORT[1])[0].strip()
    return said


def _error(name: str, payload: Mapping[str, Any], output: str) -> str:
    """Return the error of a tool: what it threw, or how its command ended."""
    if name != events.TOOL_FAILURE:
        return ""
    code = payload.get("exit")
    ended = f"Exit code {code}\n{output}" if isinstance(code, int) else output
    return _text(payload, "error") or ended


def _why_ignored(name: str, payload: Mapping[str, Any], text: str) -> str:
    # The text of a command is a template that somebody wrote once, not what a person types now.
    if name == events.PROMPT and _text(payload, "command") and MARKER not in text.lower():
        return "it is a slash command"
    return ""


def _asked(name: str, payload: Mapping[str, Any]) -> str:
    """Return the arguments of `/recollect-remember`."""
    is_wish = name == events.PROMPT and _text(payload, "command") in _REMEMBER
    return _typed(payload, "arguments")[:_MOST_ASKED].strip() if is_wish else ""


def write_reply(name: str, reply: Reply) -> str:
    """Format a reply for the plugin: what the model reads, and what the user sees."""
    said = {
        "context": "\n".join(reply.context),
        "notice": "\n".join((*reply.alarm, *reply.notice)),
        "denial": reply.denial if name == events.TOOL_PRE else "",
        "request": reply.request if name == events.STOP else "",
    }
    said = {key: text for key, text in said.items() if text}
    return json.dumps(said, ensure_ascii=True) if said else ""
