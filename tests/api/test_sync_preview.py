"""What a sync would do: the same as what it then does, and nothing happens before."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.api.sync_preview import Exchanged
from recollect.errors import NoRemote
from tests.sandbox import Sandbox


@pytest.fixture
def clones(sandbox: Sandbox) -> tuple[Recollect, Recollect]:
    """Two clones of a hub."""
    sandbox.make_hub()
    return sandbox.open(sandbox.clone("ada")), sandbox.open(sandbox.clone("bob"))


def told(found: list[Exchanged]) -> list[tuple[str, str]]:
    """What happens to which memory."""
    return [(one.what, one.memory.summary if one.memory else "") for one in found]


def test_a_preview_says_what_a_sync_then_does(
    clones: tuple[Recollect, Recollect], sandbox: Sandbox
) -> None:
    """New and changed memories in both directions; private ones stay; nothing moves before."""
    ada, bob = clones
    shared = ada.capture("decisions", "Use SQLite", "One writer.")
    ada.sync()
    bob.sync()
    bob.update(shared.uid, body="One writer at a time.")
    bob.capture("notes", "Bob likes tabs")
    bob.sync()
    ada.capture("learnings", "Ada learnt this")
    ada.capture("notes", "Ada hides this", sensitivity="private")
    here, there = sandbox.trees(sandbox.root / "ada"), sandbox.trees(sandbox.hub)

    found = ada.preview_sync()

    assert told(list(found.sends)) == [("new", "Ada learnt this")]
    assert told(list(found.brings)) == [("new", "Bob likes tabs"), ("changed", "Use SQLite")]
    changed = found.brings[1]
    assert changed.before is not None
    assert changed.memory is not None
    assert changed.before.body == "One writer."
    assert changed.memory.body == "One writer at a time."
    assert not found.conflicts
    assert not found.is_empty
    assert (sandbox.trees(sandbox.root / "ada"), sandbox.trees(sandbox.hub)) == (here, there)
    assert ada.get(shared.uid).body == "One writer."
    result = ada.sync()
    assert {m.uid for m in result.received} == {one.uid for one in found.brings}
    assert ada.preview_sync().is_empty


def test_a_preview_shows_a_conflict_before_it_happens(
    clones: tuple[Recollect, Recollect],
) -> None:
    """Both texts, and which one would count; the same conflict as the sync reports."""
    ada, bob = clones
    shared = ada.capture("decisions", "Use SQLite", "One writer.")
    ada.sync()
    bob.sync()
    bob.update(shared.uid, body="Two writers.")
    bob.sync()
    ada.update(shared.uid, body="No writer.")

    (conflict,) = ada.preview_sync().conflicts
    (real,) = ada.sync().conflicts

    assert (conflict.ours.body, conflict.theirs.body) == ("No writer.", "Two writers.")
    assert conflict.fields == real.fields
    assert conflict.memory.body == real.memory.body


def test_a_preview_shows_purges_and_brings_nothing_back(
    clones: tuple[Recollect, Recollect], sandbox: Sandbox
) -> None:
    """What is purged here would be erased there; no byte of it stays here in the meantime."""
    ada, bob = clones
    mine = ada.capture("notes", "Ada regrets writing this")
    other = ada.capture("notes", "Bob will regret keeping this")
    ada.sync()
    bob.sync()
    bob.purge(other.uid)
    bob.sync()
    ada.purge(mine.uid)
    assert b"Ada regrets" not in sandbox.all_bytes(sandbox.root / "ada")

    found = ada.preview_sync()

    assert [(one.what, one.uid) for one in found.sends] == [("purged", mine.uid)]
    assert [(one.what, one.uid) for one in found.brings] == [("purged", other.uid)]
    assert [memory.uid for memory in (*found.erases, *found.holds)] == [other.uid]
    assert b"Ada regrets" not in sandbox.all_bytes(sandbox.root / "ada")
    assert ada.get(other.uid).summary == "Bob will regret keeping this"
    ada.sync()
    bob.sync()
    assert bob.candidates(mine.uid) == []


def test_a_preview_needs_a_remote(sandbox: Sandbox, tmp_path: Path) -> None:
    """Without one, the error says so, as for a sync."""
    with pytest.raises(NoRemote):
        sandbox.open(sandbox.init("alone")).preview_sync()
