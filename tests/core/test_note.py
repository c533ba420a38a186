"""The laws of the join: a note is a set of records, and no order or route matters."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.core.note import (
    SUMMARY_LENGTH,
    Note,
    adopt_text,
    canonical,
    join,
    parse_note,
    purged_uids,
    read_stored,
    render_note,
    scrub,
    shorten_line,
    summarize,
)
from recollect.core.record import CREATE, PURGE, Record, is_legacy, read_record, render_record
from tests.core.strategies import BODIES, FEW_UIDS, NASTY_LINES, PLAIN_LINES, TEXT, notes, records

LEGACY = """\
---
type: decisions
timestamp: 2024-01-15T10:30:00+00:00
summary: Use PostgreSQL for persistence
tags:
  - database
---

## Context

Two rules follow.

---

Below the rule: not a record.
"""
SECOND_LEGACY = LEGACY.replace("10:30", "11:30").replace("PostgreSQL", "SQLite")


@given(notes())
def test_rendering_and_parsing_are_inverse(note: Note) -> None:
    """What is written is read back as the same set."""
    assert parse_note(render_note(note)) == note


@given(notes(FEW_UIDS), notes(FEW_UIDS))
def test_join_is_commutative(a: Note, b: Note) -> None:
    """Who syncs first does not matter."""
    assert join(a, b) == join(b, a)
    assert render_note(join(a, b)) == render_note(join(b, a))


@given(notes(FEW_UIDS), notes(FEW_UIDS), notes(FEW_UIDS))
def test_join_is_associative(a: Note, b: Note, c: Note) -> None:
    """The route through other clones does not matter."""
    assert join(join(a, b), c) == join(a, join(b, c)) == join(a, b, c)


@given(notes(FEW_UIDS), notes(FEW_UIDS))
def test_join_is_idempotent(a: Note, b: Note) -> None:
    """Syncing twice adds nothing."""
    assert join(a, a) == a
    assert join(join(a, b), b) == join(a, b)


@given(notes(FEW_UIDS), notes(FEW_UIDS), st.sampled_from(["", "\n", "\n\n"]))
def test_concatenation_is_a_merge(a: Note, b: Note, between: str) -> None:
    """Git's own `union` and `concatenate` glue notes together, and that is the join."""
    assert parse_note(render_note(a) + between + render_note(b)) == join(a, b)


@given(notes(FEW_UIDS), st.lists(PLAIN_LINES, min_size=1, max_size=3))
def test_text_outside_records_becomes_a_record(note: Note, lines: list[str]) -> None:
    """`git notes append -m` adds a memory, whose uid depends on the text alone."""
    text = "\n".join(lines)
    appended = parse_note(render_note(note) + "\n" + text + "\n")
    adopted = adopt_text(text)

    assert appended == join(note, {adopted.uid: render_record(adopted)})
    assert parse_note(render_note(appended)) == appended


@given(st.lists(st.one_of(NASTY_LINES, TEXT), max_size=15).map("\n".join))
def test_no_text_is_ever_lost(text: str) -> None:
    """Whatever bytes a note has, every word of it is in some record, and stays there."""
    once = parse_note(text)
    again = parse_note(render_note(once))

    assert again == once
    read = [read_stored(text) for text in once.values()]
    kept = "".join(f"{r.body}{r.fields.get('summary')}" for r in read) + "".join(once.values())
    for word in text.split():
        assert word.strip("#>*- \t") in kept or word in kept


@given(records().filter(lambda r: r.op == CREATE), BODIES)
def test_the_longer_text_of_one_uid_wins(record: Record, body: str) -> None:
    """Git's porcelain only removes characters, so the longer text is the original."""
    original = render_record(record)
    longer = original.replace("\n...\n", "\nmore" + "\n...\n")

    assert join({record.uid: original}, {record.uid: longer})[record.uid] == longer


def test_a_cut_off_record_does_not_swallow_its_neighbour() -> None:
    """A record whose terminator was deleted ends where the next one begins."""
    first = render_record(Record("01M7GBJJDY86YZZDQ8VQJ7NATA", CREATE, {}, "one"))
    second = render_record(Record("01M7GBJJDY86YZZDQ8VQJ7NATB", CREATE, {}, "two"))
    note = parse_note(first.replace("\n...\n", "\n") + second)

    assert {read_record(text).body for text in note.values()} == {"one", "two"}


