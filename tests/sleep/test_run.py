"""Sleep on real git: what it does can be undone, repeated, interrupted, and shared."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recollect.api import review
from recollect.api.recollect import Recollect
from recollect.capture import suggestions
from recollect.core.memory import Memory
from recollect.errors import LockTimeout
from recollect.sleep import purge as erasing
from recollect.sleep.lifecycle import is_merged
from recollect.sleep.run import (
    carry_out,
    is_due,
    make_plan,
    plan_of_lifecycle,
    sleep,
    sleep_if_due,
    sleep_lock,
)
from recollect.sleep.strength_report import strength_of
from tests.sandbox import Sandbox
from tests.support.dated import NOTICED, NOW, at, capture, notes, states


def _content(memory: Memory) -> Memory:
    """A memory without what its history makes of it."""
    return memory._replace(
        relates_to=(), version="", updated=None, status_changed=None, changes=(), times_updated=0
    )


def test_merging_links_both_ways_and_restore_is_byte_exact(store: Recollect) -> None:
    """The sources are archived, the merged one names them, and they come back as they were."""
    sources = capture(store, notes(20, 19, 18, 17, 16, tags=["checkout"]))

    plan = sleep(store)

    (merged,) = store.memories()
    assert len(plan.merges) == 1
    assert set(merged.relates_to) == {memory.uid for memory in sources}
    assert merged.tags == ("checkout",)
    for source in sources:
        archived = store.get(source.uid)
        assert (archived.status, archived.status_by) == ("archived", "merge")
        assert merged.uid in archived.relates_to
        back = store.set_status(source.uid, "active")
        assert back.status_by is None
        assert _content(back) == _content(source)
    assert make_plan(store).merges == ()


def test_ten_nights_are_as_good_as_one(store: Recollect) -> None:
    """Sleeping again at the same moment writes nothing."""
    capture(store, notes(20, 19, 18, 17) + notes(100, kind="notes"))
    sleep(store)
    tips = store.ledger.tips()
    found = states(store)

    for _ in range(9):
        assert sleep(store).is_empty

    assert store.ledger.tips() == tips
    assert states(store) == found


def test_a_dry_run_says_what_a_run_then_does(store: Recollect) -> None:
    """The plan is the deed."""
    capture(
        store,
        notes(20, 19, 18)
        + notes(100, kind="notes")
        + notes(30, kind="notes", summary="Ran the tests", provenance=NOTICED)
        + notes(9, kind="notes", summary="Freeze until Friday", ttl=3),
    )
    planned = make_plan(store)
    before = states(store)

    done = sleep(store)

    assert done.as_json() == planned.as_json()
    after = states(store)
    changed = {uid: after[uid].status for uid in before if after[uid].status != before[uid].status}
    assert changed == {
        **{step.memory.uid: step.status for step in planned.steps},
        **{source.uid: "archived" for made in planned.merges for source in made.sources},
    }
    assert after.keys() - before.keys() == {made.uid for made in planned.merges}


@settings(
    max_examples=8,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    ages=st.lists(st.integers(8, 200), min_size=3, max_size=7),
    first=st.booleans(),
    both=st.booleans(),
    used=st.booleans(),
)
def test_two_clones_that_sleep_apart_agree(
    tmp_path_factory: pytest.TempPathFactory, ages: list[int], first: bool, both: bool, used: bool
) -> None:
    """Whoever sleeps, and whoever syncs first: in the end they hold the same."""
    place = Sandbox(tmp_path_factory.mktemp("apart"))
    try:
        place.make_hub()
        ada, bob = (at(place.open(place.clone(name)), NOW) for name in ("ada", "bob"))
        capture(
            ada,
            notes(*ages, provenance=NOTICED)
            + notes(*ages[:3], kind="notes", summary="Ran the tests", provenance=NOTICED),
        )
        ada.sync()
        bob.sync()
        if used:
            bob.used(bob.memories()[:1])
        at(bob, NOW + timedelta(hours=7))
        sleep(ada)
        if both:
            sleep(bob)
        for store in (ada, bob, ada) if first else (bob, ada, bob):
            store.sync()

        assert place.trees(place.root / "ada") == place.trees(place.root / "bob")
        assert states(ada) == states(bob)
        made = [memory for memory in states(ada).values() if is_merged(memory)]
        assert len({frozenset(memory.relates_to) for memory in made}) == len(made)
    finally:
        place.close()


def test_equal_clones_merge_into_one(sandbox: Sandbox) -> None:
    """The uid derives from the sources: two merges of the same are the same."""
    sandbox.make_hub()
    ada, bob = (at(sandbox.open(sandbox.clone(name)), NOW) for name in ("ada", "bob"))
    capture(ada, notes(20, 19, 18, 17))
    ada.sync()
    bob.sync()

    sleep(ada)
    sleep(bob)
    for store in (ada, bob, ada):
        store.sync()

    assert states(ada) == states(bob)
    assert len([memory for memory in states(ada).values() if is_merged(memory)]) == 1


def test_private_memories_are_merged_on_this_machine_only(
    store: Recollect, sandbox: Sandbox
) -> None:
    """A merge of secrets is a secret, in the space that is never shared."""
    capture(store, notes(20, 19, sensitivity="private") + notes(18, sensitivity="secret"))

    sleep(store)

    (merged,) = (memory for memory in store.memories() if is_merged(memory))
    assert merged.sensitivity == "secret"
    assert {place.space for place in store.indexing.fresh().places(merged.uid)} == {"local"}
    store.sync()
    assert b"checkout test" not in sandbox.all_bytes(sandbox.hub)


def test_what_age_archived_comes_back_when_it_is_used(store: Recollect) -> None:
    """Using it again says that it should not have gone."""
    (memory,) = capture(store, notes(100, kind="notes"))
    sleep(store)
    assert store.get(memory.uid).status == "archived"

    later = NOW + timedelta(days=1)
    at(store, later).used([memory])
    sleep(store)

    back = store.get(memory.uid)
    assert (back.status, back.status_by) == ("active", "use")
    assert make_plan(store).is_empty


def test_what_a_person_archived_stays(store: Recollect) -> None:
    """For ever, whatever its age; after age archived it, it is retired 180 days later."""
    mine, aged = capture(store, notes(1, 95, kind="notes", provenance=NOTICED))
    store.set_status(mine.uid, "archived", "keep this")
    sleep(store, plan_of_lifecycle)

    at(store, NOW + timedelta(days=2000))
    sleep(store, plan_of_lifecycle)

    assert store.get(mine.uid).status == "archived"
    gone = store.get(aged.uid)
    assert (gone.status, gone.status_by) == ("retired", "age")


def test_gc_purges_only_after_the_grace(store: Recollect) -> None:
    """Many at once; younger ones stay, and can be restored."""
    old, young = notes(5, 5, kind="notes"), notes(5, kind="notes")
    doomed = capture(store, old)
    for memory in doomed:
        store.set_status(memory.uid, "retired")
    at(store, NOW + timedelta(days=20))
    (kept,) = capture(store, young)
    store.set_status(kept.uid, "retired")
    at(store, NOW + timedelta(days=31))

    assert {m.uid for m in erasing.garbage(store).memories} == {m.uid for m in doomed}
    assert erasing.collect_garbage(store).left == ()

    assert [memory.uid for memory in store.memories(status="all")] == [kept.uid]
    assert erasing.collect_garbage(store).memories == ()


def test_gc_archives_where_it_is_told_to(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `delete.archive_retired` nothing is erased, and it stays archived."""
    monkeypatch.setenv("RECOLLECT_DELETE_ARCHIVE_RETIRED", "true")
    sandbox.make_hub()
    store = at(sandbox.open(sandbox.clone("ada")), NOW)
    (memory,) = capture(store, notes(5))
    store.set_status(memory.uid, "retired")
    at(store, NOW + timedelta(days=31))

    assert erasing.collect_garbage(store).archived

    found = store.get(memory.uid)
    assert (found.status, found.status_by) == ("archived", "gc")
    at(store, NOW + timedelta(days=900))
    assert make_plan(store).is_empty


