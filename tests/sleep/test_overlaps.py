"""Merged memories of the same sources: one stays, and nothing goes out of sight."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.memory import Memory
from recollect.core.status import VISIBLE
from recollect.sleep.compression import merge
from recollect.sleep.lifecycle import NO_USAGE, is_merged
from recollect.sleep.overlaps import plan_overlaps
from recollect.sleep.planning import as_memory, plan_lifecycle, plan_sleep
from tests.sleep.strategies import NOW, POLICY, memory, outcome

_SOURCES = [memory(n, 20, summary=f"unlike {n}") for n in range(8)]
_POLICY = POLICY._replace(most=0)


def world(groups: list[set[int]], edited: int = 0, restored: int = 8) -> list[Memory]:
    """Sources that several clones have merged, each in its own way; some were touched since."""
    made = [as_memory(merge([_SOURCES[n] for n in sorted(group)])) for group in groups]
    made = [m._replace(times_updated=1) if n < edited else m for n, m in enumerate(made)]
    taken = {uid for one in made for uid in one.relates_to}
    sources = [
        m._replace(status="archived", status_by="merge") if m.uid in taken and n < restored else m
        for n, m in enumerate(_SOURCES)
    ]
    return [*sources, *{m.uid: m for m in made}.values()]


@given(
    st.lists(st.sets(st.integers(0, 7), min_size=3, max_size=6), max_size=5),
    st.integers(0, 2),
    st.integers(4, 8),
    st.randoms(),
)
def test_one_stays_and_nothing_goes_out_of_sight(
    groups: list[set[int]], edited: int, restored: int, rng: object
) -> None:
    """In every order; afterwards no two share a source, unless somebody reworded both."""
    before = world(groups, edited, restored)
    shuffled = list(before)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]

    plan = plan_lifecycle(before, NO_USAGE, _POLICY, NOW)
    other = plan_lifecycle(shuffled, NO_USAGE, _POLICY, NOW)

    key = {(s.memory.uid, s.status, s.due) for s in plan.steps}
    assert key == {(s.memory.uid, s.status, s.due) for s in other.steps}
    after = {m.uid: m for m in outcome(before, plan)}
    visible = [m for m in after.values() if m.status in VISIBLE]
    merged = [m for m in visible if is_merged(m)]
    held = [uid for m in merged if not m.times_updated for uid in m.relates_to]
    reworded = {uid for m in merged if m.times_updated for uid in m.relates_to}
    assert len(held) == len(set(held))
    assert reworded.isdisjoint(held)
    seen = {m.uid for m in visible} | {uid for m in merged for uid in m.relates_to}
    assert seen >= {source.uid for source in _SOURCES}
    assert plan_overlaps(list(after.values()), NOW) == []
    assert plan_sleep(list(after.values()), NO_USAGE, _POLICY, NOW).is_empty


def test_what_was_made_of_more_stays() -> None:
    """A subset is archived; of what only overlaps, the sources that were left come back."""
    steps = plan_overlaps(world([{0, 1, 2}, {0, 1, 2, 3}, {3, 4, 5}]), NOW)

    assert [(s.memory.summary, s.status) for s in steps if not is_merged(s.memory)] == [
        ("unlike 4", "active"),
        ("unlike 5", "active"),
    ]
    archived = [s.memory for s in steps if is_merged(s.memory)]
    assert sorted(len(m.relates_to) for m in archived) == [3, 3]
    assert all(s.status == "archived" for s in steps if is_merged(s.memory))


def test_relations_that_somebody_changed_make_no_difference() -> None:
    """What it was made of does not change with them."""
    *sources, small, large = world([{0, 1, 2}, {0, 1, 2, 3}])
    linked = large._replace(relates_to=("01ELSEWHERE",), times_updated=1)

    steps = plan_overlaps([*sources, small, linked], NOW)

    assert [step.memory.uid for step in steps] == [small.uid]


@pytest.mark.parametrize("days", [100, 130])
def test_a_source_that_has_expired_does_not_come_back(days: int) -> None:
    """It is retired at once, instead of being restored now and retired by the next sleep."""
    source = memory(1, days, ttl=100, status="archived", status_by="merge")

    plan = plan_sleep([source], NO_USAGE, POLICY, NOW)

    assert [step.status for step in plan.steps] == ["retired"]
    assert plan_sleep(outcome([source], plan), NO_USAGE, POLICY, NOW).steps == ()
