"""The summary of a session: short, whole, and true."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.capture.session_summary import (
    Story,
    says_something,
    summary_of,
    without_taken_back,
)
from recollect.core.content import check_content, content_text
from recollect.core.fields import check_fields, check_summary
from recollect.search.tokens import count_tokens
from recollect.state.session_marks import COMMIT_MADE, CORRECTED, DONE, OPEN, WRONG

GOAL = "Please fix the total of an empty cart"


def story(*happened: str, goals: Sequence[str] = (GOAL,), **more: Any) -> Story:
    """A session in which something happened, one second after the other."""
    return Story(goals, [(float(at), what) for at, what in enumerate(happened)], **more)


def content(told: Story) -> dict[str, Any]:
    """The content of its summary."""
    draft = summary_of(told)
    assert draft is not None
    return dict(draft["content"])


def test_a_session_in_which_nothing_happened() -> None:
    """Talk alone leaves no summary."""
    assert summary_of(story(goals=["What does the cart do?"])) is None
    assert summary_of(story("turn 1a2b", "tests fail")) is None


def test_the_summary_of_a_session() -> None:
    """The goal is the first prompt that says something; the rest is what was done."""
    draft = summary_of(
        story(
            "changed src/cart.py",
            "changed src/cart.py",
            "changed /home/ada/notes.txt",
            "tests pass",
            "done: An empty cart now costs nothing.",
            "commit made: fix: an empty cart costs nothing",
            "open: Round the tax",
            "tests pass",
            goals=["/clear", "hi", "<command-name>x</command-name>", GOAL],
            decided=["Prices are integer cents"],
        )
    )

    assert draft is not None
    assert draft["confidence"] == 1.0
    assert draft["summary"] == "Fix the total of an empty cart"
    assert draft["files_modified"] == ["src/cart.py"]
    assert draft["content"] == {
        "goal": "fix the total of an empty cart",
        "outcome": "success",
        "next_actions": ["Round the tax"],
        "completed": [
            "An empty cart now costs nothing.",
            "Commit: fix: an empty cart costs nothing",
            "Tests pass.",
        ],
        "key_changes": [
            "Kept: Prices are integer cents",
            "Files: src/cart.py, /home/ada/notes.txt",
        ],
    }
    _can_be_kept(draft)


@pytest.mark.parametrize(
    ("happened", "more", "outcome"),
    [
        (["tests pass"], {}, "success"),
        (["commit made: fix: it"], {}, "success"),
        (["tests pass", "tests fail"], {}, "partial"),
        (["tests fail", "tests pass"], {}, "success"),
        (["tests pass"], {"failures": [(9.0, "make: no rule")]}, "partial"),
        (["changed a.py", "tests pass"], {"failures": [(0.5, "make: no rule")]}, "success"),
        (["changed a.py"], {}, "partial"),
        (["done: Added a lock to the cart."], {}, "partial"),
        (["tests pass"], {"is_running": True}, "partial"),
        (["tests pass"], {"blockers": ["The tax service is down"]}, "blocked"),
    ],
)
def test_the_outcome_is_true(happened: list[str], more: dict[str, Any], outcome: str) -> None:
    """A success is what passed its last check, and nothing failed after it."""
    assert content(story(*happened, **more))["outcome"] == outcome


def test_what_failed_is_open() -> None:
    """Once, and after what the agent says is left."""
    told = content(story("open: Round the tax", failures=[(1.0, "no taxlib"), (2.0, "no taxlib")]))

    assert told["next_actions"] == ["Round the tax", "Unsolved: no taxlib"]


@pytest.mark.parametrize(
    ("prompts", "happened", "summary"),
    [
        (["another comment"], ["commit made: fix: read long lines"], "fix: read long lines"),
        ([], ["tests pass"], "Changed a.py, b.py"),
        (["yes", "ok!", "yeah let's do it", "go for it."], [], "Changed a.py, b.py"),
        (
            ["coupons came back twice last quarter"],
            [
                "commit made: Fix the cart",
                "commit made: Merge branch 'b' into a",
                "done: Added a lock.",
            ],
            "Fix the cart",
        ),
        # Of several commits the first, a feature before all, and none that is done besides.
        (
            ["yes, do it"],
            ["commit made: Round half up", "commit made: docs(cart): tell of rounding"],
            "Round half up",
        ),
        (
            ["what now?"],
            [
                "commit made: fix: a typo",
                "commit made: ✨ feat(cart): round",
                "commit made: fix: b",
            ],
            "✨ feat(cart): round",
        ),
        # A small task at the beginning is not what a session with several commits was about.
        (
            ["rename the column of the coupons and commit it"],
            ["commit made: docs: coupons", "commit made: Let prices be edited", "commit made: A"],
            "Let prices be edited",
        ),
        (
            ["Implement the following plan:\n# Rounding in the cart"],
            ["commit made: One", "commit made: Two", "commit made: Three"],
            "Implement the following plan: Rounding in the cart",
        ),
        (["coupons came back twice"], ["done: A lock is added."], "A lock is added."),
        (["the total of carts is wrong, fix it"], [], "The total of carts is wrong, fix it"),
        (
            ["why is it broken?"],
            ["done: added a lock around it.", "done: Removed it."],
            "Added a lock around it.",
        ),
        (["why is the cart broken?"], [], "Changed a.py, b.py"),
        (["the receipts of the last quarter are on the shelf"], [], "Changed a.py, b.py"),
        (["fix all of the findings"], [], "Changed a.py, b.py"),
        (
            ["why is the cart broken?", "add some tests for this behaviour"],
            ["done: The cart now rounds half up."],
            "The cart now rounds half up.",
        ),
        (
            ["why is the cart broken?", "Fix the rounding of the cart"],
            [],
            "Fix the rounding of the cart",
        ),
    ],
)
def test_a_session_without_much_of_a_goal(
    prompts: list[str], happened: list[str], summary: str
) -> None:
    """What was done says more."""
    draft = summary_of(story("changed src/a.py", "changed src/b.py", *happened, goals=prompts))

    assert draft is not None
    assert draft["summary"] == summary


def test_file_names_alone_say_too_little() -> None:
    """Git knows that much; with a goal it is worth keeping."""
    assert not says_something(summary_of(story("changed a.py", goals=["ok"])) or {})
    assert says_something(summary_of(story("changed a.py", goals=["why is it broken?"])) or {})


def test_a_summary_is_short() -> None:
    """However much was done, it is at most 300 tokens, and the last things stay."""
    many = [
        f"{kind}Something of about ninety characters was done to the part number {n} of it."
        for n in range(40)
        for kind in ("done: ", "commit made: ", "open: ", "corrected: ")
    ]
    files = [f"changed src/some/folder/of/the/shop/module_{n}.py" for n in range(60)]
    draft = summary_of(
        story(
            *many,
            *files,
            decided=["We decided that this is how it is, and why"] * 20,
            blockers=[
                f"The service number {n} is down until the end of the week" for n in range(9)
            ],
            failures=[(99.0 + n, f"Something failed with the code {n}") for n in range(9)],
        )
    )

    assert draft is not None
    text = f"{draft['summary']}\n{content_text('sessions', draft['content'])}"
    assert count_tokens(text) <= 300
    assert "module_59.py" in text
    _can_be_kept(draft)


def _can_be_kept(draft: dict[str, Any]) -> None:
    rest = dict(draft)
    assert check_summary(str(rest.pop("summary")))
    assert check_content(str(rest.pop("kind")), rest.pop("content"))
    rest.pop("body")
    check_fields(rest)


ANY_TEXT = st.text() | st.binary().map(lambda raw: raw.decode("utf-8", "surrogateescape"))
MARKS = st.sampled_from(["done: ", "open: ", "changed ", "commit made: ", "corrected: ", ""])


@given(st.lists(st.tuples(MARKS, ANY_TEXT), max_size=4), st.lists(ANY_TEXT, max_size=2))
def test_any_text_is_fine(happened: list[tuple[str, str]], goals: list[str]) -> None:
    """Nothing raises, and what comes of it can be kept."""
    told = story(*(mark + text for mark, text in happened), goals=goals, decided=goals)
    draft = summary_of(told)

    if draft is not None and says_something(draft):
        _can_be_kept(draft)


def test_a_summary_has_no_goal_that_was_corrected() -> None:
    """What was asked for first and corrected later is neither goal nor headline."""
    wrong = "I think we should render the harbour pages once a night and serve static HTML."
    right = "Not once a night: every six hours, since the surge forecast comes in four times a day."
    draft = summary_of(
        Story(
            [f"Have a look at tides/render.py. {wrong}"],
            [(1.0, CORRECTED + right), (2.0, COMMIT_MADE + "Render every six hours")],
        )
    )
    assert draft is not None
    assert draft["content"]["goal"] == "Have a look at tides/render.py"
    assert wrong not in str(draft)


def test_a_summary_has_nothing_that_was_taken_back() -> None:
    """Neither as a goal nor as done, open or kept; what was done after it stays."""
    old = "The backup of the wiki runs every night"
    again = "The backup of the wiki runs every night on the new host."
    draft = summary_of(
        Story(
            [f"Set up the wiki. {old}."],
            [
                (1.0, DONE + f"{old} now."),
                (2.0, OPEN + "Test the backup of the wiki every night"),
                (3.0, WRONG + old),
                (4.0, COMMIT_MADE + "Back up the wiki every hour"),
            ],
            decided=[old, "The wiki has two editors"],
        )
    )
    assert draft is not None
    assert draft["content"]["goal"] == "Set up the wiki"
    assert old not in str(draft)
    assert "Kept: The wiki has two editors" in draft["content"]["key_changes"]

    later = summary_of(Story(["Set up the wiki."], [(3.0, WRONG + old), (4.0, DONE + again)]))
    assert later is not None
    assert later["content"]["completed"] == [again]


def test_what_an_agent_wrote_loses_what_was_taken_back() -> None:
    """Sentences and items that do not hold go; everything else stays as it was written."""
    old = "Exports are CSV files for the depots"
    written = {
        "summary": "Exports are CSV files for the depots",
        "content": {
            "goal": "Set up the export. Exports are CSV files for the depots.",
            "outcome": "success",
            "completed": [old, "Wrote the plan of stops"],
            "next_actions": [],
        },
    }
    own = summary_of(story(COMMIT_MADE + "Export GeoJSON", goals=["Write the export of stops"]))
    assert own is not None

    after = without_taken_back(written, [(1.0, WRONG + old)], own)

    assert after["content"]["goal"] == own["content"]["goal"]
    assert after["content"]["completed"] == ["Wrote the plan of stops"]
    assert after["summary"] == own["summary"]
    assert without_taken_back(written, [(1.0, WRONG + old)], None)["content"]["goal"] == (
        "Set up the export."
    )
    assert without_taken_back(written, [(1.0, DONE + old)], own) == written
