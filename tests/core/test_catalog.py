"""Memories are a function of the records, and names lead to them."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.catalog import LOCAL, SHARED, Catalog, Place
from recollect.core.memory import fold
from recollect.core.note import Note, join, parse_note, render_note
from recollect.core.record import CREATE, PURGE, UPDATE, Record, render_record
from recollect.core.uid import make_uid
from tests.core.strategies import FEW_UIDS, notes

ANCHOR = "818f6efc36a8195ba7ebdc81b7551692eb10de03"
OTHER = "818f6efc36a8195ba7ebdc81b7551692eb10dfff"
PLACE = Place(SHARED, "decisions", ANCHOR)


def creation(number: int = 0, anchor: str = ANCHOR, salt: int = 0, **fields: object) -> Record:
    """A memory's birth."""
    return Record(
        uid=make_uid(1000 + number, salt),
        op=CREATE,
        id=f"decisions:{anchor}:{number}",
        timestamp="2026-01-01T00:00:00Z",
        fields={"summary": f"memory {number}", **fields},
        body="body",
    )


def update(
    of: Record, rev: int, salt: int = 0, body: str | None = None, **fields: object
) -> Record:
    """A change to a memory."""
    return Record(
        uid=make_uid(2000 + rev, salt),
        op=UPDATE,
        of=of.uid,
        rev=rev,
        timestamp=f"2026-01-0{min(rev, 8) + 1}T00:00:00Z",
        fields=fields,
        body=body,
    )


def note_of(*records: Record) -> Note:
    """A note that holds some records."""
    return {record.uid: render_record(record) for record in records}


def catalog_of(*placed: tuple[Place, Note]) -> Catalog:
    """A catalog of some notes."""
    catalog = Catalog()
    for place, note in placed:
        catalog.apply(place, note)
    return catalog


@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(0, 3), st.booleans()), max_size=8),
    st.randoms(),
)
def test_a_memory_depends_on_the_set_of_updates_only(
    drawn: list[tuple[int, int, bool]], rng: random.Random
) -> None:
    """Whatever order updates arrive in, the memory is the same."""
    born = creation()
    updates = {
        u.uid: u
        for u in (
            update(born, rev, salt, "text" if flag else None, status="archived", tags=[str(salt)])
            for rev, salt, flag in drawn
        )
    }
    ordered = list(updates.values())
    shuffled = ordered[:]
    rng.shuffle(shuffled)

    assert fold(born, ordered, kind="decisions", name="n") == fold(
        born, shuffled, kind="decisions", name="n"
    )


def test_later_revisions_win_field_by_field() -> None:
    """An update changes what it names and nothing else; null takes a field back."""
    born = creation(spec="one", phase="plan")
    memory = fold(
        born,
        [
            update(born, 2, spec="three"),
            update(born, 1, spec="two", phase=None),
            update(born, 3, body=None),
        ],
        kind="decisions",
        name="n",
    )

    assert (memory.spec, memory.phase, memory.body) == ("three", None, "body")


def test_the_version_names_the_exact_set_of_records() -> None:
    """Two states have the same version only if they come from the same records."""
    born = creation()
    one, other = update(born, 1, 1, spec="a"), update(born, 1, 2, spec="b")
    versions = {
        fold(born, chosen, kind="k", name="n").version
        for chosen in ([], [one], [other], [one, other])
    }

    assert len(versions) == 4


def test_a_reason_belongs_to_its_own_change_of_status() -> None:
    """A new status without a reason does not inherit the old one's."""
    born = creation()
    memory = fold(
        born,
        [update(born, 1, status="archived", status_reason="old"), update(born, 2, status="active")],
        kind="k",
        name="n",
    )

    assert memory.status == "active"
    assert memory.status_reason is None
    assert memory.status_changed == "2026-01-03T00:00:00Z"


@given(st.lists(st.tuples(st.integers(0, 2), notes(FEW_UIDS)), max_size=8))
def test_applying_notes_one_by_one_equals_reading_the_last_of_each(
    steps: list[tuple[int, Note]],
) -> None:
    """An incremental refresh ends where a full read ends."""
    places = [replace(PLACE, anchor=str(n) * 40) for n in range(3)]
    # A uid fixes its operation and its target: one text for each.
    first: dict[str, str] = {}
    fixed = [
        (n, {uid: first.setdefault(uid, text) for uid, text in note.items()}) for n, note in steps
    ]
    incremental = catalog_of(*((places[n], note) for n, note in fixed))
    last = dict(fixed)
    full = catalog_of(*((places[n], note) for n, note in last.items()))

    assert incremental.memories == full.memories
    assert list(incremental.journal()) == list(full.journal())


def test_a_rebase_copy_is_one_memory() -> None:
    """The same record in two notes is one memory, under the name of its birth."""
    note = note_of(creation())
    catalog = catalog_of((PLACE, note), (replace(PLACE, anchor=OTHER), note))

    assert len(catalog.memories) == 1
    assert len(catalog.places(creation().uid)) == 2
    assert catalog.resolve(f"decisions:{ANCHOR}:0")[0].uid == creation().uid


