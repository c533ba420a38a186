"""Kept, suggested or left; and the memory that a signal would become."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.decide import Action, decide, draft, without_filler
from recollect.capture.signals import Signal, detect
from recollect.core.kinds import BY_NAME


def signal(confidence: float, type_: str = "decision") -> Signal:
    """A signal that is so sure."""
    return Signal(type_, "decisions", "We decided to use uv.", confidence)


@pytest.mark.parametrize(
    ("confidence", "action"),
    [
        (1.0, Action.AUTO),
        (0.95, Action.AUTO),
        (0.949, Action.SUGGEST),
        (0.70, Action.SUGGEST),
        (0.699, Action.SKIP),
        (0.0, Action.SKIP),
    ],
)
def test_thresholds(confidence: float, action: str) -> None:
    """0.95 is kept, 0.70 is suggested, the rest is left."""
    assert decide(signal(confidence)) == action


def test_thresholds_can_be_set() -> None:
    """The two thresholds are a matter of configuration."""
    assert decide(signal(0.85), auto=0.8) == Action.AUTO
    assert decide(signal(0.85), suggest=0.9) == Action.SKIP
    assert decide(signal(1.0), auto=1.1, suggest=1.1) == Action.SKIP


def test_who_asks_gets_a_suggestion() -> None:
    """An explicit request is at least suggested."""
    assert decide(signal(0.1, "explicit")) == Action.SUGGEST
    assert decide(signal(0.1, "explicit"), suggest=0.99) == Action.SUGGEST


def test_one_record_for_each_sentence() -> None:
    """A sure sentence does not take an unsure one along."""
    text = "Remember this: our tests need a clock. I want to see the logs. We went with PostgreSQL."

    assert [decide(found) for found in detect(text)] == ["auto", "skip", "suggest"]


def test_a_short_sentence_is_its_own_summary() -> None:
    """What fits into the summary needs no body."""
    (found,) = detect("We decided to use SQLite for the test database.")

    assert draft(found) == {
        "kind": "decisions",
        "summary": "We decided to use SQLite for the test database.",
        "body": "",
        "tags": ("database", "testing"),
        "confidence": 0.92,
    }


def test_a_long_sentence_is_kept_whole() -> None:
    """The summary ends at a word, the body has the sentence."""
    sentence = (
        "We decided to keep every record in one framed text, because a merge by concatenation must"
        " never be able to tear one of them apart."
    )
    (found,) = detect(sentence)
    memory = draft(found)

    assert len(memory["summary"]) <= 100
    assert sentence.startswith(memory["summary"].removesuffix("…") + " ")
    assert memory["body"] == sentence


@given(st.text())
def test_any_text_gives_drafts(text: str) -> None:
    """Each signal of any text becomes a memory that can be stored."""
    for found in detect("Remember this: " + text):
        memory = draft(found)

        assert 0 < len(memory["summary"]) <= 100
        assert memory["kind"] in BY_NAME
        assert len(memory["tags"]) <= 5
        assert 0 <= memory["confidence"] <= 1


def test_of_two_sentences_the_first_is_the_summary() -> None:
    """A whole sentence reads better than one and a half."""
    text = (
        "The problem was that both workers share one cursor. The fix was to give each of them its"
        " own, and to merge what they have read when the last one is done."
    )
    (found,) = detect(text)
    memory = draft(found)

    assert memory["summary"] == "The problem was that both workers share one cursor."
    assert memory["body"] == text


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("hmmm, better not to log names", "better not to log names"),
        ("ok so, we decided to use uv", "we decided to use uv"),
        ("No, from now on we use uv", "from now on we use uv"),
        ("No force push to main", "No force push to main"),
        ("Okay", "Okay"),
        ("so far it works", "so far it works"),
        ("Well-known ports only", "Well-known ports only"),
    ],
)
def test_nobody_remembers_a_sigh(said: str, kept: str) -> None:
    """How somebody begins to talk is left out; what is said is not."""
    assert without_filler(said) == kept
