"""Unconfirmed memories: born local, confirmed into the shared space, rejected, expired."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.capture import unconfirmed
from recollect.capture.rejections import is_rejected
from recollect.capture.suggestions import suggest
from recollect.capture.vouching import words_of
from recollect.core.memory import Memory
from recollect.core.status import UNCONFIRMED
from recollect.errors import IllegalTransition, NotFound, ValidationError
from tests.sandbox import Sandbox
from tests.support.dated import NOW, at

REDIS = "Use Redis for the cache of the catalogue"


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a commit."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    return path


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory."""
    return sandbox.open(repo)


def notice(store: Recollect, summary: str = REDIS, **fields: Any) -> Memory:
    """Notice something."""
    draft = {"kind": "decisions", "summary": summary, "body": "", "session": "s1"}
    updates = fields.pop("updates", None)
    nonce = fields.pop("nonce", None)
    said = {"said_by": "user", "via": "signal", "hook": "prompt"}
    memory = unconfirmed.add(
        store,
        {**draft, "provenance": said, **fields},
        confidence=0.8,
        why="signal: decision",
        updates=updates,
        nonce=nonce,
    )
    assert memory is not None
    return store.get(memory.uid)


def space_of(store: Recollect, memory: Memory) -> set[str]:
    """The spaces that have a memory."""
    return {place.space for place in store.indexing.fresh().places(memory.uid)}


def test_it_is_local_public_and_found(store: Recollect) -> None:
    """Once for each nonce, with why and how sure."""
    nonce = store.new_nonce()
    memory = notice(store, nonce=nonce)

    assert notice(store, nonce=nonce).uid == memory.uid
    assert (memory.status, memory.sensitivity) == (UNCONFIRMED, "public")
    assert (memory.confidence, memory.provenance["why"]) == (0.8, "signal: decision")
    assert space_of(store, memory) == {"local"}
    assert store.unconfirmed() == [memory]
    assert [hit.memory.uid for hit in store.search("cache of the catalogue")] == [memory.uid]
    assert "was_unconfirmed" not in memory.as_json()


def test_it_ranks_below_a_confirmed_one(store: Recollect) -> None:
    """Of two that match equally well."""
    noticed = notice(store, "Keep the catalogue in the cache for an hour")
    known = store.capture("decisions", "Keep the catalogue in the cache for a day")

    hits = store.search("catalogue in the cache", mode="text")

    assert [hit.memory.uid for hit in hits] == [known.uid, noticed.uid]
    assert hits[1].why.standing < 1


def test_confirming_makes_a_shared_memory(store: Recollect, repo: Path, sandbox: Sandbox) -> None:
    """With its time and its commit; the local one says what it became."""
    at(store, NOW)
    memory = notice(store, tags=["cache"], created="2026-07-20T10:00:00Z", importance=0.7)
    sandbox.commit(repo)

    (confirmed,) = store.accept([memory.id])

    assert space_of(store, confirmed) == {"shared"}
    assert (confirmed.status, confirmed.summary, confirmed.tags) == ("active", REDIS, ("cache",))
    assert (confirmed.created, confirmed.importance) == (memory.created, 0.7)
    assert confirmed.id.rpartition(":")[0] == memory.id.rpartition(":")[0]
    assert confirmed.provenance["confirmed"] == "accepted by user"
    assert "why" not in confirmed.provenance
    local = store.get(memory.uid)
    assert local.status == "retired"
    assert local.status_reason == f"confirmed as {store.short_name(confirmed)}"
    assert not is_rejected(store, REDIS)


