"""Answers questions without a topic: the last sessions, what blocks the work, and what is open.

Hooks, the command line and MCP ask here, so that all of them give the same answer.
"""

from __future__ import annotations

from collections.abc import Iterable

from recollect.core.age import not_after, seconds_of
from recollect.core.kinds import SESSIONS
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.index.protocol import Filters, Index
from recollect.search.triggers import BLOCKED, LAST, LEFT, Plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.search.periods import Releases

# What counts for such a question: also what was noticed and nobody has confirmed yet.
STATUSES = frozenset({"active", "unconfirmed"})
# Added to the score of what fits the kind or the time that a question with a topic names. About
# what a full match by age is worth; a judgement.
BOOST = 0.1
# The same for the time before or after a release: more than being new can be worth. A judgement.
RELEASE_BOOST = 0.25
_WIDER = 20  # sessions to compare by their last change
_MOST_OF_PERIOD = 6
_AHEAD = 3600.0  # seconds that the clock of a colleague may be ahead
_DONE = ("resolved", "wont_fix")
# Question → kind, most memories of it, and the reason that `why` shows.
_ANSWERS = {
    BLOCKED: (("blockers", 5, "blocks the work"), (SESSIONS, 1, "last session")),
    LEFT: (
        (SESSIONS, 1, "last session"),
        ("blockers", 3, "blocks the work"),
        ("tech-debt", 3, "still open"),
        ("progress", 1, "progress"),
    ),
    LAST: (
        (SESSIONS, 2, "last session"),
        ("blockers", 3, "blocks the work"),
        ("progress", 1, "progress"),
        ("tech-debt", 1, "still open"),
    ),
}


class Found(NamedTuple):
    """A memory that answers by its kind or its time, and which of them it is."""

    memory: Memory
    reason: str


def answer(
    index: Index, plan: Plan, filters: Filters, now: float, releases: Releases | None = None
) -> list[Found]:
    """Return what answers a question without a topic, the best first."""
    found: dict[str, Found] = {}
    filters = filters._replace(statuses=filters.statuses or STATUSES)
    period = _bounds(plan, now, releases)
    if period is not None:
        since, until = period
        sessions = last_sessions(index, filters, now, _WIDER)
        within = [m for m in sessions if since <= changed(m, now) < until]
        others = index.newest(filters._replace(since=since, until=until), _WIDER, now)
        rest = [memory for memory in others if memory.kind != SESSIONS][:_MOST_OF_PERIOD]
        for memory in (*within, *rest):
            found.setdefault(memory.uid, Found(memory, f"from {plan.period}"))
        if found:
            return list(found.values())
    for ask in (BLOCKED, LEFT, LAST):
        for kind, most, reason in _ANSWERS[ask] if ask in plan.asks else ():
            for memory in _newest(index, kind, filters, now, most):
                found.setdefault(memory.uid, Found(memory, reason))
    return list(found.values())


def _newest(index: Index, kind: str, filters: Filters, now: float, most: int) -> Iterable[Memory]:
    if kind == SESSIONS:
        return last_sessions(index, filters, now, most)
    memories = index.newest(filters._replace(kind=kind), most, now)
    return [m for m in memories if m.content is None or m.content.get("status") not in _DONE]


def last_sessions(index: Index, filters: Filters, now: float, most: int) -> list[Memory]:
    """Return the summaries of sessions, the one that changed last first.

    A session that goes on changes its summary, so its creation does not count.
    """
    found = index.newest(filters._replace(kind=SESSIONS), max(most, _WIDER), now)
    return sorted(found, key=lambda m: (_is_past(m, now), changed(m, now), m.uid), reverse=True)[
        :most
    ]


def _is_past(memory: Memory, now: float) -> bool:
    """Whether a memory has no date in the future, which would put it before all others."""
    moments = (seconds_of(memory.created), seconds_of(memory.updated))
    return all(at is None or at <= now + _AHEAD for at in moments)


def changed(memory: Memory, now: float) -> float:
    """Return when a memory last changed, at most now."""
    moments = (seconds_of(memory.created), seconds_of(memory.updated))
    return max((not_after(at, now) for at in moments if at is not None), default=0.0)


def _bounds(plan: Plan, now: float, releases: Releases | None = None) -> tuple[float, float] | None:
    """Return the beginning and the end of the period that a question names."""
    if not plan.period:
        return None
    from recollect.search.periods import bounds  # few questions name one

    return bounds(plan.period, now, releases)


def is_within(memory: Memory, period: tuple[float, float], now: float) -> bool:
    """Whether a memory was created, or last changed, in a period."""
    created = seconds_of(memory.created)
    moments = (changed(memory, now), *(() if created is None else (created,)))
    return any(period[0] <= moment < period[1] for moment in moments)


def boost(memory: Memory, plan: Plan, now: float) -> float:
    """Return what a memory of the kind or time that a question names gets in addition."""
    kinds = {kind for ask in plan.asks for kind, _, _ in _ANSWERS[ask][:1]}
    period = _bounds(plan, now)
    fits = memory.kind in kinds if period is None else is_within(memory, period, now)
    return BOOST if fits else 0.0
