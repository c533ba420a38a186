"""Detection learns from reviews, within bounds, and forgets on request."""

from __future__ import annotations

import pytest

from recollect.api.recollect import Recollect
from recollect.capture import adaptation
from recollect.capture.conversation import Turn
from recollect.capture.detect import detect
from recollect.capture.features import USER, Said, vector
from tests.sandbox import Sandbox

TEXT = "We decided to use uv instead of pip because the lock file is reproducible."
LIKE = "We decided to use pnpm instead of npm because the lock file is smaller."


def shift_of(store: Recollect, text: str, kind: str = "decisions") -> float:
    """What was learned about a text."""
    return adaptation.shift(store)(vector(Said(text, USER)), kind)


@pytest.fixture
def store(sandbox: Sandbox) -> Recollect:
    """An empty memory."""
    sandbox.make_hub()
    return sandbox.open(sandbox.clone("ada"))


def test_nothing_was_learned_yet(store: Recollect) -> None:
    """No shift."""
    assert shift_of(store, TEXT) == 0.0


def test_accepting_raises_and_rejecting_lowers_what_is_like_it(store: Recollect) -> None:
    """More for the same words and kind than for others."""
    adaptation.learn(store, TEXT, "decisions", True)
    assert shift_of(store, TEXT) > shift_of(store, LIKE) > 0
    assert shift_of(store, TEXT) > shift_of(store, TEXT, "learnings") > 0

    adaptation.reset(store)
    adaptation.learn(store, TEXT, "decisions", False)
    assert shift_of(store, TEXT) < shift_of(store, LIKE) < 0


def test_a_hundred_rejections_silence_nothing(store: Recollect) -> None:
    """The shift is bounded, and a clear decision is still found."""
    for _ in range(100):
        adaptation.learn(store, TEXT, "decisions", False)
    assert shift_of(store, TEXT) == pytest.approx(-adaptation.MAX_SHIFT, abs=0.6)
    assert abs(shift_of(store, TEXT)) <= adaptation.MAX_SHIFT
    assert detect([Turn(USER, TEXT)], shift=adaptation.shift(store))


def test_a_hundred_acceptances_do_not_flood(store: Recollect) -> None:
    """Talk stays talk."""
    for _ in range(100):
        adaptation.learn(store, "thanks, looks good to me", "notes", True)
    assert abs(shift_of(store, "thanks, looks good to me", "notes")) <= adaptation.MAX_SHIFT
    assert detect([Turn(USER, "thanks, looks good")], shift=adaptation.shift(store)) == []


def test_it_is_forgotten_on_request_and_holds_no_text(store: Recollect) -> None:
    """Numbers only, and none after a reset."""
    adaptation.learn(store, TEXT, "decisions", True)
    names = set(store.local.adapted.weights())
    assert all(name == "kind decisions" or name.startswith("word ") for name in names)

    adaptation.reset(store)
    assert store.local.adapted.weights() == {}
