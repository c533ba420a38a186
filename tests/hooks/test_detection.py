"""Drafts of what messages say: limits postpone, nothing is hidden, nothing is said twice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.capture import suggestions
from tests.sandbox import Sandbox
from tests.support.agent import Agent

SAID = (
    "We decided to use PostgreSQL instead of SQLite because two workers write at once.",
    "Never push directly to main, always open a pull request.",
    "We decided to deploy on Tuesdays because somebody is around then.",
    "We will keep the amounts in cents instead of floats because rounding broke the invoices.",
    "We chose tabs over spaces because the linter of the team wants them.",
)


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, still empty."""
    return sandbox.open(repo)


@pytest.fixture
def agent(repo: Path) -> Agent:
    """An agent in that repository."""
    return Agent(repo)


def noticed(store: Recollect) -> list[str]:
    """Everything that was kept or suggested."""
    waiting = [suggestion.text for suggestion in suggestions.suggestions(store)]
    return waiting + [memory.summary for memory in store.memories()]


def test_what_exceeds_the_limit_of_an_event_comes_with_the_next(
    agent: Agent, store: Recollect
) -> None:
    """Five things in a prompt, three at a time."""
    agent.hook("prompt", prompt="\n\n".join(SAID))
    assert len(noticed(store)) == 3
    assert len(store.local.observed.postponed(10)) == 2
    store.close()

    agent.hook("prompt", prompt="Go on.")
    assert len(noticed(store)) == 5
    assert store.local.observed.postponed(10) == []


def test_what_is_postponed_is_redacted_and_forgotten_with_a_purge(
    agent: Agent, store: Recollect
) -> None:
    """No secret reaches the state file."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    talk = [one.replace(" because", f" with the token {secret}, because") for one in SAID]
    agent.hook("prompt", prompt="\n\n".join(talk))

    kept = store.local.observed.postponed(10)
    assert kept
    assert all(secret not in draft for _, draft in kept)
    store.local.observed.forget_texts()
    assert store.local.observed.postponed(10) == []


def test_the_trace_names_the_features_and_no_text(agent: Agent, store: Recollect) -> None:
    """What was noticed, with its probability and the features that decided."""
    agent.hook("prompt", prompt=SAID[0])

    steps = [step for trace in store.why(5) for step in trace.steps]
    (one,) = [step for step in steps if step["what"] == "noticed"]
    assert one["score"] >= 0.3
    assert one["why"] == "signal: decisions"
    assert one["by"]
    assert "PostgreSQL" not in json.dumps(steps)


def test_a_near_miss_is_traced(agent: Agent, store: Recollect) -> None:
    """With the threshold raised, what was found leaves a line instead."""
    said = "PostgreSQL replaces SQLite in the shop because SQLite locks when two workers write."
    agent.hook("prompt", {"RECOLLECT_CAPTURE_SUGGEST_THRESHOLD": "0.999"}, prompt=said)

    assert noticed(store) == []
    steps = [step for trace in store.why(5) for step in trace.steps]
    skipped = [step for step in steps if "suggest_threshold" in str(step.get("reason"))]
    assert skipped
    assert skipped[0]["by"]


def test_an_agent_that_repeats_what_was_injected_says_nothing_new(
    agent: Agent, store: Recollect
) -> None:
    """It was told so a moment ago."""
    store.capture("decisions", "PostgreSQL instead of SQLite, because two workers write at once")
    store.close()
    agent.hook("session-start", source="startup")
    before = len(noticed(store))

    agent.hook("stop", last_assistant_message=f"As recorded: {SAID[0]}")

    assert len(noticed(store)) == before


def test_talk_gets_what_search_needs(agent: Agent, store: Recollect) -> None:
    """Observation type, concepts, importance and tags, as tool captures do."""
    agent.hook("prompt", {"RECOLLECT_CAPTURE_MODE": "suggest"}, prompt=SAID[0])

    (waiting,) = store.memories(status="unconfirmed")
    assert waiting.observation_type == "decision"
    assert "trade-off" in waiting.concepts
    assert waiting.importance > 0.5
    assert "database" in waiting.tags
