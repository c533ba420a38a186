"""The same thing said twice is one thing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.novelty import DUPLICATE, NEAR, NEW, Known, fingerprint, judge, said_in

DECISION = "We decided to use PostgreSQL for persistence because two workers write at once"


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (DECISION, DUPLICATE),
        (DECISION.upper() + "!!", DUPLICATE),
        ("use PostgreSQL for persistence because two workers write at once", DUPLICATE),
        ("We decided to use SQLite for persistence because one worker writes at once", NEAR),
        ("Deploys happen on Tuesday mornings", NEW),
        ("", NEW),
    ],
)
def test_how_new_a_text_is(text: str, verdict: str) -> None:
    """By the words in common."""
    assert judge(text, [Known("d", DECISION)]).verdict == verdict


def test_the_most_similar_one_counts() -> None:
    """It is the one to update."""
    known = [Known("far", "Nothing of the kind"), Known("near", DECISION)]

    assert judge("We use PostgreSQL for persistence; workers write", known).like == "near"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Use tabs, not spaces, in Python files", "Use spaces, not tabs, in Python files"),
        ("Do not deploy the shop on Friday", "Do deploy the shop on Friday"),
        ("Never retry payments", "Retry payments"),
    ],
)
def test_the_opposite_is_no_duplicate(one: str, other: str) -> None:
    """The same words in another order, or denied: it is news about something known."""
    assert judge(other, [Known("one", one)]).verdict == NEAR


def test_nothing_known_means_new() -> None:
    """An empty ledger knows nothing."""
    assert judge(DECISION, []).verdict == NEW


def test_what_the_documents_say_is_not_news() -> None:
    """One sentence must say it; the words of a whole page prove nothing."""
    page = "# Rules\n\n- Always run the tests with pytest before a commit.\n- Be brief.\n"

    assert said_in("Always run tests with pytest before committing a commit", page) is False
    assert said_in("Run the tests with pytest before a commit", page)
    assert not said_in("Be brief with pytest rules", page)


@given(st.text())
def test_a_text_is_its_own_duplicate(text: str) -> None:
    """Any text; and its fingerprint does not depend on case or punctuation."""
    assert fingerprint(text) == fingerprint(f" {text} ")
    if judge(text, [Known("same", text)]).similarity:
        assert judge(text, [Known("same", text)]).verdict == DUPLICATE
