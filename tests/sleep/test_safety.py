"""Sleep loses nothing and leaks nothing: what a review of it found, on real git."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from recollect.api import review
from recollect.api.recollect import Recollect
from recollect.capture import suggestions
from recollect.cli import root
from recollect.config.config import load_config
from recollect.errors import BadConfig, VersionConflict
from recollect.sleep import purge as erasing
from recollect.sleep.run import make_plan, sleep
from recollect.sleep.strength_report import strength_of
from recollect.typed import write as typed
from tests.sandbox import Sandbox
from tests.support.dated import NOTICED, NOW, at, capture, days_ago, notes, states


def test_no_word_of_a_purged_source_stays_with_its_siblings(sandbox: Sandbox) -> None:
    """Neither here, nor in another clone, nor at the remote."""
    sandbox.make_hub()
    ada, bob = (at(sandbox.open(sandbox.clone(name)), NOW) for name in ("ada", "bob"))
    plain = "The checkout test times out because the port is shared"
    sources = ada.capture_many(
        notes(20, 19, summary=plain) + notes(18, 17, summary=f"{plain} by kumquat")
    )
    sleep(ada)
    for clone in (ada, bob):
        clone.sync()

    for source in sources[2:]:
        ada.purge(source.uid)
    for clone in (ada, bob, ada):
        clone.sync()

    for name in ("ada", "bob"):
        assert b"kumquat" not in sandbox.all_bytes(sandbox.root / name)
    assert b"kumquat" not in sandbox.reachable_bytes(sandbox.hub)
    assert {memory.uid for memory in bob.memories()} == {source.uid for source in sources[:2]}


def test_what_people_relate_a_merged_memory_to_is_not_its_source(store: Recollect) -> None:
    """Whose words it holds is decided when it is merged, whatever its relations become."""
    (source, *_) = store.capture_many(notes(20, 19, 18))
    (other,) = capture(store, notes(1, summary="The wine cellar is flooded"))
    (merge,) = sleep(store).merges
    store.update(merge.uid, relates_to=[other.uid])

    store.purge(other.uid)
    assert store.get(merge.uid).status == "active"

    store.purge(source.uid)
    assert merge.uid not in {memory.uid for memory in store.memories(status="all")}


def test_a_merged_source_names_what_it_was_merged_into(store: Recollect) -> None:
    """By its uid, not by its words."""
    (source, *_) = store.capture_many(notes(20, 19, 18))
    (merge,) = sleep(store).merges

    archived = store.get(source.uid)

    assert archived.status_reason == "merged"
    assert archived.relates_to == (merge.uid,)


@pytest.mark.parametrize("gone", ["purged", "retired", "collected"])
def test_a_merged_memory_that_goes_gives_its_sources_back(store: Recollect, gone: str) -> None:
    """And it is not made again: the uid derives from the sources, and must not live twice."""
    sources = {memory.uid for memory in store.capture_many(notes(20, 19, 18))}
    (merge,) = sleep(store).merges

    if gone == "purged":
        store.purge(merge.uid)
    else:
        store.set_status(merge.uid, "retired")
    if gone == "collected":
        at(store, NOW + timedelta(days=31))
        erasing.collect_garbage(store)

    assert {memory.uid for memory in store.memories()} == sources
    at(store, NOW + timedelta(days=40))
    assert sleep(store).merges == ()
    assert {memory.uid for memory in store.memories()} == sources
    assert not [finding for finding in store.doctor() if finding.check == "purge"]


def test_garbage_is_exactly_what_was_shown(store: Recollect) -> None:
    """A retired source waits for what was merged from it, which nobody retired."""
    first, *others = store.capture_many(notes(20, 19, 18, 17))
    (merge,) = sleep(store).merges
    store.update(merge.uid, summary="What a person made of it")
    store.set_status(first.uid, "retired")
    at(store, NOW + timedelta(days=31))

    assert erasing.garbage(store).memories == ()
    assert erasing.garbage(store).waiting == (store.get(first.uid),)
    assert make_plan(store).purgeable == ()
    erasing.collect_garbage(store)

    assert states(store).keys() == {first.uid, merge.uid, *(memory.uid for memory in others)}
    store.set_status(merge.uid, "retired")
    at(store, NOW + timedelta(days=62))
    shown = {memory.uid for memory in erasing.garbage(store).memories}
    assert shown == {first.uid, merge.uid}
    erasing.collect_garbage(store)
    assert states(store).keys() == {memory.uid for memory in others}


def test_a_correction_in_another_clone_is_not_hidden_by_a_merge(sandbox: Sandbox) -> None:
    """One edits a source, the other merges what it knew: the corrected one comes back, in both."""
    sandbox.make_hub()
    ada, bob = (at(sandbox.open(sandbox.clone(name)), NOW) for name in ("ada", "bob"))
    *others, source = ada.capture_many(notes(20, 19, 18))
    ada.sync()
    bob.sync()
    ada.update(source.uid, summary="The port is free, the name server is slow")
    ada.sync()
    assert len(sleep(bob).merges) == 1
    for clone in (bob, ada):
        clone.sync()
    assert ada.get(source.uid).status == "archived"

    for clone in (ada, bob):
        (step,) = sleep(clone).steps
        assert (step.memory.uid, step.status) == (source.uid, "active")
        assert make_plan(clone).is_empty
    for clone in (bob, ada, bob):
        clone.sync()

    assert states(ada) == states(bob)
    assert ada.get(source.uid).status == "active"
    assert {ada.get(other.uid).status for other in others} == {"archived"}
    assert make_plan(ada).is_empty


def test_an_edit_before_or_after_a_merge_brings_nothing_back(store: Recollect) -> None:
    """The merge knew the one, and the other is about an archived memory."""
    first, second, _ = store.capture_many(notes(20, 19, 18))
    store.update(first.uid, tags=["known"])
    at(store, NOW + timedelta(days=8))
    assert len(sleep(store).merges) == 1
    store.update(second.uid, tags=["later"])

    assert make_plan(store).is_empty


def test_a_suggestion_whose_sources_changed_is_refused(store: Recollect) -> None:
    """What somebody reversed meanwhile must not be archived under what it said before."""
    decisions = store.capture_many(
        notes(20, 19, 18, kind="decisions", summary="Use PostgreSQL for orders")
    )
    sleep(store)
    store.update(decisions[0].uid, summary="Use PostgreSQL for nothing any more")

    with pytest.raises(VersionConflict, match="has changed since"):
        review.accept(store, suggestions.suggestions(store))

    assert {memory.uid for memory in store.memories()} == {memory.uid for memory in decisions}
    assert suggestions.suggestions(store) == []


def test_a_clone_that_has_just_got_a_memory_does_not_archive_it(sandbox: Sandbox) -> None:
    """It cannot know that nobody uses it; nor does one in which nobody used anything."""
    sandbox.make_hub()
    ada, bob = (at(sandbox.open(sandbox.clone(name)), NOW) for name in ("ada", "bob"))
    capture(ada, notes(100, kind="notes") + notes(60, summary="Ran it", provenance=NOTICED))
    ada.sync()
    bob.sync()
    assert len(make_plan(ada).steps) == 2

    for day in (0, 40, 89):
        assert sleep(at(bob, NOW + timedelta(days=day))).is_empty

    assert len(sleep(at(bob, NOW + timedelta(days=91))).steps) == 2


def test_an_edit_keeps_a_memory_in_sight(store: Recollect) -> None:
    """What a person has just corrected is not unused, and not old enough to be merged."""
    old, _ = capture(store, notes(100, 100, kind="notes"))
    alike = capture(store, notes(20, 19, 18))
    store.update(old.uid, summary="Corrected")
    store.update(alike[0].uid, tags=["checked"])

    plan = make_plan(store)

    assert [step.memory.uid for step in plan.steps] != []
    assert old.uid not in {step.memory.uid for step in plan.steps}
    assert plan.merges == ()


def test_uses_of_sources_are_uses_of_what_they_became(store: Recollect) -> None:
    """Five useful notes that have become one are not punished for it."""
    sources = capture(store, notes(12, 11, 10, provenance=NOTICED))
    store.used(sources)
    (merge,) = sleep(store).merges
    at(store, NOW + timedelta(days=30))

    assert make_plan(store).is_empty
    assert strength_of(store, merge.uid).uses.times == 3


def test_one_secret_does_not_keep_the_rest_awake(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What must not be stored any more is not merged, by name; everything else goes on."""
    sandbox.make_hub()
    monkeypatch.setenv("RECOLLECT_REDACT_STRATEGY", "warn")
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    store = at(sandbox.open(sandbox.clone("ada")), NOW)
    secrets = capture(store, notes(20, 19, 18, summary=f"Deploy with {token} to staging"))
    plain = capture(store, notes(20, 19, 18, kind="solutions"))
    monkeypatch.setenv("RECOLLECT_REDACT_STRATEGY", "block")
    store = at(sandbox.open(sandbox.root / "ada"), NOW)

    sleep(store)

    assert {store.get(memory.uid).status for memory in secrets} == {"active"}
    assert {store.get(memory.uid).status for memory in plain} == {"archived"}
    (warning,) = [text for text in store.warnings if "Not merged" in text]
    assert store.short_name(secrets[0]) in warning
    assert token not in warning


