"""What a commit needs to make a memory."""

from __future__ import annotations

import pytest

from recollect.importing.commit_bar import is_firm, is_firm_title, still_stands
from recollect.importing.commit_message import parse_message
from recollect.importing.commit_survival import Survival

_WHY = (
    "Both workers read the head of the queue before either of them locks it, so a job could"
    " run twice. The lock is now taken first, because nothing else orders the two."
)


@pytest.mark.parametrize(
    ("subject", "is_one"),
    [
        ("queue: take the lock before the head is read", True),
        ("queue: do not read the head without a lock", True),
        ("Fix corrupted checkout recovery", True),
        ("Jobs are now locked before they are read", True),
        ("queue: update locking", False),
        ("queue: define precedence among workers", False),
        ("queue: define precedence among workers to avoid a deadlock", True),
        ("queue: logging levels of errors with workers", False),
        ("queue: fix stability issue", False),
        ("Fix several problems with workers", False),
        ("report: get the same feature parity of timings", False),
        ("queue: crash when two workers start", False),
        ("queue: jobs may run twice with two workers", False),
        ("The queue does not reliably detect workers", False),
    ],
)
def test_a_title_says_what_is_so_now(subject: str, is_one: bool) -> None:
    """Not what was wrong, and not only that something was changed."""
    message = parse_message(f"{subject}\n\n{_WHY}")
    assert is_firm_title(subject, message) is is_one


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (_WHY, True),
        (f"{_WHY}\n\n- lock\n- read\n- unlock", False),
        (f"{_WHY}\n\nThis is the first step towards one queue.", False),
        (f"{_WHY} It is experimental.", False),
        (f"{_WHY}\n\nFor now, it locks all of it.", False),
        (f"{_WHY} I think that I saw it when I ran what I had, and I fixed it.", False),
        (f"{_WHY} As @ada said, it was slow.", False),
        ("It takes the lock.", False),
    ],
)
def test_a_text_tells_one_thing_that_is_settled(text: str, is_one: bool) -> None:
    """Whoever reads it later was not there."""
    assert is_firm(parse_message(f"queue: take the lock first\n\n{text}")) is is_one


def test_a_large_change_is_a_feature() -> None:
    """And of a small one, most must be left."""
    assert still_stands(Survival(added=50, left=40))
    assert not still_stands(Survival(added=200, left=200))
    assert not still_stands(Survival(added=50, left=20))
    assert still_stands(Survival(added=3, left=1))
