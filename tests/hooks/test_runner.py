"""`recollect hook`, as an agent calls it: a process, JSON in, one JSON object or nothing out."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.capture.spool_flush import spool_of, stash_of
from recollect.config.config import data_dir
from recollect.core.names import short
from recollect.errors import NotFound
from recollect.hosts.protocol import EVENTS
from recollect.search.constants import full_bar
from recollect.state.failures import recent_failures
from tests.sandbox import Sandbox
from tests.support.agent import Agent, PatientAgent, git_behind, wait_a_while
from tests.support.server import Server, ping, wait_for


@pytest.fixture(params=["alone", "engine"], autouse=True)
def engine(request: pytest.FixtureRequest, repo: Path) -> Iterator[Server | None]:
    """Every promise of a hook holds without an engine, and where an engine does its work."""
    if request.param == "alone":
        yield None
        return
    server = Server(repo)
    try:
        server.wait_until_it_listens()
        yield server
    finally:
        server.end()


@pytest.fixture
def agent(repo: Path, store: Recollect, engine: Server | None) -> Agent:
    """An agent in that repository."""
    return PatientAgent(repo) if engine else Agent(repo)


def test_a_session_starts_with_guidance_and_working_memory(agent: Agent) -> None:
    """Preferences and decisions come; private ones never."""
    context = agent.context("session-start", source="startup")

    assert "recollect search" in context
    assert "Always use uv" in context
    assert "Use PostgreSQL" in context
    assert "vault" not in context


def test_a_prompt_brings_what_answers_it_once(agent: Agent) -> None:
    """The second time the agent has it already; after a compaction it needs it again."""
    prompt = "Why does the order import need a transaction?"

    first = agent.context("prompt", prompt=prompt)
    again = agent.context("prompt", prompt=prompt)
    agent.hook("pre-compact", trigger="auto")
    later = agent.context("prompt", prompt=prompt)

    assert "must run in one transaction" in first
    assert again == ""
    assert later == first


def test_a_changed_memory_comes_again(agent: Agent, store: Recollect) -> None:
    """The agent must not go on with what is no longer true."""
    prompt = "Why does the order import need a transaction?"
    agent.context("prompt", prompt=prompt)
    (learning,) = store.memories(kind="learnings")
    store.update(learning.id, body="It was the retry that lost lines.")
    store.close()

    assert "It was the retry" in agent.context("prompt", prompt=prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "Fix the typo in the footer",
        "yes",
        "go on",
        "",
        "???",
        "Write a function that adds two numbers",
        "/recollect:search the order import transaction",
        "<task-notification>order import transaction</task-notification>",
        "Where is the vault under the stairs?",
    ],
)
def test_what_nobody_asked_for_stays_away(agent: Agent, prompt: str) -> None:
    """Nothing is better than noise."""
    assert agent.hook("prompt", prompt=prompt) == {}


def test_a_file_brings_what_is_known_of_it(agent: Agent, repo: Path) -> None:
    """By its absolute path, as the client gives it, and whether it is as it was."""
    (repo / "src").mkdir()
    (repo / "src" / "cart.py").write_text("total = 0\n")

    context = agent.context(
        "tool-post", tool_name="Read", tool_input={"file_path": str(repo / "src" / "cart.py")}
    )

    assert "rounds half up" in context
    assert 'files="FRESH"' in context
    other = {"file_path": str(repo / "README.md")}
    assert agent.hook("tool-post", tool_name="Read", tool_input=other) == {}


def test_a_known_error_brings_its_solution(agent: Agent, store: Recollect) -> None:
    """A failure is looked up; an unknown one brings nothing."""
    store.capture("solutions", "ModuleNotFoundError tomli: install the dev extra")
    store.close()

    context = agent.context(
        "tool-failure",
        tool_name="Bash",
        tool_input={"command": "make lint"},
        error="Exit code 1\nModuleNotFoundError: No module named 'tomli'",
    )

    assert "install the dev extra" in context
    assert agent.hook("tool-failure", tool_name="Bash", error="Exit code 3\nboom") == {}


def test_a_marker_is_kept_and_confirmed(agent: Agent, store: Recollect, sandbox: Sandbox) -> None:
    """It is in plain git afterwards, with who said it, and the agent only gets its id."""
    said = agent.hook("prompt", prompt="[remember:decisions] Ship on Tuesdays\nSomebody is around")

    assert "remembered decisions:" in said["systemMessage"]
    assert "Ship on" not in said["hookSpecificOutput"]["additionalContext"]
    note = sandbox.git(agent.directory, "notes", "--ref=mem/decisions", "show", "HEAD")
    assert "summary: Ship on Tuesdays" in note
    assert '"said_by": "user"' in note
    assert "session: s1" in note


def test_what_cannot_be_kept_is_not_kept_in_silence(agent: Agent, repo: Path) -> None:
    """A full disk, or here something in the way of spool and ledger: whoever asked is told."""
    state = repo / ".git" / "recollect"
    (state / "spool").write_text("")
    (state / "ledger.lock").unlink()
    (state / "ledger.lock").mkdir()

    said = agent.hook("prompt", prompt="[remember] This has no place to go")

    assert "NOT saved" in said["systemMessage"]


def test_a_refused_secret_is_told_and_the_rest_is_kept(agent: Agent, store: Recollect) -> None:
    """`redact.strategy = block`: one marker is refused, the other is fine."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    prompt = f"[remember] The token is {secret}\n\n[remember] The door is green"

    said = agent.hook("prompt", {"RECOLLECT_REDACT_STRATEGY": "block"}, prompt=prompt)

    assert "NOT saved" in said["systemMessage"]
    assert "remembered " in said["systemMessage"]
    assert "The door is green" in [m.summary for m in store.memories()]


