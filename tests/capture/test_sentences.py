"""Prose as whole sentences: what is not somebody's words is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.sentences import MAX_SENTENCE, paragraphs, sentences


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("One thing. Another thing!", ["One thing.", "Another thing!"]),
        ("We run Python 3.11. It works.", ["We run Python 3.11.", "It works."]),
        ("Look at a.py and b.py. Then stop.", ["Look at a.py and b.py.", "Then stop."]),
        ("Use one, e.g. uv, i.e. a fast one.", ["Use one, e.g. uv, i.e. a fast one."]),
        ("Pins, locks, etc. Nothing else.", ["Pins, locks, etc.", "Nothing else."]),
        ("Well... maybe so.", ["Well... maybe so."]),
        ("It was J. Smith who said so.", ["It was J. Smith who said so."]),
        ("first thing. second thing", ["first thing.", "second thing"]),
        ('He said "no way." Then left.', ['He said "no way."', "Then left."]),
        ("Call `a. b` now. Then stop.", ["Call `a. b` now.", "Then stop."]),
        ("**Important:** use *tabs* only", ["Important: use tabs only"]),
        ("It is __very much__ so, _really_ so", ["It is very much so, really so"]),
        ("Edit __init__.py and *.py files", ["Edit __init__.py and *.py files"]),
        ("See [the docs](https://x.y/z) first", ["See the docs first"]),
        ("A <b>bold</b> List<String> here", ["A bold List<String> here"]),
        ("- item one\n- item two", ["item one", "item two"]),
        ("1. item one\n2. [x] item two", ["item one", "item two"]),
        ("- item one\n  goes on", ["item one goes on"]),
        ("use uv\nbecause it is fast", ["use uv because it is fast"]),
        ("we use uv here\nalso we use ruff here", ["we use uv here", "also we use ruff here"]),
        (
            "A long line that somebody wrapped at a width\nof some fifty characters, as one does",
            ["A long line that somebody wrapped at a width of some fifty characters, as one does"],
        ),
        (
            "**Before:** it took a minute and a half here\n**After:** it takes a second",
            ["Before: it took a minute and a half here", "After: it takes a second"],
        ),
        # What is quoted belongs to who quotes it, however many sentences it is.
        (
            'The notice says "One thing. Never another." and no more. Then it ends.',
            ['The notice says "One thing. Never another." and no more.', "Then it ends."],
        ),
        ('A 3.5" disk. A 5.25" disk. No more.', ['A 3.5" disk.', 'A 5.25" disk.', "No more."]),
        # One line of code behind a colon ends the sentence.
        ("Rebuild it like this:\n\n```sh\nmake clean\n```", ["Rebuild it like this: `make clean`"]),
        ("Rebuild it like this:\n```\nmake\nmake x\n```", ["Rebuild it like this:"]),
        ("It is rebuilt.\n```\nmake clean\n```", ["It is rebuilt."]),
        ("Like this:\n```\na `b` c\n```", ["Like this:"]),
        # A heading that is a label belongs to what it heads.
        ("## Root Cause\n\nThe cache is cold.", ["Root cause: The cache is cold."]),
        ("**The fix:**\nWarm it at start.", ["The fix: Warm it at start."]),
        ("### 🔧 Solution\nWarm it. So it is.", ["Solution: Warm it.", "So it is."]),
        ("## Root cause\n\n- The cache is cold.", ["The cache is cold."]),
        ("## Root cause\n```\ncold\n```\nIt was cold.", ["It was cold."]),
        ("## Fixing the cache\n\nIt was cold.", ["It was cold."]),
    ],
)
def test_sentences(text: str, found: list[str]) -> None:
    """A sentence ends where a reader would say that it does."""
    assert sentences(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "```\nsome code here\n```",
        "~~~python\nsome code here\n~~~",
        "```\nan open block of code",
        "    indented code here",
        "> a quoted line",
        "| a cell | another cell |",
        "a cell | another cell | a third",
        "# A heading only",
        "A heading\n=========",
        "**Bold heading here**",
        "https://example.org/a https://example.org/b",
        "- `make check`",
        "`make check` `make test`",
        "$ make check it",
        "word",
        "12:30 / 14:55 -- 0x00ff 99 {[()]}",
        "<system-reminder>\nSomething was read.\n</system-reminder>",
        "<command-name>some name</command-name>",
        "<pre>some code here</pre>",
        "[remember] Something is marked.\nIt has two lines.",
        "word " * MAX_SENTENCE,
    ],
)
def test_what_nobody_said(text: str) -> None:
    """Code, quotes, tables, headings, addresses, markup and markers give nothing."""
    assert sentences(text) == []


def test_what_stands_between() -> None:
    """Words around something foreign stay, and one sees that it stood between them."""
    text = "Before the code.\n```\ncode\n```\nAfter the code.\n[remember] It is marked.\n\nAt last."

    assert paragraphs(text) == [["Before the code."], [], ["After the code."], ["At last."]]


@given(st.text())
def test_any_text_is_fine(text: str) -> None:
    """No text breaks it, and each sentence is one line of words."""
    for sentence in sentences(text):
        assert sentence == " ".join(sentence.split())
        assert len(sentence) <= MAX_SENTENCE


@given(st.lists(st.text(alphabet="abcXYZ .,!?\n-:", max_size=60), max_size=6))
def test_nothing_is_made_up(parts: list[str]) -> None:
    """The letters of a sentence stand in the text one after another."""
    text = "\n".join(parts)
    letters = "".join(filter(str.isalpha, text))
    for sentence in sentences(text):
        assert "".join(filter(str.isalpha, sentence)) in letters
