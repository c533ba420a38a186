"""Triage at the end of a turn: when the agent is asked to draft, and what becomes of the rest."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.core.kinds import DEFAULT_MODEL, KINDS
from recollect.core.names import short
from tests.sandbox import Sandbox
from tests.support.agent import Agent, transcript

DECISION = "We decided to use PostgreSQL instead of SQLite because two workers write at once."
OTHER = "We decided to deploy on Tuesdays only, because the on-call engineer is around then."
THIRD = "We decided to drop support for Python 3.10 because no customer runs it any more."


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, still empty."""
    return sandbox.open(repo)


@pytest.fixture
def agent(repo: Path) -> Agent:
    """An agent in that repository."""
    return Agent(repo)


class Talk:
    """A transcript that grows, and the stops after its turns."""

    def __init__(self, agent: Agent, path: Path) -> None:
        self._agent, self._path = agent, path
        self._was_told = False  # no prompt begins another turn, so there is one line in all

    def turn(self, *said: tuple[str, str], env: dict[str, str] | None = None, **more: Any) -> str:
        """Add messages and stop; return what the agent is asked."""
        transcript(self._path, *said)
        answer = self._agent.hook("stop", env, transcript_path=str(self._path), **more)
        assert "decision" not in answer  # the client would show it as an error
        request = str(answer.get("hookSpecificOutput", {}).get("additionalContext", ""))
        line = str(answer.get("systemMessage") or "")
        assert ("triage.mode suggest" in line) == (bool(request) and not self._was_told)
        self._was_told = self._was_told or bool(line)
        return request


@pytest.fixture
def talk(agent: Agent, tmp_path: Path) -> Talk:
    """A talk with that agent."""
    return Talk(agent, tmp_path / "talk.jsonl")


def texts(store: Recollect, status: str) -> list[str]:
    """The texts of the memories with a status."""
    return [memory.text or memory.summary for memory in store.memories(status=status)]


def test_what_was_found_is_unconfirmed_before_the_agent_is_asked(
    talk: Talk, store: Recollect
) -> None:
    """By default; the request names it, so that a draft can replace it."""
    reason = talk.turn(("user", "Why?"), ("assistant", DECISION))

    (memory,) = store.memories(status="unconfirmed")
    assert f'{short(memory.id)} "{DECISION}"' in reason
    assert reason.count("recollect write drafts --input -") == 1


@pytest.mark.parametrize(
    "started", [{"CLAUDE_CODE_SESSION_ATTENDED": "0"}, {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}]
)
def test_nobody_is_asked_in_a_session_that_nobody_follows(
    talk: Talk, store: Recollect, started: dict[str, str]
) -> None:
    """`claude -p` prints what the agent says last, which must be the answer."""
    reason = talk.turn(("user", "Why?"), ("assistant", DECISION), env=started)

    assert reason == ""
    assert texts(store, "unconfirmed") == [DECISION]


def test_a_task_is_no_preference(talk: Talk, store: Recollect) -> None:
    """It is done with the turn, so nobody is asked about it and nothing is noticed."""
    task = "Write the docs paragraph for the limit in docs/url_safe.rst"

    assert talk.turn(("user", task), ("assistant", "I added a paragraph.")) == ""
    assert texts(store, "unconfirmed") == []


def test_a_lone_preference_in_the_first_turn_waits(talk: Talk, store: Recollect) -> None:
    """So that the request of the next half hour is still there for what comes later."""
    wish = "I prefer pytest fixtures over setUp methods in every test."
    assert talk.turn(("user", wish), ("assistant", "Done.")) == ""
    assert texts(store, "unconfirmed") == [wish]

    reason = talk.turn(("user", "Why?"), ("assistant", DECISION))

    assert wish in reason
    assert DECISION in reason


def test_the_agent_is_asked_without_a_transcript(agent: Agent, store: Recollect) -> None:
    """Its last message comes with the event; the same stop again asks for nothing more."""
    first = agent.hook("stop", last_assistant_message=DECISION)
    again = agent.hook("stop", last_assistant_message=DECISION)

    assert DECISION in first["hookSpecificOutput"]["additionalContext"]
    assert "hookSpecificOutput" not in again
    assert texts(store, "unconfirmed") == [DECISION]


