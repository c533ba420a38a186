"""The dialogue of `recollect review`, on a real terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.capture.unconfirmed import add
from recollect.core.memory import Memory
from tests.sandbox import Sandbox

_PATIENCE = 60.0  # seconds without any output


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with a commit."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    return path


def notice(store: Recollect, summary: str, updates: str | None = None) -> Memory:
    """Notice something."""
    said = {"said_by": "user", "via": "signal", "hook": "prompt"}
    draft = {"kind": "decisions", "summary": summary, "body": "", "provenance": said}
    memory = add(store, draft, confidence=0.8, why="signal: decision", updates=updates)
    assert memory is not None
    return memory


def dialogue(repo: Path, answers: Sequence[str], **env: str) -> str:
    """What a terminal shows if somebody gives these answers, each when it is asked for."""
    terminal, inner = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "recollect", "review"],
        stdin=inner,
        stdout=inner,
        stderr=inner,
        cwd=repo,
        env={**os.environ, "TERM": "dumb", **env},
        start_new_session=True,
    )
    os.close(inner)
    left, shown, answered = list(answers), "", 0
    while select.select([terminal], [], [], _PATIENCE)[0]:
        try:
            data = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            break
        if not data:
            break
        shown += data.decode()
        asked = shown[answered:].rstrip(" ").endswith((">", "back):"))
        if asked and left:
            answered = len(shown)
            os.write(terminal, f"{left.pop(0)}\n".encode())
    os.close(terminal)
    assert process.wait(_PATIENCE) == 0
    assert not left
    return shown.replace("\r\n", "\n")


def test_one_after_the_other(sandbox: Sandbox, repo: Path) -> None:
    """Accept with the difference, edit, reject, merge, skip, and what is left."""
    store = sandbox.open(repo)
    old = store.capture("decisions", "Use Memcached for the cache")
    merged_into = store.capture("decisions", "Deploy the shop by hand", "As root.")
    redis = notice(store, "Use Redis for the cache", old.uid)
    typo = notice(store, "Prices are kept in centz")
    junk = notice(store, "Lunch is at noon")
    friday = notice(store, "Deploy the shop on Friday")
    notice(store, "Skip this one for now")
    store.close()

    shown = dialogue(
        repo, ["a", "e", "a", "r", "m", "1", ""], EDITOR="sed -i s/centz/cents/", VISUAL=""
    )

    assert "1 of 5" in shown
    assert f"Accepting it archives {store.short_name(old)}" in shown
    assert "-Use Memcached for the cache" in shown
    assert "+Use Redis for the cache" in shown
    assert "noticed now by you" in shown
    assert "confidence:  0.80" in shown
    assert "Left to review: 1" in shown
    assert store.get(redis.uid).status == "retired"
    assert store.get(old.uid).status == "archived"
    assert store.get(old.uid).summary == old.summary
    assert "Prices are kept in cents" in {m.summary for m in store.memories(status="active")}
    assert store.get(typo.uid).status_reason != "rejected"
    assert store.get(junk.uid).status_reason == "rejected"
    assert store.get(merged_into.uid).body == "As root.\n\nDeploy the shop on Friday"
    assert store.get(friday.uid).status == "retired"
    assert [m.summary for m in store.unconfirmed()] == ["Skip this one for now"]


def test_quit_and_keep_both(sandbox: Sandbox, repo: Path) -> None:
    """What was decided stays decided, and text that moves the cursor does not."""
    store = sandbox.open(repo)
    old = store.capture("decisions", "Use Memcached for the cache")
    notice(store, "Use Redis for the cache\x1b[2J".replace("\x1b", "\u202e"), old.uid)
    notice(store, "Another thing that was said")
    store.close()

    shown = dialogue(repo, ["x", "k", "q"])

    assert "\u202e" not in shown
    assert "Left to review: 1" in shown
    assert [m.status for m in store.memories()] == ["active", "active", "unconfirmed"]