def test_a_marker_counts_wherever_it_stands(agent: Agent, store: Recollect) -> None:
    """In a prompt that begins like a command, and below a long log."""
    agent.hook("prompt", prompt="/tmp is full.\n[remember] Clean the scratch folder weekly")
    agent.hook("prompt", prompt="log line\n" * 60_000 + "[remember] The log is long")

    wanted = {"Clean the scratch folder weekly", "The log is long"}
    for _ in range(10):  # on a busy machine, one of the next events saves it
        if wanted <= {memory.summary for memory in store.memories()}:
            return
        agent.hook("prompt", prompt="Go on")
    pytest.fail(f"not kept: {wanted - {memory.summary for memory in store.memories()}}")


def test_the_agent_may_mark_something_and_does_not_go_on(agent: Agent, store: Recollect) -> None:
    """At a stop any context of ours would make the agent go on; the user sees one line."""
    said = agent.hook(
        "stop", last_assistant_message="Done.\n[remember:learnings] Retries hide bugs"
    )

    known = store.memories(kind="learnings")[-1]
    name = short(known.id)
    line = f'Recollect: remembered {name} "Retries hide bugs". Undo: recollect retire {name}'
    assert said == {"systemMessage": line}
    assert "Retries hide bugs" in [m.summary for m in store.memories(kind="learnings")]