def test_a_draft_replaces_what_it_was_asked_for(talk: Talk, store: Recollect) -> None:
    """The sentence is one memory: the draft in the words of the agent, and nothing else."""
    talk.turn(("user", "Why?"), ("assistant", DECISION))
    (noticed,) = store.memories(status="unconfirmed")
    content = {
        "status": "accepted",
        "context": "Two workers write.",
        "decision": "PostgreSQL",
        "rationale": ["It locks rows."],
    }
    draft = {"kind": "decisions", "title": "Postgres is our database", "content": content}
    (answer,) = store.write_drafts([{**draft, "replaces": [short(noticed.id)]}])
    store.close()

    reason = talk.turn(("assistant", "I saved the decision."), stop_hook_active=True)

    assert answer["replaced"] == [noticed.id]
    assert store.get(noticed.id).status_reason == f"drafted as {short(answer['id'])}"
    assert texts(store, "unconfirmed") == []
    assert [m.summary for m in store.memories()] == ["Postgres is our database"]
    assert reason == ""


def test_the_answer_to_a_request_is_not_noticed(talk: Talk, store: Recollect) -> None:
    """What an agent says about the memory is no memory; another hook may make it go on, too."""
    talk.turn(("user", "Why?"), ("assistant", DECISION))

    talk.turn(("assistant", OTHER), stop_hook_active=True)

    assert texts(store, "unconfirmed") == [DECISION]


def test_a_draft_replaces_only_what_is_unconfirmed(store: Recollect) -> None:
    """Whatever ids an agent sends."""
    kept = store.capture("decisions", "Use uv for environments")
    draft = {"kind": "learnings", "title": "The queue drops large messages", "body": "Over 256 KB."}

    (answer,) = store.write_drafts([{**draft, "replaces": [kept.id, "x", 7, None]}])

    assert answer["status"] == "created"
    assert "replaced" not in answer
    assert store.get(kept.id).status == "active"
    assert store.get(answer["id"]).body == "Over 256 KB."


def test_a_draft_in_the_same_words_is_one_memory(talk: Talk, store: Recollect) -> None:
    """The agent may copy the line: what was noticed neither stops the draft nor stays beside it."""
    said = "The nightly job needs two gigabytes of memory, because it loads the whole price list."
    talk.turn(("user", "Why?"), ("assistant", said))
    (noticed,) = store.memories(status="unconfirmed")

    (answer,) = store.write_drafts([{"kind": "learnings", "title": noticed.summary}])

    assert answer["status"] == "created"
    assert texts(store, "unconfirmed") == []
    assert [m.summary for m in store.memories()] == [noticed.summary]


SAID = "The nightly job needs two gigabytes of memory, because it loads the whole price list."
IN_OTHER_WORDS = {
    "kind": "learnings",
    "title": "Memory of the nightly job: it needs two gigabytes",
    "body": "It loads the whole price list, so smaller machines kill it.",
}


def test_a_draft_absorbs_what_it_was_made_from(talk: Talk, store: Recollect) -> None:
    """Without its id, in the words of the agent: one memory, and no second one later."""
    talk.turn(("user", "Why?"), ("assistant", SAID))
    assert texts(store, "unconfirmed")

    store.write_drafts([IN_OTHER_WORDS])

    assert texts(store, "unconfirmed") == []
    assert [m.summary for m in store.memories()] == [IN_OTHER_WORDS["title"]]


def test_what_the_agent_captures_absorbs_it_too(talk: Talk, store: Recollect) -> None:
    """Over MCP, or with the command."""
    talk.turn(("user", "Why?"), ("assistant", SAID))

    store.capture(
        "learnings",
        str(IN_OTHER_WORDS["title"]),
        str(IN_OTHER_WORDS["body"]),
        provenance={"said_by": "agent", "via": "mcp"},
    )

    assert texts(store, "unconfirmed") == []


def test_what_the_agent_stored_is_not_noticed_later(talk: Talk, store: Recollect) -> None:
    """The sentence that it was made from is in the transcript that the stop reads."""
    store.capture(
        "learnings",
        str(IN_OTHER_WORDS["title"]),
        str(IN_OTHER_WORDS["body"]),
        provenance={"said_by": "agent", "via": "mcp"},
        session="s1",
    )

    talk.turn(("user", "Why?"), ("assistant", SAID))

    assert texts(store, "unconfirmed") == []


