"""A uid proves the text of its record: the laws of the join hold, and the original always wins."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.memory import fold, version_of
from recollect.core.note import (
    Note,
    altered_copies,
    join,
    parse_note,
    read_with_digest,
    render_note,
)
from recollect.core.proof import content_digest, proves, seal
from recollect.core.record import CREATE, LEGACY_MARK, Record, read_record, render_record
from recollect.core.uid import (
    claims_proof,
    derive_uid,
    is_nonce,
    is_uid,
    make_uid,
    proving_prefix,
    uid_milliseconds,
)
from tests.core.strategies import BODIES, FIELDS, TEXT, proven, tampered_notes

NONCE = "01M7GBJJDY86YZZDQ8VQJ7NATA"


@given(FIELDS, st.none() | BODIES, st.none() | TEXT, st.integers(0, 2**47 - 1))
def test_a_sealed_record_proves_itself_wherever_it_was(
    fields: dict[str, object], body: str | None, by: str | None, time: int
) -> None:
    """Written, read and written again; its uid has the time of its nonce."""
    nonce = make_uid(time, 5)
    record = seal(Record("", CREATE, {**fields, "type": "notes"}, body, by=by, nonce=nonce))
    named = render_record(record._replace(id="notes:818f6ef:0"))

    assert is_uid(record.uid)
    assert uid_milliseconds(record.uid) == uid_milliseconds(nonce) == time
    assert record.uid.startswith(proving_prefix(nonce))
    assert claims_proof(record.uid)
    assert is_nonce(nonce)
    assert proves(record.uid, named)
    assert proves(record.uid, render_record(read_record(named)))
    assert read_with_digest(record.uid, named).digest == ""


def test_the_proof_of_a_record_stays_the_same() -> None:
    """Other clones have it, too, and so do the digests of records without proof."""
    record = Record(
        "",
        CREATE,
        {"summary": "Use PostgreSQL", "tags": ["db", "é"], "importance": 0.5, "type": "notes"},
        "Why: it’s there\n",
        timestamp="2026-01-01T00:00:00Z",
        by="Ada <ada@example.com>",
        nonce=NONCE,
    )
    marked = record._replace(fields={**record.fields, LEGACY_MARK: True})

    assert seal(marked).uid == "41M7GBJJDYS43N0G91H3T06ZKF"
    assert content_digest(record) == content_digest(marked) == "8b6ab3d28856aeecb59e"


@given(proven(), st.data())
def test_any_other_byte_is_noticed(record: Record, data: st.DataObject) -> None:
    """Except in the id: it is given when the record is written."""
    text = render_record(record._replace(id=None))
    place = data.draw(st.integers(len("---\nuid: ") + 26 + 1, len(text) - 1))
    altered = text[:place] + data.draw(st.sampled_from("aZ0 \n:-.")) + text[place + 1 :]

    assert proves(record.uid, text)
    assert proves(record.uid, altered) == (altered == text)


def test_the_claim_cannot_be_taken_away() -> None:
    """A copy without a nonce, with two names, or with a name of another kind proves nothing."""
    record = seal(Record("", CREATE, {"type": "notes"}, "x", nonce=NONCE))
    text = render_record(record._replace(id="notes:818f6ef:0"))

    assert proves(record.uid, text)
    assert not proves(record.uid, text.replace(f"nonce: {NONCE}\n", ""))
    assert not proves(record.uid, text.replace("id: notes", "id: facts"))
    assert not proves(record.uid, text.replace("id: ", "id: notes:818f6ef:1\nid: "))
    assert not proves(record.uid, text.replace("id: notes:", "id: notes:" + "0" * 300))
    assert not claims_proof(derive_uid("any text", 253402300799000))  # the year 9999


@given(tampered_notes(), tampered_notes(), tampered_notes())
def test_the_laws_of_the_join_hold(a: Note, b: Note, c: Note) -> None:
    """Commutative, associative, idempotent; the concatenation of two notes is their join."""
    assert join(a, b) == join(b, a)
    assert join(join(a, b), c) == join(a, join(b, c)) == join(a, b, c)
    assert join(a, a) == a
    assert join(join(a, b), b) == join(a, b)
    assert parse_note(render_note(a) + "\n" + render_note(b)) == join(a, b)


@given(st.lists(tampered_notes(), min_size=1, max_size=4))
def test_the_original_wins_in_every_order(notes: list[Note]) -> None:
    """As soon as one of the notes has it."""
    for order in itertools.islice(itertools.permutations(notes), 6):
        joined = join(*order)
        for uid, text in joined.items():
            known = any(proves(uid, note[uid]) for note in notes if uid in note)
            assert proves(uid, text) == known
    copies = {u for n in notes for u, t in n.items() if not proves(u, t)}
    assert altered_copies(joined, notes) == {u for u in copies if proves(u, joined[u])}


def test_of_two_names_the_shorter_wins_then_the_lesser() -> None:
    """Both are proven, because two processes may write the same draft at two commits."""
    record = seal(Record("", CREATE, {"type": "notes"}, "x", nonce=NONCE))
    names = ["notes:018f6ef:9", "notes:818f6ef:9", "notes:018f6ef:10"]
    texts = [render_record(record._replace(id=name)) for name in names]

    for order in itertools.permutations(texts):
        assert join(*({record.uid: text} for text in order)) == {record.uid: texts[0]}


@pytest.mark.parametrize("field", ["fields", "body", "by", "timestamp"])
def test_a_version_covers_what_no_uid_proves(field: str) -> None:
    """Two records of one old uid that differ have two versions; a name makes no difference."""
    record = Record(NONCE, CREATE, {"type": "notes"}, "x", by="Ada", timestamp="2026-01-01")
    change: dict[str, Any] = {field: {"type": "notes", "a": 1} if field == "fields" else "y"}
    other = record._replace(**change)
    named = record._replace(id="notes:818f6ef:0", fields={**record.fields, "legacy": True})
    update = seal(Record("", "update", {"tags": []}, of=NONCE, rev=1, nonce=NONCE))

    def versions(one: Record) -> tuple[str, str]:
        read = read_with_digest(one.uid, render_record(one))
        return version_of(read, []), version_of(read, [update])

    assert len({*versions(record), *versions(other)}) == 4
    assert versions(named) == versions(record)


def test_an_altered_update_changes_nothing_but_the_version() -> None:
    """It is kept, and doctor lists it."""
    create = seal(Record("", CREATE, {"type": "notes", "summary": "first"}, nonce=NONCE))
    update = seal(Record("", "update", {"summary": "second"}, of=create.uid, rev=1, nonce=NONCE))
    altered = render_record(update._replace(fields={"summary": "third"}))

    def folded(text: str) -> tuple[str, bool, str]:
        memory = fold(create, [read_with_digest(update.uid, text)], kind="notes", name="notes:0:0")
        return memory.summary, memory.altered, memory.version

    original = folded(render_record(update))
    assert original[:2] == ("second", False)
    assert folded(altered)[:2] == ("first", False)
    assert folded(altered)[2] != original[2]
