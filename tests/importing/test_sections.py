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


def test_placeholders_are_no_tags() -> None:
    """In code nothing is markup; elsewhere only what HTML knows, or what looks like it."""
    for text in (
        "Add it to the top of `<component>/CHANGELOG.md`",
        "Protection from remote `<script>` and `<b>` tags",
        "Set hook.<name>.command",
        "a remote named <name> for the repository at <URL>",
        "See <https://example.org/?a=b>",
    ):
        assert plain(text) == text
    html = '<p align="center">A <b>bold</b><br/> <Tab value="x">one</Tab> <img src=a.png /></p>'
    assert plain(html) == "A bold one"
    assert plain("`a` <em>b</em> `c`") == "`a` b `c`"


def test_short_code_in_a_document_keeps_its_lines_and_long_code_goes() -> None:
    """On one line, nobody can read it."""
    text = "Write this:\n\n```js\nuse('a')\nuse('b')\n```\n\nIt works."
    assert plain_paragraphs(text) == "Write this:\n\n```js\nuse('a')\nuse('b')\n```\n\nIt works."
    rest = "Write this::\n\n    use(a)\n    use(b)\n\nIt works."
    assert plain_paragraphs(rest) == "Write this:\n\n    use(a)\n    use(b)\n\nIt works."
    long = "\n".join(f"use({n})" for n in range(200))
    assert plain_paragraphs(f"Write this.\n\n```js\n{long}\n```\n") == "Write this."


def test_news_in_plain_text_have_headings() -> None:
    """A line with a version and a colon; below it, what is indented and stands alone."""
    news = (
        "The tool\n\nCHANGES WITH 262:\n\n        Removals:\n\n        * The socket is gone.\n\n"
        "        More changes:\n\n        * It is faster, as in:\n          one case\n\n"
        "CHANGES WITH 261:\n\n        * Older.\n"
    )
    found = [section.headings for section in sections(news)]
    assert found == [
        (),
        ("CHANGES WITH 262",),
        ("CHANGES WITH 262", "Removals"),
        ("CHANGES WITH 262", "More changes"),
        ("CHANGES WITH 261",),
    ]


def test_a_label_in_an_ordinary_text_is_no_heading() -> None:
    """Only news in plain text have such headings."""
    assert len(list(sections("# A\n\nThe reasons:\n\n- one\n"))) == 2


def test_only_a_number_before_a_heading_goes() -> None:
    """A version in it stays."""
    assert unnumbered("v3.5 data loss") == "v3.5 data loss"
    assert unnumbered("2.1. Data loss") == "Data loss"


def test_an_item_ends_where_its_indentation_does() -> None:
    """What is not indented more is about something else, after an empty line."""
    text = "    * one,\n      more\n\n      of it\n\n    Something else.\n\n    * two\n"
    assert items(text) == ["one,\n      more\n\n      of it", "two"]