def test_a_note_rewritten_with_crlf_is_read() -> None:
    """An editor that turns every line end into CRLF does not turn records into one foreign text."""
    text = render_record(Record("01M7GBJJDY86YZZDQ8VQJ7NATA", CREATE, {"summary": "s"}, "body"))

    assert parse_note(text.replace("\n", "\r\n")) == parse_note(text)


def test_legacy_records_are_read_and_kept_in_their_own_words() -> None:
    """Notes of the older system, several in one note and with rules inside, read as records."""
    text = LEGACY + "\n" + SECOND_LEGACY
    note = parse_note(text)
    read = [read_stored(note[uid]) for uid in sorted(note)]

    assert [r.fields["summary"] for r in read] == [
        "Use PostgreSQL for persistence",
        "Use SQLite for persistence",
    ]
    assert read[0].fields["tags"] == ["database"]
    assert (read[0].body or "").endswith("Below the rule: not a record.")
    assert canonical(text) == text
    assert parse_note(render_note(note)) == note
    assert all(map(is_legacy, note.values()))


@given(notes(FEW_UIDS))
def test_legacy_and_new_records_live_in_one_note(note: Note) -> None:
    """Adding our records to a legacy note keeps the legacy ones, in any order of concatenation."""
    legacy = parse_note(LEGACY)
    both = join(legacy, note)

    assert parse_note(render_note(both)) == both
    assert parse_note(LEGACY + "\n" + render_note(note)) == both


def test_a_framed_legacy_record_beats_its_raw_text() -> None:
    """An edited legacy record is framed under the same uid, and clones with the raw text agree."""
    ((uid, raw),) = parse_note(LEGACY).items()
    framed = render_record(read_stored(raw))

    assert join({uid: raw}, {uid: framed})[uid] == framed


@given(notes(FEW_UIDS), notes(FEW_UIDS), st.sets(FEW_UIDS))
def test_scrubbing_commutes_with_joining(a: Note, b: Note, purged: set[str]) -> None:
    """It does not matter whether the purge or the merge comes first.

    A uid fixes its operation and target, so both sides must agree on them.
    """
    b = {uid: a.get(uid, text) for uid, text in b.items()}

    assert scrub(join(a, b), purged) == join(scrub(a, purged), scrub(b, purged))


def test_purge_records_survive_their_own_scrub() -> None:
    """The record that says what was purged stays, or clones could bring the memory back."""
    memory = Record("01M7GBJJDY86YZZDQ8VQJ7NATA", CREATE, {"summary": "secret"})
    purge = Record("01M7GBJJDY86YZZDQ8VQJ7NATB", PURGE, {}, of=memory.uid)
    note = {r.uid: render_record(r) for r in (memory, purge)}

    assert purged_uids(note) == {memory.uid}
    assert scrub(note, purged_uids(note)).keys() == {purge.uid}


@given(TEXT)
def test_a_summary_made_from_text_is_one_short_line(text: str) -> None:
    """Adopted text always has a summary that fits."""
    line = shorten_line(text)

    assert 1 <= len(line) <= SUMMARY_LENGTH
    assert len(line.splitlines()) == 1


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (
            "The quick brown fox jumps over the lazy dog and then sleeps under the old oak tree"
            " near the quiet mountain river",
            "The quick brown fox jumps over the lazy dog and then sleeps under the old oak tree"
            " near the quiet…",
        ),
        (
            "The worker of the mail queue retries a message five times with a growing pause,"
            " because the relay is slow",
            "The worker of the mail queue retries a message five times with a growing pause…",
        ),
        ("Use uv. " + "It is fast " * 20, "Use uv."),
    ],
)
def test_a_long_title_fills_its_room(text: str, title: str) -> None:
    """It ends with a clause near the limit, or else with the last word that fits."""
    assert len(title) <= SUMMARY_LENGTH
    assert summarize(text) == (title, text)
