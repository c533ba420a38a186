"""The simulated year is what it says: seeded, full of junk, and honest about what it asks."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks.sleep.growth import exponent, make_memories
from benchmarks.sleep.plots import Chart, draw
from benchmarks.sleep.simulation import Life
from benchmarks.sleep.year import make_year, sessions_of


def test_a_seed_makes_a_year() -> None:
    """The same one each time, another one for another seed; mostly junk, some facts."""
    year = make_year(seed=3)
    labels = Counter(event.label[:7] for event in year.events if event.what == "capture")

    assert make_year(seed=3) == year
    assert make_year(seed=4).events != year.events
    assert 19_900 < len(year.events) < 20_100
    assert year.events == sorted(year.events, key=lambda event: event.at)
    length = year.events[-1].at - year.events[0].at
    assert timedelta(days=330) < length < timedelta(days=400)
    assert labels["junk"] > 20 * labels["planted"] > 0


def test_what_is_asked_for_was_planted_before() -> None:
    """Nobody asks for what is not there yet, and every question names its fact."""
    year = make_year(seed=3, events=4000, days=80)
    born = {fact.key: fact.born for fact in year.planted}

    asked = [e for e in year.events if e.what == "prompt" and e.label]

    assert asked
    assert all(born[event.label] <= event.at for event in asked)
    assert len({fact.question for fact in year.planted}) == len(year.planted)


def test_both_arms_live_through_the_same_events(tmp_path: Path, isolated: Path) -> None:
    """A month: the sleeping one has less in sight, and neither has lost anything."""
    year = make_year(seed=3, events=900, days=30)
    assert year.planted

    awake = Life(tmp_path / "awake", sleeping=False).live(year, lambda _: None)
    asleep = Life(tmp_path / "asleep", sleeping=True).live(year, lambda _: None)

    assert awake.lost == asleep.lost == []
    assert (awake.sleeps, awake.merged, awake.archived) == (0, 0, 0)
    assert asleep.sleeps > 5
    # The window of session summaries retires some in both.
    assert asleep.visible < awake.visible <= awake.memories
    sessions = len(list(sessions_of(year.events)))
    for outcome in (awake, asleep):
        assert sum(month.sessions for month in outcome.months) == sessions


def test_asking_leaves_no_trace(tmp_path: Path, isolated: Path) -> None:
    """A probe must not change what it measures."""
    year = make_year(seed=3, events=400, days=14)
    life = Life(tmp_path / "repo", sleeping=False)
    life.live(year, lambda _: None)
    before = life.store.local.usage.uses(), life.store.local.usage.shown()

    first = life.probe(year.planted)

    assert life.probe(year.planted) == first
    assert (life.store.local.usage.uses(), life.store.local.usage.shown()) == before


def test_a_picture_is_well_formed() -> None:
    """One line for each arm in each chart."""
    chart = Chart("a < b", ["01", "02", "03"], {"one": [1.0, 2.0, 3.0], "two": [0.0, 0.0, 9.0]})
    shares = Chart("c", ["01", "02"], {"one": [0.5, 0.25]}, percent=True)

    root = ElementTree.fromstring(draw([chart, shares]))

    assert len(root.findall(".//{*}polyline")) == 3


def test_growth_is_measured_as_a_power() -> None:
    """Ten times the size in a hundred times the time is the square."""
    assert exponent((10, 1.0), (100, 100.0)) == pytest.approx(2.0)
    assert make_memories(50) == make_memories(50)
    assert len({memory.uid for memory in make_memories(500)}) == 500
