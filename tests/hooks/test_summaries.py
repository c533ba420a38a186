"""The next session knows the last one: its summary is in front of it, whole, first and true."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from tests.sandbox import Sandbox
from tests.support.agent import Agent, transcript

GOAL = "Let the cart round half up, and add a test for it"


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, still empty."""
    return sandbox.open(repo)


def edit(agent: Agent, path: str) -> None:
    """Change a file."""
    file = {"file_path": str(agent.directory / path)}
    agent.hook("tool-post", tool_name="Edit", tool_input=file)


def run(agent: Agent, command: str, output: str) -> None:
    """Run a command that succeeds."""
    said = {"stdout": output, "stderr": ""}
    agent.hook("tool-post", tool_name="Bash", tool_input={"command": command}, tool_response=said)


def fail(agent: Agent, command: str, error: str) -> None:
    """Run a command that fails."""
    agent.hook("tool-failure", tool_name="Bash", tool_input={"command": command}, error=error)


def work(agent: Agent, goal: str = GOAL) -> None:
    """Start a session and do something in it, without an end."""
    agent.hook("session-start", source="startup")
    agent.hook("prompt", prompt=goal)
    edit(agent, "src/cart.py")
    run(agent, "python -m pytest", "============ 12 passed in 0.31s ============")


def told(agent: Agent, source: str = "startup") -> str:
    """What a new session is told at its start."""
    return agent.context("session-start", source=source)


def only(found: Sequence[Memory]) -> Memory:
    """The only one."""
    (one,) = found
    return one


def test_the_next_session_starts_with_the_summary_of_the_last(store: Recollect, repo: Path) -> None:
    """It was written for this session, so it is not hidden from exactly this one."""
    store.capture("blockers", "The staging certificate is expired")
    store.close()
    agent = Agent(repo)
    work(agent)
    agent.hook("session-end", reason="other")

    context = told(Agent(repo, "s2"))

    assert "round half up" in context
    assert "src/cart.py" in context
    assert context.index("round half up") < context.index("staging certificate")
    summary = only(store.memories(kind="sessions"))
    assert summary.session == "s1"
    assert summary.content is not None
    assert summary.content["outcome"] == "success"


def test_a_session_that_was_killed_is_summed_up(store: Recollect, repo: Path) -> None:
    """No stop, no end: the next session knows it all the same."""
    work(Agent(repo))

    context = told(Agent(repo, "s2"))

    assert "round half up" in context
    assert "still be running" in context
    assert only(store.memories(kind="sessions")).session == "s1"


def test_a_killed_session_is_read_from_its_transcript(
    store: Recollect, repo: Path, tmp_path: Path
) -> None:
    """What was said in the turn that had no stop is noticed by the next session."""
    talk = tmp_path / "talk.jsonl"
    agent = Agent(repo)
    agent.hook("session-start", source="startup", transcript_path=str(talk))
    agent.hook("prompt", prompt=GOAL, transcript_path=str(talk))
    edit(agent, "src/cart.py")
    transcript(
        talk,
        ("user", GOAL),
        ("assistant", "The cart now rounds half up in `total`.\n\nNext steps:\n- Add the test"),
        tools=["Edit"],
    )

    context = told(Agent(repo, "s2"))

    assert "now rounds half up" in context
    assert "Add the test" in context
    assert store.local.observed.position("s1", str(talk)) == talk.stat().st_size


def test_a_session_of_another_worktree(store: Recollect, repo: Path, tmp_path: Path) -> None:
    """Worktrees share what they know."""
    tree = tmp_path / "tree"
    subprocess.run(["git", "worktree", "add", "-q", str(tree)], cwd=repo, check=True)
    work(Agent(tree))

    assert "round half up" in told(Agent(repo, "s2"))


def test_two_sessions_at_once(store: Recollect, repo: Path) -> None:
    """Each has one memory, and the starting one has none of itself."""
    first, second = Agent(repo, "s1"), Agent(repo, "s2")
    work(first)
    work(second, "Send the receipts by mail, and test the mailer")

    context = told(Agent(repo, "s3"))

    assert {m.session for m in store.memories(kind="sessions")} == {"s1", "s2"}
    assert "receipts" in context
    assert "round half up" in context


def test_a_session_that_goes_on_updates_its_summary(store: Recollect, repo: Path) -> None:
    """One memory for a session, however often it is summed up."""
    agent = Agent(repo)
    work(agent)
    told(Agent(repo, "s2"))
    before = only(store.memories(kind="sessions"))

    run(agent, "git commit -m 'fix: round half up'", "[main 1a2b3c4] fix: round half up")
    agent.hook("session-end", reason="other")
    context = told(Agent(repo, "s3"))

    after = only(store.memories(kind="sessions"))
    assert after.uid == before.uid
    assert after.version != before.version
    assert "fix: round half up" in context
    assert "still be running" not in context
    told(Agent(repo, "s4"))
    assert only(store.memories(kind="sessions")).version == after.version


