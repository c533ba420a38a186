"""Decides when memories are archived and retired because of their age.

Timers start at the last change, at the last use, or when this clone first saw a memory, whichever
is latest: a clone that just received a memory cannot know that nobody uses it. A memory that a
person archived stays archived. Permanent kinds never age, and nothing here purges anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from recollect.core.age import seconds_of
from recollect.core.memory import VIA_SLEEP, Memory, expires, is_expired, status_before_hiding
from recollect.core.named_tuple import NamedTuple
from recollect.core.status import ARCHIVED, RETIRED, UNCONFIRMED, VISIBLE, find_status
from recollect.core.strength import (
    FADED,
    UNUSED,
    Uses,
    pace_of,
    strength,
    strengthened,
    together,
)
from recollect.core.unconfirmed import ends_at
from recollect.sleep.plan import BY_AGE, BY_MERGE, BY_USE, Step
from recollect.sleep.policy import Policy

_DAY = 86_400.0
# From this importance on, a memory does not fade before its retention ends.
IMPORTANT = 0.7
# From this importance on, age does not retire what a person said.
PRECIOUS = 0.9
# The provenance of memories that somebody asked for.
_REQUESTED = frozenset({"marker", "request"})


class UsageSummary(NamedTuple):
    """What the usage log knows about memories."""

    uses: Mapping[str, Uses] = MappingProxyType({})
    shown: Mapping[str, float] = MappingProxyType({})
    # When this clone first saw a memory; memories that are not listed count from `begins`.
    known: Mapping[str, float] = MappingProxyType({})
    begins: float = -math.inf
    # Until then, nothing is archived by age. Nothing has been used in this clone yet, which says
    # nothing about the memories.
    quiet_until: float = -math.inf

    def of(self, memory: Memory) -> Uses:
        """Return the uses of a memory, including those of its sources."""
        return together([self.uses.get(uid, UNUSED) for uid in (memory.uid, *memory.sources)])

    def known_since(self, memory: Memory) -> float:
        """Return when this clone first saw a memory; for a merged one, the last of its sources."""
        parts = memory.sources or (memory.uid,)
        return max(self.known.get(uid, self.begins) for uid in parts)


NO_USAGE = UsageSummary()


class Aging(NamedTuple):
    """The status changes that are due, what may be purged, and how many memories exceed the cap."""

    steps: tuple[Step, ...]
    purgeable: tuple[Memory, ...]
    over_cap: int


def plan_aging(
    memories: Iterable[Memory], used: UsageSummary, policy: Policy, now: float, *, merged: int = 0
) -> Aging:
    """Return the status changes that are due; `merged` counts memories just made."""
    steps: list[Step] = []
    purgeable: list[Memory] = []
    staying: list[Memory] = []
    for memory in memories:
        step = due_step(memory, used, policy, now)
        if step is not None:
            steps.append(step)
        elif memory.status in VISIBLE:
            staying.append(memory)
        is_over = memory.status == RETIRED and _passed(memory, now) >= policy.grace
        if is_over and _may_be_erased(memory):
            purgeable.append(memory)
    visible = len(staying) + merged + sum(step.status in VISIBLE for step in steps)
    room = _make_room(staying, used, policy, now, visible)
    return Aging(
        (*steps, *room),
        tuple(purgeable),
        max(0, visible - len(room) - policy.most) if policy.most else 0,
    )


def due_step(memory: Memory, used: UsageSummary, policy: Policy, now: float) -> Step | None:
    """Return the status change that a memory is due for, if there is one."""
    ends = expiry_due(memory, now)
    if ends is not None:
        return Step(memory, RETIRED, f"expired after its {memory.ttl} days", BY_AGE, ends)
    if memory.status == UNCONFIRMED:
        over = ends_at(memory, used.of(memory).last, policy.unconfirmed)
        reason = f"unconfirmed, and not used for {policy.unconfirmed:.0f} days"
        return Step(memory, RETIRED, reason, BY_AGE, over) if over <= now else None
    if memory.status in VISIBLE:
        return _archived_by_age(memory, used, policy, now)
    if memory.status == ARCHIVED and memory.status_by == BY_AGE:
        last = used.of(memory).last
        if last is not None and last > _since(memory):
            reason = "used again after it was archived"
            return Step(memory, status_before_hiding(memory), reason, BY_USE, last)
        ages = policy.retention.get(memory.kind, 0.0) > 0 and may_be_retired(memory)
        if ages and _passed(memory, now) >= policy.archived:
            reason = f"archived by age for {policy.archived:.0f} days"
            return Step(memory, RETIRED, reason, BY_AGE, _since(memory) + policy.archived * _DAY)
    return None


def expiry_due(memory: Memory, now: float) -> float | None:
    """Return when a memory expired, if it is to be retired for that.

    A memory that was restored after it had expired stays.
    """
    if memory.status == RETIRED or not is_expired(memory, now):
        return None
    ends = expires(memory)
    return ends if ends is not None and _since(memory) <= ends else None


def _archived_by_age(memory: Memory, used: UsageSummary, policy: Policy, now: float) -> Step | None:
    aging = next_archiving(memory, used, policy)
    if aging is None or aging[0] > now or used.quiet_until > now:
        return None
    return Step(memory, ARCHIVED, aging[1], BY_AGE, aging[0])


def next_archiving(memory: Memory, used: UsageSummary, policy: Policy) -> tuple[float, str] | None:
    """Return when and why a memory will be archived if nobody uses it; None if it never is."""
    days = policy.retention.get(memory.kind, 0.0)
    since = last_changed(memory)
    if not days or since is None:
        return None
    since = max(since, used.known_since(memory))
    uses = used.of(memory)
    reason = f"not read or cited for {days:.0f} days"
    old = max(since, uses.last or since) + days * _DAY, reason
    # Memories that somebody asked for, marked important, used or restored get their full time.
    if (
        not was_noticed(memory)
        or memory.importance >= IMPORTANT
        or uses.times
        or not is_untouched(memory)
    ):
        return old
    fading = max(_fading_days(memory, policy), policy.min_age)
    answered = max(since, used.shown.get(memory.uid, since))
    return min(old, (answered + fading * _DAY, f"faded: not read or cited for {fading:.0f} days"))


def _fading_days(memory: Memory, policy: Policy) -> float:
    """Return after how many days without use a memory has faded."""
    # A memory merged from several was observed several times.
    full = strengthened(memory.importance, len(memory.sources))
    rate = policy.decay_per_day * _pace(memory)
    if not rate:
        return math.inf
    return max(0.0, 1.0 - FADED / full) / rate if full else 0.0


def _make_room(
    staying: Iterable[Memory], used: UsageSummary, policy: Policy, now: float, visible: int
) -> list[Step]:
    """Archive the weakest memories above the cap, but never permanent or young ones."""
    if not policy.most or visible <= policy.most or used.quiet_until > now:
        return []
    free = []
    for memory in staying:
        since, days = last_changed(memory), policy.retention.get(memory.kind, 0.0)
        if (
            since is not None
            and days
            and not is_merged(memory)
            and now - since >= policy.min_age * _DAY
            and not _is_new_here(memory, used, policy, now)
        ):
            strong = strength_of(memory, used.of(memory), policy, now)
            free.append((strong, memory.importance, since, memory.uid, memory))
    reason = f"one of the weakest of more than {policy.most} memories"
    return [
        Step(memory, ARCHIVED, reason, BY_AGE, now)
        for *_, memory in sorted(free, key=lambda row: row[:4])[: visible - policy.most]
    ]


def _is_new_here(memory: Memory, used: UsageSummary, policy: Policy, now: float) -> bool:
    """Return whether it came from another clone too recently to know whether it is used."""
    known, born = used.known_since(memory), seconds_of(memory.created) or 0.0
    days = policy.retention.get(memory.kind, 0.0)
    return known - born > policy.min_age * _DAY and now - known < days * _DAY


def strength_of(memory: Memory, uses: Uses, policy: Policy, now: float) -> float:
    """Return the current strength of a memory."""
    return strength(
        memory.importance,
        uses,
        since=visible_since(memory),
        now=now,
        pace=_pace(memory),
        rate=policy.decay_per_day,
    )


def status_since(memory: Memory) -> float | None:
    """Return when a memory was created or last changed its status."""
    return seconds_of(memory.status_changed or memory.created)


def visible_since(memory: Memory) -> float | None:
    """Return when a memory was created or last became visible: being hidden is not use."""
    shown = [
        change.get("date")
        for change in memory.changes
        if change.get("field") == "status" and find_status(str(change.get("new_value"))) in VISIBLE
    ]
    return seconds_of(shown[-1] if shown else memory.created)


def last_changed(memory: Memory) -> float | None:
    """Return when a memory was created or last changed in any way."""
    moments = (status_since(memory), seconds_of(memory.updated))
    return max((moment for moment in moments if moment is not None), default=None)


def is_merged(memory: Memory) -> bool:
    """Return whether a memory was merged from others."""
    return memory.provenance.get("via") == VIA_SLEEP


def was_merged(memory: Memory) -> bool:
    """Return whether a memory is archived because it was merged into another one."""
    return (memory.status, memory.status_by) == (ARCHIVED, BY_MERGE)


def was_noticed(memory: Memory) -> bool:
    """Return whether a heuristic captured it, and nobody asked for it or accepted it."""
    said = memory.provenance
    is_confirmed = said.get("accepted") or said.get("confirmed")
    return "hook" in said and said.get("via") not in _REQUESTED and not is_confirmed


def is_untouched(memory: Memory) -> bool:
    """Return whether nobody edited it and its status never changed."""
    return not memory.times_updated and memory.status_changed == memory.created


def may_be_retired(memory: Memory) -> bool:
    """Return whether age alone may retire it, after which `gc` can erase it.

    Memories that somebody asked for, edited, or marked most important are archived by age and stay.
    """
    is_theirs = memory.provenance.get("said_by") == "user" and memory.importance >= PRECIOUS
    return was_noticed(memory) and not is_theirs and not memory.times_updated


def _may_be_erased(memory: Memory) -> bool:
    """Return whether a retired memory may be erased: it expired, or a person retired it."""
    return (
        memory.status_by != BY_AGE
        or memory.ttl is not None
        or memory.was_unconfirmed
        or may_be_retired(memory)
    )


def _pace(memory: Memory) -> float:
    return pace_of(memory.kind, memory.observation_type)


def _since(memory: Memory) -> float:
    since = status_since(memory)
    return float("inf") if since is None else since


def _passed(memory: Memory, now: float) -> float:
    """Return the days since the last change of status; 0 if unknown."""
    since = status_since(memory)
    return 0.0 if since is None else max(0.0, now - since) / _DAY
