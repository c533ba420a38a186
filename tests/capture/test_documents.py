"""Decisions in documents that an agent writes."""

from __future__ import annotations

from recollect.capture.documents import decisions_in, is_telling

RECORD = """# 9. Secrets are found by our own rules

Status: accepted
Date: 2026-11-03

## Context

Every scanner that we tried needs a network.

## Decision

We write the rules ourselves, because the scanners need a network and we have none.

## Consequences

More work for us.
"""
PATH = "docs/decisions/0009-own-redaction-rules.md"


def test_a_decision_record_has_a_title_and_a_decision() -> None:
    """The title without its number, and the first paragraph of the decision."""
    (found,) = decisions_in(PATH, RECORD, "")

    assert found.title == "Secrets are found by our own rules"
    assert found.paragraph.startswith("We write the rules ourselves, because")
    assert found.section == "Decision"


def test_a_record_without_sections_has_its_first_paragraph() -> None:
    """What stands about the record itself is left out; without a heading the name is the title."""
    path = "adr/0003-use-uv-everywhere.md"
    (found,) = decisions_in(path, "Status: accepted\n\nWe use uv for it all.", "")

    assert found.title == "Use uv everywhere"
    assert found.paragraph == "We use uv for it all."


def test_an_edit_counts_if_it_states_a_decision() -> None:
    """A new section with the decision does; a mended sentence does not."""
    before = RECORD.partition("## Decision")[0]

    assert decisions_in(PATH, RECORD, before)[0].paragraph.startswith("We write the rules")
    assert decisions_in(PATH, "Every scanner needs a network or a daemon.", RECORD) == []
    assert decisions_in(PATH, "## Notes\n\nIt took a week to write all of them.", RECORD) == []


def test_a_section_of_a_readme_counts_if_it_says_what_was_chosen() -> None:
    """How to install something is no decision."""
    new = (
        "# Shop\n\n## Install\n\nRun `make install` and wait until it is done.\n\n"
        "## Storage\n\nWe use SQLite rather than PostgreSQL. It needs no server.\n"
    )
    (found,) = decisions_in("README.md", new, "# Shop\n\n## Install\n")

    assert found.title == "We use SQLite rather than PostgreSQL."
    assert found.section == "Storage"
    assert decisions_in("README.md", new, new) == []


def test_other_files_state_nothing() -> None:
    """Code, and documents elsewhere."""
    assert decisions_in("src/cart.py", RECORD, "") == []
    assert decisions_in("docs/guide.md", RECORD, "") == []
    assert (
        decisions_in("docs/decisions/README.md", "# Decisions\n\nHow we write them here.", "") == []
    )
    assert is_telling(PATH)
    assert is_telling("README.md")
    assert not is_telling("docs/guide.md")


def test_any_text_is_fine() -> None:
    """Nothing raises."""
    for text in ("", "#", "# \n", "##\n\n\n", "# a" * 9_000, "\ud800 # x"):
        decisions_in(PATH, text, "")
        decisions_in("README.md", text, "# b")
