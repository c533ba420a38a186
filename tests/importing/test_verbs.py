"""Subjects of commits become sentences, or nothing."""

from __future__ import annotations

import pytest

from recollect.importing.verbs import as_done, first_verb, has_verb, said_of_change


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Drop support for X", "we dropped support for X"),
        ("Drops support for X", "we dropped support for X"),
        ("Dropped support for X", "we dropped support for X"),
        ("Dropping support for X", "we dropped support for X"),
        ("Rewrite the parser", "we rewrote the parser"),
        ("Reprocess the queue", "we reprocessed the queue"),
        ("Do not follow links", "we do not follow links"),
        ("Don't follow links", "we do not follow links"),
        ("Never trust the clock", "we never trust the clock"),
        ("Add a lock and fix the race", "we added a lock and fixed the race"),
        ("Emit an event", "we emitted an event"),
    ],
)
def test_every_form_says_what_we_did(text: str, said: str) -> None:
    """Imperative, third person, past and gerund are the same."""
    assert as_done(text) == said


@pytest.mark.parametrize(
    "text",
    [
        "Better errors",
        "SORT by name",
        "Cache entries are stale",
        "Passing bytes is deprecated",
        "Support for old files",
        "BREAKING CHANGE: x",
        "Drop",
        "",
    ],
)
def test_what_is_no_verb_gives_nothing(text: str) -> None:
    """A wrong sentence is worse than none."""
    assert as_done(text) == ""


def test_a_sentence_about_the_change_is_what_we_did() -> None:
    """As in the body of a commit."""
    assert said_of_change("This commit removes the flag") == "we removed the flag"
    assert said_of_change("The flag is gone") == ""


def test_verbs_are_recognized() -> None:
    """For ranking, and for titles of documents."""
    assert first_verb("Explicitly disable it") == "disable"
    assert first_verb("nothing here") == ""
    assert has_verb("The owner decides")
    assert not has_verb("The owner")