def test_a_purged_source_takes_the_merged_memory_with_it(
    store: Recollect, sandbox: Sandbox
) -> None:
    """The merged one holds its words; the other sources come back and can be merged again."""
    sources = capture(
        store,
        [*notes(20, 19, 18, 17), *notes(16, body="The fixture uses the word kumquat on port 0.")],
    )
    sleep(store)

    assert store.purge(sources[-1].uid) == []

    found = states(store)
    assert {memory.uid for memory in sources[:-1]} == found.keys()
    assert {memory.status for memory in found.values()} == {"active"}
    assert b"kumquat" not in sandbox.all_bytes(sandbox.root / "ada")
    assert b"kumquat" not in sandbox.state_bytes(sandbox.root / "ada")
    at(store, NOW + timedelta(days=8))
    assert len(make_plan(store).merges) == 1


def test_a_purge_reaches_what_another_clone_made_of_it(sandbox: Sandbox) -> None:
    """One clone purges a source while another merges it: in the end no word of it is anywhere."""
    sandbox.make_hub()
    ada, bob = (at(sandbox.open(sandbox.clone(name)), NOW) for name in ("ada", "bob"))
    sources = capture(
        ada, [*notes(20, 19, 18), *notes(16, body="The fixture uses the word kumquat on port 0.")]
    )
    ada.sync()
    bob.sync()
    ada.purge(sources[-1].uid)
    ada.sync()
    sleep(bob)
    assert "kumquat" in next(m.body for m in bob.memories() if is_merged(m))

    for store in (bob, ada, bob):
        store.sync()

    assert states(ada) == states(bob)
    assert states(ada).keys() == {memory.uid for memory in sources[:-1]}
    assert {memory.status for memory in states(ada).values()} == {"active"}
    for name in ("ada", "bob"):
        assert b"kumquat" not in sandbox.all_bytes(sandbox.root / name)
    assert b"kumquat" not in sandbox.reachable_bytes(sandbox.hub)


