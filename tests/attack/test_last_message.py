"""What the agent said last counts at the stop, once, whenever the transcript gets to it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.api.recollect import Recollect
from recollect.capture.last_message import normal, with_last, without_counted
from tests.sandbox import Sandbox
from tests.support.agent import Agent, transcript

TALK = (
    "We chose SQLite for the cart instead of PostgreSQL because one process writes now.\n\n"
    "We went with WAL mode rather than a server because the shop is small.\n\n"
    "From now on every price is in cents, as we agreed.\n"
    "I prefer small commits, and that is the rule here."
)
DRAFT = {"RECOLLECT_TRIAGE_MODE": "draft"}


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with commits."""
    sandbox.make_hub()
    return sandbox.clone("ada")


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, still empty."""
    return sandbox.open(repo)


@pytest.fixture
def agent(repo: Path, store: Recollect) -> Agent:
    """An agent in that repository."""
    return Agent(repo)


def exchanges(store: Recollect) -> int:
    """How many messages were counted in the session."""
    return store.local.observed.add_work("s1", {}, 0, store.ledger.clock().timestamp())[1]


def test_a_message_that_the_transcript_lacks_is_triaged(
    agent: Agent, tmp_path: Path, store: Recollect
) -> None:
    """The client fires the event before it has written the line."""
    path = tmp_path / "talk.jsonl"
    transcript(path, ("user", "Where do carts go?"))

    said = agent.hook("stop", DRAFT, transcript_path=str(path), last_assistant_message=TALK)

    assert "SQLite" in said["hookSpecificOutput"]["additionalContext"]


def test_a_transcript_that_is_not_there_yet(agent: Agent, tmp_path: Path) -> None:
    """The event alone is enough."""
    path = tmp_path / "none.jsonl"

    said = agent.hook("stop", DRAFT, transcript_path=str(path), last_assistant_message=TALK)

    assert "additionalContext" in said["hookSpecificOutput"]


def test_it_counts_once_when_the_transcript_catches_up(
    agent: Agent, tmp_path: Path, store: Recollect
) -> None:
    """Late, in two lines, and after a stop that came twice."""
    path = tmp_path / "talk.jsonl"
    transcript(path, ("user", "Where do carts go?"))
    for _ in range(2):
        agent.hook("stop", transcript_path=str(path), last_assistant_message=TALK)
    first = store.suggestions(), store.memories(), exchanges(store)

    head, tail = TALK.split("\n\n", 1)
    transcript(path, ("assistant", head), ("assistant", tail), ("user", "And now?"))
    agent.hook("stop", transcript_path=str(path), last_assistant_message="Done.")

    assert first[2] == 2
    assert exchanges(store) == 4
    assert (store.suggestions(), store.memories()) == first[:2]


PARTS = st.lists(st.text("ab \n", min_size=1).filter(str.strip), min_size=1, max_size=5)


@given(PARTS, st.data())
def test_however_late_the_transcript_is_each_message_counts_once(
    parts: list[str], data: st.DataObject
) -> None:
    """Any part of the message may be there at the stop, the rest comes later."""
    before = [("user", "go")]
    lines = [("assistant", part) for part in parts]
    there = data.draw(st.integers(0, len(parts)))
    last = "\n\n".join(parts)

    joined = with_last([*before, *lines[:there]], last)
    later = without_counted(lines[there:], lambda text: text == joined.ahead)

    heard = " ".join(normal(text) for role, text in (*joined.said, *later) if role == "assistant")
    assert normal(heard) == normal(last)
