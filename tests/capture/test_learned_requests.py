"""Wishes in words that no rule has: the model finds the sentence, and what it asks to keep."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.capture.requests import load
from recollect.capture.requests import find_requests
from recollect.capture.wish_model import rate, tokens

BESIDE = Path(__file__).parents[2] / "benchmarks" / "capture"


def kept(text: str) -> list[str]:
    """What a prompt asks to keep."""
    return [request.content for request in find_requests(text) if request.content]


@pytest.mark.parametrize(
    ("prompt", "content"),
    [
        (
            "File this away for the next time we work together: the watchdog fires after 1.6 s.",
            "The watchdog fires after 1.6 s",
        ),
        (
            "The staging db gets wiped every Sunday night. Hang on to that one.",
            "The staging db gets wiped every Sunday night",
        ),
        (
            "Burn this into your brain: never run `terraform apply` from a laptop.",
            "Never run `terraform apply` from a laptop",
        ),
        (
            "Good. Before we stop: the summer fares start on 15 June, hang on to that. And commit.",
            "The summer fares start on 15 June",
        ),
        (
            "I want it on your permanent record that we only accept EdDSA here.",
            "We only accept EdDSA here",
        ),
        (
            "Add pagination. The dongle has to be in the left port. Chisel that into your skull.",
            "The dongle has to be in the left port",
        ),
        (  # what is meant goes on
            "One more thing, for you tomorrow, when you have forgotten all this. Photographs have"
            " two numbers. The pencil one is from before the flood, the stamped one counts.",
            "Photographs have two numbers. The pencil one is from before the flood, the stamped one"
            " counts.",
        ),
        (
            "burn this into your flash: a panic stops a paper machine. so no unwrap() in main",
            "A panic stops a paper machine. so no unwrap() in main",
        ),
        (  # "that" in another clause points to nothing
            "brilliant, they're cheering! oh and one thing to hang on to for good, we only transmit"
            " when an operator is in the room, the regulator was clear about that when we asked",
            "We only transmit when an operator is in the room, the regulator was clear about that"
            " when we asked",
        ),
        (  # who "they" are stands before the colon
            "keep in mind for everything that touches topics: they're site/line, all lower case",
            "For everything that touches topics: they're site/line, all lower case",
        ),
    ],
)
def test_a_wish_without_a_rule_is_kept(prompt: str, content: str) -> None:
    """What follows a colon or "that", or what the sentence points to."""
    assert kept(prompt) == [content]
    assert find_requests(prompt, learned=False) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "The form should hang on to the last tab that the user opened.",
        "Save the result to out.csv and show me the first ten lines.",
        "You don't have to keep that in mind.",
        "Why does the cache drop this key?",
        "Between us: burn this into your brain, Bob is fired.",
        'The toast says "file this away for later: your export is ready".',
        "ok do that",
    ],
)
def test_what_only_sounds_alike_is_not(prompt: str) -> None:
    """Features of programs, orders for now, negations, questions, quotations, secrets."""
    assert kept(prompt) == []


@pytest.mark.parametrize(
    ("prompt", "content"),
    [
        (
            "One more: don't ever push to the mirror, because it is read-only for auditors.",
            "Don't ever push to the mirror, because it is read-only for auditors",
        ),
        (
            "While I think of it, please jot down somewhere permanent that Lena has a custom deal:"
            " unlimited guests until 2027.",
            "Lena has a custom deal: unlimited guests until 2027",
        ),
    ],
)
def test_all_of_a_content_is_kept(prompt: str, content: str) -> None:
    """The reason at its end, and what it says before a colon."""
    assert kept(prompt) == [content]


def test_what_only_announces_rules_is_not_kept() -> None:
    """The rule itself is."""
    said = "Now some rules, they apply to every member of the team and you count as one."
    assert kept(f"{said} Rule 1, permanently: amounts are DECIMAL.") == ["Amounts are DECIMAL"]


def test_the_trace_names_words_of_ours_only() -> None:
    """The words that decided are named if they are in our lists: others may be private."""
    (request,) = find_requests("Chisel that into your skull: Zebulon signs the releases.")

    assert request.rule.startswith("learned: ")
    assert "zebulon" not in request.rule.lower()


def test_the_blind_set_holds() -> None:
    """Prompts by a writer who knew neither the rules nor the model; see the README beside them."""
    prompts = load(BESIDE / "wishes_judge.jsonl")
    wishes = [prompt for prompt in prompts if prompt.wishes]
    traps = [prompt for prompt in prompts if not prompt.wishes]

    assert sum(bool(kept(prompt.text)) for prompt in wishes) >= 0.84 * len(wishes)
    assert sum(bool(kept(prompt.text)) for prompt in traps) <= 0.12 * len(traps)


def test_only_the_ends_of_a_long_prompt_count() -> None:
    """What is long is pasted, and its middle is not what the writer asks."""
    wish = "Burn this into your brain: never deploy on a Friday."
    long = "\n\n".join(["Here is the log."] + ["It went on and on, and nothing failed."] * 80)

    assert kept(f"{long}\n\n{wish}") == ["Never deploy on a Friday"]
    assert kept(f"{long}\n\n{wish}\n\n{long}") == []


@given(st.text(max_size=400))
def test_any_text_is_rated(text: str) -> None:
    """Whatever people paste: a chance from 0 to 1, and one weight for each word."""
    wish = rate(text)

    assert 0 <= wish.chance <= 1
    assert len(wish.tokens) == len(wish.weights) == len(tokens(text))
    assert all(0 <= one.start < one.end <= len(text) for one in wish.tokens)
    find_requests(text)
