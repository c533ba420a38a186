"""What hooks recorded, in words: the steps of a trace as people read them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.api.recollect import Recollect
from recollect.core.age import seconds_of
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.state.sessions import Trace
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
    "injected": ("given", "Gave the agent"),
    "titles": ("given", "Gave titles"),
    "guided": ("given", "Gave the guide"),
    "cited": ("used", "The agent used"),
    "skipped": ("skipped", "Skipped"),
    "ran out of time": ("failed", "Ran out of time"),
    "failed": ("failed", "Failed"),
    "was ended": ("failed", "Was ended"),
}
_NOT_DETAILS = frozenset(
    {"what", "memories", "uids", "reason", "tokens", "pending", "count", "by", "why"}
)
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
    number = step.get("count") or (len(items) if len(items) > 1 else 0)
    if number:
        head += f" {number}"
    details = [f"{name} {_told(value)}" for name, value in step.items() if _is_detail(name, value)]
    if isinstance(scored, int) and scored:
        details.insert(0, f"{scored} memories")
    if step.get("tokens"):
        details.insert(0, f"{step['tokens']} tokens")
    if step.get("by"):
        details.append(f"decided by {step['by']}")
    if step.get("pending"):
        details.append(f"{step['pending']} will be written by a later event")
    reasons = [str(step[name]) for name in ("reason", "why") if step.get(name)]
    return Step(
        group, head, " · ".join(reasons), details, [_named(item, known, access) for item in items]
    )


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
