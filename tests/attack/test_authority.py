"""Others cannot act in your name: foreign updates, purges and dates, on real git."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.core.note import join, parse_note, purged_uids, render_note, scrub
from recollect.core.record import PURGE, UPDATE, Record, render_record
from recollect.sleep.purge import collect_garbage, expired
from recollect.sleep.run import sleep
from recollect.store.uids import NonceMaker
from tests.attack.owners import directory, open_as
from tests.sandbox import Sandbox

ADA = "Ada <ada@example.com>"
BOB = "Bob <bob@example.com>"
NOTES = "refs/notes/mem/decisions"
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
_new_uid = NonceMaker()


@pytest.fixture
def pair(sandbox: Sandbox, hub: Path) -> tuple[Recollect, Recollect]:
    """Two clones of one hub, owned by Ada and by Bob."""
    return open_as(sandbox, ADA, "ada"), open_as(sandbox, BOB, "bob")


def anchor_of(memory: Memory) -> str:
    """The object that a memory's note is on."""
    return memory.id.split(":")[1]


def push_records(
    sandbox: Sandbox,
    records: Mapping[str, list[Record]],
    *,
    scrubbed: bool = True,
    ref: str = NOTES,
) -> None:
    """Somebody with push rights adds records to notes of the hub, by hand."""
    repo = sandbox.root / "attacker"
    if not repo.exists():
        sandbox.clone("attacker")
    sandbox.git(repo, "fetch", "-q", "origin", f"+{ref}:{ref}")
    listed = sandbox.git(repo, "notes", "--ref", ref, "list").splitlines()
    anchors = {line.split()[1] for line in listed} | records.keys()
    texts = {}
    for anchor in anchors:
        shown = sandbox.run(repo, "notes", "--ref", ref, "show", anchor)
        note = parse_note(shown.stdout.decode()) if shown.returncode == 0 else {}
        added = {record.uid: render_record(record) for record in records.get(anchor, ())}
        texts[anchor] = join(note, added)
    gone = {uid for note in texts.values() for uid in purged_uids(note)}
    for anchor, note in texts.items():
        text = render_note(scrub(note, gone) if scrubbed else note)
        if text:
            sandbox.git(
                repo, "notes", "--ref", ref, "add", "-f", "-F", "-", anchor, stdin=text.encode()
            )
        else:
            sandbox.git(repo, "notes", "--ref", ref, "remove", "--ignore-missing", anchor)
    sandbox.git(repo, "push", "-q", "-f", "origin", f"{ref}:{ref}")


def update_of(memory: Memory, by: str = BOB, **fields: Any) -> Record:
    """A change of a memory, as an attacker writes it."""
    time = fields.pop("timestamp", "2026-10-01T00:00:00Z")
    return Record(
        uid=_new_uid(), op=UPDATE, of=memory.uid, rev=90, timestamp=time, by=by, fields=fields
    )


def purge_of(uid: str, name: str = "", by: str = BOB, **fields: Any) -> Record:
    """A purge, as an attacker writes it."""
    return Record(
        uid=_new_uid(),
        op=PURGE,
        of=uid,
        id=name or None,
        timestamp="2026-10-01T00:00:00Z",
        by=by,
        fields={"type": "decisions", **fields},
    )


# Provenance, dates and trust


