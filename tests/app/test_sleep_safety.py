"""Sleep loses nothing and leaks nothing: what a review of it found, on real git."""

from __future__ import annotations

from recollect.app.sleeping import sleep
from recollect.app.recollect import Recollect
from tests.app.test_sleep import NOW, at, isolated, notes, sandbox, store
from tests.ledger.conftest import Sandbox

__all__ = ["isolated", "sandbox", "store"]


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


def test_a_merged_source_names_what_it_was_merged_into(store: Recollect) -> None:
    """By its uid, not by its words."""
    (source, *_) = store.capture_many(notes(20, 19, 18))
    (merge,) = sleep(store).merges

    archived = store.get(source.uid)

    assert archived.status_reason == "merged"
    assert archived.relates_to == (merge.uid,)
