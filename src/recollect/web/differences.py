"""Differences between two texts, and between the versions of a memory."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.record import CREATE

if TYPE_CHECKING:
    from recollect.store.history import Version

# Fields that say how a change was made, not what it changed.
_NOT_SHOWN = frozenset(
    {"status", "status_reason", "status_by", "changes", "undoes", "body", "summary"}
)
# Fields that every change changes.
_FOLLOWING = frozenset({"content", "version", "updated", "status_changed", "times_updated"})
_CONTEXT = 2
_MOST_LINES = 400
_LONGEST = 2000  # characters of a line


class Line(NamedTuple):
    """A line of a difference: `+`, `-`, `@` for a gap, or a space for one that stays."""

    sign: str
    text: str


class Change(NamedTuple):
    """One record of a memory: who changed what and when."""

    by: str
    at: str | None
    what: str
    reason: str
    lines: Sequence[Line]
    fields: Sequence[tuple[str, str]]
    # Fields that somebody else only suggests.
    suggested: Sequence[str]


def difference(before: str, after: str) -> list[Line]:
    """Return how one text became another, with a little of what stayed around it."""
    found: list[Line] = []
    old, new = before.splitlines(), after.splitlines()
    # The first two lines name the texts, which have no names.
    for line in islice(difflib.unified_diff(old, new, lineterm="", n=_CONTEXT), 2, None):
        if line.startswith("@@"):
            if found:
                found.append(Line("@", "⋯"))
            continue
        text = line[1:]
        found.append(Line(line[:1], text if len(text) <= _LONGEST else text[:_LONGEST] + " …"))
    return found[:_MOST_LINES]


def of_memories(before: Memory, after: Memory) -> list[Line]:
    """Return how the text of one memory differs from that of another."""
    return difference(_text(before), _text(after))


def changed_fields(before: Memory, after: Memory) -> list[tuple[str, str]]:
    """Return the fields besides the text that two versions differ in, as they are after it."""
    old, new = before.as_json(), after.as_json()
    kept_out = {*_NOT_SHOWN, *_FOLLOWING}
    return [
        (name, _value(value))
        for name, value in new.items()
        if name not in kept_out and old.get(name) != value
    ]


def _text(memory: Memory) -> str:
    return "\n".join(filter(None, (memory.summary, memory.text)))


def changes(versions: Sequence[Version]) -> list[Change]:
    """Return the history of a memory, the newest change first."""
    return list(_changes(versions))[::-1]


def _changes(versions: Sequence[Version]) -> Iterator[Change]:
    before: Memory | None = None
    for version in versions:
        record, now = version.record, version.memory
        is_first = record.op == CREATE or before is None
        lines = difference("" if before is None else _text(before), _text(now))
        fields = [
            (name, _value(value))
            for name, value in record.fields.items()
            if name not in _NOT_SHOWN and name not in version.suggested and not is_first
        ]
        moved = not is_first and before is not None and before.status != now.status
        what = "captured" if is_first else str(now.status) if moved else "changed"
        reason = (now.status_reason or "") if moved else ""
        yield Change(
            record.by or "somebody",
            record.timestamp,
            what,
            reason,
            [] if is_first else lines,
            fields,
            sorted(version.suggested),
        )
        before = now


def _value(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
