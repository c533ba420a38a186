"""What hooks notice by themselves: kept, unconfirmed or skipped, each once, never a secret."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from tests.sandbox import Sandbox
from tests.support.agent import Agent, transcript

DECISION = "We decided to use PostgreSQL instead of SQLite because two workers write at once."


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, still empty."""
    return sandbox.open(repo)


@pytest.fixture
def agent(repo: Path) -> Agent:
    """An agent in that repository."""
    return Agent(repo)


def noticed(store: Recollect) -> list[str]:
    """Everything that was kept, confirmed or not, as text."""
    assert store.suggestions() == []
    return [f"{m.summary}\n{m.body}" for m in store.memories()]


def test_a_decision_in_a_prompt_is_noticed_once(agent: Agent, store: Recollect) -> None:
    """Said ten times, by the person and by the agent: one thing."""
    for _ in range(3):
        agent.hook("prompt", prompt=f"Fine. {DECISION} Go on.")
        agent.hook("stop", last_assistant_message=DECISION)

    assert len(noticed(store)) == 1
    assert "PostgreSQL" in noticed(store)[0]


@pytest.mark.parametrize(
    "prompt",
    [
        "Did we decide to use PostgreSQL?",
        "Add a test for the cart, please.",
        "Don't remember this.",
        "```\nWe decided to use PostgreSQL instead of SQLite.\n```",
        "I want to rename the module.",
    ],
)
def test_ordinary_talk_is_not_noticed(agent: Agent, store: Recollect, prompt: str) -> None:
    """Questions, requests, negations and code."""
    agent.hook("prompt", prompt=prompt)

    assert noticed(store) == []


@pytest.mark.parametrize("answer", ["Yes, keep them.", "Yes, keep them, and improve decisions."])
def test_an_answer_to_a_question_is_not_noticed(
    agent: Agent, store: Recollect, tmp_path: Path, answer: str
) -> None:
    """Such as that of `/recollect:learn`; what the same prompt decides is."""
    path = tmp_path / "talk.jsonl"
    agent.hook("prompt", prompt=f"{answer} {DECISION}")
    transcript(path, ("assistant", "Shall I keep 28 memories?"), ("user", f"{answer} {DECISION}"))
    agent.hook("stop", transcript_path=str(path), last_assistant_message="Done.")

    assert len(noticed(store)) == 1
    assert "PostgreSQL" in noticed(store)[0]


def test_switched_off_nothing_is_noticed(agent: Agent, store: Recollect) -> None:
    """`capture.mode = off`; with `suggest` everything is unconfirmed and reaches no agent."""
    agent.hook("prompt", {"RECOLLECT_CAPTURE_MODE": "off"}, prompt=DECISION)
    assert noticed(store) == []

    waiting = {"RECOLLECT_CAPTURE_MODE": "suggest"}
    agent.hook("prompt", waiting, prompt=DECISION)
    assert [m.status for m in store.memories()] == ["unconfirmed"]

    question = "Which database, PostgreSQL or SQLite, for two workers that write at once?"
    other = Agent(agent.directory, "s2")
    assert "PostgreSQL" not in other.context("session-start", waiting, source="startup")
    assert "PostgreSQL" not in other.context("prompt", waiting, prompt=question)
    assert "(unconfirmed" in other.context("prompt", prompt=question)


def test_what_was_rejected_does_not_come_back(agent: Agent, store: Recollect) -> None:
    """Somebody said no."""
    agent.hook("prompt", {"RECOLLECT_CAPTURE_MODE": "suggest"}, prompt=DECISION)
    store.reject()
    store.close()

    agent.hook("prompt", {"RECOLLECT_CAPTURE_MODE": "suggest"}, prompt=DECISION)

    assert noticed(store) == []


