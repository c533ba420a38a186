"""Statuses: which steps are legal, and what a refusal says."""

from __future__ import annotations

import pytest

from recollect.core.status import STATUSES, TRANSITIONS, check_transition, find_status, status_named
from recollect.errors import IllegalTransition


@pytest.mark.parametrize("current", STATUSES)
@pytest.mark.parametrize("target", STATUSES)
def test_the_status_machine(current: str, target: str) -> None:
    """Legal steps pass; an illegal one is refused and names the legal ones."""
    if target in TRANSITIONS[current]:
        check_transition(current, target)
        return
    with pytest.raises(IllegalTransition) as caught:
        check_transition(current, target)
    assert all(legal in caught.value.hint for legal in TRANSITIONS[current])


def test_only_a_confirmation_makes_an_unconfirmed_memory_active() -> None:
    """It is no change of status; the refusal says how."""
    with pytest.raises(IllegalTransition, match="unconfirmed") as caught:
        check_transition("unconfirmed", "active")
    assert "recollect review accept" in caught.value.hint
    assert all("unconfirmed" not in legal for legal in TRANSITIONS.values())


def test_a_blocker_can_be_reopened_and_a_tombstone_is_retired() -> None:
    """Decisions 10 and 14 of the reconciled table."""
    check_transition("resolved", "active")
    assert status_named("tombstone") == "retired"
    assert find_status("from-the-future") == "from-the-future"
    check_transition("from-the-future", "archived")
