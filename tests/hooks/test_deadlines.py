"""An event that runs out of time: a later one does the rest, and `why` tells when it was."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.capture import suggestions
from recollect.state.sessions import Trace
from recollect.state.unfinished import RAN_OUT
from tests.sandbox import Sandbox
from tests.support.agent import Agent, git_behind, transcript

DECISION = "We decided to use PostgreSQL instead of SQLite because two workers write at once."
LEARNING = "I found out that the tax service rounds half down, which costs us a cent per order."
TOO_SHORT = {"RECOLLECT_HOOK_DEADLINE": "1", "RECOLLECT_HOOK_SESSION_DEADLINE": "1"}


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, still empty."""
    return sandbox.open(repo)


@pytest.fixture
def agent(repo: Path) -> Agent:
    """An agent in that repository."""
    return Agent(repo)


def noticed(store: Recollect) -> str:
    """Everything that was kept or suggested, as text."""
    waiting = [suggestion.text for suggestion in suggestions.suggestions(store)]
    kept = [f"{memory.summary}\n{memory.text}" for memory in store.memories(status="all")]
    return "\n".join((*waiting, *kept))


def ended(store: Recollect) -> list[Trace]:
    """The events that ran out of time, newest first."""
    return [t for t in store.why(50) if any(step["what"] == RAN_OUT for step in t.steps)]


def why(repo: Path, *options: str) -> str:
    """What `recollect why` prints."""
    command = [sys.executable, "-m", "recollect", "why", *options]
    done = subprocess.run(command, cwd=repo, capture_output=True, text=True, check=True)
    return done.stdout


def test_what_a_late_prompt_said_is_noticed_at_the_end_of_the_turn(
    agent: Agent, store: Recollect, tmp_path: Path
) -> None:
    """The transcript has it: the decision, and the goal of the session."""
    talk = tmp_path / "talk.jsonl"
    agent.hook("session-start", source="startup", transcript_path=str(talk))
    agent.hook("prompt", TOO_SHORT, prompt=DECISION, transcript_path=str(talk))
    assert "PostgreSQL" not in noticed(store)

    transcript(talk, ("user", DECISION), ("assistant", "Understood."))
    agent.hook("stop", last_assistant_message="Understood.", transcript_path=str(talk))

    assert "PostgreSQL" in noticed(store)
    assert "PostgreSQL" in store.local.session_log.goal("s1")


@pytest.mark.parametrize("later", ["stop", "pre-compact", "session-start"])
def test_what_a_late_stop_had_to_read_is_read_later(
    agent: Agent, store: Recollect, repo: Path, tmp_path: Path, later: str
) -> None:
    """At the next stop, before a compaction, or when another session starts."""
    talk = tmp_path / "talk.jsonl"
    agent.hook("session-start", source="startup", transcript_path=str(talk))
    transcript(talk, ("user", DECISION), ("assistant", "Understood."))
    agent.hook("stop", TOO_SHORT, last_assistant_message="Understood.", transcript_path=str(talk))
    assert "PostgreSQL" not in noticed(store)

    if later == "session-start":
        Agent(repo, "s2").hook(later, source="startup")
    else:
        transcript(talk, ("user", "Go on."), ("assistant", "Done."))
        agent.hook(later, transcript_path=str(talk), last_assistant_message="Done.")

    assert "PostgreSQL" in noticed(store)
    assert store.local.observed.position("s1", str(talk)) == talk.stat().st_size


def test_a_long_talk_is_read_in_parts_and_nothing_is_skipped(
    agent: Agent, store: Recollect, tmp_path: Path
) -> None:
    """What does not fit into one event waits for the next, the oldest first."""
    talk = tmp_path / "talk.jsonl"
    path: dict[str, Any] = {"transcript_path": str(talk), "last_assistant_message": "Done."}
    agent.hook("session-start", source="startup", transcript_path=str(talk))
    transcript(talk, ("user", DECISION))
    transcript(talk, *[("assistant", f"Line {n} of a long talk. " * 40) for n in range(350)])
    transcript(talk, ("user", LEARNING))
    for _ in range(3):  # however much one of them has time for
        agent.hook("stop", **path)

    found = noticed(store)
    assert "PostgreSQL" in found
    assert "rounds half down" in found
    assert store.local.observed.position("s1", str(talk)) == talk.stat().st_size


