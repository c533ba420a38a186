"""Strength: more with use, less with time, never out of bounds."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from recollect.core.kinds import KINDS
from recollect.core.strength import Uses, pace_of, strength

NOW = 1_800_000_000.0
DAY = 86_400.0
_importance = st.floats(0, 1)
_days = st.floats(0, 1000)
_times = st.integers(0, 10_000)


def value(importance: float, times: int, idle: float, *, pace: float = 1.0) -> float:
    """The strength of a memory that was last used so many days ago."""
    last = NOW - idle * DAY if times else None
    return strength(importance, Uses(times, last), since=NOW - idle * DAY, now=NOW, pace=pace)


@given(_importance, _times, _days, st.sampled_from((0.0, 0.5, 1.0)))
def test_it_is_bounded(importance: float, times: int, idle: float, pace: float) -> None:
    """From 0 to 1, whatever comes."""
    assert 0.0 <= value(importance, times, idle, pace=pace) <= 1.0


@given(_importance, _times, _days)
def test_another_use_never_makes_it_weaker(importance: float, times: int, idle: float) -> None:
    """Neither one more in the past, nor one now."""
    assert value(importance, times + 1, idle) >= value(importance, times, idle)
    assert value(importance, times + 1, 0.0) >= value(importance, times, idle)


@given(_importance, _times, _days, st.floats(0, 100))
def test_time_never_makes_it_stronger(
    importance: float, times: int, idle: float, more: float
) -> None:
    """The longer nobody uses it, the weaker it is."""
    assert value(importance, times, idle + more) <= value(importance, times, idle)


@given(_importance, _days)
def test_what_lasts_fades_at_half_the_rate(importance: float, idle: float) -> None:
    """A discovery after forty days is what a note is after twenty."""
    assert abs(value(importance, 0, 2 * idle, pace=0.5) - value(importance, 0, idle)) < 1e-9


def test_a_day_takes_a_twentieth() -> None:
    """The figure of the design."""
    assert round(value(1.0, 0, 1), 6) == 0.95
    assert round(value(1.0, 0, 10), 6) == 0.5
    assert value(1.0, 0, 20) == 0.0


def test_uses_count_by_their_logarithm() -> None:
    """The first use adds more than the tenth."""
    gains = [value(0.2, times + 1, 0) - value(0.2, times, 0) for times in range(10)]

    assert all(earlier > later > 0 for earlier, later in pairwise(gains))


def test_decisions_and_discoveries_last() -> None:
    """What was observed counts, whatever it was kept as."""
    assert pace_of("learnings", "discovery") == pace_of("notes", "decision") == 0.5
    assert pace_of("learnings", "bugfix") == pace_of("dreams", None) == 1.0


@given(_importance, _times, _days, st.sampled_from([k.name for k in KINDS if k.permanent]))
def test_what_is_permanent_keeps_its_full_strength(
    importance: float, times: int, idle: float, kind: str
) -> None:
    """Age never takes it below its importance, nor takes away what use has added."""
    kept = value(importance, times, idle, pace=pace_of(kind, None))

    assert kept == value(importance, times, 0.0) >= importance