def test_secrets_never_reach_the_disk(agent: Agent, repo: Path, sandbox: Sandbox) -> None:
    """Not the notes, not the index, not the spool, not the trace."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    agent.hook("prompt", prompt=f"[remember] The token is {secret} for now")

    everything = b"".join(p.read_bytes() for p in repo.rglob("*") if p.is_file())
    assert secret.encode() not in everything + sandbox.all_bytes(repo)
    assert b"REDACTED" in sandbox.all_bytes(repo)


def test_half_a_secret_is_not_kept_either(agent: Agent, repo: Path, sandbox: Sandbox) -> None:
    """What is too long for a summary is cut; the secret must be gone by then. Nothing is lost."""
    half = "Sup3rS3cretPassw0"
    where = f"postgres://ada:{half}rd99xyz@db.example.net/shop"
    text = f"The reporting database of the warehouse team in Leiden is at {where}"

    said = agent.hook("prompt", prompt=f"[remember] {text}\n\n[remember:notes] Another thing")

    assert said["systemMessage"].count("recollect retire") == 1
    everything = b"".join(p.read_bytes() for p in repo.rglob("*") if p.is_file())
    assert half.encode() not in everything + sandbox.all_bytes(repo)


def test_the_same_marker_again_is_known_already(agent: Agent, store: Recollect) -> None:
    """A stop that comes again, or a person who says it twice: one memory."""
    marked = "[remember:learnings] Retries hide bugs\nbecause nobody sees the first failure"
    for _ in range(3):
        agent.hook("stop", last_assistant_message=f"Done.\n{marked}")
    said = agent.hook("prompt", prompt=marked)

    assert "already remembered as learnings:" in said["systemMessage"]
    assert len([m for m in store.memories() if "Retries" in m.summary]) == 1


def test_the_opposite_of_what_is_known_is_kept(agent: Agent, store: Recollect) -> None:
    """Only the very same text is known already, and only of the kind that was asked for."""
    for prompt in (
        "[remember] Use tabs, not spaces",
        "[remember] Use spaces, not tabs",
        "[remember:decisions] Use tabs, not spaces",
        "[remember:notes] The vault is under the stairs",  # so far only a private memory says it
    ):
        assert "remembered " in agent.hook("prompt", prompt=prompt)["systemMessage"]


def test_what_is_private_is_not_kept_by_a_marker(agent: Agent, store: Recollect) -> None:
    """`<private>` goes before everything."""
    said = agent.hook("prompt", prompt="<private>\n[remember] Gutenberg sleeps\n</private>\nGo on")

    assert said == {}
    assert not [m for m in store.memories() if "Gutenberg" in m.summary]


def test_the_same_marker_at_once_is_kept_once(agent: Agent, store: Recollect) -> None:
    """Six events in parallel."""
    from concurrent.futures import ThreadPoolExecutor

    def mark(number: int) -> None:
        Agent(agent.directory, f"p{number}").hook("prompt", prompt="[remember] Only one of us")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(mark, range(6)))

    assert len([m for m in store.memories() if m.summary == "Only one of us"]) == 1


def test_where_nothing_can_be_opened_whoever_asked_is_told(agent: Agent, tmp_path: Path) -> None:
    """No git at all: the wish is not lost in silence."""
    env = {"PATH": str(tmp_path)}

    said = agent.hook("prompt", env, prompt="[remember] Nobody listens")

    assert "NOT saved" in said["systemMessage"]


def test_a_directory_that_is_gone(agent: Agent, store: Recollect, repo: Path) -> None:
    """The project's own counts then."""
    raw = json.dumps({"session_id": "x", "cwd": "/no/such", "prompt": "[remember] Still here"})

    agent.call("prompt", raw.encode(), {"CLAUDE_PROJECT_DIR": str(repo)})

    assert "Still here" in [m.summary for m in store.memories()]


def test_a_closed_output_is_no_disaster(agent: Agent, store: Recollect) -> None:
    """Nobody listens; what is marked is kept all the same."""
    payload = {"session_id": "x", "cwd": str(agent.directory), "prompt": "[remember] Into the void"}
    program = (
        "import os, sys; os.close(1); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, "-m", "recollect", "hook", "prompt"],
        input=json.dumps(payload).encode(),
        stderr=subprocess.PIPE,
        timeout=60,
    )

    assert (done.returncode, done.stderr) == (0, b"")
    assert "Into the void" in [m.summary for m in store.memories()]


def test_a_project_cannot_switch_the_deadline_off(agent: Agent, repo: Path) -> None:
    """However big the number is, a hook ends."""
    (repo / ".recollect.toml").write_text("[hook]\ndeadline = 1e300\n")
    env = {"RECOLLECT_HOOK_DEADLINE": "1e300"}
    start = time.time()

    assert "transaction" in agent.context("prompt", env, prompt="Why the order import transaction?")
    assert recent_failures(data_dir(os.environ), start) == []