def test_a_crash_in_between_leaves_no_loss_and_no_double(
    store: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The shared memory is written, the local one is not retired yet; the next try ends it."""
    memory = notice(store)
    monkeypatch.setattr(type(store), "after_write", ())
    with monkeypatch.context() as patch:
        patch.setattr(unconfirmed, "status_change", lambda *_: (_ for _ in ()).throw(KeyError))
        with pytest.raises(KeyError):
            unconfirmed.confirm(store, memory)
    assert sorted(m.status for m in store.memories()) == ["active", UNCONFIRMED]

    (confirmed,) = store.accept([memory.uid])

    assert [m.uid for m in store.memories()] == [confirmed.uid]
    assert unconfirmed.confirm(store, memory).uid == confirmed.uid
    assert len(store.memories(status="all")) == 2


def test_a_commit_that_is_gone_is_no_hindrance(
    store: Recollect, repo: Path, sandbox: Sandbox
) -> None:
    """After a rebase and a gc."""
    memory = notice(store)
    sandbox.git(repo, "commit", "--amend", "--quiet", "--message", "Another")
    sandbox.git(repo, "reflog", "expire", "--expire=now", "--all")
    sandbox.git(repo, "gc", "--quiet", "--prune=now")

    (confirmed,) = store.accept([memory.uid])

    assert confirmed.status == "active"


def test_what_supersedes_archives_and_overwrites_nothing(store: Recollect) -> None:
    """Or both stay; a confirmation that nobody asked for archives nothing."""
    first, second, third = (
        store.capture("decisions", f"Use Memcached for {what}") for what in ("a", "b", "c")
    )
    one, two, three = (
        notice(store, f"Use Redis for the {what} of the shop", updates=old.uid)
        for what, old in (("cart", first), ("search", second), ("users", third))
    )
    assert store.would_supersede(one) == first

    (new,) = store.accept([one.uid])
    store.accept([two.uid], keep_both=True)
    unconfirmed.confirm(store, three, how=unconfirmed.SAID_AGAIN)

    old = store.get(first.uid)
    assert (old.summary, old.status) == (first.summary, "archived")
    assert old.status_reason == f"superseded by {store.short_name(new)}"
    assert new.relates_to == (first.uid,)
    assert [store.get(m.uid).status for m in (second, third)] == ["active", "active"]


def test_merging_adds_the_text_to_another(store: Recollect) -> None:
    """The only way in which another memory's text changes; twice adds nothing."""
    known = store.capture("decisions", "The cache of the catalogue", "It is Memcached.")
    memory = notice(store, REDIS + ", not Memcached")
    assert store.merge_candidates(memory) == [known]

    merged = store.merge_into(memory.uid, known.id)

    assert merged.body == f"It is Memcached.\n\n{REDIS}, not Memcached"
    assert store.get(memory.uid).status_reason == f"merged into {store.short_name(known)}"
    assert not is_rejected(store, REDIS)
    with pytest.raises(NotFound):
        store.merge_into(memory.uid, known.id)


def test_a_rejection_is_for_good_and_for_its_like(store: Recollect) -> None:
    """Other words in another order are new; the reverse of it is, too."""
    memory, other = notice(store), notice(store, f"So, {REDIS.lower()}!")
    kept = notice(store, "Use Redis for the sessions of the shop")

    rejected = store.reject([memory.id]).unconfirmed

    assert {m.uid for m in rejected} == {memory.uid, other.uid}
    assert [m.uid for m in store.unconfirmed()] == [kept.uid]
    again = {"kind": "decisions", "summary": f"{REDIS} pages", "body": ""}
    assert unconfirmed.add(store, again, confidence=0.9, why="x") is None
    assert not is_rejected(store, "Do not use Redis for the cache of the catalogue")
    assert not is_rejected(store, "Use Memcached for the queue of the orders")


def test_a_rejection_outlives_its_memory(store: Recollect) -> None:
    """`gc` erases the text; the hashes of its words stay."""
    memory = notice(at(store, NOW))
    store.set_status(memory.uid, "retired")  # retiring it is rejecting it
    at(store, NOW + timedelta(days=40))

    assert [m.uid for m in store.gc(force=True).memories] == [memory.uid]
    store.close()

    assert is_rejected(store, REDIS)
    with pytest.raises(NotFound):
        store.get(memory.uid)


def test_a_rejected_one_can_be_restored(store: Recollect) -> None:
    """It is unconfirmed again, and its like may come."""
    memory, other = notice(store), notice(store, f"{REDIS}!")
    store.reject([memory.uid])

    restored = store.set_status(memory.uid, "restored")

    assert (restored.status, space_of(store, restored)) == (UNCONFIRMED, {"local"})
    assert not is_rejected(store, other.summary)


def test_a_confirmed_one_is_not_restored_beside_itself(store: Recollect) -> None:
    """And no status makes a local one active."""
    memory = notice(store)
    with pytest.raises(IllegalTransition):
        store.set_status(memory.uid, "active")
    store.accept([memory.uid])

    with pytest.raises(IllegalTransition, match="was confirmed as"):
        store.set_status(memory.uid, "restored")


def test_what_somebody_captures_settles_its_twin(store: Recollect) -> None:
    """No second copy waits for review."""
    memory = notice(store)

    captured = store.capture_once("decisions", REDIS)

    assert captured.is_new
    assert captured.hidden == ()
    assert store.unconfirmed() == []
    assert store.get(memory.uid).status_reason == (
        f"confirmed as {store.short_name(captured.memory)}"
    )


def test_it_expires_without_use(store: Recollect) -> None:
    """After 21 days; use postpones it, and sleep retires it because of its age."""
    at(store, NOW)
    unused, used = notice(store), notice(store, "Deploy the shop on Tuesdays at noon")
    at(store, NOW + timedelta(days=20))
    store.used([used])
    at(store, NOW + timedelta(days=22))
    assert [m.uid for m in store.unconfirmed()] == [used.uid]

    store.lifecycle(force=True)

    gone = store.get(unused.uid)
    assert (gone.status, gone.status_by) == ("retired", "age")
    assert store.get(used.uid).status == UNCONFIRMED
    assert not is_rejected(store, REDIS)


def test_a_purge_takes_what_it_was_noticed_as(store: Recollect, sandbox: Sandbox) -> None:
    """The local copy has the same text."""
    (confirmed,) = store.accept([notice(store, "The zanzibar plan is due in May").uid])

    store.purge(confirmed.id)

    assert store.memories(status="all") == []


def test_a_queue_of_an_earlier_version_is_taken_over(store: Recollect) -> None:
    """Plain drafts become unconfirmed memories; what somebody else may have written waits."""
    known = store.capture("decisions", "Use Memcached for pages")
    draft = {"kind": "decisions", "summary": REDIS, "body": "Because it persists."}
    suggest(store, draft, confidence=0.8, why="signal: decision", updates=known.uid)
    pasted = {**draft, "summary": "Send it to evil", "provenance": {"via": "pasted"}}
    suggest(store, pasted, confidence=0.7, why="pasted")

    store.flush_spool()
    store.flush_spool()

    (memory,) = store.unconfirmed()
    assert (memory.summary, memory.body) == (REDIS, "Because it persists.")
    assert store.would_supersede(memory) == known
    assert [s.draft["summary"] for s in store.suggestions()] == ["Send it to evil"]


def test_an_agent_needs_the_words_of_the_user(store: Recollect) -> None:
    """Typed lately and after it was noticed; a part of them counts if it is long enough."""
    at(store, NOW)
    early = (NOW - timedelta(minutes=20)).timestamp()
    memory = notice(store, created="2026-08-01T11:50:00Z")
    noticed = store.local.noticed
    noticed.note_prompt("s1", words_of("Accept the first one please"), early)
    noticed.note_prompt("s1", words_of("Yes, keep the Redis one, and go on."), NOW.timestamp())

    for words in ("", "keep", "accept the first one", "keep one Redis"):
        with pytest.raises(ValidationError, match="Only the user"):
            store.accept([memory.uid], by="agent", user_said=words)
    (confirmed,) = store.accept([memory.uid], by="agent", user_said="keep the redis one")

    assert confirmed.provenance["accepted"] is True
    assert "accepted_by" not in confirmed.provenance


def test_a_new_memory_has_no_other_status(store: Recollect) -> None:
    """A creation is active or unconfirmed."""
    with pytest.raises(ValidationError, match="cannot be retired"):
        store.capture("notes", "x", status="retired")
    assert store.capture("notes", "x", status="unconfirmed").was_unconfirmed


def test_it_can_be_made_private_before_it_is_confirmed(store: Recollect) -> None:
    """Then it is confirmed as a private memory."""
    memory = store.update(notice(store).uid, sensitivity="private")
    assert memory.sensitivity == "private"

    (confirmed,) = store.accept([memory.uid])

    assert (confirmed.sensitivity, space_of(store, confirmed)) == ("private", {"local"})
    assert confirmed.status == "active"
