"""What was wrong and what cured it: one account, however far apart they stand in a message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.cause_and_fix import MAX_ACCOUNT, accounts
from recollect.capture.sentences import paragraphs
from recollect.capture.signals import detect

WRONG = "The problem is that the watcher keeps a handle on the old inode."
CURE = "The fix is to open the file again after each rename."


def told(text: str) -> list[str]:
    """The accounts of a text."""
    said = [(part, one) for part, some in enumerate(paragraphs(text)) for one in some]
    return [account.text for account in accounts(said)]


@pytest.mark.parametrize(
    ("text", "account"),
    [
        (f"{WRONG} {CURE}", f"{WRONG} {CURE}"),
        (f"Found it. {WRONG}\n\n{CURE} All tests pass.", f"{WRONG} {CURE}"),
        # What is said in between belongs to it, what is only talk does not.
        (
            f"{WRONG} So every second event is lost. Let me check that.\n\n{CURE}",
            f"{WRONG} So every second event is lost. {CURE}",
        ),
        (f"{WRONG} Want me to repair it? {CURE}", f"{WRONG} {CURE}"),
        # Labels and headings.
        (
            "**Problem:** the queue never shrinks\n**Solution:** drop what is older than a day",
            "Problem: the queue never shrinks. Solution: drop what is older than a day",
        ),
        (
            "## Root Cause\n\nThe job runs twice in winter.\n\n## The fix\n\nUse UTC for it all.",
            "Root cause: The job runs twice in winter. The fix: Use UTC for it all.",
        ),
        # The command that cures it.
        (
            f"{WRONG}\n\n{CURE} The quickest way:\n\n```sh\nkill -HUP $(cat run.pid)\n```",
            f"{WRONG} {CURE} The quickest way: `kill -HUP $(cat run.pid)`",
        ),
        (
            f"{WRONG} The fix is simpler than that: open the file again after a rename.",
            f"{WRONG} The fix is simpler than that: open the file again after a rename.",
        ),
        # A cure that says nothing without what stands before it.
        (
            "Both workers wrote the header twice. Fixed by letting the first one hold the lock.",
            "Both workers wrote the header twice. Fixed by letting the first one hold the lock.",
        ),
        # Of two that went wrong, the one that was cured.
        (f"The issue was the port of the proxy. {WRONG} {CURE}", f"{WRONG} {CURE}"),
    ],
)
def test_an_account(text: str, account: str) -> None:
    """The cause and the cure, as they were said, and what explains them."""
    assert told(text) == [account]


@pytest.mark.parametrize(
    "text",
    [
        WRONG,
        CURE,
        f"{CURE} {WRONG}",
        "The problem is probably the handle on the old inode. " + CURE,
        f"{WRONG} The cleanest fix would be to open the file again after each rename.",
        f"{WRONG} A fix could be to open the file again after each rename.",
        f"Is it that the problem is the old inode of the file? {CURE}",
        f"The problem is clear. {CURE}",
        f"The issue is fixed now for all of them. {CURE}",
        f"{WRONG} The fix is simple.",
        f"{WRONG} The fix is in.",
        f"{WRONG} The fix is cheap, and everybody is glad to have it at last.",
        f"The cause is something else in the headers of the proxy. {CURE}",
        f"No issue: all of the handles are fine. {CURE}",
        WRONG + "\n\n" + "One more thing happened here today.\n\n" * 9 + CURE,
        "Nothing more to say about it. Fixed by Ada.",
        "The accountants called about the tax. Resolved by sending them the table.",
        "Done. Fixed by closing the handle before the rename.",
    ],
)
def test_no_account(text: str) -> None:
    """Guesses, plans, empty words, and what stands too far away."""
    assert told(text) == []


def test_two_accounts() -> None:
    """Each cure has its own cause, and no sentence is told twice."""
    second = "The bug was a missing index on the order table. The fix: a migration adds it."

    assert told(f"{WRONG} {CURE}\n\n{second}") == [f"{WRONG} {CURE}", second]


def test_an_account_is_one_signal() -> None:
    """A solution, not a blocker and a resolution; and never kept unseen."""
    (signal,) = detect(f"{WRONG} {CURE}")

    assert (signal.type, signal.kind) == ("resolution", "solutions")
    assert 0.7 <= signal.confidence < 0.95


def test_who_asks_for_it_gets_it_as_it_was_asked() -> None:
    """A request counts more than what it holds."""
    (signal, *_) = detect(f"Remember this: {WRONG} {CURE}")

    assert signal.type == "explicit"


PARTS = [WRONG, CURE, "Fixed by hand.", "Let me see.", "Problem:", "Solution: yes", "\n", "\n\n"]


@given(st.lists(st.sampled_from(PARTS) | st.text(max_size=30), max_size=12))
def test_any_text_is_fine(parts: list[str]) -> None:
    """Nothing breaks it, nothing is made up, nothing is too long."""
    text = " ".join(parts)
    letters = "".join(filter(str.isalnum, text))
    for account in told(text):
        assert len(account) <= MAX_ACCOUNT
        for sentence in paragraphs(account):
            assert all("".join(filter(str.isalnum, one)) in letters for one in sentence)
