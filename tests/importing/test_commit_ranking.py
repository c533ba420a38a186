"""What tells a newcomer something ranks before what does not."""

from __future__ import annotations

import pytest

from recollect.importing.commit_message import parse_message
from recollect.importing.commit_ranking import DECISION, LEARNING, SOLUTION, rank, reason_in
from tests.support.history import CHORE, DROPPED, FIXED, REVERTED


def test_kinds_follow_from_what_was_done() -> None:
    """A decision, a cure, a lesson."""
    assert rank(parse_message(DROPPED), "Ada").kind == DECISION
    assert rank(parse_message(FIXED), "Ada").kind == SOLUTION
    assert rank(parse_message(REVERTED), "Ada").kind == LEARNING


@pytest.mark.parametrize(
    "message",
    [
        CHORE,
        "Fix typo in README",
        "docs: explain the cache because it is subtle",
        "tests: stop using the network, because it is slow",
        "Update translations",
        "v1.2.3",
        'Revert "ci: use a mirror"\n\nIt was slow, because of the network.',
    ],
)
def test_chores_have_no_points(message: str) -> None:
    """However well they are explained."""
    assert rank(parse_message(message), "Ada").is_chore


def test_a_bot_has_nothing_to_tell() -> None:
    """It updates dependencies."""
    assert rank(parse_message("Remove the old parser"), "dependabot[bot]").is_chore


def test_a_reason_counts() -> None:
    """The same subject with and without one."""
    bare = rank(parse_message("Remove the old parser"), "Ada")
    explained = rank(
        parse_message("Remove the old parser\n\nIt was unsafe, because it trusted its input."),
        "Ada",
    )
    assert explained.points > bare.points + 1


def test_a_revert_without_a_cause_ranks_lower() -> None:
    """That it was tried is worth knowing; why it failed is worth more. Chores are not."""
    bare = rank(parse_message('Revert "Remove the parser"'), "Ada")
    assert 0 < bare.points < rank(parse_message(REVERTED), "Ada").points
    assert rank(parse_message('Revert "Ignore compiler warnings"'), "Ada").is_chore
    assert reason_in(parse_message(FIXED)).startswith("The root cause")
