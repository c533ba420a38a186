"""`recollect install` at a terminal: each agent on the machine is offered."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import run
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


@pytest.mark.parametrize("option", ["--dry-run", "--json"])
@pytest.mark.parametrize("is_one_line", [False, True])
def test_what_is_shown_holds_no_secret(
    sandbox: Sandbox, extension: Path, option: str, is_one_line: bool
) -> None:
    """Neither of the lines around the change nor of a line that changes."""
    repo = sandbox.init("work")
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    config = repo / ".codex" / "config.toml"
    config.parent.mkdir()
    config.write_text(
        f'[mcp_servers.github.env]\nUSER = "ann-private"\nGITHUB_TOKEN = "{token}"\n'
        'ME = "bob-private"'
    )
    hooks = config.with_name("hooks.json")
    hooks.write_text(f'{{"env": {{"GITHUB_TOKEN": "{token}"}}}}' if is_one_line else "{}")

    shown = run(repo, "install", "codex", "--scope", "project", option).stdout

    assert token not in shown
    assert "ann-private" not in shown
    assert "bob-private" not in shown
    assert "mcp_servers.recollect" in shown


def test_a_file_that_the_user_changed(sandbox: Sandbox, extension: Path) -> None:
    """Installing again says what to do, and removing says that it stays."""
    repo = sandbox.init("work")
    run(repo, "install", "gemini")
    manifest = extension / "recollect" / "gemini-extension.json"
    manifest.write_text("{}")

    again = run(repo, "install", "gemini")
    assert again.exit_code != 0
    assert manifest.read_text() == "{}"

    removed = run(repo, "install", "gemini", "--uninstall")
    assert "gemini-extension.json stays" in removed.stderr
    assert [path for path in extension.rglob("*") if path.is_file()] == [manifest]