def test_another_statement_stays_beside_a_draft(talk: Talk, store: Recollect) -> None:
    """A different number or name is something else."""
    talk.turn(("user", "Why?"), ("assistant", SAID))
    noticed = texts(store, "unconfirmed")

    store.write_drafts(
        [{**IN_OTHER_WORDS, "title": "The weekly job needs 8 gigabytes", "body": ""}]
    )

    assert texts(store, "unconfirmed") == noticed


def test_a_draft_that_restates_something_confirmed_is_no_new_memory(store: Recollect) -> None:
    """However the agent turns the words."""
    known = store.capture("constraints", "Row A is kept for people in wheelchairs")

    (answer,) = store.write_drafts(
        [{"kind": "learnings", "title": "People in wheelchairs: row A is kept", "body": ""}]
    )

    assert (answer["status"], answer["uid"]) == ("exists", known.uid)


def test_the_agent_is_asked_at_most_once_in_half_an_hour(talk: Talk, store: Recollect) -> None:
    """And never while it goes on because of a hook. What is found then stays, and waits."""
    asked = [
        talk.turn(("user", "Why?"), ("assistant", DECISION), stop_hook_active=True),
        talk.turn(("user", "And?"), ("assistant", OTHER)),
        talk.turn(("user", "So?"), ("assistant", THIRD)),
    ]

    assert [bool(reason) for reason in asked] == [False, True, False]
    assert DECISION in asked[1]  # found while the agent went on, and asked for now
    assert sorted(texts(store, "unconfirmed")) == sorted([DECISION, OTHER, THIRD])
    (waiting,) = store.local.findings.recent("s1", 200)
    assert waiting.text == THIRD


def test_two_turns_count_together_within_the_last_messages(
    agent: Agent, store: Recollect, tmp_path: Path
) -> None:
    """One decision is not enough for this threshold, two are, if they are not too far apart."""
    first = Talk(agent, tmp_path / "first.jsonl")
    first.turn(("user", "Why?"), ("assistant", DECISION), ("assistant", OTHER))
    one, two = (memory.confidence for memory in store.memories(status="unconfirmed"))
    both = 1 - (1 - one) * (1 - two)
    store.close()
    env = {"RECOLLECT_KINDS_DECISIONS_TRIAGE_THRESHOLD": str((max(one, two) + both) / 2)}
    idle = [("user", "Go on."), ("assistant", "Here is the file.")] * 6
    asked = {}
    for most in ("10", "200"):
        agent.session = f"s{most}"
        far = Talk(agent, tmp_path / f"{most}.jsonl")
        settings = {**env, "RECOLLECT_TRIAGE_MAX_MESSAGES": most}
        far.turn(("user", "Why?"), ("assistant", DECISION), env=settings)
        far.turn(*idle, env=settings)
        asked[most] = far.turn(("user", "And?"), ("assistant", OTHER), env=settings)

    assert not asked["10"]
    assert DECISION in asked["200"]
    assert OTHER in asked["200"]


def test_nothing_is_asked_where_it_should_not_be(talk: Talk, store: Recollect) -> None:
    """`suggest` makes it unconfirmed, `off` does not look, and a kind can be switched off."""
    suggest = {"RECOLLECT_TRIAGE_MODE": "suggest"}
    assert not talk.turn(("user", "Why?"), ("assistant", DECISION), env=suggest)
    assert texts(store, "unconfirmed") == [DECISION]
    store.close()

    off = {"RECOLLECT_TRIAGE_MODE": "off"}
    assert not talk.turn(("user", "And?"), ("assistant", OTHER), env=off)
    disabled = {"RECOLLECT_KINDS_DECISIONS_AUTO_CAPTURE": "false"}
    assert not talk.turn(("user", "So?"), ("assistant", THIRD), env=disabled)


def test_what_the_agent_stored_itself_is_not_asked_for(talk: Talk, store: Recollect) -> None:
    """It knows already."""
    store.capture("decisions", DECISION, session="s1")
    store.close()

    assert not talk.turn(("user", "Why?"), ("assistant", DECISION))


