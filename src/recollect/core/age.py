"""Timestamps and ages: parsing them, comparing them, and showing them as `3d`."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import lru_cache

from recollect.core import limits

# Timestamps that are not read again: a memory has the same one several times.
_KEPT = 2_000
_UNITS = ((31_536_000, "y"), (604_800, "w"), (86_400, "d"), (3600, "h"), (60, "m"))


class DateOutOfRange(ValueError):
    """A date is outside the supported range, so no clock or calendar function accepts it."""


def parse_moment(timestamp: str | None) -> datetime | None:
    """Parse a timestamp to UTC; None if it is invalid. Raises only `DateOutOfRange`."""
    try:
        then = datetime.fromisoformat(timestamp or "")
        offset = then.utcoffset()
    except (TypeError, ValueError, OverflowError):
        return None
    try:
        if then.tzinfo is not UTC:  # ours are in UTC
            then = then.replace(tzinfo=UTC) if offset is None else then.astimezone(UTC)
    except (ValueError, OverflowError):
        raise DateOutOfRange(str(timestamp)) from None
    if offset and abs(offset.total_seconds()) > limits.OFFSET_SECONDS:
        raise DateOutOfRange(str(timestamp))
    if not limits.FIRST_YEAR <= then.year <= limits.LAST_YEAR:
        raise DateOutOfRange(str(timestamp))
    return then


@lru_cache(_KEPT)
def seconds_of(timestamp: str | None) -> float | None:
    """Return a timestamp as seconds since 1970; None if it is invalid or out of range."""
    try:
        then = parse_moment(timestamp)
    except DateOutOfRange:
        return None
    return None if then is None else then.timestamp()


def not_after(moment: float, now: float) -> float:
    """Cap a moment at now."""
    return min(moment, now)


def counted(timestamp: str | None, now: float) -> str:
    """Cap a timestamp at now; empty if it is invalid."""
    then = seconds_of(timestamp)
    if then is None or then <= now:
        return timestamp or ""
    return datetime.fromtimestamp(now, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds_since(timestamp: str | None, now: float) -> float | None:
    """Return how many seconds ago a timestamp was; None if it is invalid."""
    then = seconds_of(timestamp)
    return None if then is None else now - not_after(then, now)


def age(timestamp: str | None, now: float) -> str:
    """Return an age such as `3d`; `?` for an invalid timestamp."""
    passed = seconds_since(timestamp, now)
    return "?" if passed is None else age_of(passed)


def age_of(passed: float) -> str:
    """Format seconds as an age."""
    for size, letter in _UNITS:
        if passed >= size:
            return f"{int(passed // size)}{letter}"
    return "now"
