"""Lists by time: newest first, with the age of the memory, without what has expired."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.errors import ValidationError
from tests.cli.running import gives, says
from tests.cli.running import run as command
from tests.sandbox import Sandbox


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with one commit."""
    path = sandbox.init("work")
    sandbox.commit(path)
    return path


def _ago(days: float) -> str:
    return (datetime.now(tz=UTC) - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def _with_expired(store: Recollect) -> None:
    for title, days in (("Frogs are gone", 10), ("Frogs are here", 1)):
        store.capture(
            "learnings", title, ttl=5, created=_ago(days),
            files_modified=["pond.txt"], concepts=["gotcha"],
        )  # fmt: skip


@pytest.mark.parametrize("command", ["list", "timeline", "search frogs --all"])
@pytest.mark.parametrize("more", [(), ("--file", "pond.txt"), ("--concept", "gotcha")])
def test_expired_memories_are_left_out_of_lists(
    sandbox: Sandbox, repo: Path, command: str, more: tuple[str, ...]
) -> None:
    """Of `list`, `timeline` and search, by file and by concept; `--expired` shows them, marked."""
    _with_expired(sandbox.open(repo))

    said = says(repo, *command.split(), *more)
    assert "Frogs are here" in said
    assert "Frogs are gone" not in said
    asked = says(repo, *command.split(), *more, "--expired")
    assert "Frogs are gone [expired]" in asked
    assert "Frogs are here [expired]" not in asked
    found = gives(repo, *command.split(), *more)
    assert [one["summary"] for one in found] == ["Frogs are here"]


def test_show_prints_the_ttl(sandbox: Sandbox, repo: Path) -> None:
    """How long the memory lives, and until when; or that it has expired."""
    _with_expired(sandbox.open(repo))
    gone, here = (m.uid for m in sandbox.open(repo).memories())

    assert f"ttl:         5 days, until {_ago(-4)[:10]}" in says(repo, "show", here)
    assert f"ttl:         5 days, expired on {_ago(5)[:10]}" in says(repo, "show", gone)


def test_list_is_newest_first_with_the_age_of_the_memory(sandbox: Sandbox, repo: Path) -> None:
    """The age counts from the creation, whatever changed since; `-n` gives the newest ones."""
    store = sandbox.open(repo)
    old = store.capture("notes", "An old one", created=_ago(30))
    store.capture("notes", "A new one", created=_ago(2))
    store.update(old.uid, body="Changed just now.")

    lines = says(repo, "list").splitlines()
    assert ["A new one" in lines[0], "An old one" in lines[1]] == [True, True]
    assert " 4w  An old one" in lines[1]
    assert [one["summary"] for one in gives(repo, "list", "-n", "1")] == ["A new one"]
    assert len(says(repo, "list", "-n", "1").splitlines()) == 1


def test_log_is_newest_first_by_the_time_of_writing(sandbox: Sandbox, repo: Path) -> None:
    """A memory with an old date that was written last comes first, with the time of writing."""
    store = sandbox.open(repo)
    store.capture("notes", "Written first", created=_ago(1))
    store.capture("notes", "Written second", created=_ago(400))

    lines = says(repo, "log").splitlines()
    assert "Written second" in lines[0]
    today = datetime.now(tz=UTC).year
    assert all(line.startswith((str(today), str(today - 1))) for line in lines)
    first, second = gives(repo, "log")
    assert first["written"] >= second["written"] > second["timestamp"] > first["timestamp"]


def _on_a_terminal(repo: Path, lines: int, *args: str) -> str:
    """Run a command on a terminal of so many lines; `PAGER` marks what passes through it."""
    ours, theirs = pty.openpty()
    # The size of the terminal counts, not what pytest sets for its own output.
    inherited = {k: v for k, v in os.environ.items() if k not in ("LINES", "COLUMNS")}
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", lines, 80, 0, 0))
    process = subprocess.Popen(
        [sys.executable, "-m", "recollect", "-C", str(repo), *args],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**inherited, "PAGER": "sed s/^/paged:/", "TERM": "xterm"},
        start_new_session=True,
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            more = os.read(ours, 65_536)
        except OSError:  # the other end is closed
            break
        if not more:
            break
        said += more
    assert process.wait() == 0
    os.close(ours)
    return said.decode()


def test_a_list_that_does_not_fit_opens_in_the_pager(sandbox: Sandbox, repo: Path) -> None:
    """A short one is printed; so is every list that is not for a terminal."""
    store = sandbox.open(repo)
    for number in range(11):
        store.capture("notes", f"Thing {number}")
    sandbox.git(
        repo, "notes", "--ref=refs/notes/mem/learnings", "add", "-F", "-", stdin=b"Is \x1b[31mred"
    )

    long = _on_a_terminal(repo, 10, "list")
    assert long.count("paged:") == 12
    assert "[31mred" in long
    assert "\x1b[31mred" not in long  # what a memory says cannot control the terminal
    assert "paged:" not in _on_a_terminal(repo, 24, "list")
    assert _on_a_terminal(repo, 10, "log").count("paged:") == 12
    assert "paged:" not in says(repo, "list")


def test_what_an_import_wrote(sandbox: Sandbox, repo: Path) -> None:
    """By the name of its run, also after a kill, when it names what it planned."""
    (repo / "AGENTS.md").write_text("# Rules\n\n- Never push to main directly.\n")
    run = json.loads(says(repo, "import", "instructions", "--yes", "--json"))["run"]
    store = sandbox.open(repo)
    store.capture("decisions", "Carts expire after a day")
    (learned,) = store.memories(kind="preferences") or store.memories(kind="constraints")

    assert says(repo, "list", "--run", run).count("\n") == 1
    store.local.runs.end(run, written=[(learned.nonce or "", learned.nonce or "")])
    assert "push to main" in says(repo, "list", "--run", run.upper())
    assert isinstance(command(repo, "list", "--run", "import-77").exception, ValidationError)
