"""How long ago something was, in one short word."""

from __future__ import annotations

from datetime import UTC, datetime

_UNITS = ((31_536_000, "y"), (604_800, "w"), (86_400, "d"), (3600, "h"), (60, "m"))


def seconds_of(timestamp: str | None) -> float | None:
    """A timestamp as seconds since 1970; None where it is none."""
    try:
        then = datetime.fromisoformat(timestamp or "")
    except ValueError:
        return None
    return (then if then.tzinfo else then.replace(tzinfo=UTC)).timestamp()


def seconds_since(timestamp: str | None, now: float) -> float | None:
    """How many seconds ago a timestamp was; None where it is none."""
    then = seconds_of(timestamp)
    return None if then is None else max(0.0, now - then)


def age(timestamp: str | None, now: float) -> str:
    """An age such as `3d`; `?` for what is no timestamp."""
    passed = seconds_since(timestamp, now)
    return "?" if passed is None else age_of(passed)


def age_of(passed: float) -> str:
    """Seconds as an age."""
    for size, letter in _UNITS:
        if passed >= size:
            return f"{int(passed // size)}{letter}"
    return "now"
