"""The life of memories: what fades is archived, what stays archived by age is retired.

Timers run from the last change, the last use, or from when this clone first knew a memory,
whichever is later: who has only just got a memory cannot say that nobody uses it. What a person
archived stays for ever. Permanent kinds never age, and nothing here purges anything.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from recollect.core.age import seconds_of
from recollect.core.memory import VIA_SLEEP, Memory, status_before_hiding
from recollect.core.status import ARCHIVED, RETIRED, VISIBLE, find_status
from recollect.core.strength import (
    FADED,
    UNUSED,
    Uses,
    pace_of,
    strength,
    strengthened,
    together,
)
from recollect.sleep.plan import BY_AGE, BY_MERGE, BY_USE, Step
from recollect.sleep.policy import Policy

_DAY = 86_400.0
# From here on a memory is not forgotten before its retention is over.
IMPORTANT = 0.7
# From here on what a person said is not retired by age.
PRECIOUS = 0.9
# How something came that somebody asked to keep.
_ASKED = frozenset({"marker", "request"})


class Used(NamedTuple):
    """What the log knows of memories: their uses, and when they last answered something."""

    uses: Mapping[str, Uses] = MappingProxyType({})
    shown: Mapping[str, float] = MappingProxyType({})
    # Since when memories are known here; what is not among them is known since `begins`.
    known: Mapping[str, float] = MappingProxyType({})
    begins: float = -math.inf
    # Until then nothing is archived by age: nobody has used anything here, and that says nothing.
    quiet_until: float = -math.inf

    def of(self, memory: Memory) -> Uses:
        """The uses of a memory; those of its sources are its own."""
        return together(self.uses.get(uid, UNUSED) for uid in (memory.uid, *memory.sources))

    def known_since(self, memory: Memory) -> float:
        """When this clone first knew of a memory; of a merged one, of the last of its sources."""
        parts = memory.sources or (memory.uid,)
        return max(self.known.get(uid, self.begins) for uid in parts)


NEVER_USED = Used()


class Lives(NamedTuple):
    """The steps that are due, what may be purged, and how many are too many."""

    steps: tuple[Step, ...]
    purgeable: tuple[Memory, ...]
    over_cap: int


def plan_lives(
    memories: Iterable[Memory], used: Used, policy: Policy, now: float, *, merged: int = 0
) -> Lives:
    """What is due. `merged` memories come on top: they were made of others just now."""
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
    return Lives(
        (*steps, *room),
        tuple(purgeable),
        max(0, visible - len(room) - policy.most) if policy.most else 0,
    )


def due_step(memory: Memory, used: Used, policy: Policy, now: float) -> Step | None:
    """The step that a memory is due for, if there is one."""
    if is_expired(memory, now) and memory.status != RETIRED:
        ends = expires(memory)
        if ends is not None and _since(memory) <= ends:  # one that was restored since stays
            return Step(memory, RETIRED, f"expired after its {memory.ttl} days", BY_AGE, ends)
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


def _archived_by_age(memory: Memory, used: Used, policy: Policy, now: float) -> Step | None:
    aging = next_archiving(memory, used, policy)
    if aging is None or aging[0] > now or used.quiet_until > now:
        return None
    return Step(memory, ARCHIVED, aging[1], BY_AGE, aging[0])


def next_archiving(memory: Memory, used: Used, policy: Policy) -> tuple[float, str] | None:
    """When a memory is archived unless it is used before, and why; None for one that never is."""
    days = policy.retention.get(memory.kind, 0.0)
    since = touched(memory)
    if not days or since is None:
        return None
    since = max(since, used.known_since(memory))
    uses = used.of(memory)
    reason = f"not read or cited for {days:.0f} days"
    old = max(since, uses.last or since) + days * _DAY, reason
    # What somebody asked to keep, called important, used, or brought back has its full time.
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
    """After how many days a memory that nobody used has faded."""
    # To be merged from several is to have been noticed as many times.
    full = strengthened(memory.importance, len(memory.sources))
    rate = policy.decay_per_day * _pace(memory)
    if not rate:
        return math.inf
    return max(0.0, 1.0 - FADED / full) / rate if full else 0.0


def _make_room(
    staying: Iterable[Memory], used: Used, policy: Policy, now: float, visible: int
) -> list[Step]:
    """The weakest go when there are too many; never permanent ones, never young ones."""
    if not policy.most or visible <= policy.most or used.quiet_until > now:
        return []
    free = []
    for memory in staying:
        since, days = touched(memory), policy.retention.get(memory.kind, 0.0)
        if (
            since is not None
            and days
            and not is_merged(memory)
            and now - since >= policy.min_age * _DAY
            and not _is_strange(memory, used, policy, now)
        ):
            strong = strength_of(memory, used.of(memory), policy, now)
            free.append((strong, memory.importance, since, memory.uid, memory))
    reason = f"one of the weakest among more than {policy.most}"
    return [
        Step(memory, ARCHIVED, reason, BY_AGE, now)
        for *_, memory in sorted(free, key=lambda row: row[:4])[: visible - policy.most]
    ]


def _is_strange(memory: Memory, used: Used, policy: Policy, now: float) -> bool:
    """Whether it came from elsewhere, and not long enough ago to know whether it is used."""
    known, born = used.known_since(memory), seconds_of(memory.created) or 0.0
    days = policy.retention.get(memory.kind, 0.0)
    return known - born > policy.min_age * _DAY and now - known < days * _DAY


def strength_of(memory: Memory, uses: Uses, policy: Policy, now: float) -> float:
    """How strong a memory is now."""
    return strength(
        memory.importance,
        uses,
        since=lives_since(memory),
        now=now,
        pace=_pace(memory),
        rate=policy.decay_per_day,
    )


def moved(memory: Memory) -> float | None:
    """When a memory was born, or last changed its status."""
    return seconds_of(memory.status_changed or memory.created)


def lives_since(memory: Memory) -> float | None:
    """When a memory was born, or last came into sight: to be hidden is not to be used."""
    shown = [
        change.get("date")
        for change in memory.changes
        if change.get("field") == "status" and find_status(str(change.get("new_value"))) in VISIBLE
    ]
    return seconds_of(shown[-1] if shown else memory.created)


def touched(memory: Memory) -> float | None:
    """When a memory was born, or last changed in any way."""
    moments = (moved(memory), seconds_of(memory.updated))
    return max((moment for moment in moments if moment is not None), default=None)


def expires(memory: Memory) -> float | None:
    """When a memory's time is over, if it has one."""
    born = seconds_of(memory.created)
    return None if memory.ttl is None or born is None else born + memory.ttl * _DAY


