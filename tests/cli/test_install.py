"""`recollect install` at a terminal: each agent on the machine is offered."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sandbox import Sandbox


def at_a_terminal(repo: Path, answers: str, *args: str) -> str:
    """Run our command on a terminal, with what the user types; what the screen shows."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "recollect", "-C", str(repo), *args]
    with subprocess.Popen(command, stdin=follower, stdout=follower, stderr=follower) as process:
        os.close(follower)
        os.write(leader, answers.encode())
        shown = b""
        while True:
            try:
                part = os.read(leader, 4096)
            except OSError:  # how Linux says that nobody writes any more
                break
            if not part:
                break
            shown += part
        assert process.wait(60) == 0, shown
    os.close(leader)
    return shown.decode().replace("\r\n", "\n")


@pytest.fixture
def extension(sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where Gemini CLI, which has settings here, would get ours."""
    git = shutil.which("git")
    assert git is not None
    monkeypatch.setenv("PATH", str(Path(git).parent))  # no agent of whoever runs this
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / "home" / ".gemini"
    folder.mkdir(parents=True)
    (folder / "settings.json").write_text("{}")
    return folder / "extensions"


def test_each_agent_is_offered(sandbox: Sandbox, extension: Path) -> None:
    """A yes installs, a no does not, and what is installed is not offered again."""
    repo = sandbox.init("work")

    refused = at_a_terminal(repo, "n\n" * 9, "install")
    assert "Install Recollect in Gemini CLI? [Y/n]" in refused
    assert not extension.exists()

    agreed = at_a_terminal(repo, "y\n" * 9, "install")
    assert "Recollect is now installed in Gemini CLI." in agreed
    assert (extension / "recollect" / "gemini-extension.json").is_file()

    assert "Install Recollect in Gemini CLI?" not in at_a_terminal(repo, "n\n" * 9, "install")


def test_removing_asks_too(sandbox: Sandbox, extension: Path) -> None:
    """The answer without a letter keeps it."""
    repo = sandbox.init("work")
    at_a_terminal(repo, "", "install", "gemini")

    kept = at_a_terminal(repo, "\n" * 9, "install", "--uninstall")
    assert "Remove Recollect from Gemini CLI? [y/N]" in kept
    assert extension.exists()

    at_a_terminal(repo, "y\n" * 9, "install", "--uninstall")
    assert not extension.exists()
