"""Documents in Markdown, reStructuredText and plain text."""

from __future__ import annotations

from recollect.importing.sections import (
    first_paragraph,
    items,
    plain,
    plain_paragraphs,
    sections,
    unnumbered,
)


def test_headings_nest_in_both_forms() -> None:
    """By the number of marks, and by the order of underlines."""
    markdown = [s.headings for s in sections("a\n# A\nx\n## B\ny\n```\n# no\n```\n# C\n")]
    assert markdown == [(), ("A",), ("A", "B"), ("C",)]
    rst = [s.headings for s in sections("A\n=====\n\nx\n\nBee\n------\n\ny\n\nC\n=====\n")]
    assert rst == [(), ("A",), ("A", "Bee"), ("C",)]


def test_items_keep_what_is_nested() -> None:
    """A list in a list belongs to its item; a paragraph after the list does not."""
    assert items("- a\n  - b\n  more\n- c\n\nafter\n") == ["a\n  - b\n  more", "c"]
    assert items("no list") == []


def test_markup_goes_and_code_stays() -> None:
    """A title is read in a terminal."""
    assert plain("**Use** [uv](http://x) in ``make``") == "Use uv in `make`"
    assert plain("See :class:`~a.B` and `#12 <http://x>`_") == "See `a.B` and #12"
    assert (
        first_paragraph("```\ncode\n```\n\nSome words that say it.\n") == "Some words that say it."
    )
    assert unnumbered("5.1 Deadlocks") == "Deadlocks"


def test_short_code_in_a_document_keeps_its_lines_and_long_code_goes() -> None:
    """On one line, nobody can read it."""
    text = "Write this:\n\n```js\nuse('a')\nuse('b')\n```\n\nIt works."
    assert plain_paragraphs(text) == "Write this:\n\n```js\nuse('a')\nuse('b')\n```\n\nIt works."
    rest = "Write this::\n\n    use(a)\n    use(b)\n\nIt works."
    assert plain_paragraphs(rest) == "Write this:\n\n    use(a)\n    use(b)\n\nIt works."
    long = "\n".join(f"use({n})" for n in range(200))
    assert plain_paragraphs(f"Write this.\n\n```js\n{long}\n```\n") == "Write this."
