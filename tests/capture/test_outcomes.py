"""What an agent says that it has done, and what a person asked for, in a line each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.outcomes import (
    LONGEST,
    goal_of,
    is_task,
    outcome_of,
    tells_what_to_do,
)


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (
            "Done. Added a retry with backoff to the upload client.",
            "Added a retry with backoff to the upload client.",
        ),
        (
            "All tests pass. I've moved the parser into its own package.",
            "I've moved the parser into its own package.",
        ),
        (
            "Done — renamed the columns of the invoice table.",
            "Renamed the columns of the invoice table.",
        ),
        (
            "Pushed. The invoice page now prints the tax of each country.",
            "The invoice page now prints the tax of each country.",
        ),
        (
            "All clean. The mail queue is now drained before the shutdown.",
            "The mail queue is now drained before the shutdown.",
        ),
        (
            "## Summary\n\n1. **`cart/total.py`** - Added rounding half up to the total\n2. Tests",
            "`cart/total.py` - Added rounding half up to the total",
        ),
        (
            "Implementation complete! The scanner now reads coupons in both colours:\n- a\n- b",
            "The scanner now reads coupons in both colours.",
        ),
        # Of several things the first.
        (
            "Removed the old serializer tests of the cart. Added one for the whole flow.",
            "Removed the old serializer tests of the cart.",
        ),
    ],
)
def test_what_was_done(answer: str, outcome: str) -> None:
    """The first sentence that tells of something done."""
    assert outcome_of(answer) == outcome


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "Done.",
        "All tests pass and lint is clean.",
        "Committed as `805f7b2`.",
        "Added it.",
        "Fixed, squashed with the work on the coupons of last time.",
        "Moved to `prices.toml` where the accountants can read and change them.",
        "I removed it, for nobody has printed coupons on paper in years.",
        "The `add_coupon` call now looks for expired ones and:",
        "Or pay in cash, the counter is now open to everybody on Sundays.",
        "It now rounds the price of each coupon before they are added up.",
        "Also added two helper functions to it all.",
        "The calculation of the total is now working correctly.",
        "Now let me update the second call as well.",
        "Want me to add a retry with backoff to the upload client?",
        "I'll add a retry with backoff to the upload client.",
        "Let me check what was added to the upload client yesterday.",
        "The upload client would now show a notice if we changed it.",
        "The lock was added in May, so the upload client is not the cause.",
        "```\nAdded a retry with backoff to the upload client\n```",
        "If you added a retry to the upload client, it would work now.",
    ],
)
def test_nothing_was_done(answer: str) -> None:
    """Plans, questions, pleasantries and what others did long ago."""
    assert outcome_of(answer) == ""


@pytest.mark.parametrize(
    ("prompt", "goal"),
    [
        ("Let the cart round half up", "Let the cart round half up"),
        ("can you please add a retry to the client", "add a retry to the client"),
        ("ok, now let's move the parser out", "move the parser out"),
        ("Good morning. Please add a retry to the client", "add a retry to the client"),
        ("Hi there, round half up", "round half up"),
        ("evening shifts overlap", "evening shifts overlap"),
        ("hello.py has two mains", "hello.py has two mains"),
        (
            "Implement the following plan:\n\n# Plan: Rounding in the cart\n\n## Context\n\nIt is",
            "Implement the following plan: Rounding in the cart",
        ),
        ("Look at this:\n```\ncode\n```", "Look at this:"),
        (
            "Datasheet, 7.2:\n\n    Never program it below 2.7 V.\n\nDo we check that anywhere?",
            "Datasheet, 7.2: Do we check that anywhere?",
        ),
        ("Please", "Please"),
        ("", ""),
    ],
)
def test_a_goal(prompt: str, goal: str) -> None:
    """The first line that says something, without courtesies, with what it announces."""
    assert goal_of(prompt) == goal


@pytest.mark.parametrize(
    ("goal", "tells"),
    [
        ("add a retry with backoff to the client", True),
        ("Implement the following plan: Rounding in the cart", True),
        ("the total of an empty cart is wrong, fix that", True),
        ("why is the total of an empty cart wrong", False),
        ("our status page is broken, why?", False),
        ("switch to the branch with the coupons", False),
        ("look at the changes in this branch", False),
        (
            "analyze which coupons were printed in each country since the last change of the tax"
            " tables, and sort them by price, shop and month",
            True,
        ),
        ("tell me how the cart computes its total", False),
        (
            "tell me again how the cart computes its total when there are several currencies in it"
            " and one of them has no rate",
            False,
        ),
        ("push it to the remote branch please", False),
        ("@prompt.md think really hard about this", False),
        ("fix it", False),
        ("the receipts of the last quarter are on the shelf", False),
        ("", False),
    ],
)
def test_what_tells_what_to_do(goal: str, tells: bool) -> None:
    """Work that leaves something behind: no question, no errand."""
    assert tells_what_to_do(goal) is tells


@pytest.mark.parametrize(
    ("goal", "expected"),
    [
        ("add a retry with backoff to the client", True),
        ("Implement the following plan: Rounding in the cart", True),
        ("coupons of the last quarter came back twice", False),
        ("add it", False),
        ("make sense of this?", False),
    ],
)
def test_a_task(goal: str, expected: bool) -> None:
    """It says what shall be there afterwards."""
    assert is_task(goal) is expected


@given(st.text())
def test_any_text_is_fine(text: str) -> None:
    """No text breaks it; what comes out is a line."""
    for line in (outcome_of(text), goal_of(text), outcome_of("Added " + text)):
        assert "\n" not in line
    assert len(outcome_of(text)) <= LONGEST
    tells_what_to_do(text)
