"""Explains why a memory is strong or fading: the parts of its strength, and its course."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.core.age import seconds_of
from recollect.core.memory import Memory, expires
from recollect.core.named_tuple import NamedTuple
from recollect.core.status import VISIBLE, find_status
from recollect.core.strength import Uses, freshness, pace_of, strength, strengthened
from recollect.sleep.lifecycle import (
    UsageSummary,
    next_archiving,
    status_since,
    visible_since,
)
from recollect.sleep.policy import Policy
from recollect.sleep.run import policy_of, used
from recollect.store.store import Store

_POINTS = 60
_DAY = 86_400.0
# How far the course of a memory that never fades is drawn.
_AHEAD = 30 * _DAY


class Strength(NamedTuple):
    """The current strength of a memory, its parts, and its past and future course."""

    memory: Memory
    now: float
    value: float
    uses: Uses
    # The importance after uses raised it, and what is left of it.
    full: float
    fresh: float
    idle_days: float
    decay_per_day: float
    # When the strength reaches zero without further use; None if it never fades.
    faded_at: float | None
    # When it will be archived without further use, and why. If it has a time to live: when that
    # ends, after which it is retired, used or not.
    archived_at: float | None
    reason: str
    is_limited: bool
    # From creation until it has faded, without further use: moment and strength.
    course: Sequence[tuple[float, float]]
    used_at: Sequence[float]

    def as_json(self) -> dict[str, Any]:
        """Return the report as `--json` prints it."""
        return {
            "id": self.memory.id,
            "uid": self.memory.uid,
            "strength": round(self.value, 4),
            "importance": self.memory.importance,
            "uses": self.uses.times,
            "last_used": self.uses.last,
            "full": round(self.full, 4),
            "freshness": round(self.fresh, 4),
            "idle_days": round(self.idle_days, 2),
            "decay_per_day": self.decay_per_day,
            "faded_at": self.faded_at,
            "archived_at": self.archived_at,
            "reason": self.reason,
            "course": [[round(at), round(value, 4)] for at, value in self.course],
        }


def strength_of(store: Store, memory_id: str) -> Strength:
    """Return the strength of one memory."""
    memory = store.get(memory_id)
    policy = policy_of(store.config)
    now = store.now()
    pace = pace_of(memory.kind, memory.observation_type)
    rate = policy.decay_per_day * pace
    parts = (memory.uid, *memory.sources)
    used_at = sorted(at for uid in parts for at in store.local.usage.moments(uid))
    uses = Uses(len(used_at), max(used_at, default=None))
    starts = _starts(store, memory)

    def at(moment: float) -> float:
        before = [use for use in used_at if use <= moment]
        return strength(
            memory.importance,
            Uses(len(before), max(before, default=None)),
            since=max((start for start in starts if start <= moment), default=starts[0]),
            now=moment,
            pace=pace,
            rate=policy.decay_per_day,
        )

    since = visible_since(memory)
    last = max(since or now, uses.last or 0.0)
    aging = _aging(memory, used(store), policy) if memory.status in VISIBLE else None
    faded_at = last + _DAY / rate if rate else None
    begin, end = starts[0], max(now, faded_at or now + _AHEAD)
    step = (end - begin) / (_POINTS - 1)
    moments = [begin + number * step for number in range(_POINTS)]
    return Strength(
        memory=memory,
        now=now,
        value=at(now) if since is not None or not pace else 0.0,
        uses=uses,
        full=strengthened(memory.importance, uses.times),
        fresh=freshness((now - last) / _DAY, pace=pace, rate=policy.decay_per_day),
        idle_days=max(0.0, now - last) / _DAY,
        decay_per_day=rate,
        faded_at=faded_at,
        archived_at=aging[0] if aging else None,
        reason=aging[1] if aging else "",
        is_limited=aging is not None and aging[0] == expires(memory),
        course=[(moment, at(moment)) for moment in moments],
        used_at=used_at,
    )


def _aging(memory: Memory, used: UsageSummary, policy: Policy) -> tuple[float, str] | None:
    """Return when it will be hidden, and why."""
    aging = next_archiving(memory, used, policy)
    if aging is not None:  # while nothing was ever used here, nothing is archived
        aging = max(aging[0], used.quiet_until), aging[1]
    ends = expires(memory)
    if (
        ends is not None
        and ends >= (status_since(memory) or 0.0)
        and (aging is None or ends <= aging[0])
    ):
        return ends, f"expires after its {memory.ttl} days"
    return aging


def _starts(store: Store, memory: Memory) -> list[float]:
    """Return when it was created, and when it became visible again."""
    moments = [
        seconds_of(record.timestamp)
        for record in store.history(memory.uid)
        if record.uid == memory.uid or find_status(str(record.fields.get("status"))) in VISIBLE
    ]
    known = sorted(moment for moment in moments if moment is not None)
    return known or [store.now()]
