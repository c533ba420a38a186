"""Verbs of subjects, in every form."""

from __future__ import annotations

import pytest

from recollect.importing.verbs import first_verb, has_verb, said_of_change


@pytest.mark.parametrize(
    ("text", "verb"),
    [
        ("Drop support for X", "drop"),
        ("Drops support for X", "drop"),
        ("Dropped support for X", "drop"),
        ("Dropping support for X", "drop"),
        ("Rewrote the parser", "rewrite"),
        ("Reprocess the queue", "reprocess"),
        ("Don't follow links", "do not"),
        ("Never trust the clock", "do not"),
        ("Emitted an event", "emit"),
        ("Explicitly disable it", "disable"),
    ],
)
def test_every_form_of_a_verb_is_the_same(text: str, verb: str) -> None:
    """Imperative, third person, past and gerund."""
    assert first_verb(text) == verb


@pytest.mark.parametrize(
    "text",
    [
        "SORT by name",
        "Cache entries are stale",
        "Passing bytes is deprecated",
        "Support for old files",
        "BREAKING CHANGE: x",
        "",
    ],
)
def test_what_is_no_verb_gives_nothing(text: str) -> None:
    """A noun may look like one."""
    assert first_verb(text) == ""


def test_a_sentence_about_the_change_says_what_it_does() -> None:
    """As in the body of a commit."""
    assert said_of_change("This commit removes the flag") == "removes the flag"
    assert said_of_change("The flag is gone") == ""


def test_a_verb_inside_a_sentence_is_found() -> None:
    """For titles of documents."""
    assert has_verb("The owner decides")
    assert not has_verb("The owner")
