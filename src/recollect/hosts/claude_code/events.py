"""Claude Code's hook JSON, as recorded from the real client.

Reading never fails: a value that is missing or of the wrong type is empty. A reply is one JSON
object or nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

from recollect.core.patterns import pattern
from recollect.hosts import protocol as events
from recollect.hosts.environment import ATTENDED_VARIABLE, CURSOR_VARIABLE, ENTRYPOINT_VARIABLE
from recollect.hosts.protocol import Event, Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# The client's name of each event whose reply may carry context.
_WITH_CONTEXT: Mapping[str, str] = {
    events.SESSION_START: "SessionStart",
    events.PROMPT: "UserPromptSubmit",
    events.TOOL_PRE: "PreToolUse",
    events.TOOL_POST: "PostToolUse",
    events.TOOL_FAILURE: "PostToolUseFailure",
}
_ACTIONS: Mapping[str, str] = {
    "Read": events.READ,
    "Write": events.CREATE,
    "Edit": events.EDIT,
    "MultiEdit": events.EDIT,
    "NotebookEdit": events.EDIT,
    "Bash": events.COMMAND,
    "WebFetch": events.FETCH,
    "WebSearch": events.FETCH,
    "Agent": events.AGENT,
    "Task": events.AGENT,
}
_FILE_ACTIONS = frozenset((events.READ, *events.WRITES))
_FILE_KEYS = ("file_path", "notebook_path")
# The same for tools of MCP servers, which are not ours and name their arguments as they like.
_MCP = "mcp__"
_MCP_WRITES = pattern(
    r"write|edit|create|append|insert|replace|patch|move|rename|copy|delete|remove", re.IGNORECASE
)
_MCP_KEYS = (*_FILE_KEYS, "path", "file", "filename", "filepath", "source", "destination", "target")
# `/plugin:command args`, which the client expands later; but not `/etc/hosts is wrong`.
_COMMAND = pattern(r"/[\w:.-]+(?:\s|\Z)")
_REMEMBER = pattern(r"\s{0,99}/recollect:(?:remember|save)\s(.{1,4000})", re.DOTALL)
_MOST_TEXT = 1_000_000
_MOST_CONTEXT = 9_500  # characters; the client puts more than 10,000 into a file
# What the user sees above a request to the agent.
ASKS = (
    "Recollect: no error; the agent takes one more step to note what this session leaves for the"
    " next one. To turn this off: recollect config set triage.mode suggest"
)
# The client puts this before the report of a subagent.
_AGENT_FRAME = "<tools-used-before-summary>"


def action_of(tool: str) -> str:
    """What a tool does: one of the actions of the protocol."""
    if tool.startswith(_MCP):
        return mcp_action(tool.rpartition("__")[2])
    return _ACTIONS.get(tool, events.OTHER)


def mcp_action(tool: str) -> str:
    """What a tool of an MCP server may do, by its name."""
    return events.EDIT if _MCP_WRITES.search(tool) else events.OTHER


def read_event(name: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> Event:
    """Read the input of a hook."""
    tool_input = payload.get("tool_input")
    details = tool_input if isinstance(tool_input, dict) else {}
    tool = text_of(payload, "tool_name")
    event = Event(
        name=name,
        session=text_of(payload, "session_id"),
        agent=text_of(payload, "agent_id"),
        directory=text_of(payload, "cwd"),
        source=text_of(payload, "source")
        or text_of(payload, "reason")
        or text_of(payload, "trigger"),
        text=text_of(payload, "prompt" if name == events.PROMPT else "last_assistant_message"),
        tool=tool,
        action=action_of(tool),
        files=_files(tool, details),
        command=text_of(details, "command"),
        output=_output(action_of(tool), payload.get("tool_response")),
        error=text_of(payload, "error"),
        transcript=text_of(payload, "transcript_path"),
        again=payload.get("stop_hook_active") is True,
        unattended=_is_unattended(environment),
        ignored=_why_ignored(name, payload, environment),
        asked=_asked(name, payload),
    )
    return _with_texts(event, details, payload.get("tool_response"))


def _is_unattended(environment: Mapping[str, str]) -> bool:
    """Whether it is `claude -p` or the SDK. Older clients have only the entry point."""
    attended = environment.get(ATTENDED_VARIABLE)
    return attended == "0" or environment.get(ENTRYPOINT_VARIABLE, "").startswith("sdk-")


def _with_texts(event: Event, details: Mapping[str, Any], response: Any) -> Event:
    """Add what a tool wrote, and over what; or where it looked, and for what."""
    if event.action in events.WRITES:
        answer = response if isinstance(response, dict) else {}
        return event._replace(
            written=text_of(details, "content") or text_of(details, "new_string"),
            replaced=text_of(answer, "originalFile") or text_of(details, "old_string"),
        )
    if event.action == events.FETCH:
        return event._replace(
            address=text_of(details, "url"),
            question=text_of(details, "prompt") or text_of(details, "query"),
        )
    return event


def _asked(name: str, payload: Mapping[str, Any]) -> str:
    """Return the arguments of `/recollect:remember`."""
    found = _REMEMBER.match(text_of(payload, "prompt")) if name == events.PROMPT else None
    return found[1].strip() if found else ""


def text_of(values: Mapping[str, Any], key: str) -> str:
    """Return a text of a hook's input; empty if it is missing or something else."""
    value = values.get(key)
    return value[:_MOST_TEXT] if isinstance(value, str) else ""


