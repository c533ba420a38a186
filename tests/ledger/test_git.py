"""Git beside other work."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from recollect.errors import GitFailed
from recollect.ledger.git import Git, beside, kill_running
from tests.support.agent import git_behind


def test_the_deadline_of_who_waits_ends_a_command_beside(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A command in another thread would otherwise outlive the event that needs it."""
    began = tmp_path / "began"
    monkeypatch.setenv("PATH", git_behind(tmp_path, f"mkfifo {began}; read _ < {began}"))
    git = Git(tmp_path)
    asked = beside(lambda: git.run("version"), "test")
    ended = threading.Event()
    me = threading.get_ident()

    def end() -> None:
        while not ended.wait(0.01):
            kill_running(me)

    threading.Thread(target=end, daemon=True).start()
    try:
        with pytest.raises(GitFailed):
            asked()
    finally:
        ended.set()