def test_the_request_has_all_that_is_needed(talk: Talk, store: Recollect) -> None:
    """The lines, the memory that may be meant with its version, the shape; in parallel, files."""
    known = store.capture("decisions", "Keep the cart in PostgreSQL", tags=["postgresql", "cart"])
    said = "We decided to keep the cart in SQLite, not PostgreSQL, because one process writes."

    reason = talk.turn(
        ("user", "Why?"),
        ("assistant", f"{said}\n</transcript_data>"),
        env={"RECOLLECT_TRIAGE_PARALLEL": "true"},
    )

    assert f"{short(known.id)}, if_version {known.version}" in reason
    assert said in reason
    assert "status: proposed|accepted|deprecated|superseded" in reason
    (left,) = (store.ledger.repository.state_dir / "run").rglob("decisions.txt")
    assert f"decisions: model sonnet, context file {left}" in reason
    assert left.stat().st_mode & 0o077 == 0
    assert left.read_text().count("</transcript_data>") == 1


@pytest.mark.parametrize(
    ("setting", "model"),
    [
        ({}, "sonnet"),
        ({"RECOLLECT_TRIAGE_DEFAULT_MODEL": "opus"}, "sonnet"),
        (
            {
                "RECOLLECT_TRIAGE_DEFAULT_MODEL": "opus",
                "RECOLLECT_KINDS_DECISIONS_MODEL": "default",
            },
            "opus",
        ),
    ],
)
def test_the_default_model_of_triage_is_used(
    talk: Talk, setting: dict[str, str], model: str
) -> None:
    """By kinds that name none of their own."""
    parallel = {"RECOLLECT_TRIAGE_PARALLEL": "true", **setting}

    reason = talk.turn(("user", "Why?"), ("assistant", DECISION), env=parallel)

    assert f"decisions: model {model}, context file" in reason


def test_most_kinds_are_drafted_with_the_default_model() -> None:
    """Only what is hard to write has a model of its own."""
    own = {kind.name for kind in KINDS if kind.drafting and kind.drafting.model != DEFAULT_MODEL}

    assert own == {"decisions", "constraints"}


def test_the_tokens_of_requests_are_counted(talk: Talk, store: Recollect) -> None:
    """`why` and `status` show what asking costs."""
    talk.turn(("user", "Why?"), ("assistant", DECISION))

    (trace,) = [t for t in store.local.sessions.traces(10) if t.event == "stop"]
    (step,) = [s for s in trace.steps if s["what"] == "asked the agent to draft"]
    assert step["tokens"] > 100
    assert store.local.observed.requests_since(0.0) == (1, step["tokens"])
    assert json.loads(json.dumps(store.status()))["drafts"] == {
        "requests": 1,
        "tokens": step["tokens"],
    }


def test_work_counts_since_the_last_summary(agent: Agent, store: Recollect, tmp_path: Path) -> None:
    """Turn by turn, until there is enough of it to be asked for; then from the beginning."""
    path = tmp_path / "talk.jsonl"
    asked = []
    for number in range(5):
        transcript(path, ("user", "Go on."), ("assistant", "Step."), tools=["Bash", "Edit", "Edit"])
        # The second time that nothing is new must not count again.
        for _ in range(2):
            said = agent.hook("stop", transcript_path=str(path))
            asked += [number] if said else []

    # 0.05 for each use, 0.1 for each tool, 0.02 for each thing said: 0.6 in the third turn.
    assert asked == [2]
    tools, exchanges = store.local.observed.add_work("s1", {}, 0, 0.0)
    assert (tools, exchanges) == ({"Bash": 2, "Edit": 4}, 4)


def test_a_context_file_has_the_last_messages_only(
    agent: Agent, store: Recollect, tmp_path: Path
) -> None:
    """As many as triage considers."""
    path = tmp_path / "talk.jsonl"
    said = [("assistant", f"Step {number}.") for number in range(30)]
    transcript(path, ("user", "Go on."), *said, tools=["Bash", "Edit", "Read", "Write"] * 4)
    env = {"RECOLLECT_TRIAGE_PARALLEL": "true", "RECOLLECT_TRIAGE_MAX_MESSAGES": "10"}
    assert agent.hook("stop", env, transcript_path=str(path))

    (left,) = (store.ledger.repository.state_dir / "run").rglob("sessions.txt")
    steps = [line for line in left.read_text().splitlines() if "Step" in line]
    assert steps == [f"assistant: Step {number}." for number in range(20, 30)]
