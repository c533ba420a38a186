"""Sync that nobody asked for: it takes no time, asks no question, and says what it found once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect.api import automatic_sync
from recollect.state import remote_notes
from tests.sandbox import Sandbox

RULE = "Never call the billing host from a test"
PATIENCE = 30.0


def wait_until(done: Callable[[], object]) -> None:
    """Wait for a process that works in the background."""
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


def hook(repo: Path, event: str, **more: Any) -> dict[str, Any]:
    """Run a hook in a process of its own; what it prints."""
    given = {"session_id": "s1", "cwd": str(repo), **more}
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "hook", event],
        input=json.dumps(given).encode(),
        capture_output=True,
        cwd=repo,
        env={**os.environ, "RECOLLECT_HOOK_DEADLINE": "20000"},
        check=True,
    )
    return dict(json.loads(done.stdout or b"{}"))


@pytest.fixture
def shared(sandbox: Sandbox) -> Path:
    """A hub that has the memories of a colleague; the clone of the colleague."""
    sandbox.make_hub()
    theirs = sandbox.clone("theirs")
    store = sandbox.open(theirs)
    store.capture("constraints", RULE)
    store.sync()
    return theirs


def folder_of(repo: Path) -> Path:
    """Where the state of a clone is."""
    return repo / ".git" / "recollect"


def test_a_new_clone_is_told_once(sandbox: Sandbox, shared: Path) -> None:
    """The first session looks in the background; the next event says what it found."""
    repo = sandbox.clone("ours")
    first = hook(repo, "session-start", source="startup")
    assert "recollect sync" not in first.get("systemMessage", "")
    wait_until(lambda: "kinds" in remote_notes.known(folder_of(repo)))

    told = hook(repo, "prompt", prompt="Good morning, what is in the cart?")
    again = hook(repo, "prompt", prompt="And what is in the mail?")

    assert "run: recollect sync" in told["systemMessage"]
    assert "recollect sync" not in again.get("systemMessage", "")
    assert sandbox.refs(repo, "refs/notes/") == {}  # it only looked


def test_nobody_is_told_where_there_is_nothing(sandbox: Sandbox) -> None:
    """A remote without notes, and a clone that has synced."""
    sandbox.make_hub()
    repo = sandbox.clone("ours")
    store = sandbox.open(repo)

    assert automatic_sync.at_start(store, os.environ) == automatic_sync.LOOK
    wait_until(lambda: "kinds" in remote_notes.known(folder_of(repo)))
    assert remote_notes.offer(folder_of(repo)) == ""
    assert automatic_sync.at_start(store, os.environ) == ""


def test_a_clone_with_notes_is_not_asked_about(sandbox: Sandbox, shared: Path) -> None:
    """It has synced before."""
    assert automatic_sync.at_start(sandbox.open(shared), os.environ) == ""


def test_looking_can_be_switched_off(
    sandbox: Sandbox, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then no process is started."""
    monkeypatch.setenv("RECOLLECT_SYNC_OFFER", "false")
    repo = sandbox.clone("ours")

    assert automatic_sync.at_start(sandbox.open(repo), os.environ) == ""


def test_fetching_takes_and_sends_nothing(
    sandbox: Sandbox, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `fetch`, a session starts with what others have; what is here stays here."""
    monkeypatch.setenv("RECOLLECT_SYNC_AUTO", "fetch")
    repo = sandbox.clone("ours")
    store = sandbox.open(repo)
    store.capture("decisions", "Ship on Fridays")
    hub = sandbox.refs(sandbox.root / "hub.git", "refs/notes/")

    hook(repo, "session-start", source="startup")
    # Any other memory may be a weak answer, so wait for this one.
    wait_until(lambda: RULE in [hit.memory.summary for hit in store.search("billing host")])
    hook(repo, "session-end", reason="exit")

    assert sandbox.refs(sandbox.root / "hub.git", "refs/notes/") == hub
    assert automatic_sync.at_end(store, os.environ) == ""


def test_the_end_of_a_session_sends(
    sandbox: Sandbox, shared: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With `on`, others get what was captured."""
    monkeypatch.setenv("RECOLLECT_SYNC_AUTO", "on")
    repo = sandbox.clone("ours")
    store = sandbox.open(repo)
    store.capture("decisions", "Ship on Fridays")

    hook(repo, "session-end", reason="exit")

    wait_until(
        lambda: "refs/notes/mem/decisions" in sandbox.refs(sandbox.root / "hub.git", "refs/notes/")
    )


def test_git_and_ssh_cannot_ask(
    sandbox: Sandbox, shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The process has no terminal, git gets no prompt, and ssh runs in batch mode."""
    seen = tmp_path / "seen"
    ssh = tmp_path / "bin" / "ssh"
    ssh.parent.mkdir()
    ssh.write_text(
        f'#!/bin/sh\necho "$@" > {seen}.new\nenv >> {seen}.new\n'
        f"(: < /dev/tty) 2>/dev/null && echo TERMINAL >> {seen}.new\nmv {seen}.new {seen}\nexit 1\n"
    )
    ssh.chmod(0o755)
    monkeypatch.setenv("PATH", f"{ssh.parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.delenv("GIT_SSH_COMMAND", raising=False)
    repo = sandbox.clone("ours")
    sandbox.git(repo, "remote", "set-url", "origin", "ssh://git@host.invalid/shop.git")

    assert automatic_sync.at_start(sandbox.open(repo), os.environ) == automatic_sync.LOOK
    wait_until(seen.exists)

    text = seen.read_text()
    assert "BatchMode=yes" in text
    assert "GIT_TERMINAL_PROMPT=0" in text
    assert "TERMINAL\n" not in text.replace("GIT_TERMINAL_PROMPT", "")
    assert "kinds" not in remote_notes.known(folder_of(repo))
