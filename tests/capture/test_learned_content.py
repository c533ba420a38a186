"""What is kept of a wish begins and ends where something said begins and ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.learned_content import mended, told_alone
from recollect.capture.request_text import clean, split_prompt
from recollect.capture.requests import find_requests


@pytest.mark.parametrize(
    ("said", "cut", "whole"),
    [
        (
            "A script without a tenant is a bug, including the ones we haven't thought of yet.",
            "A script without a tenant is a bug, including the ones we",
            "A script without a tenant is a bug, including the ones we haven't thought of yet",
        ),
        (
            "I want to bisect, which fails because four commits in a row do not compile.",
            "because four commits in a row do not compile",
            "I want to bisect, which fails because four commits in a row do not compile",
        ),
        ("We use tabs, remember that.", "We use tabs", "We use tabs"),
        ("Remember: log in first.", "log in first", "Log in first"),
    ],
)
def test_a_content_is_not_cut_in_the_middle(said: str, cut: str, whole: str) -> None:
    """What no sentence begins or ends with is a sign of that."""
    assert told_alone(mended(cut, split_prompt(said))) == whole


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_content_is_mended_to_what_holds_it(said: str, content: str) -> None:
    """Whatever stands in the prompt."""
    assert content.strip() in mended(content, split_prompt(said))


@pytest.mark.parametrize(
    "said",
    [
        "Burn this into your brain: keys never go into a backup that leaves the house.",
        "Burn this into your brain: everything that doesn't start with kind you only look at.",
    ],
)
def test_a_relative_clause_is_no_statement(said: str) -> None:
    """Its "that" leads to a part of a sentence."""
    (request,) = find_requests(said)

    assert request.content.startswith(("Keys never", "Everything"))


def test_ok_is_no_question_after_a_verb() -> None:
    """It is what something is."""
    assert clean("viridis and cividis are ok.") == "Viridis and cividis are ok"
    assert clean("always use viridis, ok?") == "Always use viridis"
