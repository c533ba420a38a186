"""The words of texts and of queries."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.index import text as words
from recollect.index.text import indexable, query_terms


@pytest.mark.parametrize(
    ("text", "added"),
    [
        ("", []),
        ("Plain words, and a sentence. (Twice!)", []),
        ("parseNote", ["parse", "Note"]),
        ("call `parseNote()`, then stop", ["parse", "Note"]),
        ("HTTPServer and utf8", ["HTTP", "Server", "utf"]),
        ("snake_case_name", []),
        ("src/parseNote.py:12", ["parse", "Note"]),
        ("naïve Éclair", []),
        ("日本語", ["日本", "本語"]),
    ],
)
def test_parts_of_names_are_added(text: str, added: list[str]) -> None:
    """A name in a text is found by its parts, too."""
    assert indexable(text) == (f"{text} {' '.join(added)}" if added else text)


@given(st.text(st.sampled_from("abYZ09 \n\t.,-_'\"`*é日ß\u2028\x1cǅ")))
def test_ordinary_words_are_no_compounds(text: str) -> None:
    """What is sorted out beforehand is what the expression would not find."""
    parts = [part for word in words._COMPOUND.findall(text) for part in words._camel_parts(word)]
    if not text.isascii():
        parts += words._pairs(text)

    assert indexable(text) == (f"{text} {' '.join(parts)}" if parts else text)


@pytest.mark.parametrize(
    ("query", "terms"),
    [
        ("Why do we need the cache?", ["need", "cache"]),
        ("cache Cache CACHE, the cache", ["cache"]),
        ("parseNote or parse_note", ["parsenote", "parse", "note"]),
        ("utf8 Straße été 2026", ["utf8", "utf", "straße", "été", "2026"]),
        ("日本語", ["日本", "本語"]),
        ("the and or", []),
    ],
)
def test_a_query_has_its_meaningful_words_once(query: str, terms: list[str]) -> None:
    """In order, in lower case, with the parts of names."""
    assert query_terms(query) == terms