def test_an_update_waits_for_its_creation() -> None:
    """An update that arrives first is kept and counts as soon as its memory is there."""
    born = creation()
    change = update(born, 1, spec="x")
    catalog = catalog_of((PLACE, note_of(change)))
    assert not catalog.memories
    assert [r.uid for r in catalog.waiting()] == [change.uid]

    catalog.apply(PLACE, note_of(born, change))

    assert catalog.memories[born.uid].spec == "x"
    assert not catalog.waiting()


def test_a_purged_memory_is_gone() -> None:
    """A purge record hides the memory even where its text is still around."""
    born = creation()
    purge = Record(make_uid(9, 9), PURGE, {}, of=born.uid, id=born.id)
    catalog = catalog_of((PLACE, note_of(born)), (replace(PLACE, anchor=OTHER), note_of(purge)))

    assert not catalog.memories
    assert catalog.resolve(f"decisions:{ANCHOR}:0") == []


def test_a_name_claimed_twice_is_ambiguous_and_a_tail_decides() -> None:
    """Two clones gave the same name: both are found, and four characters of the uid choose."""
    one, two = creation(salt=1), creation(salt=2)
    catalog = catalog_of((PLACE, note_of(one, two)))

    found = catalog.resolve(f"decisions:{ANCHOR[:7]}:0")

    assert {m.uid for m in found} == {one.uid, two.uid}
    for memory in found:
        assert memory.id == f"decisions:{ANCHOR}:0~{memory.uid[-4:]}"
        assert [m.uid for m in catalog.resolve(memory.id)] == [memory.uid]
        assert [m.uid for m in catalog.resolve(catalog.short_name(memory))] == [memory.uid]


def test_short_names_grow_until_they_are_unique() -> None:
    """Two anchors that begin alike get as many characters as it takes."""
    one, two = creation(salt=1), creation(anchor=OTHER, salt=2)
    catalog = catalog_of((PLACE, note_of(one)), (replace(PLACE, anchor=OTHER), note_of(two)))

    for memory in catalog.memories.values():
        short = catalog.short_name(memory)
        assert [m.uid for m in catalog.resolve(short)] == [memory.uid]
        assert len(short) < len(memory.id)


@pytest.mark.parametrize(
    "typed", ["decision:818f6ef:0", "DECISIONS:818f6ef:0", " decisions:818f6ef:0 "]
)
def test_aliases_work_in_names(typed: str) -> None:
    """A kind may be typed by its alias inside an id, too."""
    catalog = catalog_of((PLACE, note_of(creation())))

    assert len(catalog.resolve(typed)) == 1


def test_a_uid_or_its_beginning_is_a_name() -> None:
    """The uid always resolves, in any case."""
    born = creation()
    catalog = catalog_of((PLACE, note_of(born)))

    assert len(catalog.resolve(born.uid)) == 1
    assert len(catalog.resolve(born.uid[:12].lower())) == 1
    assert catalog.resolve("not a name") == []


def test_adopted_text_has_the_same_name_in_every_clone() -> None:
    """The number of plain text is drawn from the text, whatever else its note holds."""
    text = "remember the milk\n"
    alone = catalog_of((PLACE, parse_note(text)))
    beside = catalog_of((PLACE, parse_note(render_note(note_of(creation())) + "\n" + text)))
    (memory,) = alone.memories.values()

    assert beside.memories[memory.uid].id == memory.id


def test_legacy_records_are_named_by_position() -> None:
    """As the system that wrote them did."""
    header = "---\ntype: decisions\ntimestamp: 2024-01-0{n}T00:00:00Z\nsummary: number {n}\n---\n"
    note = parse_note(header.format(n=1) + "\n" + header.format(n=2))
    catalog = catalog_of((PLACE, note))

    assert catalog.resolve(f"decisions:{ANCHOR}:0")[0].summary == "number 1"
    assert catalog.resolve(f"decisions:{ANCHOR}:1")[0].summary == "number 2"


def test_unknown_kinds_and_fields_are_kept_and_shown() -> None:
    """What a newer version wrote is not dropped by this one."""
    born = creation(colour="blue", status="pondering")
    catalog = catalog_of((Place(LOCAL, "dreams", ANCHOR), note_of(born)))
    (memory,) = catalog.memories.values()

    assert memory.kind == "dreams"
    assert memory.as_json()["extra"] == {"colour": "blue"}
    assert memory.status == "pondering"


def test_two_texts_of_one_record_are_joined_across_notes() -> None:
    """A copy that git's porcelain trimmed does not win over the original."""
    born = creation()
    whole = note_of(born)
    trimmed = {born.uid: whole[born.uid].replace("body", "")}
    catalog = catalog_of((PLACE, trimmed), (replace(PLACE, anchor=OTHER), whole))

    assert catalog.memories[born.uid].body == "body"
    assert join(trimmed, whole) == whole