def test_what_the_project_says_already_is_not_news(
    agent: Agent, store: Recollect, repo: Path
) -> None:
    """CLAUDE.md is read by the agent anyway."""
    (repo / "CLAUDE.md").write_text(f"# Rules\n\n{DECISION}\n")

    agent.hook("prompt", prompt=DECISION)

    assert noticed(store) == []


def test_a_transcript_is_read_once_and_only_its_talk(
    agent: Agent, store: Recollect, tmp_path: Path
) -> None:
    """Ten stops over the same transcript add nothing after the first; what is new counts."""
    path = tmp_path / "talk.jsonl"
    transcript(path, ("user", "What shall we do?"), ("assistant", DECISION))
    for _ in range(10):
        agent.hook("stop", transcript_path=str(path), last_assistant_message="Done.")
    first = noticed(store)

    transcript(path, ("assistant", "We decided to deploy on Tuesdays because somebody is around."))
    agent.hook("stop", transcript_path=str(path), last_assistant_message="Done.")

    assert len(first) == 1
    assert len(noticed(store)) == 2


def test_what_the_agent_had_to_be_told(agent: Agent, store: Recollect, tmp_path: Path) -> None:
    """A person says how it is, and the agent gives in; the next one should know."""
    path = tmp_path / "talk.jsonl"
    transcript(
        path,
        ("assistant", "The header is lost in the application."),
        ("user", "the staging proxy strips every header that starts with X-Internal"),
        ("assistant", "You're right, then it is not the application."),
    )
    for _ in range(2):
        agent.hook("stop", transcript_path=str(path), last_assistant_message="Done.")

    (waiting,) = store.unconfirmed()
    assert waiting.kind == "learnings"
    assert waiting.provenance["said_by"] == "user"
    assert "strips every header" in f"{waiting.summary} {waiting.text}"


def test_two_sessions_at_once_notice_it_once(
    agent: Agent, store: Recollect, tmp_path: Path
) -> None:
    """The same talk, read by two sessions in parallel, again and again."""
    path = tmp_path / "talk.jsonl"
    transcript(path, ("user", DECISION), ("assistant", f"Yes. {DECISION}"))
    agents = [Agent(agent.directory, f"session-{number}") for number in range(4)]

    def read(each: Agent) -> None:
        each.hook("stop", transcript_path=str(path), last_assistant_message=DECISION)

    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            list(pool.map(read, agents))

    assert len(noticed(store)) == 1


def test_a_session_that_ended_is_summed_up_for_the_next(
    agent: Agent, store: Recollect, repo: Path
) -> None:
    """What it was about, what it changed and reached; once."""
    agent.hook("session-start", source="startup")
    agent.hook("prompt", prompt="Let the cart round half up, and add a test for it")
    edit = {"file_path": str(repo / "src" / "cart.py")}
    agent.hook("tool-post", tool_name="Edit", tool_input=edit)
    bash: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "python -m pytest"}}
    said = {"stdout": "============ 12 passed in 0.31s ============", "stderr": ""}
    agent.hook("tool-post", **bash, tool_response=said)
    agent.hook("session-end", reason="other")

    for name in ("s2", "s3"):
        context = Agent(repo, name).context("session-start", source="startup")

    (summary,) = store.memories(kind="sessions")
    assert "round half up" in summary.summary
    assert "src/cart.py" in summary.files_modified
    assert "round half up" in context


