"""Checks that the clock is plausible before anything is archived or erased because of its age.

A clock that jumped ahead makes everything old at once. Local state and git's reflogs, which this
machine wrote by its own clock, show when something last happened here. Records of other people
prove nothing about this clock.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from recollect.errors import ClockJumped

if TYPE_CHECKING:
    from recollect.store.store import Store

_DAY = 86_400.0
# After a longer gap, either time has passed or the clock has jumped.
FORWARD_JUMP: Final = 45 * _DAY
# If the clock stays where it is for this long, time has really passed.
TRUSTED_AFTER: Final = 3 * _DAY
# Normal clock corrections are smaller than this.
BACKWARD_SLACK: Final = 600.0
_FIX = "Correct the clock. If it is right, run: recollect sleep --force"


def check_clock(store: Store, *, force: bool = False) -> None:
    """Raise an error if the clock has jumped; with `force`, a person confirms that it is right."""
    if force:
        confirm_clock(store)
    problem = clock_problem(store)
    if problem:
        raise ClockJumped(problem, f"Nothing was changed. {_FIX}")


def confirm_clock(store: Store) -> None:
    """Record that a person confirms the clock, and drop stored times that are in the future."""
    now = store.now()
    store.local.make_folder()
    store.local.maintenance.set_back(now, store.local.maintenance.last_sleep())
    store.local.maintenance.confirm_clock(now)


def clock_problem(store: Store) -> str:
    """Return why the clock is not plausible, as a sentence; empty if it is."""
    now = store.now()
    log = store.local.maintenance
    last = log.last_sleep()
    if last is not None and now < last - BACKWARD_SLACK:
        return f"The clock says {_date(now)}, which is before the last sleep ({_date(last)})."
    confirmed = log.confirmed()
    moments = log.moments()
    before = jumped_from(moments, now, confirmed)
    if before is not None:
        # A manual capture leaves no local state, but the reflogs have it.
        before = jumped_from([*moments, *_reflog_moments(store)], now, confirmed)
    if before is None:
        return ""
    return (
        f"The clock says {_date(now)}, but the last activity here was on"
        f" {_date(before)}. The clock may have jumped."
    )


def jumped_from(moments: Sequence[float], now: float, confirmed: float | None) -> float | None:
    """Return the last moment before a recent jump of the clock, or None."""
    known = [moment for moment in moments if moment <= now + BACKWARD_SLACK]
    trusted_until = now - TRUSTED_AFTER
    if confirmed is not None and confirmed <= now + BACKWARD_SLACK:
        trusted_until = max(trusted_until, confirmed)
        # The clock goes on afterwards, so what follows is compared with the confirmation.
        known.append(confirmed)
    known.sort()
    if not known:
        return None
    for earlier, later in zip(known, [*known[1:], now], strict=True):
        if later - earlier > FORWARD_JUMP and later > trusted_until:
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
