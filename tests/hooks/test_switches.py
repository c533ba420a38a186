"""Hooks can be switched off as a whole and one by one; what somebody asks for is always kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from tests.sandbox import Sandbox
from tests.support.agent import Agent, transcript, with_memories

DECISION = "We decided to use PostgreSQL instead of SQLite because two workers write at once."
QUESTION = "Which database do we use for persistence?"


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, still empty."""
    return sandbox.open(repo)


@pytest.fixture
def agent(repo: Path) -> Agent:
    """An agent in that repository."""
    return Agent(repo)


@pytest.mark.parametrize("key", ["hook.enabled", "hook.prompt.enabled"])
def test_the_switches_of_hooks(agent: Agent, store: Recollect, key: str, repo: Path) -> None:
    """Off, a prompt brings nothing and nothing is noticed; a wish is kept all the same."""
    with_memories(store)
    before = len(store.memories())
    assert "PostgreSQL" in agent.context("prompt", prompt=QUESTION)
    other = Agent(repo, "s2")
    (repo / ".recollect.toml").write_text(f"{key} = false\n")  # it needs no trust

    assert other.hook("prompt", prompt=QUESTION) == {}
    assert other.hook("prompt", prompt=DECISION.replace("PostgreSQL", "Oracle")) == {}
    assert len(store.memories()) == before
    assert {"what": "switched off", "reason": f"{key} is off"} in store.why(1)[0].steps

    other.hook("prompt", prompt="[remember] Releases are on Tuesdays")
    other.hook("prompt", prompt="Please remember that the demo is on Fridays")
    assert {m.summary for m in store.memories()} >= {
        "Releases are on Tuesdays",
        "The demo is on Fridays",
    }


def test_a_switch_is_for_one_event(agent: Agent, store: Recollect) -> None:
    """The others work as before."""
    with_memories(store)
    off = {"RECOLLECT_HOOK_SESSION_START_ENABLED": "false"}

    assert agent.context("session-start", off, source="startup") == ""
    assert "PostgreSQL" in agent.context("prompt", off, prompt=QUESTION)


def _compact(agent: Agent, tmp_path: Path, text: str, **env: str) -> None:
    talk = tmp_path / "talk.jsonl"
    transcript(talk, ("user", text))
    given = {f"RECOLLECT_{name.upper()}": value for name, value in env.items()}
    agent.hook("pre-compact", given, trigger="auto", transcript_path=str(talk))


def test_the_minimum_confidence_before_a_compaction(
    agent: Agent, store: Recollect, tmp_path: Path
) -> None:
    """`compaction.min_confidence` raises `capture.suggest_threshold` there, and only there."""
    weak = "The build seems to take longer on Mondays."  # noticed from a low threshold only
    low = {"capture_suggest_threshold": "0.05"}
    _compact(agent, tmp_path, weak, **low, compaction_min_confidence="0.45")
    assert store.memories() == []

    settings = {
        "RECOLLECT_CAPTURE_SUGGEST_THRESHOLD": "0.05",
        "RECOLLECT_COMPACTION_MIN_CONFIDENCE": "0.45",
    }
    agent.hook("prompt", settings, prompt=weak)
    assert len(store.memories()) == 1


def test_the_maximum_before_a_compaction(agent: Agent, store: Recollect, tmp_path: Path) -> None:
    """`compaction.max_captures` postpones the rest; it does not drop it."""
    said = (
        "We decided to use PostgreSQL instead of SQLite because two workers write at once. "
        "We decided to deploy with Helm because plain manifests drifted apart. "
        "I always prefer pytest over unittest for new tests."
    )
    _compact(agent, tmp_path, said, compaction_max_captures="1")
    assert len(store.memories()) == 1

    agent.hook("stop", last_assistant_message="Done.")
    assert len(store.memories()) > 1


def test_prompt_first_before_a_compaction(agent: Agent, store: Recollect, tmp_path: Path) -> None:
    """`compaction.prompt_first`: it waits for a person, and no later event changes that."""
    _compact(agent, tmp_path, DECISION, compaction_prompt_first="true")
    (waiting,) = store.suggestions()
    assert "PostgreSQL" in waiting.text

    assert "1 suggestion" in str(agent.hook("session-start", source="startup"))
    agent.hook("stop", last_assistant_message="Done.")
    assert store.memories() == []
    assert [memory.status for memory in store.accept([waiting.name])] == ["active"]


