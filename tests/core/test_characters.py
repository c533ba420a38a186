"""Folding a text to what it looks like: both forms stay in step, character by character."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recollect.core.characters import fold, visible


def test_plain_characters_stay_and_controls_go() -> None:
    """Also beside characters that are folded."""
    folded, original = fold("Run \x07it\n\tnow — with раypal\u200b…")

    assert folded == "Run it\n\tnow — with paypal..."
    assert "".join(original) == "Run it\n\tnow — with раypal…"
    assert len(folded) == len(original)


def test_an_accent_stays_with_its_letter() -> None:
    """Whether or not it is a character of its own."""
    assert fold("cafe\u0301s") == ("cafes", [*"caf", "e\u0301", "s"])
    assert fold("caf\u00e9s") == ("cafes", [*"caf", "\u00e9", "s"])


@given(st.text())
def test_a_text_is_folded_as_its_characters_are(text: str) -> None:
    """How many plain characters are in a row makes no difference."""
    folded, original = fold(text)

    assert folded == "".join(fold(char)[0] for char in text)
    assert len(folded) == len(original)
    if text.isascii():
        assert folded == "".join(original) == visible(text)
