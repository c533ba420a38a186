"""The agent learns at the prompt what was kept, so that it does not store it again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.core.marks import without_own_text
from recollect.core.names import short
from tests.sandbox import Sandbox
from tests.support.agent import Agent

DECISION = "we decided to keep sessions in Redis instead of the database"
CONFIRMS = re.compile(r"recollect review accept ID --user-said 'the exact words'")


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory."""
    return sandbox.open(repo)


@pytest.fixture
def agent(repo: Path) -> Agent:
    """An agent in that repository."""
    return Agent(repo)


def test_it_names_what_was_kept(agent: Agent, store: Recollect) -> None:
    """Once as new, and again when it is known already; its own words are not captured again."""
    prompt = "remember that releases are on Tuesdays"

    first = agent.context("prompt", prompt=prompt)
    again = agent.context("prompt", prompt=prompt)

    (memory,) = store.memories()
    for said in (first, again):
        assert f"Kept for the user, don't store it again: {short(memory.id)}" in said
        assert without_own_text(said).strip() == ""
    assert not CONFIRMS.search(first)


def test_the_agent_can_confirm_what_the_words_left_open(
    agent: Agent, store: Recollect, repo: Path
) -> None:
    """With the words of that same prompt, and with no others."""
    said = agent.context("prompt", prompt=f"{DECISION}, have that at hand please")

    (memory,) = store.memories()
    assert memory.status == "unconfirmed"
    assert short(memory.id) in said
    assert CONFIRMS.search(said)

    def accept(words: str) -> int:
        command = [sys.executable, "-m", "recollect", "review", "accept", short(memory.id)]
        in_agent = {**os.environ, "CLAUDECODE": "1"}
        return subprocess.run(
            [*command, "--user-said", words], cwd=repo, env=in_agent, capture_output=True
        ).returncode

    assert accept("please remember this for ever and ever") != 0
    assert accept("have that at hand please") == 0
    (memory,) = store.memories()
    assert memory.status == "active"


def test_nothing_to_tell(agent: Agent, store: Recollect) -> None:
    """A prompt that leaves nothing behind costs nothing, and injection can be off."""
    assert agent.context("prompt", prompt="fix the typo in the footer") == ""
    off = {"RECOLLECT_INJECT_ENABLED": "false"}
    assert agent.context("prompt", off, prompt="remember that releases are on Tuesdays") == ""
    assert len(store.memories()) == 1
