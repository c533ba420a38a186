"""Reading a record is total, and one that is broken or beyond the limits is quarantined."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recollect.core import disposition, limits
from recollect.core.age import seconds_of
from recollect.core.disposition import dispose
from recollect.core.memory import fold
from recollect.core.note import join, parse_note, purged_uids, read_stored, render_note, scrub
from recollect.core.record import CREATE as CREATE_OP
from recollect.core.record import Record, render_record
from tests.attack.hostile_records import CREATE, HOSTILE, OTHER, UID, record
from tests.core.strategies import records

# Text as it comes out of git: any bytes.
ANY_TEXT = st.binary(max_size=400).map(lambda data: data.decode("utf-8", "surrogateescape"))
_PIECES = [
    "---\n", "...\n", f"uid: {UID}\n", "op: create\n", "op: update\n", f"of: {OTHER}\n",
    "rev: 99999999999999999999\n", "rev: -1\n", "rev: true\n", "\0", "\udcff", "body\n",
    'timestamp: "9999-12-31T23:59:59-23:59"\n', "timestamp: 2026-13-45T00:00:00Z\n",
    "tags: {}\n", 'tags: [[[["a"]]]]\n', "summary: 5\n", "type: decisions\n",
    'summary: "\\U00110000"\n', "content: [1]\n", "changes: [1, {}]\n", "id: :::\n",
    'changes: [{"date": 5, "summary": []}]\n', "provenance: 7\n",
    'provenance: {"via": ["sleep"]}\n', "ttl: 999999999999999999\n", "importance: -1e30\n",
    'status: {"a": 1}\n', ": \n", "\r\n", '"\\ud800"', "[" * 40,
]  # fmt: skip
PIECES = st.lists(st.sampled_from(_PIECES), max_size=14).map("".join)
TEXTS = st.one_of(ANY_TEXT, PIECES, PIECES.map(lambda text: f"---\nuid: {UID}\n{text}"))


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_record_is_quarantined(text: str) -> None:
    """It has a reason, it is one record of its note, and it stays there byte for byte."""
    note = parse_note(text)

    assert len(note) == 1
    (stored,) = note.values()
    assert dispose(stored).reason
    assert stored.strip("\n") == text.strip("\n")
    assert parse_note(render_note(note)) == note
    assert join(note, note) == note
    assert purged_uids(note) == frozenset()
    assert scrub(note, note) == {}


_VALUES = ["9" * 19, "e99", "E+999", "\\u", "d800", "0000", "NaN", "Infinity", "-", "x", "٣٣٣"]


@given(st.lists(st.sampled_from(_VALUES), max_size=6).map("".join))
def test_no_value_that_needs_a_closer_check_is_passed_over(text: str) -> None:
    """What is sorted out beforehand is what the expression would not find."""
    assert disposition._is_suspect(text) == (disposition._SUSPECT.search(text) is not None)


@given(TEXTS)
@example("---\nuid: " + UID)
def test_reading_is_total(text: str) -> None:
    """No text makes the parser, the join or the fold raise."""
    for uid, stored in parse_note(text).items():
        read_stored(stored)
        found, reason = dispose(stored)
        assert reason or found.uid == uid
        if not reason and found.op == CREATE_OP:
            memory = fold(found, [found], kind="decisions", name="decisions:818f6ef:0")
            assert isinstance(memory.text, str)
            assert isinstance(memory.as_json(), dict)
            seconds_of(memory.created)
    read_stored(text)
    dispose(text)


@given(st.text())
def test_disposing_is_total_for_any_text(text: str) -> None:
    """Texts that no bytes decode to are quarantined, too, instead of raising."""
    dispose(f"---\nuid: {UID}\nop: create\nsummary: {text}\n---\n...\n")
    seconds_of(text)


@given(records())
def test_what_we_write_counts(drawn: Record) -> None:
    """A record of ours is never quarantined, unless it refers to itself."""
    if drawn.of != drawn.uid:
        assert dispose(render_record(drawn)).reason == ""


@given(TEXTS, TEXTS, TEXTS)
def test_the_join_keeps_its_laws(one: str, two: str, three: str) -> None:
    """Commutative, associative, idempotent, with hostile notes as well."""
    a, b, c = map(parse_note, (one, two, three))
    assert join(a, b) == join(b, a)
    assert join(join(a, b), c) == join(a, join(b, c))
    assert join(a, a) == a


@pytest.mark.parametrize("name", ["late", "digits-rev", "large", "update-of-itself", "nul"])
def test_a_hostile_copy_never_replaces_a_memory(name: str) -> None:
    """The longer text wins only among those that count."""
    sound = {UID: record(*CREATE)}
    hostile = {UID: HOSTILE[name]}

    assert join(sound, hostile) == join(hostile, sound) == sound


def test_a_change_never_replaces_a_creation() -> None:
    """An update under the uid of a creation is longer, and loses."""
    sound = {UID: record(*CREATE)}
    change = {UID: record("op: update", f"of: {OTHER}", "summary: " + "x" * 500)}

    assert join(sound, change) == join(change, sound) == sound


@pytest.mark.parametrize(
    ("timestamp", "expected"),
    [
        ("1970-01-01T00:00:00Z", 0.0),
        ("9999-12-31T23:59:59-23:59", None),
        ("0001-01-01T00:00:00+23:59", None),
        ("2999-12-31T23:59:59Z", 32503679999.0),
        ("3000-01-01T00:00:00Z", None),
        ("nonsense", None),
        (None, None),
    ],
)
def test_moments_are_bounded(timestamp: Any, expected: float | None) -> None:
    """A date beyond the limits is no date; none raises."""
    assert seconds_of(timestamp) == expected


def test_at_the_limit_it_counts() -> None:
    """The limits themselves are inside."""
    deep = "[" * limits.JSON_DEPTH + "]" * limits.JSON_DEPTH
    number = "9" * limits.DIGITS
    text = record(*CREATE, f"extra: {deep}", f"more: {number}", f"rev: {number}")

    found, reason = dispose(text)

    assert reason == ""
    assert found.rev == limits.MAX_INTEGER
