"""What sleep says and what it does are the same: plans, lists, strengths, and whose a memory is."""

from __future__ import annotations

import json
import time
from datetime import timedelta

import pytest
from click.testing import CliRunner

from recollect.api import review
from recollect.api.recollect import Recollect
from recollect.capture import suggestions
from recollect.cli import root
from recollect.sleep import purge as erasing
from recollect.sleep.run import make_plan, sleep
from recollect.sleep.strength_report import strength_of
from tests.sandbox import Sandbox
from tests.support.dated import NOTICED, NOW, at, capture, days_ago, notes, states


def lines(store: Recollect, *args: str) -> list[str]:
    """What a command prints, line by line."""
    result = CliRunner().invoke(root, ["-C", str(store.work_tree), *args])
    assert result.exception is None, result.output
    return result.output.splitlines()


def test_purge_expired_lists_all_that_it_erases(store: Recollect) -> None:
    """What was merged from what has expired holds its words, and goes with it."""
    source, *others = store.capture_many(notes(20, 19, 18))
    (merge,) = sleep(store).merges
    store.update(merge.uid, summary="What a person made of it")
    store.update(source.uid, ttl=1)

    assert {memory.uid for memory in erasing.expired(store)} == {source.uid, merge.uid}
    told = json.loads("\n".join(lines(store, "purge-expired", "--dry-run", "--json")))
    assert len(told["expired"]) == 2
    assert "Would erase for good: 2" in lines(store, "purge-expired", "--dry-run")
    store.local.maintenance.confirm_clock(time.time())  # months have passed for the command line
    assert "Erased: 2" in lines(store, "purge-expired", "--yes")

    assert states(store).keys() == {memory.uid for memory in others}


@pytest.mark.parametrize("count", [1, 3])
def test_what_a_person_wrote_is_never_erased_by_age(store: Recollect, count: int) -> None:
    """Into a memory that was noticed, or merged from such: it is theirs from then on."""
    capture(store, notes(*range(9, 9 + count), provenance=NOTICED))
    (other,) = capture(store, notes(9, kind="decisions", summary="Use Postgres"))
    store.used([other])
    sleep(store)
    (memory,) = store.memories(kind="learnings")
    store.update(memory.uid, summary="A person wrote this", body="with care")

    for days in range(90, 900, 90):
        sleep(at(store, NOW + timedelta(days=days)))
        erasing.collect_garbage(store)

    assert store.get(memory.uid).status == "archived"
    store.set_status(memory.uid, "retired")
    erasing.collect_garbage(at(store, NOW + timedelta(days=1000)))
    assert memory.uid not in states(store)


