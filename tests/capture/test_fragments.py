"""A piece of a statement is no wish beside a whole one."""

from __future__ import annotations

import pytest

from recollect.capture.fragments import is_fragment
from recollect.capture.requests import Request, without_fragments


@pytest.mark.parametrize(
    "text",
    [
        "Love it",
        "Thought so",
        "I'll use it",
        "Applies to all my repos",
        "Unless the locale says en-US",
        "When I ask for anything with maps",
        'Not in intermediate tables, not in "temporary" files, nowhere else',
        "Whatever changes behaviour gets a line in",
        "That's one for the scrapbook",
        "Not here, not in the other modules. leaks on every rotation",
        "",
    ],
)
def test_a_piece(text: str) -> None:
    """It says nothing alone: no topic, no subject, no main clause, no end."""
    assert is_fragment(text)


@pytest.mark.parametrize(
    "text",
    [
        "Releases are on Tuesdays",
        "Never push to main",
        "When you write incident notes, use UTC",
        "If a test is flaky: quarantine it",
        "No Electron, ever",
        "Map tiles come from our own server",
        "The build goes to stage first",
        "Not in this service: retries are done by the caller",
        "Only for admins the page is shown",
    ],
)
def test_a_statement(text: str) -> None:
    """Short, conditional and incomplete ones, as people type them."""
    assert not is_fragment(text)


def test_a_wish_is_never_lost() -> None:
    """A piece alone is better than nothing, and beside what rules find it is nothing."""
    whole, piece = Request("Releases are on Tuesdays", "x"), Request("Love it", "y")
    empty = Request("", "remember")

    assert without_fragments([piece, whole], []) == [whole]
    assert without_fragments([piece], []) == [piece]
    assert without_fragments([piece], [whole]) == []
    assert without_fragments([piece], [empty]) == [piece]
