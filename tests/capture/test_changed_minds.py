"""Tells whether a prompt changes a known statement, and which part of it says what holds now."""

from __future__ import annotations

import pytest

from recollect.capture.changed_minds import (
    COEFFICIENTS,
    change_in,
    changed_by,
    features,
    told,
)
from recollect.capture.leads import tells_change

KNOWN = (
    "Orders are in Postgres, because PostGIS does the zones",
    "The nightly invoice job runs at 2 am UTC",
    "Refunds above 500 euros need a second approval",
    "The API is versioned in the path",
)


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Postgres is overkill for our orders, let's use SQLite after all.", [0]),
        ("the nightly invoice job goes to 4 am, 2 am collides with the backup", [1]),
        ("I changed my mind on refunds: from 1000 euros on they need a second approval.", [2]),
        ("Why are orders in Postgres?", []),
        ("Write a test for the nightly invoice job.", []),
        ("undo your last edit", []),
        ("no, rename the file again", []),
        ("", []),
    ],
)
def test_what_a_prompt_changes(prompt: str, expected: list[int]) -> None:
    """Both must be there: words of a change, and words of what is known."""
    assert changed_by(prompt, KNOWN) == expected


def test_what_says_the_same_is_taken_back_together() -> None:
    """A draft of the agent and the sentence that it was made from."""
    known = (*KNOWN, "Orders go into Postgres")

    assert changed_by("Scrap Postgres for the orders, MySQL instead.", known) == [4, 0]


def test_every_feature_has_a_coefficient() -> None:
    """A feature that is only in one of both would silently count nothing."""
    assert features(told("x"), "y").keys() == COEFFICIENTS.keys()


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        (
            "Morning! How are you? I have to take back Postgres. It is SQLite now. Please fix it.",
            "I have to take back Postgres. It is SQLite now.",
        ),
        ("no wait, Postgres is out. MySQL then.", "Postgres is out. MySQL then."),
        ("Could we use MySQL instead of Postgres?", "Could we use MySQL instead of Postgres?"),
        ("What time is it?", ""),
    ],
)
def test_the_part_that_says_what_holds_now(prompt: str, expected: str) -> None:
    """Without greetings, plain questions and tasks."""
    assert change_in(prompt, KNOWN[0]) == expected


def test_plain_work_tells_no_change() -> None:
    """Most prompts cost one look."""
    assert not tells_change("run the unit tests please")


def test_a_prompt_without_words_of_change_gives_the_sentence_at_the_place() -> None:
    """It was found by meaning: the sentence that speaks of the memory says what holds."""
    prompt = "Thanks for the report. SQLite does it. Run the tests."

    assert change_in(prompt, "Yellow is warm") == ""
    assert change_in(prompt, "Yellow is warm", prompt.index("SQLite")) == "SQLite does it."
