"""How strong a memory is: what use has made of it, and what time has left of that.

Use strengthens by its logarithm, so that the tenth time counts less than the first; every day
without use takes the same share away. Strength is computed from the log of uses and the clock and
is never stored: to compute it ten times changes nothing, and a memory's own importance stays what
its author said.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

DECAY_PER_DAY: Final = 0.05
# Below this a memory has faded.
FADED: Final = 0.1
# What the first use adds is 0.10, ten uses 0.36.
_GAIN = 0.15
_DAY = 86_400.0
# Knowledge that lasts: why something is as it is.
_LASTING_KINDS = frozenset({"decisions"})
_LASTING_TYPES = frozenset({"decision", "discovery"})


class Uses(NamedTuple):
    """How often a memory was used, and when last."""

    times: int = 0
    last: float | None = None


UNUSED = Uses()


def is_lasting(kind: str, observation_type: str | None) -> bool:
    """Whether it fades at half the rate: decisions and discoveries."""
    return kind in _LASTING_KINDS or observation_type in _LASTING_TYPES


def strengthened(importance: float, uses: int) -> float:
    """What use has made of an importance, never above 1."""
    return min(1.0, importance + _GAIN * math.log1p(uses))


def freshness(days: float, *, lasting: bool, rate: float = DECAY_PER_DAY) -> float:
    """What so many days without use leave: 1 at first, and so much less every day, down to 0."""
    return min(1.0, max(0.0, 1.0 - (rate / 2 if lasting else rate) * max(0.0, days)))


def strength(
    importance: float,
    uses: Uses,
    *,
    since: float | None,
    now: float,
    lasting: bool,
    rate: float = DECAY_PER_DAY,
) -> float:
    """From 0 to 1. `since` is when the memory was born or came back to life."""
    days = idle_days(uses, since=since, now=now)
    if days is None:
        return 0.0  # nobody knows how old it is
    return strengthened(importance, uses.times) * freshness(days, lasting=lasting, rate=rate)


def idle_days(uses: Uses, *, since: float | None, now: float) -> float | None:
    """Days since a memory was last used, or since its birth; None where that is not known."""
    moments = [moment for moment in (since, uses.last) if moment is not None]
    return max(0.0, now - max(moments)) / _DAY if moments else None