def test_a_resumed_session_is_summed_up_again(store: Recollect, repo: Path) -> None:
    """What it does after its end is added."""
    agent = Agent(repo)
    work(agent)
    agent.hook("session-end", reason="other")
    told(Agent(repo, "s2"))

    agent.hook("session-start", source="resume")
    edit(agent, "src/receipt.py")
    agent.hook("session-end", reason="other")

    assert "src/receipt.py" in told(Agent(repo, "s3"))
    assert len(store.memories(kind="sessions")) == 1


def test_a_limit_postpones_and_drops_nothing(store: Recollect, repo: Path) -> None:
    """Of many sessions the last comes first, and the others at the next starts."""
    for number in range(4):
        work(Agent(repo, f"s{number}"), f"Add the page number {number} to the shop and test it")

    assert "number 3" in told(Agent(repo, "next"))
    told(Agent(repo, "after"))

    assert len(store.memories(kind="sessions")) == 4


def test_the_window_of_sessions_holds(store: Recollect, repo: Path) -> None:
    """Five are kept, and the newest of them."""
    for number in range(7):
        work(Agent(repo, f"s{number}"), f"Add the page number {number} to the shop and test it")
    told(Agent(repo, "next"))

    kept = {memory.session for memory in store.memories(kind="sessions")}
    assert kept == {"s2", "s3", "s4", "s5", "s6"}


def test_what_is_open_and_what_was_decided(store: Recollect, repo: Path) -> None:
    """Unsolved failures, what the agent says is left, blockers and decisions of that session."""
    agent = Agent(repo)
    work(agent)
    agent.hook("prompt", prompt="[remember:decisions] Prices are integer cents")
    agent.hook("prompt", prompt="[remember:blockers] The tax service is down until Monday")
    fail(
        agent,
        "python -m pytest tests/test_tax.py",
        "Exit code 1\nModuleNotFoundError: No module named 'taxlib'\n1 error in 0.10s",
    )
    agent.hook(
        "stop",
        last_assistant_message="I added rounding to the cart.\n\nStill to do:\n- Round the tax\n",
    )
    agent.hook("session-end", reason="other")

    context = told(Agent(repo, "s2"))
    content = only(store.memories(kind="sessions")).content

    assert content is not None
    assert content["outcome"] == "blocked"
    assert "Round the tax" in content["next_actions"]
    assert any("taxlib" in item for item in content["next_actions"])
    assert any("tax service" in item for item in content["blockers"])
    assert any("integer cents" in item for item in content["key_changes"])
    assert context.index("Round the tax") > 0


def test_a_check_that_failed_last_is_no_success(store: Recollect, repo: Path) -> None:
    """Green, then red: the work is not done."""
    agent = Agent(repo)
    work(agent)
    fail(agent, "python -m pytest", "Exit code 1\n=== 1 failed, 11 passed in 0.31s ===")
    agent.hook("session-end", reason="other")
    told(Agent(repo, "s2"))

    content = only(store.memories(kind="sessions")).content
    assert content is not None
    assert content["outcome"] == "partial"


@pytest.mark.parametrize(
    "correction",
    [
        "no, floats are wrong here. Use integer cents.",
        "That's wrong, it must stay in cents.",
        "revert that",
        "Undo it please",
        "Actually, use integer cents instead",
        "Nope. That is not what I asked for.",
        "please roll that back",
        "hmm, that broke the receipts",
    ],
)
@pytest.mark.parametrize("is_late", [False, True], ids=["in time", "prompt hook too late"])
def test_a_summary_never_says_what_was_corrected(
    store: Recollect, repo: Path, tmp_path: Path, correction: str, is_late: bool
) -> None:
    """Also if only the transcript has the correction."""
    agent, talk = Agent(repo), tmp_path / "talk.jsonl"
    path: dict[str, Any] = {"transcript_path": str(talk)}
    agent.hook("session-start", source="startup", **path)
    agent.hook("prompt", prompt=GOAL, **path)
    edit(agent, "src/cart.py")
    transcript(talk, ("user", GOAL), ("assistant", "Done."), tools=["Edit"])
    wrong = "I converted all of the prices to floats."
    agent.hook("stop", last_assistant_message=wrong, **path)
    transcript(talk, ("assistant", wrong), ("user", correction))
    if not is_late:
        agent.hook("prompt", prompt=correction, **path)
    right = "I changed all of the prices back to integer cents."
    transcript(talk, ("assistant", "One moment."), tools=["Edit"])
    agent.hook("stop", last_assistant_message=right, **path)
    agent.hook("session-end", reason="other")

    context = told(Agent(repo, "s2"))

    assert "to floats" not in context
    assert "back to integer cents" in context
    assert "to floats" not in only(store.memories(kind="sessions")).text