def test_what_cannot_be_written_is_not_planned(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dry run prints what a run does: no merge of what must not be stored, and no secret."""
    sandbox.make_hub()
    repo = sandbox.clone("ada")
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    monkeypatch.setenv("RECOLLECT_REDACT_STRATEGY", "warn")
    capture(at(sandbox.open(repo), NOW), notes(20, 19, 18, body=f"Deploy with {token} to it."))
    monkeypatch.setenv("RECOLLECT_REDACT_STRATEGY", "mask")
    (merge,) = make_plan(at(sandbox.open(repo), NOW)).merges
    assert token not in merge.body
    monkeypatch.setenv("RECOLLECT_REDACT_STRATEGY", "block")
    store = at(sandbox.open(repo), NOW)

    assert make_plan(store).is_empty
    assert any("Not merged" in warning for warning in store.warnings)
    assert sleep(store).is_empty


def test_a_merge_keeps_the_time_that_an_edit_has_earned(store: Recollect) -> None:
    """Corrected ten days ago is in sight for eighty more, merged or not; and it is not fading."""
    sources = capture(store, notes(80, 80, 80, provenance=NOTICED))
    at(store, NOW - timedelta(days=10))
    store.update(sources[1].uid, tags=["checked"])
    store.used([sources[0]])
    (merge,) = sleep(at(store, NOW)).merges

    assert store.get(merge.uid).created == days_ago(10)
    assert sleep(at(store, NOW + timedelta(days=79))).is_empty
    (step,) = sleep(at(store, NOW + timedelta(days=81))).steps
    assert (step.memory.uid, step.status) == (merge.uid, "archived")


def test_garbage_does_not_wait_for_a_merge_that_was_archived_for_another(
    sandbox: Sandbox,
) -> None:
    """Nobody has a word of it: it goes with its source, and is listed."""
    sandbox.make_hub()
    ada, bob = (at(sandbox.open(sandbox.clone(name)), NOW) for name in ("ada", "bob"))
    shared = ada.capture_many(notes(20, 19))
    ada.sync()
    bob.sync()
    (own,) = ada.capture_many(notes(18))
    bob.capture_many(notes(17, 16))
    sleep(ada)
    sleep(bob)
    for clone in (ada, bob, ada):
        clone.sync()
    (lost,) = [s.memory for s in sleep(ada).steps if s.status == "archived"]
    assert ada.get(own.uid).status == "active"
    ada.set_status(own.uid, "retired")
    at(ada, NOW + timedelta(days=31))

    found = erasing.collect_garbage(ada)

    assert {memory.uid for memory in found.memories} == {own.uid, lost.uid}
    assert found.waiting == ()
    assert not {own.uid, lost.uid} & states(ada).keys()
    assert {ada.get(memory.uid).status for memory in shared} == {"archived"}


def test_only_a_few_suggestions_wait(store: Recollect) -> None:
    """Ten runs ask what one asks."""
    for name in ("ledger", "cart", "queue", "login", "proxy", "cellar", "harbour"):
        words = f"{name} {name}s {name}ing"
        store.capture_many(notes(20, 19, 18, kind="decisions", summary=words, body=""))

    assert len(sleep(store).proposals) == 5
    assert sleep(store).is_empty
    review.accept(store, suggestions.suggestions(store)[:1])
    assert len(sleep(store).proposals) == 1


def test_strength_says_what_happens(store: Recollect) -> None:
    """In the quiet days, with a time of its own, and after it was archived."""
    faded, limited = capture(
        store, notes(20, provenance=NOTICED) + notes(3, summary="Until Friday", ttl=5)
    )
    assert make_plan(store).is_empty

    found = strength_of(store, faded.uid)
    assert found.archived_at == (NOW + timedelta(days=70)).timestamp()
    assert strength_of(store, limited.uid).archived_at == (NOW + timedelta(days=2)).timestamp()

    store.set_status(faded.uid, "archived")
    assert strength_of(store, faded.uid).idle_days == pytest.approx(20, abs=0.01)
    assert strength_of(store, faded.uid).value == 0.0
    store.set_status(faded.uid, "restored")
    assert strength_of(store, faded.uid).value == 0.5


def test_strength_names_a_time_of_its_own(sandbox: Sandbox) -> None:
    """Used or not, it is retired then."""
    store = sandbox.open(sandbox.init("ada"))
    memory = store.capture("notes", "Until Friday", ttl=5)

    said = lines(store, "strength", memory.uid)[-1]

    assert said.startswith("It is retired in 5 days, on ")
    assert said.endswith("used or not.")


def test_a_new_clone_does_not_make_room_among_what_others_use(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes as long as a retention to know what is not used."""
    sandbox.make_hub()
    ada, bob = (at(sandbox.open(sandbox.clone(name)), NOW) for name in ("ada", "bob"))
    for number in range(10):
        ada.capture_many(notes(20, kind="notes", summary=f"thing{number} about{number}", body=""))
    ada.sync()
    bob.sync()
    (first, *_) = bob.memories()
    bob.used([first])
    monkeypatch.setenv("RECOLLECT_SLEEP_MAX_MEMORIES", "5")

    plan = sleep(at(sandbox.open(sandbox.root / "bob"), NOW))

    assert plan.steps == ()
    assert plan.over_cap == 5
