"""The results of tools: compact JSON with ids, versions and the next step; errors with a hint."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from recollect.api.agent_text import quoted
from recollect.core.age import age
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.names import short
from recollect.errors import RecollectError
from recollect.mcp.hints import for_agents
from recollect.redact.gate import redact_message

Json = dict[str, Any]
_MOST_TOLD = 2000
# Messages for people end with an id without a full stop; here a hint follows, so add one.
_ENDS = (".", "!", "?", "…", ":")


class Outcome(NamedTuple):
    """The text of a result, and whether it is an error."""

    text: str
    is_error: bool = False


def succeeded(result: Mapping[str, Any]) -> Outcome:
    """Make the result of a tool that succeeded."""
    said = json.dumps(_quoted(result), ensure_ascii=False, separators=(",", ":"))
    return Outcome(said)


def failed(error: RecollectError) -> Outcome:
    """Make the result of a tool that failed: what went wrong, and what to do."""
    return Outcome(quoted(redact_message(message_of(error))), is_error=True)


def message_of(error: RecollectError) -> str:
    """What went wrong and what to do, for an agent; long input is not repeated in full."""
    message = error.message if error.message.endswith(_ENDS) else f"{error.message}."
    parts = (message, for_agents(error.hint))
    return " ".join(part if len(part) <= _MOST_TOLD else part[:_MOST_TOLD] + "…" for part in parts)


def _quoted(value: Any) -> Any:
    match value:
        case str():
            return quoted(value)
        case Mapping():
            return {name: _quoted(item) for name, item in value.items()}
        case list() | tuple():
            return [_quoted(item) for item in value]
    return value


def line_of(memory: Memory, now: float, *, mine: bool = False, **more: Any) -> Json:
    """A memory in a list; `mine` marks one from the user's own ledger."""
    line: Json = {
        "id": short(memory.id),
        "version": memory.version,
        "kind": memory.kind,
        "summary": memory.summary,
        "age": age(memory.created, now),
    }
    if memory.status != "active":
        line["status"] = memory.status
    if memory.sensitivity != "public":
        line["sensitivity"] = memory.sensitivity
    if mine:
        line["mine"] = True
    if memory.tags:
        line["tags"] = memory.tags
    return {**line, **more}


def whole(memory: Memory) -> Json:
    """All fields of a memory that have a value."""
    shown = memory.as_json()
    shown["id"] = short(memory.id)
    return {k: v for k, v in shown.items() if v not in (None, "", [], {}, ())}


def page(
    lines: Sequence[Json], offset: int, limit: int, *, name: str = "memories", next_step: str
) -> Json:
    """One page of the lines, how many there are in all, and how to get the next page."""
    shown = list(lines[offset : offset + limit])
    left = max(0, len(lines) - offset - len(shown))
    result: Json = {name: shown, "total": len(lines)}
    if left:
        next_step = f"{left} more: offset={offset + len(shown)}. {next_step}"
    return {**result, "next": next_step if shown else nothing(offset, len(lines))}


def nothing(offset: int, total: int | None = None) -> str:
    """What to do if a page is empty: the offset is past the end, or nothing was found."""
    if offset and total != 0:
        known = "" if total is None else f" of {total}"
        return f"offset={offset} is past the end{known}; start with offset=0."
    return "Nothing found; try other words."
