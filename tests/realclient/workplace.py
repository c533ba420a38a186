"""A fresh machine for one developer: home, configuration, repository, and the client in it.

Nothing of the person who runs the tests is passed on: no key, no settings, no other variable.
After every run two things are checked: no process is left, and only loopback was asked for.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from signal import SIGKILL, Signals
from types import TracebackType
from typing import Self

from tests.realclient.api import MessagesApi
from tests.realclient.processes import left_behind
from tests.realclient.run import Run

TIMEOUT = 90.0
# Work that a hook handed to a process of its own may end a little after the client.
GRACE = 10.0
TOOLS = "Bash,Read,Write,Edit,Agent"
KEY = "sk-ant-dummy-not-a-key"
# How busy the machine is must not decide what a hook says. The client's own timeout is 5 s.
PATIENCE = {"RECOLLECT_HOOK_DEADLINE": "4000", "RECOLLECT_HOOK_SESSION_DEADLINE": "4000"}
OUR_PROGRAMS = Path(sys.executable).parent
_LOOPBACK = "127.0.0.1,localhost"
_GITCONFIG = """\
[user]
\tname = Ada
\temail = ada@example.com
[init]
\tdefaultBranch = main
"""


@dataclass(slots=True)
class Workplace:
    """The machine. `plugin` is a folder that the client loads without installing it."""

    root: Path
    client: Path
    api: MessagesApi
    plugin: Path | None
    programs: Sequence[Path] = (OUR_PROGRAMS,)
    variables: dict[str, str] = field(default_factory=dict)
    # Hosts that the client asks for by itself, whatever its settings say; it is refused.
    tolerated: frozenset[str] = frozenset()
    running: int = 0  # clients that have not ended

    @property
    def home(self) -> Path:
        """The home directory."""
        return self.root / "ada"

    @property
    def config(self) -> Path:
        """The client's own folder."""
        return self.home / ".claude"

    @property
    def repo(self) -> Path:
        """The repository in which the client runs."""
        return self.home / "shop"

    def move_in(self) -> None:
        """Make the folders of a developer who has no repository yet."""
        self.root = self.root.resolve()
        for folder in (self.config, self.root / "tmp", self.repo):
            folder.mkdir(parents=True)
        (self.home / ".gitconfig").write_text(_GITCONFIG)

    def set_up(self) -> None:
        """Make the folders, and a small project with one commit."""
        self.move_in()
        (self.repo / "src").mkdir()
        (self.repo / "README.md").write_text("# Shop\n\nA small shop.\n")
        (self.repo / "src" / "cart.py").write_text("def total(prices):\n    return sum(prices)\n")
        (self.repo / "src" / "mail.py").write_text("def send(address):\n    return address\n")
        self.git("init", "--quiet")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "A shop")

    def environment(self) -> dict[str, str]:
        """All that the client is given."""
        passed = {name: os.environ[name] for name in ("LANG", "TERM") if name in os.environ}
        search = [str(folder) for folder in self.programs] + _search_path_without_us()
        return {
            **passed,
            "PATH": os.pathsep.join(search),
            "HOME": str(self.home),
            "TMPDIR": str(self.root / "tmp"),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "XDG_DATA_HOME": str(self.home / ".local" / "share"),
            "XDG_STATE_HOME": str(self.home / ".local" / "state"),
            "XDG_CACHE_HOME": str(self.home / ".cache"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "CLAUDE_CONFIG_DIR": str(self.config),
            "ANTHROPIC_BASE_URL": self.api.url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            # Whoever asks for another host asks the API, which notes it and refuses.
            **dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), self.api.url),
            **dict.fromkeys(("http_proxy", "https_proxy", "all_proxy"), self.api.url),
            "NO_PROXY": _LOOPBACK,
            "no_proxy": _LOOPBACK,
            **self.variables,
        }

    def follow(self) -> None:
        """Let somebody follow the sessions: `claude -p` is unattended unless an editor runs it.

        Then the client takes only a key that its user has approved.
        """
        self.variables["CLAUDE_CODE_ENTRYPOINT"] = "claude-vscode"
        approved = {"customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []}}
        self.config.mkdir(parents=True, exist_ok=True)
        (self.config / ".claude.json").write_text(json.dumps(approved), "utf-8")

    def command(self, *args: str | Path, cwd: Path | None = None) -> str:
        """Run a program as the developer would; it must succeed. What it prints."""
        done = subprocess.run(
            args,
            cwd=cwd or self.repo,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
        )
        assert done.returncode == 0, f"{args}: {done.stdout}{done.stderr}"
        return done.stdout

    def git(self, *args: str, cwd: Path | None = None) -> str:
        """Run git in the repository."""
        return self.command("git", *args, cwd=cwd)

    def recollect(self, *args: str, cwd: Path | None = None) -> str:
        """Run our own command line in the repository."""
        return self.command(OUR_PROGRAMS / "recollect", *args, cwd=cwd)

    def hook_failures(self) -> list[str]:
        """What our hooks kept from the agent and noted for `recollect doctor`."""
        path = self.home / ".local" / "share" / "recollect" / "hook-failures.jsonl"
        return path.read_text("utf-8").splitlines() if path.exists() else []

    def remember(self, kind: str, summary: str, *options: str) -> str:
        """Put a memory in; its id."""
        return self.recollect("capture", kind, summary, *options).split()[0]

    def ask(
        self, *prompts: str, options: Sequence[str] = (), cwd: Path | None = None, code: int = 0
    ) -> Run:
        """Run the client once: a prompt, or several in one conversation, to the end."""
        first, *more = prompts
        with self.start(first, options=options, cwd=cwd, several=bool(more)) as conversation:
            for prompt in more:
                conversation.wait_for_result()
                conversation.say(prompt)
            run = conversation.finish()
        assert run.code == code, f"the client ended with {run.code}: {run.stderr}\n{run.results}"
        return run

    def start(
        self,
        prompt: str = "",
        *,
        options: Sequence[str] = (),
        cwd: Path | None = None,
        several: bool = False,
    ) -> Conversation:
        """Start the client and leave it running; with `several`, it takes more prompts.

        With `several` and no prompt it waits for the first one, as it does in a terminal.
        """
        arguments = [str(self.client), "-p", *([] if several else [prompt])]
        if several:
            arguments += ["--input-format", "stream-json"]
        arguments += ["--output-format", "stream-json", "--verbose", "--include-hook-events"]
        arguments += ["--permission-mode", "acceptEdits", "--allowedTools", TOOLS]
        arguments += ["--plugin-dir", str(self.plugin)] if self.plugin else []
        arguments += options
        conversation = Conversation(self, arguments, cwd or self.repo)
        if not several:
            conversation.close_input()
        elif prompt:
            conversation.say(prompt)
        return conversation


class Conversation:
    """The client while it runs. As a context manager it does not outlive a failed test."""

    def __init__(self, place: Workplace, arguments: Sequence[str], cwd: Path) -> None:
        self._place = place
        self._lines: list[str] = []
        self._arrived: list[float] = []
        self._results = 0
        self._news = threading.Condition()
        self._first_request = len(place.api.requests)
        self._errors = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115
        self._ended = False
        self._started = time.monotonic()
        self._process = subprocess.Popen(
            arguments,
            cwd=cwd,
            env=place.environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        place.running += 1
        self._reader = threading.Thread(target=self._read)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if not self._ended:
            self._end(SIGKILL)
            left_behind(self._place.root, 0)

    def say(self, prompt: str) -> None:
        """Type the next prompt."""
        assert self._process.stdin is not None
        message = {"type": "user", "message": {"role": "user", "content": prompt}}
        self._process.stdin.write(json.dumps(message) + "\n")
        self._process.stdin.flush()

    def close_input(self) -> None:
        """There will be no more prompts."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    def wait_for_result(self) -> None:
        """Wait for the end of the next turn that has not been waited for."""
        self._results += 1
        self.wait_until(lambda: self._count_results() >= self._results, f"result {self._results}")

    def wait_for_request(self, count: int = 1) -> None:
        """Wait until the model has been asked so many times."""
        self.wait_until(
            lambda: len(self._place.api.requests) >= self._first_request + count,
            f"request {count}",
        )

    def wait_until(self, done: Callable[[], bool], what: str) -> None:
        """Wait for something to become true; the client must not end before."""
        end = time.monotonic() + TIMEOUT
        while not done():
            running = self._process.poll() is None or self._reader.is_alive()
            if not running or time.monotonic() > end:
                run = self._end(SIGKILL)
                raise AssertionError(f"no {what}: {run.code} {run.stderr}\n{run.events[-3:]}")
            with self._news:
                self._news.wait(0.02)

    def signal(self, number: Signals) -> None:
        """Send the client a signal."""
        self._process.send_signal(number)

    def finish(self) -> Run:
        """Wait for the client's end, and see that it left nothing behind and asked no stranger.

        Where another client still runs here, the last one to end is held to account.
        """
        try:
            run = self._end(None)
        except subprocess.TimeoutExpired:
            run = self._end(SIGKILL)
            asked = [request.kind for request in run.requests]
            raise AssertionError(
                f"the client did not end, after {asked}: {run.stderr}\n{run.events}"
            ) from None
        if not self._place.running:
            left = left_behind(self._place.root, GRACE)
            assert not left, f"left running: {left}"
        place = self._place
        strangers = [host for host in place.api.strangers if host not in place.tolerated]
        assert not strangers, f"other hosts were asked for: {strangers}"
        return run

    def _end(self, number: Signals | None) -> Run:
        if number is not None:
            self._process.send_signal(number)
        assert self._process.stdin is not None
        self._process.stdin.close()
        code = self._process.wait(TIMEOUT)
        seconds = time.monotonic() - self._started
        self._reader.join(GRACE)
        self._ended = True
        self._place.running -= 1
        self._errors.seek(0)
        with self._errors as errors:
            said = errors.read()
        asked = self._place.api.requests[self._first_request :]
        whole = [line for line in self._lines if line.endswith("\n")]  # a killed client stops short
        events = [json.loads(line) for line in whole]
        return Run(code, events, self._arrived[: len(whole)], said, seconds, asked)

    def _count_results(self) -> int:
        return sum('"type":"result"' in line for line in list(self._lines))

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as lines:
            for line in lines:
                with self._news:
                    self._arrived.append(time.monotonic())
                    self._lines.append(line)
                    self._news.notify_all()


def write_program(folder: Path, name: str, script: str) -> None:
    """Put a shell script on a search path."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def _search_path_without_us() -> list[str]:
    """The caller's search path, without the folders in which a `recollect` is."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return [folder for folder in folders if folder and not shutil.which("recollect", path=folder)]


HERE = Path(__file__).parent


PLUGIN = HERE.parent.parent / "plugin"
