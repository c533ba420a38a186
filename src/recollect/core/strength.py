"""How strong a memory is: what use has made of it, and what time has left of that.

Use strengthens by its logarithm, so that the tenth time counts less than the first; every day
without use takes the same share away. Strength is computed from the log of uses and the clock and
is never stored: to compute it ten times changes nothing, and a memory's own importance stays what
its author said.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, NamedTuple

from recollect.core.age import not_after
from recollect.core.kinds import BY_NAME

DECAY_PER_DAY: Final = 0.05
# Below this a memory has faded.
FADED: Final = 0.1
# What the first use adds is 0.10, ten uses 0.36.
_GAIN = 0.15
_DAY = 86_400.0
# Knowledge that lasts: why something is as it is.
_LASTING = frozenset({"decision", "discovery"})


class Uses(NamedTuple):
    """How often a memory was used, and when last."""

    times: int = 0
    last: float | None = None


UNUSED = Uses()


def together(parts: Iterable[Uses]) -> Uses:
    """The uses of several memories that have become one."""
    found = list(parts)
    last = max((uses.last for uses in found if uses.last is not None), default=None)
    return Uses(sum(uses.times for uses in found), last)


def pace_of(kind: str, observation_type: str | None) -> float:
    """How fast it fades: permanent kinds not at all, decisions and discoveries at half the rate."""
    if kind in BY_NAME and BY_NAME[kind].permanent:
        return 0.0
    return 0.5 if observation_type in _LASTING else 1.0


def strengthened(importance: float, uses: int) -> float:
    """What use has made of an importance, never above 1."""
    return min(1.0, importance + _GAIN * math.log1p(uses))


def freshness(days: float, *, pace: float = 1.0, rate: float = DECAY_PER_DAY) -> float:
    """What so many days without use leave: 1 at first, and so much less every day, down to 0."""
    return min(1.0, max(0.0, 1.0 - rate * pace * max(0.0, days)))


def strength(
    importance: float,
    uses: Uses,
    *,
    since: float | None,
    now: float,
    pace: float = 1.0,
    rate: float = DECAY_PER_DAY,
) -> float:
    """From 0 to 1. `since` is when the memory was born or came back to life."""
    days = idle_days(uses, since=since, now=now)
    if days is None and pace:
        return 0.0  # nobody knows how old it is
    return strengthened(importance, uses.times) * freshness(days or 0.0, pace=pace, rate=rate)


def idle_days(uses: Uses, *, since: float | None, now: float) -> float | None:
    """Days since a memory was last used, or since its birth; None where that is not known."""
    moments = [moment for moment in (since, uses.last) if moment is not None]
    return (now - not_after(max(moments), now)) / _DAY if moments else None
