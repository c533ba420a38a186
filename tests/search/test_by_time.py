"""Questions without a topic are answered by kind and time, everywhere in the same way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.search.triggers import BLOCKED, LAST, LEFT, Plan, asked_for, leaning_of, topicless
from tests.sandbox import Sandbox
from tests.support.agent import Agent


@pytest.mark.parametrize(
    ("prompt", "asks"),
    [
        ("Continue where we left off", LAST),
        ("What did we do this month?", LAST),
        ("what changed in May 2026?", LAST),
        ("what have we done in the last two weeks", LAST),
        ("what changed since v2?", LAST),
        ("continue where we stopped yesterday", LAST),
        ("Where were we?", LAST),
        ("where did we leave off", LAST),
        ("What did we do last time?", LAST),
        ("what did we do yesterday", LAST),
        ("What have we done in the last session?", LAST),
        ("what happened last session", LAST),
        ("hey, back from lunch. where did we leave off?", LAST),
        ("Remind me", LAST),
        ("remind me what we did", LAST),
        ("Pick up where we stopped.", LAST),
        ("status?", LAST),
        ("Hi! What's the status?", LAST),
        ("catch me up please", LAST),
        ("give me a quick recap", LAST),
        ("What is the blocker?", BLOCKED),
        ("what's blocking us", BLOCKED),
        ("any blockers?", BLOCKED),
        ("What is still open?", LEFT),
        ("what's next?", LEFT),
        ("What's left to do", LEFT),
        ("what should we do next?", LEFT),
        ("show me the open items", LEFT),
        ("what are the next steps", LEFT),
        ("What's still failing?", LEFT),
    ],
)
def test_a_question_without_a_topic(prompt: str, asks: str) -> None:
    """In the words that people use."""
    plan = topicless(prompt)

    assert plan is not None
    assert asks in plan.asks


@pytest.mark.parametrize(
    "prompt",
    [
        "What did we do last time about the parser?",
        "git status",
        "What is the status code of the login page?",
        "what's next in the iterator protocol",
        "Remind me why the parser is recursive",
        "What is blocking the event loop in server.py?",
        "What is still open in the tax module?",
        "Continue with the parser",
        "Add a test for the cart",
        "The cart loses its discount. Where were we with that one?",
        "The tax test fails again since Monday. What is next?",
        "We were on billing. Where were we?",
        "Fix auth. Where were we?",
        "Open the file",
        "continue",
        "",
        "where were we? " + "The parser must be rewritten. " * 20,
    ],
)
def test_a_question_with_a_topic(prompt: str) -> None:
    """It is searched for."""
    assert topicless(prompt) is None


def test_a_topic_is_searched_without_the_question() -> None:
    """The words of the question would match everything that was done some time."""
    asked = "What did we do last time about the parser?"

    assert leaning_of(asked) == Plan((LAST,))
    assert leaning_of("Fix the status page that is blocking the last release") is None
    assert asked_for(asked).split() == ["about", "the", "parser?"]
    assert asked_for("Where were we?") == "Where were we?"
    assert leaning_of("Why did we rewrite the parser last month?") == Plan((), "last month")


SESSION: dict[str, Any] = {
    "goal": "Round half up",
    "outcome": "partial",
    "completed": ["Rounded the cart"],
    "next_actions": ["Round the tax"],
}


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with commits."""
    sandbox.make_hub()
    return sandbox.clone("ada")


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """A store with a session, a blocker, a debt and much else."""
    store = sandbox.open(repo)
    store.capture("sessions", "Round half up", content=SESSION)
    store.capture("blockers", "The tax service is down until Monday")
    store.capture("tech-debt", "The mailer has no retry")
    store.capture("decisions", "Use PostgreSQL for the last blocker of the status page")
    for number in range(12):
        store.capture("notes", f"What we did last time number {number}")
    store.close()
    return store


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("what did we do last time", "Round half up"),
        ("what is the blocker?", "The tax service is down until Monday"),
        ("what is still open?", "Round half up"),
    ],
)
def test_a_search_answers_by_kind_and_time(store: Recollect, question: str, first: str) -> None:
    """The words of the question are in a dozen notes; none of them is the answer."""
    found = [answer.memory.summary for answer in store.search(question)]

    assert found[0] == first
    assert not any(summary.startswith("What we did") for summary in found)
    assert "The mailer has no retry" in found or "blocker" in question


def test_filters_and_modes_search_as_ever(store: Recollect) -> None:
    """Who names a kind or a mode wants exactly that."""
    found = store.search("what did we do last time", kind="notes")

    assert {answer.memory.kind for answer in found} == {"notes"}
    assert store.search("what did we do last time", mode="text")[0].memory.kind == "notes"


def test_a_topic_with_a_kind_prefers_the_kind(store: Recollect) -> None:
    """The topic decides; among what matches, the session comes first."""
    store.capture("notes", "The cart was rounded half up in the session")
    found = store.search("what did we do last time about rounding half up?")

    assert found[0].memory.kind == "sessions"


def test_a_prompt_is_answered_once(store: Recollect, repo: Path) -> None:
    """What the start gave is not repeated, until the context is compacted."""
    agent = Agent(repo)
    agent.hook("session-start", source="startup")

    first = agent.context("prompt", prompt="What is still open?")
    assert "retry" in first
    assert "Round the tax" not in first
    assert agent.context("prompt", prompt="Where were we?") == ""
    agent.hook("pre-compact", trigger="manual")
    again = agent.context("prompt", prompt="Where were we?")
    assert "Round the tax" in again
    assert "tax service" in again