def test_praise_and_the_next_task_are_no_corrections(store: Recollect, repo: Path) -> None:
    """What was done stays done."""
    agent = Agent(repo)
    work(agent)
    agent.hook("stop", last_assistant_message="I added the rounding of half cents to `total`.")
    agent.hook("prompt", prompt="No problems at all, great. Now add an undo button to the cart.")
    agent.hook("session-end", reason="other")

    assert "rounding of half cents" in told(Agent(repo, "s2"))


def test_a_choice_in_the_first_prompt_corrects_nothing(store: Recollect, repo: Path) -> None:
    """Nothing was done before it that could be wrong. Later, what was wrong is not repeated."""
    agent = Agent(repo)
    work(agent, "Let's use integer cents instead of floats for the prices, and test it.")
    agent.hook("prompt", prompt="No, that's wrong: half cents must round to even.")
    agent.hook("session-end", reason="other")

    told_of = only(store.memories(kind="sessions")).text if told(Agent(repo, "s2")) else ""

    assert told_of.count("Corrected by the user") == 1
    assert "Corrected by the user: Half cents must round to even." in told_of


def test_a_question_alone_leaves_no_summary(store: Recollect, repo: Path) -> None:
    """Talk without work, and a greeting."""
    agent = Agent(repo)
    agent.hook("session-start", source="startup")
    agent.hook("prompt", prompt="hi")
    agent.hook("prompt", prompt="what does the cart do with an empty list?")
    agent.hook("stop", last_assistant_message="It returns zero.")
    agent.hook("session-end", reason="other")
    told(Agent(repo, "s2"))

    assert store.memories(kind="sessions") == []


def test_private_memories_are_in_no_summary(store: Recollect, repo: Path) -> None:
    """A summary is shared; what is private stays out of it."""
    store.capture("decisions", "Ada is paid in gold", session="s1", sensitivity="private")
    store.close()
    work(Agent(repo))
    told(Agent(repo, "s2"))

    assert "gold" not in json.dumps(only(store.memories(kind="sessions")).as_json())


def test_a_summary_that_the_user_retired_does_not_come_back(store: Recollect, repo: Path) -> None:
    """Nobody writes it again, whatever the session still does."""
    agent = Agent(repo)
    work(agent)
    told(Agent(repo, "s2"))
    store.set_status(only(store.memories(kind="sessions")).id, "retired", "wrong")
    store.close()
    edit(agent, "src/receipt.py")
    agent.hook("session-end", reason="other")

    assert "round half up" not in told(Agent(repo, "s3"))
    assert store.memories(kind="sessions") == []


def test_a_wish_or_a_question_for_the_memory_is_no_goal(store: Recollect, repo: Path) -> None:
    """The goal is the first prompt that says what to do."""
    agent = Agent(repo)
    agent.hook("session-start", source="startup")
    agent.hook("prompt", prompt="Where were we?")
    agent.hook("prompt", prompt="Please remember that the tax service rounds half down")
    agent.hook("prompt", prompt=GOAL)
    edit(agent, "src/cart.py")
    agent.hook("session-end", reason="other")
    told(Agent(repo, "s2"))

    content = only(store.memories(kind="sessions")).content
    assert content is not None
    assert content["goal"] == GOAL


def test_what_a_later_session_takes_back_leaves_the_summary(store: Recollect, repo: Path) -> None:
    """The summary of the first session is written anew, without it."""
    first = Agent(repo)
    work(first)
    first.hook("prompt", prompt="Remember: we deploy on Fridays at noon.")
    first.hook("session-end", reason="other")
    second = Agent(repo, "s2")
    assert "Kept: We deploy on Fridays at noon" in told(second)

    second.hook("prompt", prompt="Remember that we deploy on Tuesdays now, not on Fridays.")
    second.hook("session-end", reason="other")
    told(Agent(repo, "s3"))

    summaries = store.memories(kind="sessions")
    assert any("cart" in one.text for one in summaries)
    assert not any("Fridays at noon" in one.text for one in summaries)


def test_what_the_agent_wrote_is_corrected_too(
    store: Recollect, repo: Path, tmp_path: Path
) -> None:
    """The agent wrote the summary when it was asked; the person took something back later."""
    agent = Agent(repo)
    work(agent)
    agent.hook("prompt", prompt="Remember: we deploy on Fridays at noon.")
    store.local.observed.claim_request("s1", store.now(), 0.0, 1)
    content = {
        "goal": "Fix the total. We deploy on Fridays at noon.",
        "outcome": "success",
        "completed": ["We deploy on Fridays at noon", "The total of an empty cart is 0"],
        "next_actions": [],
    }
    draft = {"kind": "sessions", "title": "Fixed the total of carts", "content": content}
    (answer,) = store.write_drafts([draft])
    store.close()
    agent.hook("prompt", prompt="Remember that we deploy on Tuesdays now, not on Fridays.")
    agent.hook("session-end", reason="other")
    told(Agent(repo, "s2"))

    after = store.get(answer["uid"])
    assert "Fridays at noon" not in after.text
    assert "The total of an empty cart is 0" in after.text
    assert after.summary == "Fixed the total of carts"