def test_a_summary_tells_what_came_of_it(
    agent: Agent, store: Recollect, repo: Path, tmp_path: Path
) -> None:
    """A session that began with a greeting and a question; plans elsewhere are no part of it."""
    agent.hook("session-start", source="startup")
    agent.hook("prompt", prompt="hi")
    agent.hook("prompt", prompt="why is the total of an empty cart wrong?")
    for path in (repo / "cart.py", tmp_path / "plans" / "a-plan.md"):
        agent.hook("tool-post", tool_name="Edit", tool_input={"file_path": str(path)})
    talk = tmp_path / "talk.jsonl"
    answers = (
        "The total of an empty cart is now tested.",
        "The total of an empty cart is now zero.",
    )
    for answer, tools in zip(answers, ([], ["Edit"]), strict=True):
        transcript(talk, ("user", "Go on."), ("assistant", answer), tools=tools)
        agent.hook("stop", transcript_path=str(talk), last_assistant_message=f"Done. {answer}")
    agent.hook("session-end", reason="other")

    Agent(repo, "s2").hook("session-start", source="startup")

    (summary,) = store.memories(kind="sessions")
    assert summary.summary == "The total of an empty cart is now zero."
    assert "tested" not in summary.text  # nothing was changed in that turn
    assert "Goal: why is the total of an empty cart wrong?" in summary.text
    assert "a-plan.md" not in summary.text


def test_a_session_of_which_there_is_nothing_to_tell(
    agent: Agent, store: Recollect, repo: Path
) -> None:
    """A nod, and a file that was changed: git knows that much."""
    agent.hook("session-start", source="startup")
    agent.hook("prompt", prompt="yes, go on")
    agent.hook("tool-post", tool_name="Edit", tool_input={"file_path": str(repo / "cart.py")})
    agent.hook("session-end", reason="other")

    Agent(repo, "s2").hook("session-start", source="startup")

    assert noticed(store) == []


def test_a_failure_and_its_solution_are_one_memory(
    agent: Agent, store: Recollect, repo: Path
) -> None:
    """The tool fails, a file is changed, the tool passes."""
    bash: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": "python -m pytest tests/test_cart.py"},
    }
    error = "Exit code 1\nModuleNotFoundError: No module named 'tomli'\n1 error in 0.10s"
    agent.hook("tool-failure", **bash, error=error)
    edit = {"file_path": str(repo / "pyproject.toml"), "old_string": "a", "new_string": "b"}
    agent.hook("tool-post", tool_name="Edit", tool_input=edit)
    agent.hook("tool-post", **bash, tool_response={"stdout": "3 passed in 0.05s", "stderr": ""})

    (text,) = noticed(store)
    assert "tomli" in text
    assert "pyproject.toml" in text


def test_a_red_test_that_turns_green_is_no_memory(
    agent: Agent, store: Recollect, repo: Path
) -> None:
    """The code was wrong and is right now: git has both."""
    bash: dict[str, Any] = {"tool_name": "Bash", "tool_input": {"command": "python -m pytest"}}
    error = "Exit code 1\nFAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed in 0.1s"
    agent.hook("tool-failure", **bash, error=error)
    edit = {"file_path": str(repo / "cart.py"), "old_string": "a", "new_string": "b"}
    agent.hook("tool-post", tool_name="Edit", tool_input=edit)
    agent.hook("tool-post", **bash, tool_response={"stdout": "3 passed in 0.05s", "stderr": ""})

    assert noticed(store) == []
    assert store.local.tools.failures(0.0) == []


