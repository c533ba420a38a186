"""Hooks and learning: one offer, and no rule twice for an agent that reads it anyway."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandbox import Sandbox
from tests.support.agent import Agent
from tests.support.history import with_past

_OFFER = "recollect learn"


@pytest.fixture
def past(sandbox: Sandbox) -> Path:
    """A repository with a past that is long enough for an offer."""
    return with_past(sandbox, fillers=16)


def told(agent: Agent) -> str:
    """What the user sees when a session starts."""
    return str(agent.hook("session-start", source="startup").get("systemMessage", ""))


def test_learning_is_offered_once(past: Path) -> None:
    """In one line, with the command of the host and ours."""
    line = told(Agent(past))
    assert "/recollect:learn or: recollect learn" in line
    assert "\n" not in line
    assert _OFFER not in told(Agent(past, "s2"))


def test_no_offer_without_a_past_or_after_learning(sandbox: Sandbox, past: Path) -> None:
    """A young repository waits; one that has learned, or was dismissed, is left alone."""
    young = with_past(sandbox, "young")
    assert _OFFER not in told(Agent(young))
    with sandbox.open(past) as store:
        store.run_import(store.plan_import())
    assert _OFFER not in told(Agent(past))
    other = with_past(sandbox, "other", fillers=16)
    with sandbox.open(other) as store:
        store.dismiss_learning()
    assert _OFFER not in told(Agent(other))


def test_a_rule_that_the_agent_reads_is_not_injected(sandbox: Sandbox, past: Path) -> None:
    """Claude Code reads CLAUDE.md and not .cursor/rules; search finds both."""
    rules = past / ".cursor" / "rules"
    rules.mkdir(parents=True)
    (rules / "a.mdc").write_text("- Always build the parser with the arena allocator.\n")
    sandbox.commit(past, "Add a rule")
    with sandbox.open(past) as store:
        store.run_import(store.plan_import(["instructions"]))
        hits = [hit.memory.summary for hit in store.search("call the network in a test")]
    assert "Never call the network in a test" in hits
    agent = Agent(past)
    start = agent.context("session-start", source="startup")
    prompt = agent.context("prompt", prompt="May a test call the network? What about the parser?")
    said = start + prompt
    assert "arena allocator" in said
    assert "call the network" not in said
