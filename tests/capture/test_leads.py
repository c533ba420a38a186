"""The words before what a sentence says are no part of it."""

from __future__ import annotations

import pytest

from recollect.capture.conversation import turns
from recollect.capture.detect import detect
from recollect.capture.leads import asks_now, scratches, tells, tells_open, without_filler
from recollect.capture.requests import find_requests


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("Mmh no, let's use tabs", "let's use tabs"),
        ("On second thought RabbitMQ is overkill", "RabbitMQ is overkill"),
        ("On second thoughts, tabs", "tabs"),
        ("Scratch that, the width depends on the customer.", "the width depends on the customer."),
        ("Btw never log phone numbers", "never log phone numbers"),
        ("No force push", "No force push"),
        ("Scratch pads are blue", "Scratch pads are blue"),
    ],
)
def test_what_leads_to_a_statement_is_left_out(said: str, left: str) -> None:
    """What the words are about stays."""
    assert without_filler(said) == left


def test_who_scratches_something_says_so_first() -> None:
    """A file or an order with the word takes nothing back."""
    assert scratches("Scratch that, the width depends on the customer.")
    assert scratches("oh wait, strike that: 12 mm")
    assert not scratches("Clean the scratch folder")
    assert not scratches("Scratch files go to /tmp")


def found(prompt: str) -> list[tuple[str, str]]:
    """The kinds and sentences that are noticed in a prompt."""
    said = turns([("user", prompt)], failed=False, passed=False)
    return [(one.kind, one.sentence) for one in detect(said)]


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("We decided in the stand-up: the queue is SQLite.", "decisions"),
        (
            "Still to do: the labels for returns have no barcode yet, I'll get the spec from Ines"
            " on Thursday.",
            "blockers",
        ),
    ],
)
def test_what_was_settled_or_is_open_is_noticed_and_not_asked_for(prompt: str, kind: str) -> None:
    """Nobody asked to keep it, so it isn't confirmed."""
    assert tells(prompt)
    assert tells_open(prompt) is (kind == "blockers")
    assert find_requests(prompt) == []
    assert [one for one, _ in found(prompt)] == [kind]


def test_a_wish_by_no_word_is_none() -> None:
    """No word of the correction asks, so `why` could name none."""
    prompt = (
        "Hm wait, that's wrong. Not once a night: every six hours, since the surge forecast comes"
        " in four times a day."
    )
    assert find_requests(prompt) == []
    assert [one for _, one in found(prompt)] == [prompt.partition("wrong. ")[2]]


@pytest.mark.parametrize(
    ("prompt", "whole"),
    [
        (
            "No, let's go back to RabbitMQ. SQLite locks up when both printers poll.",
            "Let's go back to RabbitMQ. SQLite locks up when both printers poll.",
        ),
        (
            "The retries are too many. It's 2 retries, not 3, the printer jams otherwise.",
            "The retries are too many. It's 2 retries, not 3, the printer jams otherwise.",
        ),
        (
            "ok revert to yarn then, npm hoists wrong.",
            "Revert to yarn then, npm hoists wrong.",
        ),
    ],
)
def test_who_goes_back_or_corrects_is_noticed_with_the_reason(prompt: str, whole: str) -> None:
    """In one memory."""
    assert [one for _, one in found(prompt)] == [whole]


def test_a_task_within_a_text_asks_for_something_now() -> None:
    """A rule about a tool does not."""
    assert asks_now("The nightly build broke. Please run ./build.sh and give me the cause")
    assert asks_now("a hive weighs four hundred kilos can you run it and have a look")
    assert not asks_now("Always run the linter before a commit, it can fail")