def test_a_persons_own_memories_come_everywhere(
    agent: Agent, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user ledger is read beside the project's."""
    import recollect

    with recollect.open(agent.directory, mine=True) as mine:
        mine.capture("preferences", "Answer in British English")

    assert "British English" in agent.context("session-start", source="startup")


def test_outside_of_a_repository_the_user_ledger_serves(tmp_path: Path, isolated: None) -> None:
    """No git repository: markers are kept and found again."""
    agent = Agent(tmp_path)
    agent.hook("prompt", prompt="[remember] The printer is called Gutenberg")

    again = Agent(tmp_path, "s2")
    assert "Gutenberg" in again.context("prompt", prompt="What is the printer called?")


def test_the_directory_of_the_event_counts(
    agent: Agent, sandbox: Sandbox, store: Recollect
) -> None:
    """Not a repository that the surroundings name, as inside a git hook."""
    other = sandbox.init("other")

    agent.hook("prompt", {"GIT_DIR": str(other / ".git")}, prompt="[remember] It belongs here")

    assert "It belongs here" in [m.summary for m in store.memories()]


def test_why_explains_each_injection(agent: Agent, store: Recollect) -> None:
    """The trace names what was injected and skipped, with the reason."""
    agent.hook("prompt", prompt="Why does the order import need a transaction?")
    agent.hook("prompt", prompt="???")

    last, first = store.local.sessions.traces(2)

    assert last.steps == [{"what": "stopped", "reason": "the prompt has no words to search for"}]
    (injected,) = [step for step in first.steps if step["what"] == "injected"]
    assert injected["memories"][0]["reason"] == "matching words"
    given = injected["memories"][0]
    assert given["probability"] >= full_bar(given["about"])
    assert any(name.startswith("by ") for name in injected["memories"][0])


BAD = [
    b"",
    b"{",
    b'{"prompt": "x"',
    b"[]",
    b"null",
    b'"text"',
    b"\xff\xfe\x00",
    b"\x00" * 1000,
    b'{"session_id": 5, "cwd": ["x"], "prompt": {"a": 1}, "tool_input": "no"}',
    b'{"cwd": "/does/not/exist", "prompt": "order import transaction"}',
    b'{"cwd": "\\u0000", "prompt": "order import transaction"}',
    b'{"prompt": "\\ud800 order import", "session_id": "\\ud800"}',
    json.dumps({"prompt": "order import transaction " * 100_000}).encode(),
    b'{"prompt": "[remember] \\ud800"}',
    b'{"tool_name": "Read", "tool_input": {"file_path": "\\u0000"}}',
    b'{"tool_name": "Read", "tool_input": {"file_path": "../../../etc/passwd"}}',
    b"[" * 100_000,
]


@pytest.mark.parametrize("raw", BAD, ids=range(len(BAD)))
def test_bad_input_never_breaks_the_contract(agent: Agent, raw: bytes) -> None:
    """Exit 0, nothing on stderr, one object or nothing (`call` looks)."""
    for event in ("session-start", "prompt", "tool-post", "stop"):
        agent.call(event, raw)


@pytest.mark.parametrize("event", EVENTS)
def test_every_event_is_served(agent: Agent, event: str) -> None:
    """Also with nothing but a session and a directory."""
    agent.hook(event)


def test_a_broken_index_is_mended(agent: Agent, store: Recollect) -> None:
    """The ledger brings it back; the agent notices nothing."""
    store.indexing.path.write_bytes(b"this is no database, but long enough to look like one" * 50)

    assert "transaction" in agent.context("prompt", prompt="Why the order import transaction?")


def test_broken_local_state_is_put_aside(agent: Agent, repo: Path) -> None:
    """Usage is worth less than an answer."""
    (repo / ".git" / "recollect" / "usage.db").write_bytes(b"garbage garbage garbage " * 100)

    assert "transaction" in agent.context("prompt", prompt="Why the order import transaction?")


def test_local_state_that_breaks_inside_recovers(agent: Agent, repo: Path) -> None:
    """The header is fine, the pages are not: the next event finds a new file."""
    type(agent)(repo, "another session").hook("session-start", source="startup")
    path = repo / ".git" / "recollect" / "usage.db"
    content = path.read_bytes()
    path.write_bytes(content[:4096] + b"\x05" * (len(content) - 4096))
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)

    for number in range(3):
        context = agent.context("prompt", prompt=f"Why the order import transaction? {number}")
        if context:
            break

    assert "transaction" in context


def test_no_git_is_no_disaster(agent: Agent, tmp_path: Path) -> None:
    """Nothing is said, the failure is noted, and doctor can tell."""
    python = tmp_path / "bin"
    python.mkdir()

    assert agent.hook("prompt", {"PATH": str(python)}, prompt="order import transaction") == {}
    failures = recent_failures(data_dir(os.environ), 0)
    assert failures[-1]["error"] == "GitMissing"