def test_every_cause_is_found_after_a_merge(store: Recollect) -> None:
    """Twenty notes on one failure, each with a cause of its own: fewer, and all of it in reach."""
    store.capture_many(
        {
            "kind": "solutions",
            "summary": "Fixed flaky login test by pinning image",
            "body": f"On runner{number} the cause was module kestrel{number}.",
            "created": days_ago(30),
        }
        for number in range(20)
    )

    sleep(store)

    assert len(store.memories()) <= 5
    for number in range(20):
        texts = [hit.memory.body for hit in store.search(f"kestrel{number}")]
        assert any(f"kestrel{number}." in text for text in texts)


def test_clones_that_merged_more_or_less_agree_in_the_end(sandbox: Sandbox) -> None:
    """One knew of a fourth note: the merge of four stays; and the same decision is made once."""
    sandbox.make_hub()
    ada, bob = (at(sandbox.open(sandbox.clone(name)), NOW) for name in ("ada", "bob"))
    words = "Use PostgreSQL for orders"
    ada.capture_many(notes(20, 19, 18) + notes(20, 19, 18, kind="decisions", summary=words))
    ada.sync()
    bob.sync()
    bob.capture_many(notes(17))
    for clone in (ada, bob):
        assert len(sleep(clone).merges) == 1
    for clone in (ada, bob, ada):
        clone.sync()
    assert len(ada.memories(kind="learnings")) == 2

    for clone in (ada, bob):
        assert [step.status for step in sleep(clone).steps] == ["archived"]
        (merged,) = clone.memories(kind="learnings")
        assert len(merged.relates_to) == 4
        assert make_plan(clone).is_empty
    # Both say yes to the same suggestion.
    for clone in (ada, bob):
        review.accept(clone, suggestions.suggestions(clone))
    for clone in (ada, bob, ada):
        clone.sync()

    assert states(ada) == states(bob)
    assert len(ada.memories(kind="learnings")) == 1
    assert len(ada.memories(kind="decisions")) == 1
    assert make_plan(ada).is_empty
    assert make_plan(bob).is_empty


