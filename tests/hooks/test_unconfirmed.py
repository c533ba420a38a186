"""What hooks do with what was noticed: use it, confirm it, tell about it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.capture import unconfirmed
from recollect.capture.spool_flush import spool_of
from recollect.core.memory import Memory
from recollect.ledger.lock import exclusive
from tests.sandbox import Sandbox
from tests.support.agent import Agent, transcript

DECISION = "We decided to use PostgreSQL instead of SQLite because two workers write at once."
OTHER = "We decided to deploy the shop on Tuesdays because somebody is around."
QUESTION = "Which database for the two workers that write at once, PostgreSQL or SQLite?"


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, still empty."""
    return sandbox.open(repo)


@pytest.fixture
def agent(repo: Path) -> Agent:
    """An agent in that repository."""
    return Agent(repo)


def notice(store: Recollect, text: str = DECISION, **fields: Any) -> Memory:
    """Something that was noticed an hour ago, in the session `before`."""
    at = datetime.now(UTC) - timedelta(hours=1)
    draft = {
        "kind": "decisions",
        "summary": text,
        "body": "",
        "session": "before",
        "created": at.strftime("%Y-%m-%dT%H:%M:%SZ"),
        **fields,
    }
    memory = unconfirmed.add(store, draft, confidence=0.8, why="signal: decision")
    assert memory is not None
    return memory


def told(reply: dict[str, Any]) -> str:
    """What the user sees."""
    return str(reply.get("systemMessage", ""))


def test_the_user_is_told_in_one_line(agent: Agent, store: Recollect) -> None:
    """At the prompt; what a stop notices in the same turn waits for the next line."""
    first = told(agent.hook("prompt", prompt=f"[remember] Tabs in Makefiles\n\n{DECISION}"))
    stop = f"[remember:notes] Spaces in Python\n\n{OTHER}"
    at_stop = told(agent.hook("stop", last_assistant_message=stop))
    second = told(agent.hook("prompt", prompt="Go on."))

    assert first.count("Recollect:") == 1
    assert "\n" not in first
    assert "remembered preferences:" in first
    assert 'noticed 1 (unconfirmed): "We decided to use PostgreSQL' in first
    assert at_stop == ""
    assert second.startswith("Recollect: remembered notes:")
    assert "Spaces" not in second  # it waited in local state, which holds no text
    assert 'noticed 1 (unconfirmed): "We decided to deploy' in second
    assert told(agent.hook("prompt", prompt="Go on.")) == ""


def test_a_stop_tells_if_the_prompt_did_not(agent: Agent, store: Recollect) -> None:
    """One line for the turn."""
    agent.hook("prompt", prompt="Go on.")

    assert "noticed 1 (unconfirmed)" in told(agent.hook("stop", last_assistant_message=OTHER))


@pytest.mark.parametrize(
    ("notify", "seen"), [("all", (True, True)), ("kept", (True, False)), ("none", (False, False))]
)
def test_the_user_chooses_the_lines(
    agent: Agent, store: Recollect, notify: str, seen: tuple[bool, bool]
) -> None:
    """What is kept, and everything else."""
    env = {"RECOLLECT_NOTIFY": notify}
    said = told(agent.hook("prompt", env, prompt=f"[remember] Tabs in Makefiles\n\n{DECISION}"))

    assert ("remembered preferences:" in said, "noticed" in said) == seen
    start = told(Agent(agent.directory, "s2").hook("session-start", env, source="startup"))
    assert ("1 unconfirmed memory" in start) == seen[1]


def test_a_session_begins_with_what_waits(agent: Agent, store: Recollect) -> None:
    """In one line; not after a compaction, and not if nothing waits."""
    assert told(agent.hook("session-start", source="startup")) == ""
    for text in (DECISION, OTHER):
        notice(store, text)

    reply = agent.hook("session-start", source="startup")

    assert told(reply) == (
        "Recollect: 2 unconfirmed memories. Review them with /recollect:review or: recollect review"
    )
    given = reply["hookSpecificOutput"]["additionalContext"]
    assert 'status="unconfirmed"' not in given  # titles only: nobody stands by them
    assert given.count("(unconfirmed, ") == 2
    assert told(agent.hook("session-start", source="compact")) == ""