def test_secrets_in_talk_and_tools_reach_no_file(
    agent: Agent, store: Recollect, repo: Path, sandbox: Sandbox
) -> None:
    """Prompt, tool output and failure; nothing of it in notes, index, queue or state."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    agent.hook("prompt", prompt=f"We decided to use the token {secret} because it is new.")
    bash: dict[str, Any] = {
        "tool_name": "Bash",
        "tool_input": {"command": f"curl -H 'Authorization: {secret}' x"},
    }
    agent.hook("tool-failure", **bash, error=f"Exit code 22\nerror: bad token {secret} for api")

    store.close()
    everything = b"".join(p.read_bytes() for p in repo.rglob("*") if p.is_file())
    assert secret.encode() not in everything + sandbox.all_bytes(repo)


def test_a_kind_that_is_switched_off_is_not_noticed(agent: Agent, store: Recollect) -> None:
    """But what a person asks for is kept."""
    env = {"RECOLLECT_KINDS_DECISIONS_ENABLED": "false"}
    agent.hook("prompt", env, prompt="We decided to keep prices in cents because floats are bad.")
    assert noticed(store) == []

    agent.hook("prompt", env, prompt="[remember:decisions] Keep prices in cents.")

    assert [memory.kind for memory in store.memories()] == ["decisions"]


def test_what_is_said_to_nobody_is_not_suggested(
    agent: Agent, store: Recollect, tmp_path: Path
) -> None:
    """An error near a solution is no runbook, and a pointer at something else is nothing."""
    path = tmp_path / "talk.jsonl"
    talk = (
        "The error comes from the second worker of the pool.\n"
        "The solution is in another file that I have not read.\n"
        "The failure in the log has the same root cause, and so has the crash."
    )
    transcript(path, ("user", "Why?"), ("assistant", talk))

    agent.hook("stop", transcript_path=str(path), last_assistant_message=talk)

    assert noticed(store) == []


def test_a_purge_leaves_nothing_of_it_anywhere(agent: Agent, store: Recollect, repo: Path) -> None:
    """Not in what a session is about, not among suggestions; and no summary brings it back."""
    words = "Gutenberg sleeps under the stairs"
    agent.hook("session-start", source="startup")
    agent.hook("prompt", prompt=f"{words}, so be quiet.")
    agent.hook("prompt", {"RECOLLECT_CAPTURE_MODE": "suggest"}, prompt=f"We decided: {words}.")
    agent.hook("prompt", prompt=f"[remember] {words}")
    edit = {"file_path": str(repo / "a.py")}
    agent.hook("tool-post", tool_name="Edit", tool_input=edit)
    agent.hook("session-end", reason="other")
    (memory,) = [m for m in store.memories(status="active") if words in m.summary]

    store.purge(memory.id)
    store.close()
    Agent(repo, "s2").hook("session-start", source="startup")

    everything = b"".join(
        p.read_bytes() for p in (repo / ".git" / "recollect").rglob("*") if p.is_file()
    )
    assert b"Gutenberg" not in everything
    assert [m for m in store.memories() if "Gutenberg" in m.summary + m.body] == []


def test_directories_without_a_repository_do_not_mix(tmp_path: Path, isolated: None) -> None:
    """One user ledger serves them all; what was noticed in one is not shown in the other."""
    import recollect

    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir()
    there.mkdir()
    agent = Agent(here)
    agent.hook("session-start", source="startup")
    agent.hook("prompt", {"RECOLLECT_CAPTURE_MODE": "suggest"}, prompt=DECISION)
    agent.hook("session-end", reason="other")
    Agent(there, "s2").hook("session-start", source="startup")

    with recollect.open(here) as store:
        assert len(noticed(store)) == 1
    with recollect.open(there) as store:
        assert noticed(store) == []


def test_a_long_talk_is_looked_at_from_its_end(
    agent: Agent, store: Recollect, tmp_path: Path
) -> None:
    """A session that was long before we came: its end counts, and it is done with."""
    path = tmp_path / "talk.jsonl"
    transcript(path, *[("assistant", f"Line {n} of a long talk. " * 40) for n in range(1500)])
    transcript(path, ("assistant", DECISION))

    agent.hook("stop", transcript_path=str(path), last_assistant_message="Done.")

    assert len(noticed(store)) == 1
    assert store.local.observed.position("s1", str(path)) == path.stat().st_size


def test_memories_below_the_home_directory_are_found_again(tmp_path: Path, isolated: None) -> None:
    """A directory's name is how its memories are found; it must not be redacted."""
    directory = Path.home() / "letters"
    directory.mkdir(parents=True)
    Agent(directory).hook("prompt", prompt="[remember] Stamps are in the drawer")

    context = Agent(directory, "s2").context("prompt", prompt="Where are the stamps in the drawer?")

    assert "Stamps are in the drawer" in context