def test_a_suggestion_that_is_settled_disappears(sandbox: Sandbox) -> None:
    """Somebody accepted it in another clone, or archived one of its sources."""
    sandbox.make_hub()
    ada, bob = (at(sandbox.open(sandbox.clone(name)), NOW) for name in ("ada", "bob"))
    first, *_ = ada.capture_many(
        notes(20, 19, 18, kind="decisions", summary="Use PostgreSQL for orders", body="")
        + notes(20, 19, 18, kind="decisions", summary="Keep prices in cents", body="")
    )
    ada.sync()
    bob.sync()
    for clone in (ada, bob):
        sleep(clone)
        assert len(suggestions.suggestions(clone)) == 2
    ada.set_status(first.uid, "archived")
    (left,) = suggestions.suggestions(ada)
    review.accept(ada, [left])
    ada.sync()
    bob.sync()

    assert suggestions.suggestions(bob) == []


def test_what_was_resolved_comes_back_resolved(store: Recollect) -> None:
    """By use or by hand: sleep hid it, and did not open it again."""
    used, restored, opened = capture(store, notes(100, 100, 100, kind="blockers"))
    for memory in (used, restored):
        store.set_status(memory.uid, "resolved", "the bank answered")
    later = at(store, NOW + timedelta(days=91))
    sleep(later)
    assert {store.get(m.uid).status for m in (used, restored, opened)} == {"archived"}

    at(store, NOW + timedelta(days=92)).used([used])
    sleep(store)
    store.set_status(restored.uid, "restored")
    store.set_status(opened.uid, "restored")

    assert store.get(used.uid).status == "resolved"
    assert store.get(used.uid).status_by == "use"
    assert store.get(restored.uid).status == "resolved"
    assert store.get(opened.uid).status == "active"
    store.set_status(restored.uid, "archived")
    assert store.set_status(restored.uid, "restored").status == "active"


