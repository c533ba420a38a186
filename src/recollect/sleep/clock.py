"""Whether the clock can be believed, before anything is archived or erased because of age.

A clock that jumped ahead makes everything old at once. What happened here before is known from
local state and from git's reflogs, which this machine wrote by its own clock; records of others say
nothing about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from recollect.errors import ClockJumped

if TYPE_CHECKING:
    from recollect.store.store import Store

_DAY = 86_400.0
# After a pause of more than this, time may have passed, or the clock may have jumped.
FORWARD_JUMP: Final = 45 * _DAY
# If the clock stays where it is for so long, then the time has passed.
SETTLED_AFTER: Final = 3 * _DAY
# Clocks are corrected by less than this.
BACKWARD_SLACK: Final = 600.0
_FIX = "Correct the clock; if it is right, run: recollect sleep --force"


def check_clock(store: Store, *, force: bool = False) -> None:
    """Refuse to go on where the clock has jumped; with `force`, a person says that it is right."""
    if force:
        confirm_clock(store)
    problem = clock_problem(store)
    if problem:
        raise ClockJumped(problem, f"Nothing was changed. {_FIX}")


def confirm_clock(store: Store) -> None:
    """Note that a person says that the clock is right, and forget times that are still to come."""
    now = store.ledger.clock().timestamp()
    store.local.make_folder()
    store.local.maintenance.set_back(now, store.local.maintenance.last_sleep())
    store.local.maintenance.confirm_clock(now)


def clock_problem(store: Store) -> str:
    """Why the clock cannot be believed, in a sentence; empty where it can."""
    now = store.ledger.clock().timestamp()
    rest = store.local.maintenance
    last = rest.last_sleep()
    if last is not None and now < last - BACKWARD_SLACK:
        return f"The clock says {_date(now)}, which is before the last sleep, {_date(last)}."
    confirmed = rest.confirmed()
    moments = rest.moments()
    before = jumped_from(moments, now, confirmed)
    if before is not None:
        # Captures by hand leave no local state, but the reflogs know.
        before = jumped_from([*moments, *_reflog_moments(store)], now, confirmed)
    if before is None:
        return ""
    return (
        f"The clock says {_date(now)}, and the last thing that happened here was on"
        f" {_date(before)}: it may have jumped."
    )


def jumped_from(moments: Sequence[float], now: float, confirmed: float | None) -> float | None:
    """The last moment before a jump of the clock that has not settled; None where there is none."""
    known = sorted(moment for moment in moments if moment <= now + BACKWARD_SLACK)
    settled = now - SETTLED_AFTER
    if confirmed is not None and confirmed <= now + BACKWARD_SLACK:
        settled = max(settled, confirmed)
    if not known:
        return None
    for earlier, later in zip(known, [*known[1:], now], strict=True):
        if later - earlier > FORWARD_JUMP and later > settled:
            return earlier
    return None


def _reflog_moments(store: Store) -> list[float]:
    from recollect.ledger.refs import reflog_times

    return reflog_times(store.ledger.repository.git)


def _date(moment: float) -> str:
    try:
        return datetime.fromtimestamp(moment, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, OSError, ValueError):
        return str(moment)
