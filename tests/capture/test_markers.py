"""`[remember]`: at a line's start, outside of code, with or without a kind."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.markers import find_marked
from recollect.core.note import summarize


def found(text: str) -> list[tuple[str, str, str]]:
    """Kind, summary and body of what a text asks to keep."""
    return [(m.kind, *summarize(m.content)) for m in find_marked(text)]


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("[remember] Tests need a clock", [("", "Tests need a clock", "")]),
        ("[remember:decisions] Use uv", [("decisions", "Use uv", "")]),
        ("[Remember:Decision]: Use uv", [("decisions", "Use uv", "")]),
        ("  [remember: debt ] No tests", [("tech-debt", "No tests", "")]),
        ("Please\n[remember] this\n\nand go on", [("", "this", "")]),
        (
            "[remember:decisions] Use uv\nbecause it is fast\n\nThen run it",
            [("decisions", "Use uv", "Use uv\nbecause it is fast")],
        ),
        (
            "[remember:learnings]\nFirst line\n\nSecond part\n[/remember]\nrest",
            [("learnings", "First line", "First line\n\nSecond part")],
        ),
        ("[remember] one\n[remember:notes] two", [("", "one", ""), ("notes", "two", "")]),
        ("[remember] one [/remember] and go on", [("", "one", "")]),
        ("list[remember] index", []),
        ("do [remember] it", []),
        ("> [remember] quoted", []),
        ("```\n[remember] code\n```", []),
        ("[remember]", []),
        ("[remember:decisions]\n\n", []),
        ("[remembered] no", []),
    ],
)
def test_markers(text: str, kept: list[tuple[str, str, str]]) -> None:
    """Each shape of a marker gives what a person would expect."""
    assert found(text) == kept


def test_an_unknown_kind_is_kept_as_a_note() -> None:
    """Nothing is lost for a typing error, and it can be told."""
    (marked,) = find_marked("[remember:dreams] Electric sheep")

    assert (marked.kind, marked.content, marked.unknown_kind) == (
        "notes",
        "Electric sheep",
        "dreams",
    )


@given(st.text())
def test_any_text_is_fine(text: str) -> None:
    """No text breaks it, and nothing empty is kept."""
    for marked in find_marked("[remember] " + text):
        assert marked.content.strip()
