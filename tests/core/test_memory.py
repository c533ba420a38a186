"""A memory is a function of the set of its records."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from recollect.core.memory import content_patch, fold
from recollect.core.places import SHARED, Place
from recollect.core.record import CREATE, UPDATE, Record
from recollect.core.uid import make_uid

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


def test_whoever_changed_the_text_of_somebody_else_is_named() -> None:
    """Until its author writes it again; tags are no text."""
    born = creation()._replace(by="Ada <ada@example.com>")
    tagged = update(born, 1, tags=["a"])._replace(by="Ben <ben@example.com>")
    edited = update(born, 2, body="other")._replace(by="Ben <ben@example.com>")
    again = update(born, 3, summary="mine")._replace(by="ADA <ada@example.com>")

    def editor(*updates: Record) -> str | None:
        return fold(born, updates, kind="decisions", name="n").edited_by

    assert editor() is editor(tagged) is editor(tagged, edited, again) is None
    assert editor(edited, tagged) == "Ben <ben@example.com>"


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


def test_changes_add_up_and_keep_their_dates() -> None:
    """Entries of the birth come first, then those of each update; a status change is one, too."""
    born = creation(changes=[{"date": "2025-12-01", "summary": "imported"}], times_updated=3)
    memory = fold(
        born,
        [
            update(born, 2, status="retired", status_reason="wrong"),
            update(born, 1, changes=[{"summary": "why", "field": "spec"}], spec="b"),
        ],
        kind="k",
        name="n",
    )

    assert [entry["summary"] for entry in memory.changes] == ["imported", "why", "retired: wrong"]
    assert [entry["date"] for entry in memory.changes] == [
        "2025-12-01",
        "2026-01-02T00:00:00Z",
        "2026-01-03T00:00:00Z",
    ]
    assert (memory.changes[-1]["old_value"], memory.changes[-1]["new_value"]) == (
        "active",
        "retired",
    )
    assert memory.times_updated == 4  # a change of status is no edit


def test_a_view_shows_the_last_fifty_changes() -> None:
    """The ledger keeps all of them."""
    born = creation(changes=[{"summary": str(number)} for number in range(60)])

    memory = fold(born, (), kind="k", name="n")

    assert [entry["summary"] for entry in memory.changes] == [str(n) for n in range(10, 60)]


CONTENT: st.SearchStrategy[dict[str, object]] = st.dictionaries(
    st.sampled_from("abcd"), st.none() | st.integers(0, 2) | st.just([])
)


@given(CONTENT, CONTENT)
def test_a_patch_makes_the_new_content_of_the_old(
    old: dict[str, object], new: dict[str, object]
) -> None:
    """Whatever was there; a field that says nothing can be taken away, but not come back so."""
    wanted = {name: value for name, value in new.items() if value is not None or name in old}
    born = creation(content=old)
    patch = content_patch(old, wanted)

    memory = fold(born, [update(born, 1, content=patch)], kind="decisions", name="n")

    same = {name: value for name, value in wanted.items() if value is not None}
    assert {k: v for k, v in (memory.content or {}).items() if v is not None} == same


def test_two_patches_of_different_fields_both_count() -> None:
    """In whatever order."""
    born = creation(content={"a": 1, "b": 1, "c": 1})
    one, two = update(born, 1, 1, content={"a": 2}), update(born, 1, 2, content={"b": 2, "c": None})

    for updates in ([one, two], [two, one]):
        assert fold(born, updates, kind="k", name="n").content == {"a": 2, "b": 2}