def is_expired(memory: Memory, now: float) -> bool:
    """Whether a memory's time is over."""
    ends = expires(memory)
    return ends is not None and ends <= now


def is_merged(memory: Memory) -> bool:
    """Whether a memory was merged from others."""
    return memory.provenance.get("via") == VIA_SLEEP


def was_merged(memory: Memory) -> bool:
    """Whether it is archived because it was merged into another one."""
    return (memory.status, memory.status_by) == (ARCHIVED, BY_MERGE)


def was_noticed(memory: Memory) -> bool:
    """Whether a heuristic kept it, and nobody asked for it or accepted it."""
    said = memory.provenance
    return "hook" in said and said.get("via") not in _ASKED and not said.get("accepted")


def is_untouched(memory: Memory) -> bool:
    """Whether it is as it was born: nobody edited it, and its status never changed."""
    return not memory.times_updated and memory.status_changed == memory.created


def may_be_retired(memory: Memory) -> bool:
    """Whether age alone may retire it, after which it can be erased.

    What somebody asked to keep, edited, or called most important, is archived by age and stays.
    """
    is_theirs = memory.provenance.get("said_by") == "user" and memory.importance >= PRECIOUS
    return was_noticed(memory) and not is_theirs and not memory.times_updated


def _may_be_erased(memory: Memory) -> bool:
    """Whether what is retired may go for good; its own time is over, or a person said so."""
    return memory.status_by != BY_AGE or memory.ttl is not None or may_be_retired(memory)


def _pace(memory: Memory) -> float:
    return pace_of(memory.kind, memory.observation_type)


def _since(memory: Memory) -> float:
    since = moved(memory)
    return float("inf") if since is None else since


def _passed(memory: Memory, now: float) -> float:
    """Days since the last change of status; 0 where nobody knows."""
    since = moved(memory)
    return 0.0 if since is None else max(0.0, now - since) / _DAY