def test_a_purge_takes_the_suggestion_with_it(store: Recollect) -> None:
    """A proposed merge holds words of its sources, too."""
    decisions = capture(
        store, notes(20, 19, 18, kind="decisions", summary="Use PostgreSQL for orders")
    )
    sleep(store)
    assert len(suggestions.suggestions(store)) == 1

    store.purge(decisions[0].uid)

    assert suggestions.suggestions(store) == []


def test_permanent_kinds_wait_for_a_word(store: Recollect) -> None:
    """A merge of decisions is suggested once; accepted, it archives its sources."""
    decisions = capture(
        store, notes(20, 19, 18, kind="decisions", summary="Use PostgreSQL for orders")
    )
    sleep(store)
    assert {memory.status for memory in states(store).values()} == {"active"}
    (waiting,) = suggestions.suggestions(store)
    assert sleep(store).proposals == ()
    assert len(suggestions.suggestions(store)) == 1

    review.accept(store, [waiting])

    (merged,) = store.memories()
    assert is_merged(merged)
    assert {store.get(memory.uid).status_by for memory in decisions} == {"merge"}
    assert make_plan(store).is_empty


def test_a_rejected_merge_is_not_suggested_again(store: Recollect) -> None:
    """No is no."""
    capture(store, notes(20, 19, 18, kind="decisions", summary="Use PostgreSQL for orders"))
    sleep(store)

    suggestions.reject(store, suggestions.suggestions(store))

    assert sleep(store).proposals == ()
    assert suggestions.suggestions(store) == []


def test_what_somebody_changes_meanwhile_is_left_alone(store: Recollect, sandbox: Sandbox) -> None:
    """Between the plan and the deed a person may have brought a memory back, or purged it."""
    first, second, third = capture(store, notes(100, 100, 100, kind="notes"))
    plan = make_plan(store)
    other = at(sandbox.open(sandbox.root / "ada"), NOW)
    other.set_status(first.uid, "resolved", "still of use")
    other.purge(second.uid)

    carry_out(store, plan)

    assert store.get(first.uid).status == "resolved"
    assert store.get(third.uid).status == "archived"
    assert len([text for text in store.warnings if "skipped a change" in text]) == 2


def test_doctor_tells_when_nobody_sleeps(store: Recollect) -> None:
    """A week after the last time, if there was anything to do."""
    capture(store, notes(1))
    sleep(store)
    at(store, NOW + timedelta(days=8))
    assert "sleep" not in {finding.check for finding in store.doctor()}
    store.local.sessions.end("s1", (NOW + timedelta(days=7)).timestamp())
    assert "sleep" in {finding.check for finding in store.doctor()}


def test_one_runner_at_a_time(store: Recollect) -> None:
    """Whoever comes second is told; a hook just leaves it."""
    capture(store, notes(100, kind="notes"))
    with sleep_lock(store):
        with pytest.raises(LockTimeout, match="Another sleep is running"):
            sleep(store)
        assert sleep_if_due(store) is None
    assert sleep_if_due(store) is not None


def test_sleep_is_due_after_a_session_ended_or_a_day(store: Recollect) -> None:
    """And not in between."""
    capture(store, notes(1))
    assert is_due(store)
    sleep(store)
    assert not is_due(store)
    store.local.sessions.end("s1", NOW.timestamp() + 5)
    assert is_due(store)
    sleep(at(store, NOW + timedelta(minutes=1)))
    assert not is_due(store)
    assert is_due(at(store, NOW + timedelta(days=1, minutes=1)))


def test_too_many_memories_are_left_for_later(store: Recollect) -> None:
    """A hook looks after few memories, or none."""
    capture(store, notes(100, 100, kind="notes"))

    assert sleep_if_due(store, most=1) is None
    assert len(sleep_if_due(store, most=2).steps) == 2  # type: ignore[union-attr]