def _output(action: str, response: Any) -> str:
    """Return the output of a tool."""
    if action == events.FETCH and isinstance(response, dict):
        return text_of(response, "result")
    if action == events.AGENT and isinstance(response, dict):
        content = response.get("content")
        blocks = content if isinstance(content, list) else []
        texts = [text_of(block, "text") for block in blocks if isinstance(block, dict)]
        return "\n".join(text for text in texts if not text.startswith(_AGENT_FRAME))
    if isinstance(response, dict):
        return "\n".join(filter(None, (text_of(response, "stdout"), text_of(response, "stderr"))))
    return response[:_MOST_TEXT] if isinstance(response, str) else ""


def _files(tool: str, details: Mapping[str, Any]) -> tuple[str, ...]:
    if action_of(tool) not in _FILE_ACTIONS:
        return ()
    keys = _MCP_KEYS if tool.startswith(_MCP) else _FILE_KEYS
    named = [text_of(details, key) for key in keys]
    return tuple(path for path in named if path and "\0" not in path)


def _why_ignored(name: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    if "cursor_version" in payload or environment.get(CURSOR_VARIABLE):
        return "Cursor also runs the hooks of Claude Code"
    if name == events.PROMPT:
        return prompt_ignored(text_of(payload, "prompt"))
    if name == events.SUBAGENT_STOP and not text_of(payload, "agent_type"):
        return "the client's own subagent for a compaction"
    return ""


def prompt_ignored(prompt: str) -> str:
    """Return why a prompt is not what a person typed for the agent; empty if it is."""
    prompt = prompt.lstrip()
    if prompt.startswith("<task-notification>"):
        return "a background task reports; no person typed it"
    if (command := _COMMAND.match(prompt)) and _is_command(command[0].strip(), prompt):
        return "it is a slash command"
    return ""


def _is_command(word: str, prompt: str) -> bool:
    """Whether a prompt is a command. A path such as `/tmp` and marked text are not."""
    from pathlib import Path

    from recollect.core.marks import MARKER

    return MARKER not in prompt.lower() and not Path(word).exists()


def write_reply(name: str, reply: Reply) -> str:
    """Format a reply for stdout: one JSON object, or nothing.

    The client shows a stop that is blocked as an error, and context of a stop as feedback; the
    agent continues with either. A long context would go to a file, so then the stop is blocked.
    """
    if name == events.STOP and reply.request and len(reply.request) <= _MOST_CONTEXT:
        context = {"hookEventName": "Stop", "additionalContext": reply.request}
        said = {"systemMessage": _told(name, reply), "hookSpecificOutput": context}
        return json.dumps(said, ensure_ascii=True)
    return written_reply(name, reply, _WITH_CONTEXT)


def _told(name: str, reply: Reply) -> str:
    """Return what the user sees where a reply has no context."""
    if name != events.STOP:
        return "\n".join(reply.alarm)
    # At a stop, the user sees what was noticed in the turn, in one line with what is asked.
    lines = [*([ASKS] if reply.request and not reply.had_line else ()), *reply.notice]
    one = " · ".join([*lines[:1], *(line.removeprefix("Recollect: ") for line in lines[1:])])
    return "\n".join((*reply.alarm, *([one] if one else ())))


def written_reply(name: str, reply: Reply, with_context: Mapping[str, str]) -> str:
    """Format a reply for a host that has its own names of the events that accept context.

    Context is written only for events where the client accepts it. At a stop, context would make
    the agent continue, so only a request, which is meant to do that, is written there. Alarms are
    written at any event.
    """
    output: dict[str, Any] = {}
    if name == events.STOP and reply.request:
        output = {"decision": "block", "reason": reply.request}
    if name not in with_context:
        told = _told(name, reply)
        output |= {"systemMessage": told} if told else {}
        return json.dumps(output, ensure_ascii=True) if output else ""
    if name == events.TOOL_PRE and reply.denial:
        return json.dumps(
            {
                "hookSpecificOutput": {
                    "hookEventName": with_context[name],
                    "permissionDecision": "deny",
                    "permissionDecisionReason": reply.denial,
                }
            },
            ensure_ascii=True,
        )
    if reply.notice or reply.alarm:
        output["systemMessage"] = "\n".join((*reply.alarm, *reply.notice))
    if reply.context:
        output["hookSpecificOutput"] = {
            "hookEventName": with_context[name],
            "additionalContext": "\n".join(reply.context),
        }
    return json.dumps(output, ensure_ascii=True) if output else ""
