"""Strength: how much a memory matters, from use and time.

Each use counts less than the one before (logarithmic); each day without use removes the same share.
Strength is computed from the usage log and the clock and never stored, so computing it again
changes nothing, and the importance that the author set stays as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from recollect.core.age import not_after
from recollect.core.kinds import BY_NAME
from recollect.core.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

DECAY_PER_DAY: Final = 0.05
# Below this, a memory has faded.
FADED: Final = 0.1
# The first use adds 0.10, ten uses add 0.36.
_GAIN = 0.15
_DAY = 86_400.0
# Lasting knowledge: why something is as it is.
_LASTING = frozenset({"decision", "discovery"})


class Uses(NamedTuple):
    """How often a memory was used, and when last."""

    times: int = 0
    last: float | None = None


UNUSED = Uses()


def together(found: Sequence[Uses]) -> Uses:
    """Combine the uses of several memories that were merged into one."""
    if len(found) < 2:
        return found[0] if found else UNUSED
    last = max((uses.last for uses in found if uses.last is not None), default=None)
    return Uses(sum(uses.times for uses in found), last)


def pace_of(kind: str, observation_type: str | None) -> float:
    """Return how fast it fades: permanent kinds never, lasting observations at half the rate."""
    if kind in BY_NAME and BY_NAME[kind].permanent:
        return 0.0
    return 0.5 if observation_type in _LASTING else 1.0


def strengthened(importance: float, uses: int) -> float:
    """Return the importance raised by use, at most 1."""
    return min(1.0, importance + _GAIN * math.log1p(uses))


def freshness(days: float, *, pace: float = 1.0, rate: float = DECAY_PER_DAY) -> float:
    """Return what remains after days without use: from 1 down to 0."""
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
    """Return the strength, 0 to 1. `since` is when the memory was created or restored."""
    days = idle_days(uses, since=since, now=now)
    if days is None and pace:
        return 0.0  # age unknown
    return strengthened(importance, uses.times) * freshness(days or 0.0, pace=pace, rate=rate)


def idle_days(uses: Uses, *, since: float | None, now: float) -> float | None:
    """Return the days since a memory was last used or created; None if unknown."""
    last = uses.last
    if last is None or (since is not None and since > last):
        last = since
    return None if last is None else (now - not_after(last, now)) / _DAY