def test_an_invented_source_does_not_purge_the_memory(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """`provenance.via = sleep` in a foreign update, and a purge of its source, erase nothing."""
    ada, _ = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays")
    ada.sync()
    invented = _new_uid()
    provenance = {"via": "sleep", "sources": [invented]}
    push_records(
        sandbox,
        {
            anchor_of(mine): [update_of(mine, provenance=provenance)],
            EMPTY_TREE: [purge_of(invented)],
        },
    )

    result = ada.sync()

    kept = ada.get(mine.uid)
    assert kept.summary == mine.summary
    assert kept.sources == ()
    assert result.purged == []
    assert not [record for record, _ in ada.journal() if record.op == PURGE and record.by == ADA]


def test_a_forged_name_cannot_invent_sources_either(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """`by` is a claim; what a memory was merged from is said by its creation alone."""
    ada, _ = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays", relates_to=[])
    ada.sync()
    invented = _new_uid()
    provenance = {"via": "sleep", "sources": [invented]}
    push_records(
        sandbox,
        {
            anchor_of(mine): [update_of(mine, ADA, provenance=provenance)],
            EMPTY_TREE: [purge_of(invented, by=ADA)],
        },
    )
    ada.sync()
    assert ada.get(mine.uid).sources == ()


def test_backdating_and_a_ttl_do_not_retire_a_decision(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """A foreign `ttl` and `created` are suggestions; the memory neither expires nor retires."""
    ada, _ = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays")
    ada.sync()
    change = update_of(
        mine, ttl=1, created="2020-01-01T00:00:00Z", timestamp="2020-01-01T00:00:00Z"
    )
    push_records(sandbox, {anchor_of(mine): [change]})
    ada.sync()
    sleep(ada)

    kept = ada.get(mine.uid)
    assert (kept.ttl, kept.status, kept.created) == (None, "active", mine.created)
    assert kept.updated == mine.created
    assert expired(ada) == []
    (found,) = ada.suggested_changes()
    assert found.by == BOB
    assert found.fields == {"ttl": 1, "created": "2020-01-01T00:00:00Z"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("importance", 0.0),
        ("confidence", 0.1),
        ("sensitivity", "unknown"),
        ("ttl", 1),
        ("provenance", {"said_by": "tool"}),
    ],
)
def test_protected_fields_change_by_the_author_and_the_owner_only(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect], field: str, value: Any
) -> None:
    """In Ada's clone Bob's change is a suggestion; in Bob's own clone it counts."""
    ada, bob = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays", provenance={"said_by": "user"})
    ada.sync()
    push_records(sandbox, {anchor_of(mine): [update_of(mine, **{field: value})]})
    for store in pair:
        store.sync()

    assert getattr(ada.get(mine.uid), field) == getattr(mine, field)
    assert getattr(bob.get(mine.uid), field) == value
    assert ada.get(mine.uid).version == bob.get(mine.uid).version
    assert [change.fields for change in ada.suggested_changes()] == [{field: value}]
    assert bob.suggested_changes() == []
    for store in pair:  # rebuilt from nothing, the same counts
        shown = store.get(mine.uid)
        store.indexing.rebuild()
        assert store.get(mine.uid) == shown


def test_a_suggested_change_is_accepted_by_writing_it(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """The owner writes the same change; then nothing waits. To reject keeps what is there."""
    ada, _ = pair
    one = ada.capture("decisions", "We deploy on Tuesdays")
    two = ada.capture("decisions", "We never deploy on Fridays")
    ada.sync()
    push_records(
        sandbox,
        {anchor_of(one): [update_of(one, importance=0.9), update_of(two, importance=0.1)]},
    )
    ada.sync()
    first, second = ada.suggested_changes()
    ada.accept_change(first.record)
    ada.reject_change(second.record)

    assert ada.get(first.memory).importance == first.fields["importance"]
    assert ada.get(second.memory).importance == 0.5
    assert ada.suggested_changes() == []


def test_others_may_still_edit_words_and_status(pair: tuple[Recollect, Recollect]) -> None:
    """A team edits: summary, body, tags and status by anybody count, and the history keeps all."""
    ada, bob = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays")
    ada.sync()
    bob.sync()
    bob.update(mine.uid, summary="We deploy on Mondays", tags=["release"])
    bob.set_status(mine.uid, "resolved")
    bob.sync()
    ada.sync()

    found = ada.get(mine.uid)
    assert (found.summary, found.tags, found.status) == (
        "We deploy on Mondays",
        ("release",),
        "resolved",
    )
    assert ada.suggested_changes() == []


def test_the_index_follows_when_somebody_else_owns_the_clone(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """Whose changes count depends on the owner, so another owner means another index."""
    ada, _ = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays")
    ada.sync()
    push_records(sandbox, {anchor_of(mine): [update_of(mine, sensitivity="unknown")]})
    ada.sync()
    assert [m.uid for m in ada.memories(sensitivity="public")] == [mine.uid]
    sandbox.git(directory(ada), "config", "user.email", "bob@example.com")

    as_bob = sandbox.open(directory(ada))
    assert as_bob.memories(sensitivity="public") == []
    assert [m.uid for m in as_bob.memories(sensitivity="unknown")] == [mine.uid]


# Purges by others


def test_a_purge_by_somebody_else_waits(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """Our copy stays readable here, the remote gets no text back, and everything else syncs."""
    ada, bob = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays")
    ada.sync()
    bob.sync()
    bob.purge(mine.uid)
    bob.capture("decisions", "We write changelogs")
    bob.sync()

    result = ada.sync()

    assert [pending.memory.uid for pending in result.pending] == [mine.uid]
    assert result.pending[0].by == (BOB,)
    assert result.purged == []
    assert ada.get(mine.uid).summary == mine.summary
    assert ada.search("deploy Tuesdays")[0].memory.uid == mine.uid
    assert "We write changelogs" in [memory.summary for memory in ada.memories()]
    for store in (ada, bob, ada):
        store.sync()
    assert b"Tuesdays" not in sandbox.reachable_bytes(sandbox.hub)
    assert b"Tuesdays" not in sandbox.all_bytes(directory(bob))
    assert sandbox.trees(directory(ada)) == sandbox.trees(sandbox.hub)
    ada.indexing.rebuild()
    assert ada.get(mine.uid).summary == mine.summary
    assert [finding for finding in ada.verify() if finding.level == "problem"] == []
    assert any("purged by" in finding.message for finding in ada.doctor())

    assert ada.accept_purges() == []
    assert ada.candidates(mine.uid) == []
    assert ada.pending_purges() == []
    assert b"Tuesdays" not in sandbox.all_bytes(directory(ada))
    assert b"Tuesdays" not in sandbox.state_bytes(directory(ada))
    assert set(ada.sync().report.cases.values()) <= {"S0"}
    assert sandbox.trees(directory(ada)) == sandbox.trees(sandbox.hub)


def test_edits_of_a_held_memory_stay_here(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """What is held can be edited and merged with nothing; no word of it reaches the remote."""
    ada, bob = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays")
    ada.sync()
    bob.sync()
    bob.purge(mine.uid)
    bob.sync()
    ada.sync()
    ada.update(mine.uid, summary="We deploy on Wednesdays")
    ada.sync()

    assert ada.get(mine.uid).summary == "We deploy on Wednesdays"
    assert b"Wednesdays" not in sandbox.all_bytes(sandbox.hub)
    ada.purge(mine.uid)
    assert ada.candidates(mine.uid) == []
    assert b"Wednesdays" not in sandbox.all_bytes(directory(ada))


@pytest.mark.parametrize("scrubbed", [True, False])
def test_a_purge_pushed_by_hand_waits_too(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect], scrubbed: bool
) -> None:
    """Also where the tree that brings the purge still holds the memory."""
    ada, _ = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays")
    ada.sync()
    push_records(sandbox, {EMPTY_TREE: [purge_of(mine.uid, mine.id)]}, scrubbed=scrubbed)
    ada.sync()

    assert ada.get(mine.uid).summary == mine.summary
    assert [pending.memory.uid for pending in ada.pending_purges()] == [mine.uid]
    assert sandbox.run(sandbox.hub, "grep", "-a", "Tuesdays", NOTES).returncode == 1


def test_a_purge_beside_another_kind_hides_nothing(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """A purge record in the notes of one kind says nothing about a memory of another."""
    ada, _ = pair
    other = ada.capture("notes", "Something else")
    mine = ada.capture("decisions", "We deploy on Tuesdays")
    ada.sync()
    push_records(
        sandbox, {EMPTY_TREE: [purge_of(mine.uid, mine.id, by=ADA)]}, ref="refs/notes/mem/notes"
    )
    ada.sync()

    assert {memory.uid for memory in ada.memories()} == {mine.uid, other.uid}
    ada.indexing.rebuild()
    assert ada.get(mine.uid).summary == mine.summary
    assert [finding for finding in ada.verify() if finding.level == "problem"] == []


def test_a_purge_that_a_forced_fetch_brings_waits_too(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """Plain git may bring a purge by somebody else; absorbing it holds our copy as well."""
    ada, bob = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays")
    ada.sync()
    bob.sync()
    bob.purge(mine.uid)
    bob.sync()
    sandbox.git(directory(ada), "fetch", "-q", "origin", "+refs/notes/*:refs/notes/*")

    assert ada.get(mine.uid).summary == mine.summary
    assert [pending.memory.uid for pending in ada.pending_purges()] == [mine.uid]


def test_the_authors_own_purge_is_applied(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """What Bob wrote Bob may purge everywhere, at once."""
    ada, bob = pair
    theirs = bob.capture("decisions", "We deploy on Tuesdays")
    bob.sync()
    ada.sync()
    bob.purge(theirs.uid)
    bob.sync()

    assert ada.sync().purged == [theirs.id]
    assert ada.candidates(theirs.uid) == []
    assert ada.pending_purges() == []
    assert b"Tuesdays" not in sandbox.all_bytes(directory(ada))


def test_sync_purge_apply_applies_all(
    pair: tuple[Recollect, Recollect], monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox
) -> None:
    """Who trusts everybody says so in the configuration; a project cannot say it for them."""
    ada, bob = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays")
    ada.sync()
    bob.sync()
    bob.purge(mine.uid)
    bob.sync()
    (directory(ada) / ".recollect.toml").write_text('[sync]\npurge = "apply"\n')
    asking = sandbox.open(directory(ada))
    assert asking.ledger.purge_policy == "ask"
    monkeypatch.setenv("RECOLLECT_SYNC_PURGE", "apply")
    applying = sandbox.open(directory(ada))
    assert applying.sync().purged == [mine.id]
    assert applying.candidates(mine.uid) == []


def test_a_merged_memory_loses_the_words_of_a_purged_source(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """The source's author purged it: what was merged from it goes too, and machinery says so."""
    ada, bob = pair
    theirs = bob.capture("decisions", "Bob's password hint is the dog")
    bob.sync()
    ada.sync()
    merged = ada.capture(
        "decisions",
        "Bob's password hint is the dog, and others",
        provenance={"via": "sleep", "sources": [theirs.uid]},
        relates_to=[theirs.uid],
    )
    bob.purge(theirs.uid)
    bob.sync()
    ada.sync()

    assert ada.candidates(merged.uid) == []
    (record,) = [r for r, _ in ada.journal() if r.op == PURGE and r.of == merged.uid]
    assert record.by == "recollect"
    assert record.fields["because"] == [theirs.uid]
    for store in (ada, bob):
        store.sync()
    assert bob.pending_purges() == []
    assert b"dog" not in sandbox.all_bytes(directory(ada))


def test_what_the_owner_reworded_is_not_erased_with_its_source(
    pair: tuple[Recollect, Recollect],
) -> None:
    """A merged memory in the owner's own words stays, and they are told."""
    ada, bob = pair
    theirs = bob.capture("decisions", "We deploy on Tuesdays")
    bob.sync()
    ada.sync()
    merged = ada.capture(
        "decisions",
        "We deploy twice a week",
        provenance={"via": "sleep", "sources": [theirs.uid]},
        relates_to=[theirs.uid],
    )
    ada.update(merged.uid, summary="We deploy when the tests are green")
    bob.purge(theirs.uid)
    bob.sync()
    ada.sync()

    assert ada.get(merged.uid).summary == "We deploy when the tests are green"
    assert any("You edited it" in warning for warning in ada.warnings)


def test_a_backdated_retirement_by_others_is_not_garbage_yet(
    sandbox: Sandbox, pair: tuple[Recollect, Recollect]
) -> None:
    """The grace of what others retired runs from when this clone saw it, not from what they say."""
    ada, _ = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays", created="2024-01-01T00:00:00Z")
    ada.sync()
    retired = update_of(mine, status="retired", timestamp="2024-01-02T00:00:00Z")
    push_records(sandbox, {anchor_of(mine): [retired]})
    ada.sync()
    assert ada.get(mine.uid).status == "retired"

    assert collect_garbage(ada).memories == ()
    assert ada.get(mine.uid).summary == mine.summary
    later = datetime.fromtimestamp(ada.ledger.clock().timestamp() + 31 * 86_400, UTC)
    ada.ledger.clock = lambda: later
    assert [memory.uid for memory in collect_garbage(ada).memories] == [mine.uid]


# Conflicts


def test_sync_tells_a_conflict_with_both_texts(pair: tuple[Recollect, Recollect]) -> None:
    """Both sides changed one memory: the report has both texts and says which one counts."""
    ada, bob = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays", "Because of the team.")
    ada.sync()
    bob.sync()
    bob.update(mine.uid, summary="We deploy on Mondays", body="Bob's reason")
    bob.sync()
    ada.update(mine.uid, summary="We deploy on Fridays", body="Ada's reason")
    result = ada.sync()

    (conflict,) = result.conflicts
    assert (conflict.ours.summary, conflict.theirs.summary) == (
        "We deploy on Fridays",
        "We deploy on Mondays",
    )
    assert {field.field for field in conflict.fields} == {"summary", "body"}
    now = ada.get(mine.uid)
    for field in conflict.fields:
        assert getattr(now, field.field) == getattr(field, field.won)
    assert json.dumps(conflict.as_json())
    assert bob.sync().conflicts == []  # for Bob it is news, not a conflict
    assert ada.sync().conflicts == []


def test_the_history_has_the_texts(pair: tuple[Recollect, Recollect]) -> None:
    """Every version of a memory can be read, also one that lost."""
    ada, bob = pair
    mine = ada.capture("decisions", "We deploy on Tuesdays", "First")
    ada.sync()
    bob.sync()
    bob.update(mine.uid, summary="We deploy on Mondays", body="Second")
    bob.sync()
    ada.sync()
    versions = ada.versions(mine.uid)
    assert [(v.memory.summary, v.memory.body) for v in versions] == [
        ("We deploy on Tuesdays", "First"),
        ("We deploy on Mondays", "Second"),
    ]
