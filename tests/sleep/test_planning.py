"""A plan: what it does once it need not do again, and what it must never touch it leaves."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.kinds import BY_NAME
from recollect.core.memory import Memory
from recollect.core.status import TRANSITIONS
from recollect.core.strength import Uses
from recollect.sleep.compression import highest_sensitivity, merge, plan_merges
from recollect.sleep.lifecycle import NO_USAGE, UsageSummary, plan_aging
from recollect.sleep.plan import Plan
from recollect.sleep.planning import as_memory, plan_lifecycle, plan_sleep
from recollect.sleep.policy import Policy
from tests.sleep.strategies import (
    DAY,
    NOW,
    POLICY,
    memories,
    memory,
    outcome,
    stamp,
    stores,
)

LEVELS = ("public", "private", "secret", "unknown")
NOTICED = {"said_by": "tool", "via": "tool", "hook": "tool-post"}


def statuses(plan: Plan) -> dict[str, str]:
    """Which memory becomes what."""
    return {step.memory.summary: step.status for step in plan.steps}


@given(stores())
def test_to_sleep_twice_is_to_sleep_once(store: tuple[list[Memory], UsageSummary]) -> None:
    """After a plan was carried out nothing is due, at the same moment."""
    found, used = store
    plan = plan_sleep(found, used, POLICY, NOW)

    again = plan_sleep(outcome(found, plan), used, POLICY, NOW)

    assert again.merges == ()
    assert again.steps == ()


@given(stores(), st.randoms())
def test_the_order_of_memories_does_not_matter(
    store: tuple[list[Memory], UsageSummary], rng: object
) -> None:
    """Two clones that hold the same plan the same."""
    found, used = store
    shuffled = list(found)
    rng.shuffle(shuffled)  # type: ignore[attr-defined]

    one, other = plan_sleep(found, used, POLICY, NOW), plan_sleep(shuffled, used, POLICY, NOW)

    assert {made.uid: made for made in one.merges} == {made.uid: made for made in other.merges}
    assert {(s.memory.uid, s.status) for s in one.steps} == {
        (s.memory.uid, s.status) for s in other.steps
    }


@given(stores())
def test_what_must_not_be_touched_is_left_alone(store: tuple[list[Memory], UsageSummary]) -> None:
    """Permanent kinds do not age, nor does what a person archived; every step is a legal one."""
    found, used = store
    plan = plan_sleep(found, used, POLICY, NOW)

    for step in plan.steps:
        assert step.status in TRANSITIONS[step.memory.status]
        assert step.due <= NOW
        if not step.reason.startswith("expired"):
            assert step.status == "active" or not BY_NAME[step.memory.kind].permanent
            assert step.memory.status != "archived" or step.memory.status_by in ("age", "merge")
    for made in plan.merges:
        assert not BY_NAME[made.kind].permanent
        assert len(made.sources) >= POLICY.least
    touched = [s.memory.uid for s in plan.steps]
    touched += [source.uid for made in plan.merges for source in made.sources]
    assert len(touched) == len(set(touched))


@given(st.lists(memories(), min_size=2, max_size=6))
def test_a_merge_lowers_no_sensitivity_and_keeps_what_matters(sources: list[Memory]) -> None:
    """Highest sensitivity, strongest importance, all concepts and files, every source named."""
    sources = [m._replace(uid=f"{m.uid[:-1]}{at}") for at, m in enumerate(sources)]

    made = as_memory(merge(sources))

    levels = [LEVELS.index(m.sensitivity) for m in sources]
    assert LEVELS.index(made.sensitivity) == max(levels)
    assert made.importance == max(m.importance for m in sources)
    assert set(made.concepts) == {c for m in sources for c in m.concepts}
    assert set(made.files_modified) == {f for m in sources for f in m.files_modified}
    asked = {question for m in sources for question in m.asked_as}
    assert len(made.asked_as) == min(5, len(asked))
    assert set(made.asked_as) <= asked
    assert set(made.relates_to) == {m.uid for m in sources}
    assert len(made.summary) <= 100
    assert "\n" not in made.summary


@given(stores())
def test_spaces_are_not_mixed(store: tuple[list[Memory], UsageSummary]) -> None:
    """What stays on this machine is not merged with what is shared, nor kinds with each other."""
    found, _ = store
    for made in plan_merges(found, POLICY, NOW):
        local = {m.sensitivity in ("private", "secret") for m in made.sources}
        assert len(local) == 1
        assert {m.kind for m in made.sources} == {made.kind}
        assert all(m.sensitivity != "unknown" for m in made.sources)


def test_the_highest_level_of_what_nobody_knows() -> None:
    """A level of a newer version is as good as unknown."""
    assert highest_sensitivity(["public", "cosmic"]) == "unknown"
    assert highest_sensitivity(["private", "secret"]) == "secret"
    assert highest_sensitivity(["public", "public"]) == "public"


def test_what_was_noticed_and_never_used_fades() -> None:
    """What somebody asked to keep, used or called important has its ninety days."""
    fades = memory(1, 17, provenance=NOTICED, summary="noticed")
    kept = memory(2, 17, summary="asked for")
    young = memory(3, 15, provenance=NOTICED, summary="young")
    used = memory(4, 17, provenance=NOTICED, summary="used")
    shown = memory(5, 40, provenance=NOTICED, summary="an answer lately")
    long_ago = memory(6, 40, provenance=NOTICED, summary="an answer long ago")
    important = memory(7, 40, provenance=NOTICED, summary="important", importance=0.7)
    log = UsageSummary(
        {used.uid: Uses(1, NOW - 12 * DAY)}, {shown.uid: NOW - DAY, long_ago.uid: NOW - 20 * DAY}
    )

    plan = plan_lifecycle([fades, kept, young, used, shown, long_ago, important], log, POLICY, NOW)

    assert statuses(plan) == {"noticed": "archived", "an answer long ago": "archived"}
    assert plan.steps[0].reason == "faded: not read or cited for 16 days"


def test_retention_counts_from_the_last_change_or_use() -> None:
    """A restored memory is not archived again at once; a used one stays."""
    old = memory(1, 91, summary="old")
    restored = memory(2, 200, summary="restored", status_changed=stamp(NOW - DAY))
    used = memory(3, 200, summary="used")
    permanent = memory(4, 900, kind="decisions", summary="decided")
    unknown = memory(5, 900, kind="dreams", summary="of a newer version")
    log = UsageSummary({used.uid: Uses(1, NOW - 30 * DAY)})

    plan = plan_lifecycle([old, restored, used, permanent, unknown], log, POLICY, NOW)

    assert statuses(plan) == {"old": "archived"}


def test_only_what_age_archived_goes_on() -> None:
    """A person's word is for ever; what was merged is kept for its summary."""
    since = stamp(NOW - 181 * DAY)
    aged, personal, merged, used = (
        memory(
            n,
            300,
            summary=s,
            status="archived",
            status_by=by,
            status_changed=since,
            provenance=NOTICED,
        )
        for n, s, by in (
            (1, "age", "age"),
            (2, "person", None),
            (3, "merge", "merge"),
            (4, "use", "age"),
        )
    )
    log = UsageSummary({used.uid: Uses(2, NOW - DAY)})

    made = memory(5, 9, provenance={"via": "sleep", "sources": [merged.uid]})

    plan = plan_lifecycle([aged, personal, merged, used, made], log, POLICY, NOW)

    assert statuses(plan) == {"age": "retired", "use": "active"}