def test_a_session_begins_with_the_title_of_one_about_the_recent_work(
    sandbox: Sandbox, agent: Agent, store: Recollect
) -> None:
    """Nobody stands by it, whatever file of the last commits it names."""
    (agent.directory / "pool.py").write_text("SIZE = 5\n")
    sandbox.git(agent.directory, "add", "pool.py")
    sandbox.git(agent.directory, "commit", "-qm", "pool: five connections for the two workers")
    notice(
        store,
        "`pool.py` opens five connections, because two workers write at once.",
        files_modified=["pool.py"],
    )

    given = agent.context("session-start", source="startup")

    assert 'status="unconfirmed"' not in given
    assert given.count("(unconfirmed, ") == 1


def test_one_is_given_to_a_prompt_that_asks_for_it(agent: Agent, store: Recollect) -> None:
    """With its status; one that nobody used for too long is not."""
    notice(store)
    notice(store, "We decided that PostgreSQL, not SQLite, is for workers that write at once.")
    given = agent.context("prompt", prompt=QUESTION)
    assert given.count('status="unconfirmed"') == 1

    for memory in store.unconfirmed():
        store.reject([memory.uid])
        store.purge(memory.uid)
    store.local.noticed.forget_rejection([r.uid for r in store.local.noticed.rejections()])
    notice(store, created="2020-01-01T00:00:00Z")
    store.close()
    assert "PostgreSQL" not in Agent(agent.directory, "s3").context("prompt", prompt=QUESTION)


def test_said_again_in_a_later_prompt_it_is_confirmed(agent: Agent, store: Recollect) -> None:
    """And the user is told; a stop that reads the words again confirms nothing."""
    memory = notice(store)
    agent.hook("stop", last_assistant_message=DECISION)
    assert store.get(memory.uid).status == "unconfirmed"

    said = told(agent.hook("prompt", prompt=DECISION))

    (confirmed,) = store.memories()
    assert (confirmed.status, confirmed.provenance["confirmed"]) == ("active", "said again")
    assert f"confirmed as {store.short_name(confirmed)}" in said
    assert store.get(memory.uid).status == "retired"


def test_the_words_of_the_same_moment_confirm_nothing(
    agent: Agent, store: Recollect, tmp_path: Path
) -> None:
    """A prompt that is sent twice, and the transcript of it."""
    path = tmp_path / "talk.jsonl"
    transcript(path, ("user", DECISION), ("assistant", f"Yes. {DECISION}"))
    for _ in range(2):
        agent.hook("prompt", prompt=DECISION)
        agent.hook("stop", transcript_path=str(path), last_assistant_message=DECISION)

    assert [m.status for m in store.memories(status="all")] == ["unconfirmed"]


def test_used_in_two_other_sessions_it_is_confirmed(agent: Agent, store: Recollect) -> None:
    """Its own session does not count, nor twice the same one."""
    memory = notice(store)
    said = []
    for session in ("before", "s2", "s2", "s3"):
        one = Agent(agent.directory, session)
        one.hook("session-start", source="startup")
        one.hook("prompt", prompt=QUESTION)
        said.append(told(one.hook("stop", last_assistant_message=DECISION)))

    (confirmed,) = store.memories()
    assert confirmed.provenance["confirmed"] == "used in two sessions"
    assert [bool(line) for line in said] == [False, False, False, True]
    assert f"confirmed as {store.short_name(confirmed)}" in said[-1]
    assert store.get(memory.uid).status == "retired"


def test_a_rejected_one_is_not_noticed_again(agent: Agent, store: Recollect) -> None:
    """Nor its like."""
    store.reject([notice(store).uid])
    store.close()

    agent.hook("prompt", prompt=DECISION)
    agent.hook("prompt", prompt=DECISION.replace("We decided", "So we finally decided"))

    assert store.memories() == []


def test_what_the_ledger_does_not_take_now_is_not_lost(
    agent: Agent, store: Recollect, repo: Path
) -> None:
    """It is spooled first, so a deadline or a lock loses nothing."""
    lock = store.ledger.repository.state_dir
    agent.hook("session-start", source="startup")
    with exclusive(lock / "spool.lock", 1.0):
        agent.hook("prompt", prompt=DECISION)
        assert len(spool_of(store).names()) == 1
    store.close()

    Agent(repo, "s2").hook("session-start", source="startup")

    assert [m.status for m in store.memories()] == ["unconfirmed"]
    assert spool_of(store).names() == []
