"""Hooks end within their deadline, whatever holds the interpreter, and say something whole.

No test looks at a clock: what never ends without a deadline has to end, and that is all.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.capture.spool_flush import spool_of, stash_of
from recollect.config.config import data_dir
from recollect.hooks.supervisor import Relay, supervise
from recollect.state.failures import recent_failures
from tests.sandbox import Sandbox
from tests.support.agent import Agent, transcript, wait_a_while, with_memories

# A stage in C that never returns and never lets go of the interpreter's lock.
_HANG = """
import os, re, sys
from pathlib import Path
from recollect.hooks import pipelines

def hang(work):
    Path(sys.argv[1]).write_text(str(os.getpid()))
    re.match(r"(?:a|a)*$", "a" * 200 + "b")

def crash(work):
    Path(sys.argv[1]).write_text("0")
    os.kill(os.getpid(), 9)

def fill(work):
    work.reply.notice.append("x" * 300_000)

"""
_HOOK = """
from recollect.engine.client import main
sys.exit(main([sys.argv[2]]))
"""
# Milliseconds; more where the machine is too busy to come as far as the stage.
_DEADLINES = ("1500", "8000", "40000")


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with commits."""
    sandbox.make_hub()
    return sandbox.clone("ada")


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, with a few things in it."""
    return with_memories(sandbox.open(repo))


@pytest.fixture
def agent(repo: Path, store: Recollect) -> Agent:
    """An agent in that repository."""
    return Agent(repo)


def deadlines(milliseconds: str) -> dict[str, str]:
    """A setting for both kinds of events."""
    return {
        "RECOLLECT_HOOK_DEADLINE": milliseconds,
        "RECOLLECT_HOOK_SESSION_DEADLINE": milliseconds,
    }


@pytest.fixture
def closing() -> Iterator[ExitStack]:
    """Closes the pipes of the processes of a test."""
    with ExitStack() as stack:
        yield stack


class Hung:
    """A hook whose pipeline is what a line of Python says."""

    def __init__(self, agent: Agent, tmp_path: Path) -> None:
        self._agent = agent
        self.pid_file = tmp_path / "pid"

    def start(
        self,
        event: str,
        pipeline: str,
        env: Mapping[str, str] | None = None,
        more: str = "",
    ) -> subprocess.Popen[bytes]:
        """Begin, with nothing on its stdin yet."""
        patch = f"pipelines.PIPELINES = {{**pipelines.PIPELINES, {event!r}: {pipeline}}}\n"
        return subprocess.Popen(
            [sys.executable, "-c", _HANG + patch + more + _HOOK, str(self.pid_file), event],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=self._agent.directory,
            env={**os.environ, "RECOLLECT_ENGINE_ENABLED": "0", **(env or {})},
        )

    def run(self, event: str, pipeline: str, **fields: Any) -> dict[str, Any]:
        """What such a hook says once it hangs, after it has kept to the contract."""
        said: dict[str, Any] = {}
        for deadline in _DEADLINES:
            hook = self.start(event, pipeline, deadlines(deadline))
            out, err = hook.communicate(self.payload(**fields), timeout=300)
            assert (hook.returncode, err) == (0, b"")
            said = json.loads(out) if out else {}
            if self.pid_file.exists():
                break
        return said

    def payload(self, **fields: Any) -> bytes:
        """The input of a hook."""
        session = {"session_id": "s1", "cwd": str(self._agent.directory)}
        return json.dumps({**session, **fields}).encode()

    def wait_until_it_hangs(self) -> int:
        """The process that does the work."""
        for _ in range(3000):
            if self.pid_file.exists() and self.pid_file.read_text():
                return int(self.pid_file.read_text())
            time.sleep(0.02)
        raise AssertionError("the stage was never reached")


@pytest.fixture
def hung(agent: Agent, tmp_path: Path) -> Hung:
    """A hook that can be made to hang."""
    return Hung(agent, tmp_path)


def wait_until_gone(pid: int) -> None:
    """Fails where a process is left behind."""
    for _ in range(3000):
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    raise AssertionError("a process was left behind")


def test_a_stage_that_never_returns_costs_nothing_that_was_ready(hung: Hung) -> None:
    """What was recalled before is given, the failure is noted, and no process is left."""
    pipeline = "(*pipelines.PIPELINES['prompt'][:3], (hang,))"
    said = hung.run("prompt", pipeline, prompt="Which database do we use for persistence?")

    assert "Use PostgreSQL" in said["hookSpecificOutput"]["additionalContext"]
    wait_until_gone(hung.wait_until_it_hangs())
    assert recent_failures(data_dir(os.environ), 0)[-1]["error"] == "Deadline"


@pytest.mark.parametrize("event", ["session-start", "prompt", "tool-post", "stop", "session-end"])
def test_a_first_stage_that_never_returns_says_nothing(hung: Hung, event: str) -> None:
    """There is nothing ready, so there is nothing at all: not half of something, no exit code."""
    assert hung.run(event, "((hang,),)", prompt="hello you") == {}
    wait_until_gone(hung.wait_until_it_hangs())


@pytest.mark.parametrize("asks", ["[remember] ", "fix the pier, and remember that "])
def test_what_is_marked_survives_a_stage_that_never_returns(
    hung: Hung, agent: Agent, store: Recollect, asks: str
) -> None:
    """It was put aside, its author is told, and one of the next events saves it."""
    said = hung.run("prompt", "((hang,),)", prompt=f"{asks}The ferry sails at noon")

    assert "one of the next events saves it" in said["systemMessage"]
    wait_a_while(store)
    agent.hook("stop")
    assert [m.summary for m in store.memories()].count("The ferry sails at noon") == 1


@pytest.mark.parametrize("asks", ["[remember] ", "Keep in mind that "])
def test_a_redactor_that_never_returns_is_told_of(hung: Hung, asks: str) -> None:
    """Nothing could be put aside: then whoever asked has to know that."""
    slow = "import recollect.redact.redactor as r\nr.Redactor.redact = lambda *_: hang(0)\n"
    hook = hung.start("prompt", "()", more=slow)
    out, err = hook.communicate(hung.payload(prompt=f"{asks}The tide is out"), timeout=120)

    assert (hook.returncode, err) == (0, b"")
    assert "some of the marked text was not saved" in json.loads(out)["systemMessage"]


@pytest.mark.parametrize("asks", ["[remember] ", "please note: "])
def test_a_hook_that_crashes_says_what_was_ready(hung: Hung, asks: str) -> None:
    """A crash in C, or the system ends it to have its memory."""
    pipeline = "(*pipelines.PIPELINES['prompt'][:1], (crash,))"
    said = hung.run("prompt", pipeline, prompt=f"{asks}The lock is rusty")

    assert " notes:" in said["systemMessage"]  # remembered now, or known if it came twice
    assert recent_failures(data_dir(os.environ), 0)[-1]["error"] == "Ended(-9)"


@pytest.mark.parametrize(
    "pipeline",
    [
        "((crash,),)",
        "((marked_module.forget_kept, crash),)",
        "((marked_module.capture_marked, crash),)",
        "(*pipelines.PIPELINES['prompt'], (crash,))",
    ],
)
def test_a_wish_survives_a_kill_at_any_point(
    hung: Hung, agent: Agent, store: Recollect, pipeline: str
) -> None:
    """Before it is captured, after it, and at the end: it is kept, and once."""
    more = "from recollect.hooks import marked as marked_module\n"
    patch = f"pipelines.PIPELINES = {{**pipelines.PIPELINES, 'prompt': {pipeline}}}\n"
    hook = hung.start("prompt", "()", deadlines("20000"), more=more + patch)
    hook.communicate(hung.payload(prompt="From now on the bell rings twice"), timeout=300)
    for _ in range(2):
        wait_a_while(store)
        agent.hook("stop")

    assert [m.summary for m in store.memories()].count("The bell rings twice") == 1
    assert stash_of(store).names() == []


def test_a_wish_of_a_hook_that_never_began_is_read_from_the_transcript(
    agent: Agent, store: Recollect, tmp_path: Path
) -> None:
    """The hook was killed before it could put anything aside; a stop catches up, once."""
    talk = tmp_path / "talk.jsonl"
    transcript(talk, ("user", "remember that the crane is red"), ("assistant", "Noted."))
    for session in ("s1", "s1", "a fork of it"):
        Agent(agent.directory, session).hook("stop", transcript_path=str(talk))

    (memory,) = (one for one in store.memories() if "crane" in one.summary)
    assert (memory.summary, memory.provenance["via"]) == ("The crane is red", "request")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_who_ends_a_hook_ends_its_work(
    hung: Hung, number: signal.Signals, closing: ExitStack
) -> None:
    """A client that gives up sends a signal; nothing goes on after that."""
    hook = closing.enter_context(hung.start("prompt", "((hang,),)", deadlines("60000")))
    assert hook.stdin is not None
    hook.stdin.write(hung.payload(prompt="hello you"))
    hook.stdin.close()
    pid = hung.wait_until_it_hangs()
    hook.send_signal(number)

    assert hook.wait(timeout=120) == -number
    wait_until_gone(pid)
    assert hook.stdout is not None
    assert hook.stdout.read() == b""


def test_a_work_without_a_supervisor_is_ended_all_the_same(hung: Hung, closing: ExitStack) -> None:
    """The kernel ends it: somebody killed the process that waits for it."""
    hook = closing.enter_context(hung.start("prompt", "((hang,),)", deadlines("10000")))
    assert hook.stdin is not None
    hook.stdin.write(hung.payload(prompt="hello you"))
    hook.stdin.close()
    pid = hung.wait_until_it_hangs()
    hook.kill()
    hook.wait()

    wait_until_gone(pid)


def test_a_large_answer_comes_whole_or_not_at_all(hung: Hung) -> None:
    """More than fits into a pipe."""
    said = hung.run("prompt", "((fill,), (hang,))", prompt="hello you")
    assert said == {} or said["systemMessage"] == "x" * 300_000

    shown: list[bytes] = []

    def half(relay: Relay | None) -> None:
        assert relay is not None
        relay.ready(b'{"whole": 1}')
        os.write(relay._pipe, b'say 1000\n{"half": ')
        os.kill(os.getpid(), signal.SIGKILL)

    handlers = {number: signal.getsignal(number) for number in (1, 2, 15)}
    try:
        why = supervise(half, shown.append, 60.0)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    assert why == "Ended(-9)"
    assert shown == [b'{"whole": 1}']


@pytest.mark.parametrize("marked", ["", "[remember] "])
@pytest.mark.parametrize("run", ["a", '"', "- a b\n", "token = ", "aB ", "x@y."])
def test_a_long_text_is_told_of_in_time(agent: Agent, run: str, marked: str) -> None:
    """0.9 MB of anything: it ends, and where it is marked whoever marked it hears about it."""
    text = marked + "x " + run * (900_000 // len(run))
    said = agent.hook("prompt", {"RECOLLECT_HOOK_DEADLINE": "300"}, prompt=text)

    assert ("Recollect: " in said.get("systemMessage", "")) is bool(marked)
    agent.hook("stop", {"RECOLLECT_HOOK_SESSION_DEADLINE": "300"}, last_assistant_message=text)


def test_a_thousand_markers_are_kept(agent: Agent, store: Recollect) -> None:
    """Whatever there was no time for is brought by the next events, some at a time."""
    text = "\n\n".join(f"[remember] Berth {n} belongs to ship {n * 7}" for n in range(1000))
    said = agent.hook("prompt", {"RECOLLECT_HOOK_DEADLINE": "300"}, prompt=text)
    assert "Recollect: " in said["systemMessage"]
    aside, spool = stash_of(store), spool_of(store)
    kept = sum(memory.summary.startswith("Berth ") for memory in store.memories())
    assert kept + len({*aside.names(), *spool.names()}) >= 1000 or "not all" in str(said)

    for _ in range(100):
        wait_a_while(store)
        agent.hook("stop")
        if not aside.names() and not spool.names():
            break

    if "not all" not in str(said):  # a machine too busy to put it aside says so
        berths = [m.summary for m in store.memories() if m.summary.startswith("Berth ")]
        assert len(berths) == len(set(berths)) == 1000


@pytest.mark.parametrize("rest", [b"", b"{", b'{"session_id": "s1"'])
def test_an_agent_that_stays_silent_is_not_waited_for(
    agent: Agent, rest: bytes, closing: ExitStack
) -> None:
    """Its end of the pipe stays open, and nothing more comes."""
    hook = closing.enter_context(
        subprocess.Popen(
            [sys.executable, "-m", "recollect", "hook", "prompt"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=agent.directory,
        )
    )
    assert hook.stdin is not None
    assert hook.stdout is not None
    hook.stdin.write(rest)
    hook.stdin.flush()

    assert hook.wait(timeout=120) == 0
    assert hook.stdout.read() == b""
    hook.stdin.close()


def test_input_that_trickles_is_not_waited_for(
    agent: Agent, store: Recollect, closing: ExitStack
) -> None:
    """What came until then is what there is; a whole event is served although nobody hangs up."""
    hook = closing.enter_context(
        subprocess.Popen(
            [sys.executable, "-m", "recollect", "hook", "prompt"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=agent.directory,
            env={**os.environ, "RECOLLECT_HOOK_DEADLINE": "30000"},
        )
    )
    session = {"session_id": "s1", "cwd": str(agent.directory)}
    whole = json.dumps({**session, "prompt": "[remember] The bell rings twice"}).encode()
    assert hook.stdin is not None
    assert hook.stdout is not None
    hook.stdin.write(whole)
    hook.stdin.flush()
    while hook.poll() is None:
        try:
            hook.stdin.write(b" ")
            hook.stdin.flush()
        except BrokenPipeError:
            break
        time.sleep(0.02)

    assert hook.wait(timeout=120) == 0
    assert "Recollect: " in json.loads(hook.stdout.read())["systemMessage"]
    wait_a_while(store)
    agent.hook("stop")
    assert "The bell rings twice" in [memory.summary for memory in store.memories()]
