"""What a tool gives back: compact JSON with ids, versions and the next step; errors that help."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from recollect.core.age import age
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.errors import RecollectError
from recollect.mcp.hints import for_agents
from recollect.redact.gate import told as without_secrets
from recollect.search.sanitise import quoted

Json = dict[str, Any]
_MOST_TOLD = 2000
# No full stop follows an id where people read it, but here a hint comes next.
_ENDS = (".", "!", "?", "…", ":")


class Outcome(NamedTuple):
    """The text of a result, and whether it tells of an error."""

    text: str
    is_error: bool = False


def succeeded(result: Mapping[str, Any]) -> Outcome:
    """A result."""
    said = json.dumps(_quoted(result), ensure_ascii=False, separators=(",", ":"))
    return Outcome(said)


def failed(error: RecollectError) -> Outcome:
    """An error with what to do about it."""
    return Outcome(quoted(without_secrets(told(error))), is_error=True)


def told(error: RecollectError) -> str:
    """What went wrong and what to do, for an agent; what it sent is not sent back at length."""
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


def line_of(memory: Memory, now: float, **more: Any) -> Json:
    """A memory in a list."""
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
    if memory.tags:
        line["tags"] = memory.tags
    return {**line, **more}


def whole(memory: Memory) -> Json:
    """All of a memory that says something."""
    shown = memory.as_json()
    shown["id"] = short(memory.id)
    return {k: v for k, v in shown.items() if v not in (None, "", [], {}, ())}


def page(
    lines: Sequence[Json], offset: int, limit: int, *, name: str = "memories", next_step: str
) -> Json:
    """Some of the lines, how many there are, and how to get on."""
    shown = list(lines[offset : offset + limit])
    left = max(0, len(lines) - offset - len(shown))
    result: Json = {name: shown, "total": len(lines)}
    if left:
        next_step = f"{left} more: offset={offset + len(shown)}. {next_step}"
    return {**result, "next": next_step if shown else nothing(offset, len(lines))}


def nothing(offset: int, total: int | None = None) -> str:
    """What to do where a page is empty: it lies past the end, or there is nothing at all."""
    if offset and total != 0:
        known = "" if total is None else f" of {total}"
        return f"offset={offset} is past the end{known}; begin with offset=0."
    return "Nothing found; try other words."
