"""Which prompts take back what the agent has just done."""

from __future__ import annotations

import pytest

from recollect.capture.retractions import takes_back


@pytest.mark.parametrize(
    "prompt",
    [
        "no, use cents",
        "No. Floats are wrong here.",
        "nope, not like that",
        "No! Put it back.",
        "hmm no, that's not right",
        "that's wrong",
        "This is not what I asked for",
        "That's not how we do it",
        "it's broken now",
        "that broke the build",
        "it doesn't work",
        "That didn’t help",
        "revert that",
        "please revert the last commit",
        "Undo",
        "undo that please",
        "can you roll that back?",
        "take it out",
        "Actually use Redis instead",
        "actually, let's keep the old name",
        "use tabs instead",
        "Let's go with Postgres instead",
        "I said tabs, not spaces",
        "I didn't ask for a new module",
        "you misunderstood, the cart must stay as it was",
        "wrong file",
        "wait, no, not there",
        "on second thought, keep floats",
        "please remove that",
    ],
)
def test_a_correction(prompt: str) -> None:
    """In the words that people use."""
    assert takes_back(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "great, now add a test",
        "No problem. Now add a test",
        "no worries, go on",
        "No, that's fine. Go on.",
        "No need to hurry. Add a test",
        "No issues so far, commit it",
        "add an undo button to the cart",
        "Write a function that reverts the order",
        "why did you use floats?",
        "Now the same for the receipts",
        "yes",
        "Notify the user when it fails",
        "None of the tests cover the tax; add one",
        "Actually great. Commit it",
        "does that work with Python 3.11?",
        "make it return None instead of raising",
        "",
    ],
)
def test_no_correction(prompt: str) -> None:
    """Thanks, tasks and questions."""
    assert not takes_back(prompt)