def test_a_home_that_cannot_be_written(agent: Agent, tmp_path: Path) -> None:
    """A file where the data directory should be."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    env = {"RECOLLECT_DATA_DIR": str(blocked / "data"), "HOME": str(blocked)}

    context = agent.context("prompt", env, prompt="Why the order import transaction?")

    assert "transaction" in context


def test_a_configuration_that_cannot_be_read(agent: Agent, repo: Path, store: Recollect) -> None:
    """Explicit wishes work all the same."""
    (repo / ".recollect.toml").write_text("this is [not toml")

    agent.hook("prompt", prompt="[remember] Kept in spite of it")

    (repo / ".recollect.toml").unlink()
    assert "Kept in spite of it" in [m.summary for m in store.memories()]


def test_switched_off(agent: Agent) -> None:
    """`inject.enabled = false` injects nothing and still keeps what is marked."""
    env = {"RECOLLECT_INJECT_ENABLED": "false"}

    assert agent.hook("session-start", env, source="startup") == {}
    assert "remembered" in agent.hook("prompt", env, prompt="[remember] x y")["systemMessage"]


@pytest.mark.parametrize(
    ("mode", "has"), [("minimal", False), ("fixed", True), ("full", True), ("simple", True)]
)
def test_budget_modes(agent: Agent, mode: str, has: bool) -> None:
    """`minimal` is guidance only."""
    context = agent.context("session-start", {"RECOLLECT_INJECT_BUDGET": mode}, source="startup")

    assert "recollect search" in context
    assert ("<memory id" in context) is has


def test_a_slow_git_does_not_hold_up_the_prompt(
    agent: Agent, tmp_path: Path, store: Recollect
) -> None:
    """After the deadline the process is gone, and so is the git that hung."""
    path = git_behind(tmp_path, f"echo $$ >> {tmp_path}/pids\nexec sleep 600")

    # `call` gives up after a minute, and git would take ten.
    said = agent.hook(
        "prompt", {"PATH": path, "RECOLLECT_HOOK_DEADLINE": "300"}, prompt="hello you"
    )

    assert said == {}
    for pid in (tmp_path / "pids").read_text().split():
        _wait_gone(int(pid))
    failures = recent_failures(data_dir(os.environ), 0)
    assert failures[-1]["error"] == "Deadline"


def test_what_is_marked_is_kept_although_git_is_slow(
    agent: Agent, tmp_path: Path, store: Recollect
) -> None:
    """Where the time that there is for it is not enough, the next event keeps it."""
    path = git_behind(tmp_path, "sleep 0.5")

    agent.hook(
        "prompt", {"PATH": path, "RECOLLECT_HOOK_DEADLINE": "300"}, prompt="[remember] Slow is fine"
    )
    wait_a_while(store)
    agent.hook("stop")  # it brings what waits

    assert "Slow is fine" in [memory.summary for memory in store.memories()]


def test_forget_that_has_the_time_of_a_wish(agent: Agent, store: Recollect) -> None:
    """It is done on a machine on which a prompt misses its deadline."""
    agent.hook("prompt", prompt="remember that the port is 80")

    said = agent.hook("prompt", {"RECOLLECT_HOOK_DEADLINE": "1"}, prompt="no, forget that")

    assert "forgot " in said["systemMessage"]
    assert "The port is 80" not in [memory.summary for memory in store.memories()]


@pytest.mark.parametrize("event", ["prompt", "subagent-stop"])
def test_what_is_marked_is_put_aside_before_anything_else(
    agent: Agent, tmp_path: Path, store: Recollect, event: str
) -> None:
    """Git hangs and the hook is killed: the next event keeps it, without its secrets."""
    path = git_behind(tmp_path, "exec sleep 600")
    secret = "ghp_" + "Ab3dE6gH9jK2" * 3
    text = f"[remember] The wharf is closed {secret}\n\n[remember] The quay is open"
    payload = {
        "session_id": "s1",
        "cwd": str(agent.directory),
        "prompt": text,
        "last_assistant_message": text,
        "agent_type": "Explore",
    }
    hook = subprocess.Popen(
        [sys.executable, "-m", "recollect", "hook", event],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        cwd=agent.directory,
        env={**os.environ, "PATH": path},
    )
    assert hook.stdin is not None
    hook.stdin.write(json.dumps(payload).encode())
    hook.stdin.close()
    for _ in range(1000):
        if len(stash_of(store).waiting()) == 2:
            break
        time.sleep(0.02)
    hook.kill()
    hook.wait()
    (first, second) = stash_of(store).waiting().values()
    assert secret not in json.dumps(first)
    assert "quay" in second["summary"]

    agent.hook("session-start", source="startup")
    assert len(stash_of(store).waiting()) == 2  # whoever put it there may still be at work
    wait_a_while(store)
    agent.hook("session-start", source="startup")

    assert stash_of(store).waiting() == {}
    assert spool_of(store).waiting() == {}
    kept = [memory.summary for memory in store.memories()]
    assert sum("wharf is closed" in summary for summary in kept) == 1
    assert kept.count("The quay is open") == 1


def test_what_is_kept_is_no_longer_aside(agent: Agent, store: Recollect) -> None:
    """Kept, said twice in one text, or known already: nothing comes back later."""
    text = (
        "[remember] The heron is grey\n\n[remember] The ibis is red\n\n[remember] The heron is grey"
    )
    said = agent.hook("prompt", prompt=text)["systemMessage"]
    again = agent.hook("prompt", prompt="[remember] The heron is grey")["systemMessage"]
    assert stash_of(store).waiting() == {}
    agent.hook("stop")

    assert said.count("recollect retire") == 1
    assert "in a moment" not in said
    assert "already remembered" in again
    kept = [m.summary for m in store.memories() if m.summary.startswith("The ")]
    assert kept[-2:] == ["The heron is grey", "The ibis is red"]  # in the order they were said


def test_what_was_purged_is_not_kept_again(
    agent: Agent, store: Recollect, sandbox: Sandbox
) -> None:
    """A process that hung may come back to it after the purge."""
    agent.hook("prompt", prompt="[remember] The okapi is shy")
    (okapi,) = [memory for memory in store.memories() if "okapi" in memory.summary]
    draft = {"kind": okapi.kind, "summary": okapi.summary, "body": ""}
    stale = store.prepare(draft, okapi.nonce)
    store.purge(okapi.uid)

    spool_of(store).put(okapi.nonce, draft)
    agent.hook("stop")
    with pytest.raises(NotFound, match="purged"):
        store.create([stale])

    assert spool_of(store).waiting() == {}
    assert b"okapi" not in sandbox.all_bytes(agent.directory)


def test_at_a_stop_it_is_told_what_could_not_be_kept(agent: Agent, repo: Path) -> None:
    """The agent asked for it, and its user must know."""
    env = {"RECOLLECT_REDACT_STRATEGY": "block"}
    text = "[remember] The token is ghp_" + "Ab3dE6gH9jK2" * 3
    said = agent.hook("stop", env, last_assistant_message=text)

    assert "NOT saved" in said["systemMessage"]
    assert "hookSpecificOutput" not in said
    said = agent.hook("stop", last_assistant_message="[remember] The moor is wide")
    assert said["systemMessage"].startswith("Recollect: remembered notes:")


def _wait_gone(pid: int) -> None:
    for _ in range(200):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError(f"{pid} was left behind")


def test_what_is_marked_survives_the_deadline(
    agent: Agent, store: Recollect, tmp_path: Path
) -> None:
    """While the ledger is busy it waits in the spool; the next event brings it."""
    from recollect.ledger.lock import exclusive

    env = {"RECOLLECT_HOOK_DEADLINE": "2500"}
    with exclusive(store.ledger.repository.state_dir / "ledger.lock", 1):
        agent.hook("prompt", env, prompt="[remember] Patience pays")
    assert len(spool_of(store).waiting()) == 1

    agent.hook("stop")

    assert "Patience pays" in [m.summary for m in store.memories()]
    assert spool_of(store).waiting() == {}


def test_it_is_the_engine_that_answers(agent: Agent, engine: Server | None) -> None:
    """The tests of this file test what they say."""

    def is_served() -> bool:
        assert "Use PostgreSQL" in agent.context("session-start", source="startup")
        return ping(agent.directory) == (None if engine is None else (engine.process.pid, 1))

    wait_for(is_served)  # at its start the engine may be too slow for a hook
