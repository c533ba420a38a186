"""Merging one memory into another: the text moves, nothing is lost, and it can be undone."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.errors import NotFound, ValidationError
from tests.sandbox import Sandbox


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


def test_a_confirmed_memory_is_merged_and_both_are_undone(store: Recollect) -> None:
    """Text, tags and files move; the merged one is archived, and an undo of each takes it back."""
    into = store.capture("decisions", "Cache in Redis", "For sessions.", tags=["cache"])
    memory = store.capture(
        "learnings",
        "Redis needs a password",
        "Since version 6.",
        tags=["cache", "ops"],
        files_modified=["ops/redis.conf"],
    )
    assert store.merge_candidates(memory) == [into]

    merged = store.merge_into(memory.id, into.id)

    gone = store.get(memory.uid)
    assert merged.body == "For sessions.\n\nRedis needs a password\nSince version 6."
    assert merged.tags == ("cache", "ops")
    assert merged.files_modified == ("ops/redis.conf",)
    assert merged.relates_to == (memory.uid,)
    assert (gone.status, gone.status_reason) == (
        "archived",
        f"merged into {store.short_name(into)}",
    )
    for name in (into.uid, memory.uid):
        assert not store.undo(name).kept
    back, again = store.get(into.uid), store.get(memory.uid)
    assert (back.body, back.tags, back.files_modified) == (into.body, into.tags, ())
    assert (again.status, again.body) == ("active", memory.body)


def test_the_content_of_a_typed_memory_is_merged_as_text(store: Recollect) -> None:
    """Its typed fields have no place in another memory, so their words move."""
    content = {
        "status": "accepted",
        "context": "Two writers",
        "decision": "PostgreSQL",
        "rationale": ["Concurrency"],
    }
    made = store.create_document(
        "decisions", {"title": "Use PostgreSQL", "tags": ["db"], "content": content}, by_user=True
    )
    memory = store.get(made["id"])
    into = store.capture("notes", "About the database")

    merged = store.merge_into(memory.uid, into.uid)

    assert "Two writers" in merged.body
    assert "Concurrency" in merged.body


def test_a_merge_that_hides_or_shows_too_much_is_refused(store: Recollect) -> None:
    """Into itself, into or of something hidden, and across sensitivities; nothing changes."""
    public = store.capture("notes", "Everybody may know this")
    private = store.capture("notes", "Nobody may know this", sensitivity="private")
    hidden = store.capture("notes", "Nobody needs this")
    store.set_status(hidden.uid, "archived")

    for name, into in ((public, public), (public, hidden), (private, public), (public, private)):
        with pytest.raises(ValidationError):
            store.merge_into(name.uid, into.uid)
    with pytest.raises(NotFound, match="restore"):
        store.merge_into(hidden.uid, public.uid)

    assert store.get(public.uid).version == public.version
    assert store.get(private.uid).version == private.version
    assert private.uid not in {one.uid for one in store.merge_candidates(public)}


def test_a_fact_keeps_its_words(store: Recollect) -> None:
    """Its text follows from its parts, so nothing is merged into it, and nothing is hidden."""
    fact = store.store_fact("orders", "stored_in", "PostgreSQL").fact.memory
    note = store.capture("notes", "Orders are in PostgreSQL")

    with pytest.raises(ValidationError, match="subject, predicate and object"):
        store.merge_into(note.uid, fact.uid)

    assert store.merge_candidates(note) == []
    assert store.get(note.uid).status == "active"