def test_what_was_purged_is_related_to_no_more(store: Recollect) -> None:
    """The sources come back without the uid of what is gone."""
    sources = store.capture_many(notes(20, 19, 18))
    (merge,) = sleep(store).merges
    linked = store.capture("notes", "See also", relates_to=[merge.uid])
    repo = str(store.work_tree)
    assert "related:" in CliRunner().invoke(root, ["-C", repo, "show", linked.uid]).output

    store.purge(merge.uid)

    assert {store.get(source.uid).relates_to for source in sources} == {()}
    assert "related:" not in CliRunner().invoke(root, ["-C", repo, "show", linked.uid]).output


def test_an_old_decision_is_as_strong_as_on_its_first_day(store: Recollect) -> None:
    """What is kept for ever is not ranked as faded, and uses of sources count in the ranking."""
    (decision,) = capture(store, notes(400, kind="decisions", summary="Use Postgres for billing"))
    sources = capture(store, notes(12, 11, 10, summary="The orchid gateway drops its keys"))
    store.used(sources)
    (merge,) = sleep(store).merges

    first, *_ = store.search("why did we choose Postgres for billing")
    found = {hit.memory.uid: hit.why for hit in store.search("orchid gateway keys")}

    assert first.memory.uid == decision.uid
    assert first.why.strength == strength_of(store, decision.uid).value == 0.5
    assert found[merge.uid].strength == pytest.approx(strength_of(store, merge.uid).value)
    assert found[merge.uid].strength > 0.7


@pytest.mark.parametrize(
    ("key", "value", "refused"),
    [
        ("SLEEP_DECAY_PER_DAY", "1e-8", "from 0.001 to 1"),
        ("SLEEP_DECAY_PER_DAY", "0.001", ""),
        ("SLEEP_SIMILARITY", "1e-9", "from 0.1 to 1"),
        ("SLEEP_SIMILARITY", "5", "from 0.1 to 1"),
        ("KINDS_NOTES_RETENTION_DAYS", "1e308", "from 0 to 36525"),
        ("KINDS_NOTES_RETENTION_DAYS", "36525", ""),
        ("SLEEP_ARCHIVED_DAYS", "1e99", "above 0, up to 36525"),
    ],
)
def test_figures_that_make_no_sense_are_refused(
    tmp_path: Path, key: str, value: str, refused: str
) -> None:
    """And the error names the range."""
    given = {f"RECOLLECT_{key}": value, "RECOLLECT_CONFIG_DIR": str(tmp_path)}
    if not refused:
        assert load_config(tmp_path, given)
        return
    with pytest.raises(BadConfig, match=f"takes a number {refused}"):
        load_config(tmp_path, given)


def test_the_slowest_fading_can_be_shown(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of something from today, and of what claims to be from the end of time."""
    monkeypatch.setenv("RECOLLECT_SLEEP_DECAY_PER_DAY", "0.001")
    monkeypatch.setenv("RECOLLECT_KINDS_NOTES_RETENTION_DAYS", "36525")
    repo = sandbox.init("ada")
    with sandbox.open(repo) as store:
        drafts = notes(0, kind="notes") + notes(0, kind="notes", created="2999-12-30T00:00:00Z")
        today, last = store.capture_many(drafts)

    for memory, said in ((today, "it has faded by"), (last, "3099-12-31")):
        result = CliRunner().invoke(root, ["-C", str(repo), "strength", memory.uid])
        assert result.exception is None
        assert said in result.output


def test_what_faded_does_not_return_with_the_erasing_of_its_merge(store: Recollect) -> None:
    """Age archived and retired it; its sources stay archived. An agent's word brings them back."""
    sources = capture(store, notes(20, 19, 18, provenance=NOTICED))
    (merge,) = sleep(store).merges
    for days in (80, 260):
        sleep(at(store, NOW + timedelta(days=days)))
    assert store.get(merge.uid).status == "retired"
    at(store, NOW + timedelta(days=291))

    assert [m.uid for m in erasing.collect_garbage(store).memories] == [merge.uid]

    found = {(m.status, m.status_by) for m in map(store.get, (s.uid for s in sources))}
    assert found == {("archived", "age")}
    assert make_plan(store).is_empty

    told = store.capture_many(notes(20, 19, 18, kind="solutions", provenance=NOTICED))
    (again,) = sleep(at(store, NOW + timedelta(days=292))).merges
    typed.change_status(store, again.uid, "retire")
    assert {store.get(memory.uid).status for memory in told} == {"active"}