@pytest.mark.parametrize(
    ("provenance", "importance", "is_kept"),
    [
        ({"said_by": "user", "via": "cli"}, 0.5, True),
        ({"said_by": "agent", "via": "mcp"}, 0.5, True),
        ({"said_by": "user", "via": "marker", "hook": "prompt"}, 0.5, True),
        ({"said_by": "user", "via": "request", "hook": "prompt"}, 0.5, True),
        ({"said_by": "user", "via": "signal", "hook": "prompt", "accepted": True}, 0.5, True),
        ({"said_by": "user", "via": "signal", "hook": "prompt"}, 0.9, True),
        ({"said_by": "user", "via": "signal", "hook": "prompt"}, 0.8, False),
        ({"said_by": "tool", "via": "tool", "hook": "tool-post"}, 0.9, False),
    ],
)
def test_what_a_person_asked_to_keep_is_not_retired_by_age(
    provenance: dict[str, object], importance: float, is_kept: bool
) -> None:
    """Archived, yes; whether it can be erased is theirs to say."""
    asked = memory(1, 500, provenance=provenance, importance=importance)
    hidden = asked._replace(
        status="archived", status_by="age", status_changed=stamp(NOW - 400 * DAY)
    )

    assert statuses(plan_lifecycle([asked], NO_USAGE, POLICY, NOW)) == {"unlike 1": "archived"}
    plan = plan_lifecycle([hidden], NO_USAGE, POLICY, NOW)
    assert statuses(plan) == ({} if is_kept else {"unlike 1": "retired"})