def test_a_hook_does_a_part_and_the_next_one_the_rest(store: Recollect) -> None:
    """A merge is done whole or not at all."""
    capture(store, notes(20, 19, 18, 17) + notes(100, 100, 100, 100, kind="notes"))

    part = sleep_if_due(store, writes=7)
    rest = make_plan(store)

    assert part is not None
    assert (len(part.merges), len(part.steps)) == (1, 2)
    assert (len(rest.merges), len(rest.steps)) == (0, 2)
    assert rest.limited(0).is_empty


def test_expired_memories_can_be_erased_at_once(store: Recollect) -> None:
    """The TTL counts from birth; one that somebody brought back stays."""
    over, back, valid = capture(store, notes(10, 10, 1, ttl=3))
    sleep(store)
    assert store.get(over.uid).status == "retired"
    store.set_status(back.uid, "active")

    expired = erasing.expired(store)
    erasing.purge(store, expired)

    assert [memory.uid for memory in expired] == [over.uid]
    assert set(states(store)) == {back.uid, valid.uid}


_KILLED = """
import os, sys
from datetime import UTC, datetime
import recollect
from recollect.sleep import run as sleeping
from recollect.ledger import ledger
sleeping._BATCH = 3
step, left = sys.argv[2], int(sys.argv[3])
store = recollect.open(sys.argv[1])
store.ledger.clock = lambda: datetime(2026, 8, 1, 12, 0, tzinfo=UTC)
real = getattr(ledger, "swap_refs")
def swap(*args):
    global left
    left -= 1
    if left == 0 and step == "before":
        os.kill(os.getpid(), 9)
    done = real(*args)
    if left == 0:
        os.kill(os.getpid(), 9)
    return done
ledger.swap_refs = swap
sleeping.sleep(store)
"""


@pytest.mark.parametrize("when", [("before", 1), ("after", 1), ("before", 2), ("after", 2)])
def test_a_killed_sleep_is_finished_by_the_next(sandbox: Sandbox, when: tuple[str, int]) -> None:
    """Whenever it dies, between two writes or in one: the next ends where one run would have."""
    sandbox.make_hub()
    repo = sandbox.clone("ada")
    store = at(sandbox.open(repo), NOW)
    capture(
        store,
        notes(20, 19, 18, 17)
        + notes(100, 101, 102, 103, 104, kind="notes", summary="Ran the tests"),
    )
    wanted = make_plan(store)
    store.close()

    killed = subprocess.run(
        [sys.executable, "-c", _KILLED, str(repo), when[0], str(when[1])],
        env={**os.environ, "RECOLLECT_LOCK_TIMEOUT": "30"},
        capture_output=True,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    store = at(sandbox.open(repo), NOW)
    sleep(store)

    found = states(store)
    assert {made.uid for made in wanted.merges} <= found.keys()
    for made in wanted.merges:
        assert all(found[source.uid].status == "archived" for source in made.sources)
    for step in wanted.steps:
        assert found[step.memory.uid].status == step.status
    assert make_plan(store).is_empty


def test_strength_tells_its_parts(store: Recollect) -> None:
    """What `recollect strength` shows is what sleep goes by."""
    (memory,) = capture(store, notes(10, kind="notes", importance=0.6))
    weak = strength_of(store, memory.id)
    store.local.usage.record([memory.uid], "fetched", (NOW - timedelta(days=2)).timestamp())
    strong = strength_of(store, memory.id)

    assert weak.value == pytest.approx(0.6 * 0.5)
    assert strong.value > weak.value
    assert strong.value == pytest.approx(strong.full * strong.fresh)
    assert strong.archived_at == pytest.approx((NOW + timedelta(days=88)).timestamp())
    assert all(0 <= value <= 1 for _, value in strong.course)


def test_notes_of_another_tool_are_left_alone(
    store: Recollect, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What we only read we do not change, and it makes nobody else leave or stay."""
    store.used(capture(store, notes(30, 20, kind="notes"))[1:])
    monkeypatch.setenv("RECOLLECT_SLEEP_MAX_MEMORIES", "1")
    repo = sandbox.root / "ada"
    text = (
        "---\ntype: learnings\ntimestamp: 2020-01-01T00:00:00Z\nsummary: An old foreign note\n---\n"
    )
    sandbox.git(repo, "notes", "--ref=cs/learnings", "add", "-m", text, "HEAD")
    store = at(sandbox.open(repo), NOW)
    found = [memory for memory in store.memories() if "foreign" in memory.summary]

    assert len(found) == 1
    plan = make_plan(store)
    assert [step.memory.kind for step in plan.steps] == ["notes"]
    assert plan.over_cap == 0


def test_the_folder_of_a_fresh_repository_stays_clean(sandbox: Sandbox) -> None:
    """Where nothing is remembered, nothing is due that leaves a trace in git."""
    repo: Path = sandbox.init("empty")
    store = sandbox.open(repo)

    assert sleep(store).is_empty
    assert sandbox.refs(repo) == {}
