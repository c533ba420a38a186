"""The words of texts and of queries."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.index import text as words
from recollect.index.text import all_indexable, indexable, plain_words, query_terms


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


@given(st.lists(st.text(st.sampled_from("abYZ09 \n.é日ß")), max_size=4))
def test_texts_together_are_the_texts_one_by_one(texts: list[str]) -> None:
    """The parts of a name are added to the text that has it."""
    assert list(all_indexable(texts)) == [indexable(text) for text in texts]


@given(st.text(st.sampled_from("abnotYZ09 \n\t.,-_'é日ßİ")))
def test_plain_words_are_runs_of_letters_and_digits(text: str) -> None:
    """In lower case, without stop words, and with the pairs of scripts without spaces."""
    runs = {*re.findall(r"[^\W_]+", text.lower()), *words._pairs(text)}

    found, _ = plain_words(text)

    assert {word.decode() for word in found} == runs - words.STOP_WORDS


@pytest.mark.parametrize(
    ("text", "denies"),
    [
        ("It is not so", True),
        ("It isn't so, not at all", False),
        ("Never", True),
        ("Étés never", True),
        ("A knot and a note", False),
    ],
)
def test_a_text_denies_or_not(text: str, denies: bool) -> None:
    """Two denials say the same as none."""
    assert plain_words(text)[1] == denies


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