def test_what_was_said_while_capture_was_off_is_never_read(
    agent: Agent, store: Recollect, repo: Path, tmp_path: Path
) -> None:
    """Off is off, also for later events and sessions."""
    talk = tmp_path / "talk.jsonl"
    off = {"RECOLLECT_CAPTURE_MODE": "off"}
    agent.hook("session-start", off, source="startup", transcript_path=str(talk))
    transcript(talk, ("user", DECISION), ("assistant", "Understood."))
    agent.hook("stop", off, last_assistant_message="Understood.", transcript_path=str(talk))

    transcript(talk, ("user", "Go on."), ("assistant", "Done."))
    agent.hook("stop", last_assistant_message="Done.", transcript_path=str(talk))
    Agent(repo, "s2").hook("session-start", source="startup")

    assert "PostgreSQL" not in noticed(store)


def test_why_shows_an_event_that_ran_out_of_time(
    agent: Agent, store: Recollect, repo: Path
) -> None:
    """With its session and the time of day, in the API, the text and the JSON."""
    before = datetime.now().astimezone()
    agent.hook("session-start", source="startup")
    agent.hook("prompt", TOO_SHORT, prompt="Where are the prices?")

    (trace,) = ended(store)
    assert (trace.event, trace.session) == ("prompt", "s1")
    shown = why(repo)
    at = datetime.fromtimestamp(trace.at).astimezone()
    assert f"{at:%H:%M:%S}  prompt" in shown
    assert "ran out of time" in shown
    assert shown.index("session-start") < shown.index("prompt")
    told = json.loads(why(repo, "--json", "--last"))[0]
    assert told["finished"] is False
    assert datetime.fromisoformat(told["time"]) >= before.replace(microsecond=0)
    assert ended(store) == [t for t in store.why(50, "s1") if t.event == "prompt"]
    assert store.why(50, "another") == []


def test_why_shows_an_event_that_was_killed(
    agent: Agent, store: Recollect, repo: Path, tmp_path: Path
) -> None:
    """Its parent is left to tell."""
    agent.hook("session-start", source="startup")
    store.capture("notes", "Something new, so that the hook asks git")
    path = git_behind(tmp_path, "kill -9 $PPID")
    agent.hook("prompt", {"PATH": path}, prompt="Where are the prices kept in this shop?")

    (trace, *_) = store.why(1)
    assert (trace.event, trace.session) == ("prompt", "s1")
    assert trace.steps[-1]["what"] == "was ended"
    assert "was ended: Ended(-9)" in why(repo, "--last")


def test_junk_in_the_file_of_ended_events(store: Recollect, repo: Path) -> None:
    """It is skipped, and the file cannot grow without end."""
    folder = repo / ".git" / "recollect"
    folder.mkdir(parents=True, exist_ok=True)
    lines = ["{", "[]", '{"at": "x"}', '{"at": 1, "session": "s", "event": "stop", "steps": [1]}']
    (folder / "unfinished.jsonl").write_text("\n".join(lines) * 2000)

    assert store.why(5) == []
    Agent(repo).hook("stop", TOO_SHORT, last_assistant_message="Done.")
    assert len(ended(store)) == 1
    assert (folder / "unfinished.jsonl").stat().st_size < 10_000


def test_a_part_that_takes_too_long_is_read_in_smaller_ones(store: Recollect) -> None:
    """An attempt that had no end halves the next one, and a finished one restores it."""
    observed = store.local.observed
    observed.begin_reading("s1", "talk", 0, 1.0)

    assert [observed.claim_part("s1", "talk", 32_768) for _ in range(6)] == [
        32_768,
        16_384,
        8_192,
        4_096,
        4_096,
        4_096,
    ]
    observed.read_to("s1", "talk", 4_096, 2.0)
    assert observed.claim_part("s1", "talk", 32_768) == 32_768
