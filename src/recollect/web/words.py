"""What hooks recorded, in words: the steps of a trace as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect.api.recollect import Recollect
from recollect.core.age import seconds_of
from recollect.core.kinds import find_kind
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.state.sessions import Trace

if TYPE_CHECKING:
    from recollect.web.access import Access

# How an event and a step read, and the group of steps that get a colour.
_EVENTS = {
    "session-start": "Session started",
    "prompt": "Prompt",
    "tool-pre": "Before a tool",
    "tool-post": "After a tool",
    "tool-failure": "A tool failed",
    "pre-compact": "Before compaction",
    "stop": "Answer finished",
    "subagent-stop": "Subagent finished",
    "session-end": "Session ended",
}
_GROUPS = {
    "captured": ("kept", "Kept"),
    "unconfirmed": ("kept", "Noticed, waits for you"),
    "confirmed": ("kept", "Confirmed"),
    "restored": ("kept", "Restored"),
    "suggested": ("kept", "Suggested"),
    "injected": ("given", "Gave the agent {}"),
    "titles": ("given", "Gave the agent {}, as titles"),
    "guided": ("given", "Told the agent how to use the memory"),
    "cited": ("used", "The agent used {}"),
    "skipped": ("skipped", "Left out {}"),
    "stopped": ("other", "Gave nothing"),
    "noticed": ("other", "Considered a sentence"),
    "budget": ("other", "Room for memories"),
    "here": ("other", "Where the agent is"),
    "slept": ("other", "Slept: looked for memories to merge or hide"),
    "ran out of time": ("failed", "Ran out of time"),
    "failed": ("failed", "Failed"),
    "was ended": ("failed", "Was ended"),
}
_NOT_DETAILS = frozenset(
    {"what", "memories", "uids", "reason", "tokens", "pending", "count", "by", "why"}
)
_SAID_BY = {"user": "a person", "agent": "the agent", "tool": "a tool"}
_CAME_BY = {
    "cli": "the command line",
    "mcp": "a tool of the agent",
    "signal": "noticed in the conversation",
    "sleep": "merged from others",
}
# How detection begins its reasons; see `hooks.consider`.
_SIGNAL = "signal: "
# The parts of a score that a page shows, each from 0 to 1.
PARTS = ("match", "recency", "importance", "trust", "strength", "probability")


class NamedMemory(NamedTuple):
    """A memory that a step names: its text, and the score and reasons with which it was chosen."""

    uid: str
    text: str
    is_known: bool
    score: float | None = None
    reason: str = ""
    parts: Sequence[tuple[str, float]] = ()


class Step(NamedTuple):
    """What one stage recorded."""

    group: str
    head: str
    reason: str
    details: Sequence[str]
    memories: Sequence[NamedMemory]


class EventView(NamedTuple):
    """An event of a session, for a page."""

    at: float
    session: str
    name: str
    milliseconds: float
    steps: Sequence[Step]


def uids_in(steps: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the memories that steps name."""
    for step in steps:
        yield from step.get("uids") or ()
        memories = step.get("memories")
        if isinstance(memories, list):
            yield from (str(item["uid"]) for item in memories)


def views_of(store: Recollect, access: Access, traces: Sequence[Trace]) -> list[EventView]:
    """Return events as people read them."""
    uids = sorted({uid for trace in traces for uid in uids_in(trace.steps)})
    known = {memory.uid: memory for memory in store.get_many(uids)}
    if store.personal is not None:
        known |= {memory.uid: memory for memory in store.personal.get_many(uids)}
    return [
        EventView(
            trace.at,
            trace.session,
            _EVENTS.get(trace.event, trace.event),
            trace.milliseconds,
            [_step(step, known, access) for step in trace.steps],
        )
        for trace in traces
    ]


def _step(step: Mapping[str, Any], known: Mapping[str, Memory], access: Access) -> Step:
    what = str(step["what"])
    group, head = _GROUPS.get(what, ("other", what[:1].upper() + what[1:]))
    scored = step.get("memories")
    items: list[Mapping[str, Any]] = (
        list(scored)
        if isinstance(scored, list)
        else [{"uid": uid} for uid in step.get("uids") or ()]
    )
    number = step.get("count") or len(items)
    counted = f"{number} {'memory' if number == 1 else 'memories'}" if number else ""
    head = head.format(counted).rstrip() if "{}" in head else f"{head} {counted}".rstrip()
    details = [f"{name} {_told(value)}" for name, value in step.items() if _is_detail(name, value)]
    if isinstance(scored, int) and scored:
        details.insert(0, f"{scored} memories")
    if step.get("tokens"):
        details.insert(0, f"{step['tokens']} tokens")
    if step.get("by"):
        details.append(f"decided by {step['by']}")
    if step.get("pending"):
        details.append(f"{step['pending']} will be written by a later event")
    reasons = [_reason(str(step[name])) for name in ("reason", "why") if step.get(name)]
    return Step(
        group, head, " · ".join(reasons), details, [_named(item, known, access) for item in items]
    )


def _reason(text: str) -> str:
    """Return a reason in words: detection notes the kind that a sentence sounds like."""
    if not text.startswith(_SIGNAL):
        return text
    kind = find_kind(text.removeprefix(_SIGNAL))
    named = kind.aliases[0].replace("_", " ") if kind is not None and kind.aliases else ""
    return f"it sounds like a {named}" if named else text


def origin(provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return where a memory comes from, in words: who said it, how it came in, and why."""
    rows = [
        ("Said by", _SAID_BY.get(str(provenance.get("said_by")), "")),
        ("Came by", _CAME_BY.get(str(provenance.get("via")), str(provenance.get("via") or ""))),
        ("Because", _reason(str(provenance.get("why") or ""))),
        ("At", _EVENTS.get(str(provenance.get("hook")), str(provenance.get("hook") or ""))),
        ("Confirmed", str(provenance.get("confirmed") or "")),
    ]
    return [row for row in rows if row[1]]


def _is_detail(name: str, value: Any) -> bool:
    return name not in _NOT_DETAILS and bool(value)


def _named(item: Mapping[str, Any], known: Mapping[str, Memory], access: Access) -> NamedMemory:
    uid = str(item["uid"])
    memory = known.get(uid)
    text = access.shown(memory) if memory is not None else "not here any more"
    parts = [(name, float(item[name])) for name in PARTS if isinstance(item.get(name), float)]
    score = item.get("score")
    return NamedMemory(
        uid,
        text,
        memory is not None,
        float(score) if isinstance(score, int | float) else None,
        str(item.get("reason") or ""),
        parts,
    )


def _told(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_told(one)}" for name, one in value.items())
    is_list = isinstance(value, Sequence) and not isinstance(value, str)
    return " ".join(map(str, value)) if is_list else str(value)


def moment(at: float | None) -> str:
    """Return a time in local time, to the second."""
    return "" if at is None else f"{datetime.fromtimestamp(at).astimezone():%Y-%m-%d %H:%M:%S}"


def stamp(timestamp: str | None) -> str:
    """Return a stored timestamp in local time, to the minute; what is no timestamp, as it is."""
    at = seconds_of(timestamp)
    return (timestamp or "?") if at is None else moment(at)[:16]


def clock(at: float) -> str:
    """Return the time of day."""
    return f"{datetime.fromtimestamp(at).astimezone():%H:%M:%S}"
