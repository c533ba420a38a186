"""What is taken back before anybody else has it is never sent."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from tests.sandbox import Sandbox
from tests.support.serving import Talk

WISH = "our customer Globex pays late"


@pytest.fixture
def ada(sandbox: Sandbox) -> Path:
    """A clone of a hub."""
    sandbox.make_hub()
    return sandbox.clone("ada")


def bytes_in(repository: Path, word: str) -> bool:
    """Whether any object of a repository has a word."""
    ids = subprocess.run(
        ["git", "cat-file", "--batch-all-objects", "--batch-check=%(objectname)"],
        cwd=repository,
        check=True,
        capture_output=True,
    ).stdout
    contents = subprocess.run(
        ["git", "cat-file", "--batch"], input=ids, cwd=repository, check=True, capture_output=True
    ).stdout
    return word.encode() in contents


@pytest.mark.parametrize("synced_before", [False, True])
def test_what_is_forgotten_before_a_sync_is_never_sent(
    sandbox: Sandbox, ada: Path, synced_before: bool
) -> None:
    """Neither its text nor its history; everything else is sent, and the words can come back."""
    store = sandbox.open(ada)
    store.capture("notes", "The port is 80")
    if synced_before:
        store.sync("origin")
    talk = Talk(ada)
    talk.say(f"Remember that {WISH}.")
    said = talk.say("no, forget that")
    assert "recollect purge" not in said

    store.sync("origin")

    assert not bytes_in(sandbox.hub, "Globex")
    bob = sandbox.open(sandbox.clone("bob"))
    bob.sync("origin")
    everything = [m.summary for s in ("active", "retired") for m in bob.memories(status=s)]
    assert everything == ["The port is 80"]
    (retired,) = store.memories(status="retired")
    assert "Globex" in retired.summary
    assert "remembered again" in talk.say(f"Remember that {WISH}.")


def test_what_comes_back_is_sent_like_any_other(sandbox: Sandbox, ada: Path) -> None:
    """With the id, the uid and the sensitivity that it had."""
    store = sandbox.open(ada)
    memory = store.capture("notes", "Globex pays late")
    store.take_back(memory.id)
    store.sync("origin")

    back = store.set_status(memory.id, "restored")
    store.sync("origin")

    assert (back.uid, back.id, back.sensitivity) == (memory.uid, memory.id, memory.sensitivity)
    assert back.status == "active"
    bob = sandbox.open(sandbox.clone("bob"))
    bob.sync("origin")
    (found,) = bob.memories()
    assert (found.uid, found.summary) == (memory.uid, "Globex pays late")


def test_a_private_memory_is_never_moved_to_the_shared_notes(sandbox: Sandbox, ada: Path) -> None:
    """Retiring and restoring it leaves it where it is."""
    store = sandbox.open(ada)
    own = store.capture("notes", "Globex pays late", sensitivity="private")
    store.take_back(own.id)
    assert store.set_status(own.id, "restored").sensitivity == "private"
    store.capture("notes", "The port is 80")

    store.sync("origin")

    assert not bytes_in(sandbox.hub, "Globex")


def test_what_was_sent_is_retired_everywhere(sandbox: Sandbox, ada: Path) -> None:
    """It cannot be called back, so the line names what erases it."""
    store = sandbox.open(ada)
    talk = Talk(ada)
    talk.say(f"Remember that {WISH}.")
    store.sync("origin")

    said = talk.say("no, forget that")
    store.sync("origin")

    assert "recollect purge notes:" in said
    bob = sandbox.open(sandbox.clone("bob"))
    bob.sync("origin")
    assert [memory.status for memory in bob.memories(status="retired")] == ["retired"]


def test_after_a_purge_nobody_knows_what_was_sent(sandbox: Sandbox, ada: Path) -> None:
    """A purge drops our copies of the remote, so the memory is retired where it is."""
    store = sandbox.open(ada)
    sent, other = store.capture_many(
        [{"kind": "notes", "summary": "Sent"}, {"kind": "notes", "summary": "Other"}]
    )
    store.sync("origin")
    store.purge(other.id)

    store.take_back(sent.id)
    store.sync("origin")

    assert [memory.summary for memory in store.memories()] == []
    bob: Recollect = sandbox.open(sandbox.clone("bob"))
    bob.sync("origin")
    assert [memory.summary for memory in bob.memories()] == []
    assert [memory.summary for memory in bob.memories(status="retired")] == ["Sent"]