def test_the_soft_cap_takes_the_weakest_but_no_young_and_no_permanent_ones() -> None:
    """And it says how many are still too many."""
    weak = [memory(n, 30, summary=f"weak {n}", importance=0.2) for n in range(3)]
    strong = [memory(n + 10, 8, summary=f"strong {n}", importance=0.9) for n in range(3)]
    young = [memory(n + 20, 2, summary=f"young {n}", importance=0.0) for n in range(3)]
    decided = [memory(n + 30, 300, kind="decisions", summary=f"decided {n}") for n in range(3)]
    policy = POLICY._replace(most=10)

    plan = plan_lifecycle([*weak, *strong, *young, *decided], NO_USAGE, policy, NOW)
    assert statuses(plan) == {"weak 0": "archived", "weak 1": "archived"}

    plan = plan_lifecycle(
        [*weak, *strong, *young, *decided], NO_USAGE, policy._replace(most=2), NOW
    )
    assert set(statuses(plan)) == {m.summary for m in (*weak, *strong)}
    assert plan.over_cap == 4


def test_what_is_expired_is_retired_unless_somebody_brought_it_back() -> None:
    """Whatever its kind: its author said how long it counts."""
    over = memory(1, 10, kind="decisions", summary="over", ttl=3)
    back = memory(2, 10, summary="back", ttl=3, status_changed=stamp(NOW - DAY))
    valid = memory(3, 2, summary="valid", ttl=3)

    assert statuses(plan_lifecycle([over, back, valid], NO_USAGE, POLICY, NOW)) == {
        "over": "retired"
    }


def test_the_grace_counts_from_retiring() -> None:
    """Only what has been retired for thirty days may be purged, and sleep does not do it."""
    gone = memory(1, 500, status="retired", status_changed=stamp(NOW - 31 * DAY))
    fresh = memory(2, 500, status="retired", status_changed=stamp(NOW - 29 * DAY))

    aging = plan_aging([gone, fresh], NO_USAGE, POLICY, NOW)

    assert aging.purgeable == (gone,)
    assert aging.steps == ()


def test_five_notes_on_one_bug_become_one_that_can_be_read() -> None:
    """Each thing is said once, and every source is named."""
    notes = [
        memory(
            n,
            20 - n,
            kind="solutions",
            summary=f"The checkout test times out on port {port}",
            body=f"The fixture starts the server on port {port}. Ask the system for a free port.",
        )
        for n, port in enumerate(("http", "admin", "http", "debug", "proxy"))
    ]
    (made,) = plan_sleep(notes, NO_USAGE, POLICY, NOW).merges

    assert made.summary == "The checkout test times out on port http (5 solutions)"
    assert made.body.count("Ask the system for a free port.") == 1
    assert made.body.startswith("Made of 5 memories, from ")
    # What differs in one word may differ in what matters.
    for port in ("http", "admin", "debug", "proxy"):
        assert made.body.count(f"starts the server on port {port}.") == 1
    assert made.fields["relates_to"] == [note.uid for note in notes]


def test_nothing_is_merged_twice() -> None:
    """Sources that somebody restored stay restored, and a merged memory is no source again."""
    notes = [memory(n, 20, summary="the same words here") for n in range(4)]
    plan = plan_sleep(notes, NO_USAGE, POLICY, NOW)
    after = outcome(notes, plan)
    restored = [m._replace(status="active", status_by=None) for m in after]

    assert len(plan.merges) == 1
    assert plan_merges(restored, POLICY, NOW + 30 * DAY) == []


def test_permanent_kinds_are_only_proposed() -> None:
    """Somebody must say yes."""
    same = [memory(n, 20, kind="decisions", summary="use postgres for orders") for n in range(3)]

    plan = plan_sleep(same, NO_USAGE, POLICY, NOW)

    assert plan.merges == ()
    assert len(plan.proposals) == 1


def test_what_would_go_at_once_is_not_merged() -> None:
    """Old and never used: the sources are archived as they are."""
    old = [memory(n, 120, summary="the same words here") for n in range(4)]

    plan = plan_sleep(old, NO_USAGE, Policy(retention={"notes": 90.0}), NOW)

    assert plan.merges == ()
    assert {step.status for step in plan.steps} == {"archived"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The build needs Node 18 for the old bundler",
            "The build needs Node 22 for the old bundler",
        ),
        ("The retry flag works with the gateway", "The retry flag does not work with the gateway"),
        ("Pin the client to v1.2.3 for now", "Pin the client to v1.2.4 for now"),
        ("The gateway answers in 30s at most", "The gateway answers in 300s at most"),
        ("Use sha256 for the cache names", "Use md5 for the cache names"),
    ],
)
def test_what_differs_in_a_number_or_a_denial_is_not_merged(one: str, other: str) -> None:
    """It says something else, however many words it shares."""
    alike = [memory(n, 20, summary=one) for n in range(3)]
    unlike = [memory(n, 20, summary=other) for n in range(3, 5)]

    (made,) = plan_merges([*alike, *unlike], POLICY, NOW)

    assert {source.summary for source in made.sources} == {one}
    assert plan_merges([*alike[:2], *unlike], POLICY, NOW) == []
