"""Tells what restates something, and what is another statement."""

from __future__ import annotations

import pytest

from recollect.capture.restating import adds_nothing, restates


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        (
            "The front row A is kept for people in wheelchairs.",
            "Row A is not sold: it is kept in front for people in wheelchairs",
            True,
        ),
        ("Retry uploads 5 times.", "Uploads retry 5 times, with a pause between them", True),
        ("Retry uploads 5 times.", "Uploads retry 7 times, with a pause between them", False),
        ("The cache of sessions is in Redis.", "The cache of sessions is in Memcached", False),
        ("Never retry failed uploads.", "Always retry failed uploads", False),
        ("Use tabs", "Deploys are on Tuesdays", False),
        ("", "Deploys are on Tuesdays", False),
    ],
)
def test_what_restates_what(text: str, other: str, expected: bool) -> None:
    """Names, numbers and denials must be the same."""
    assert restates(text, other) is expected


def test_what_adds_something_is_no_mere_repeat() -> None:
    """The reason is worth keeping."""
    known = "Deploys run on Tuesday evenings"

    assert adds_nothing("Deploys run on Tuesday evenings.", known)
    assert not adds_nothing(
        "Deploys run on Tuesday evenings.\nMarketing mails go out on Wednesdays and need the new"
        " prices, so nothing may ship after midnight.",
        known,
    )
    assert not adds_nothing("Rows lock", "Use PostgreSQL for the cart, because it locks rows")
