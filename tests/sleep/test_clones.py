"""Clones that sleep, purge, retire and reword apart: afterwards nothing is out of sight in any."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from recollect.api.recollect import Recollect
from recollect.sleep.run import carry_out, make_plan, sleep
from tests.sandbox import Sandbox
from tests.support.dated import NOW, at, days_ago, notes, states

_SUMMARY = "The checkout test times out because port 8080 is shared"


def seen(letters: str, days: float = 20) -> list[dict[str, object]]:
    """Notes of one summary, each with a word of its own."""
    return [
        {
            "kind": "learnings",
            "summary": _SUMMARY,
            "body": f"seen {letter * 4}",
            "created": days_ago(days),
        }
        for letter in letters
    ]


def out_of_sight(store: Recollect) -> set[str]:
    """What was merged and is held by nothing that can be seen."""
    held = {uid for memory in store.memories() for uid in memory.sources}
    return {
        memory.body
        for memory in store.memories(status="all")
        if (memory.status, memory.status_by) == ("archived", "merge")
        and not memory.sources
        and memory.uid not in held
    }


def everybody_sleeps(clones: list[Recollect]) -> None:
    """Everybody syncs, sleeps and syncs."""
    for _ in range(2):
        for clone in (*clones, *clones):
            clone.sync()
        for clone in clones:
            sleep(clone)
    for clone in (*clones, *clones):
        clone.sync()


@pytest.fixture
def two(sandbox: Sandbox) -> tuple[list[Recollect], str, str]:
    """Two clones that know all: of a, b and c one has merged three, the other all four."""
    sandbox.make_hub()
    ada, bob = (at(sandbox.open(sandbox.clone(name)), NOW) for name in ("ada", "bob"))
    ada.capture_many(seen("abc"))
    ada.sync()
    bob.sync()
    bob.capture_many(seen("d"))
    (few,), (many,) = sleep(ada).merges, sleep(bob).merges
    for clone in (ada, bob, ada):
        clone.sync()
    return [ada, bob], few.uid, many.uid


@pytest.mark.parametrize("first", ["purge", "sleep"])
@pytest.mark.parametrize("second", ["purge", "retire"])
def test_what_two_clones_take_away_apart_comes_back(
    two: tuple[list[Recollect], str, str], first: str, second: str
) -> None:
    """Each left the sources to what the other one took away."""
    (ada, bob), few, many = two
    if first == "purge":
        ada.purge(few)
    else:
        sleep(ada)
    if second == "purge":
        bob.purge(many)
    else:
        bob.set_status(many, "retired")

    everybody_sleeps([ada, bob])

    assert {memory.body for memory in ada.memories()} >= {"seen aaaa", "seen bbbb", "seen cccc"}
    assert out_of_sight(ada) == set()
    assert states(ada) == states(bob)
    assert make_plan(ada).is_empty
    assert make_plan(bob).is_empty


@pytest.mark.parametrize("touch", ["restored", "reworded"])
def test_what_somebody_wants_back_is_not_archived_again(
    two: tuple[list[Recollect], str, str], touch: str
) -> None:
    """Restored after it was archived for another one, or reworded while it was."""
    (ada, bob), few, _ = two
    sleep(ada)
    assert ada.get(few).status == "archived"
    if touch == "restored":
        ada.set_status(few, "restored")
    else:
        bob.update(few, summary="Port 8080 is shared, take 8081")

    everybody_sleeps([ada, bob])

    assert ada.get(few).status == "active"
    assert out_of_sight(ada) == set()
    assert states(ada) == states(bob)
    assert make_plan(ada).is_empty


def test_a_source_that_was_edited_while_it_was_to_come_back_comes_later(
    two: tuple[list[Recollect], str, str],
) -> None:
    """The run left it for later, and later is the next sleep."""
    (ada, bob), few, many = two
    ada.purge(few)
    bob.purge(many)
    for clone in (ada, bob, ada):
        clone.sync()
    plan = make_plan(ada)
    (source, *_) = [step.memory for step in plan.steps]
    ada.update(source.uid, body="corrected")

    done = carry_out(ada, plan)

    assert len(done.steps) == len(plan.steps) - 1
    assert source.uid not in {step.memory.uid for step in done.steps}
    assert any("skipped a change until the next run" in warning for warning in ada.warnings)
    assert out_of_sight(ada) == {"corrected"}
    sleep(ada)
    assert ada.get(source.uid).status == "active"
    assert make_plan(ada).is_empty


@pytest.mark.parametrize("seed", [1003, 1006, 1012])
def test_whatever_three_clones_do_apart_they_agree(sandbox: Sandbox, seed: int) -> None:
    """Sleep, restore, reword, purge and retire at random; then they sync and sleep."""
    rng = random.Random(seed)
    sandbox.make_hub()
    clones = [at(sandbox.open(sandbox.clone(name)), NOW) for name in ("ada", "bob", "cyd")]
    clones[0].capture_many(seen("abc", 30))
    for clone in clones:
        clone.sync()
    for number, clone in enumerate(clones):
        clone.capture_many(seen("defghijkl"[number * 3 :][: rng.randint(1, 3)]))
        sleep(clone)
    for clone in (*clones, *clones):
        clone.sync()
    for hour in range(1, 6):
        clone = at(rng.choice(clones), NOW + timedelta(hours=hour))
        merged = [memory for memory in clone.memories(status="all") if memory.sources]
        shown = [memory for memory in merged if memory.status == "active"]
        hidden = [memory for memory in clone.memories(status="all") if memory.status != "active"]
        what = rng.choice(("sleep", "restore", "reword", "purge", "retire"))
        if what == "sleep":
            sleep(clone)
        elif what == "restore" and hidden:
            clone.set_status(rng.choice(hidden).uid, "restored")
        elif what == "reword" and merged:
            memory = rng.choice(merged)
            clone.update(memory.uid, body=f"{memory.body}\nreworded {hour}")
        elif what == "purge" and merged:
            clone.purge(rng.choice(merged).uid)
        elif what == "retire" and shown:
            clone.set_status(rng.choice(shown).uid, "retired")
    for clone in clones:
        at(clone, NOW + timedelta(days=1))

    everybody_sleeps(clones)

    for clone in clones:
        assert out_of_sight(clone) == set()
        assert states(clone) == states(clones[0])
        assert make_plan(clone).is_empty


def test_a_kill_between_retiring_and_bringing_back_is_made_up_for(
    store: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The merged memory is retired, and its sources do not stay out of sight."""
    sources = store.capture_many(notes(20, 19, 18))
    (merge,) = sleep(store).merges

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("recollect.sleep.purge.bring_back_sources", killed)
        with pytest.raises(KeyboardInterrupt):
            store.set_status(merge.uid, "retired")
    assert out_of_sight(store)

    sleep(store)

    assert {memory.uid for memory in store.memories()} == {memory.uid for memory in sources}
    assert make_plan(store).is_empty