@pytest.mark.parametrize(("threshold", "kept"), [("0.99", 0), ("0.45", 0), ("0.05", 1)])
def test_a_suggest_threshold_below_its_default(
    agent: Agent, store: Recollect, threshold: str, kept: int
) -> None:
    """A sentence that is hardly worth keeping is noticed if you ask for that."""
    weak = "The build seems to take longer on Mondays."
    agent.hook("prompt", {"RECOLLECT_CAPTURE_SUGGEST_THRESHOLD": threshold}, prompt=weak)

    assert len(store.memories()) == kept


def _commit(agent: Agent, message: str, env: dict[str, str]) -> None:
    agent.hook(
        "tool-post",
        env,
        tool_name="Bash",
        tool_input={"command": f"git commit -m '{message}'"},
        tool_response={"stdout": f"[main 1a2b3c4] {message}\n 1 file changed", "stderr": ""},
    )


def test_the_memorability_threshold(agent: Agent, store: Recollect) -> None:
    """What a commit says must score enough; the weights of types are part of the score."""
    message = (
        "Switched to orjson rather than json because parsing orders took 40 percent of a request"
    )
    _commit(agent, message, {"RECOLLECT_MEMORABILITY_THRESHOLD": "0.95"})
    assert store.memories() == []
    light = {
        "RECOLLECT_MEMORABILITY_WEIGHTS_DECISION": "0",
        "RECOLLECT_MEMORABILITY_THRESHOLD": "0.45",
    }
    _commit(agent, message, light)
    assert store.memories() == []

    _commit(agent, message, {"RECOLLECT_MEMORABILITY_THRESHOLD": "0.45"})
    assert len(store.memories()) == 1


def test_trigger_phrases_of_the_user(agent: Agent, store: Recollect) -> None:
    """`recall.triggers`: a prompt with one of them is searched like one that asks for memories."""
    memory = store.capture("decisions", "Use PostgreSQL for persistence")
    store.set_status(memory.id, "archived")
    prompt = "PostgreSQL persistence, as agreed"
    assert agent.context("prompt", prompt=prompt) == ""

    triggers = {"RECOLLECT_RECALL_TRIGGERS": "our usual way, as agreed"}
    assert "PostgreSQL" in agent.context("prompt", triggers, prompt=prompt)
    partly = prompt.replace("agreed", "agreeded")
    assert Agent(agent.directory, "s2").context("prompt", triggers, prompt=partly) == ""


def _tests(agent: Agent, output: str, env: dict[str, str]) -> None:
    agent.hook(
        "tool-post",
        env,
        tool_name="Bash",
        tool_input={"command": "pytest -q"},
        tool_response={"stdout": output, "stderr": ""},
    )


@pytest.mark.parametrize("where", ["summary", "memories"])
def test_checkpoints_are_memories_or_part_of_the_summary(
    agent: Agent, store: Recollect, where: str
) -> None:
    """A commit, tests that pass again, a finished task; as `capture.checkpoints` says."""
    env = {"RECOLLECT_CAPTURE_CHECKPOINTS": where}
    agent.hook("session-start", env, source="startup")
    agent.hook("prompt", env, prompt="Please fix the rounding of prices in the cart module")
    _tests(agent, "1 failed, 2 passed in 0.1s", env)
    _tests(agent, "3 passed in 0.1s", env)
    _tests(agent, "3 passed in 0.1s", env)
    _commit(agent, "Round half up", env)
    agent.hook("stop", env, last_assistant_message="I added the rounding of half cents to `total`.")

    progress = {m.summary: m.status for m in store.memories(kind="progress", status="all")}
    if where == "summary":
        assert progress == {}
        logged = [what for _, what in store.local.session_log.entries("s1")]
        assert "commit made: Round half up" in logged
        return
    assert progress.pop("Commit: Round half up") == "active"
    assert progress.pop("Tests pass again: pytest -q") == "active"
    assert list(progress.values()) == ["unconfirmed"]  # the agent says so
