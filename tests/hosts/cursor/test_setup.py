"""Cursor's settings files, in and out again."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from recollect.cli import root
from recollect.hosts import json_edit
from tests.sandbox import Sandbox

HOOKS = b"""{
\t// mine
\t"version": 1,
\t"hooks": {"stop": [{"command": "./mine.sh"}]}
}
"""
SERVERS = b'{"mcpServers": {"mine": {"command": "mine"}}}\r\n'


@pytest.mark.parametrize("scope", ["user", "project"])
def test_in_twice_and_out_again(
    scope: str, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside the user's own hooks and servers; removing restores both files byte for byte."""
    repo = sandbox.init("repo")
    sandbox.commit(repo)
    home = sandbox.root / "home"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    folder = (home if scope == "user" else repo) / ".cursor"
    folder.mkdir()
    hooks, servers = folder / "hooks.json", folder / "mcp.json"
    hooks.write_bytes(HOOKS)
    servers.write_bytes(SERVERS)

    shown = run(repo, "--scope", scope, "--dry-run")
    assert "beforeSubmitPrompt" in shown
    assert (hooks.read_bytes(), servers.read_bytes()) == (HOOKS, SERVERS)
    run(repo, "--scope", scope)
    once = hooks.read_text()
    run(repo, "--scope", scope)
    assert hooks.read_text() == once
    said = json_edit.read(once)
    assert "// mine" in once
    assert said["hooks"]["stop"][0] == {"command": "./mine.sh"}
    assert len(said["hooks"]["stop"]) == 2
    assert said["version"] == 1
    assert not (repo / "AGENTS.md").exists()  # it has hooks

    run(repo, "--scope", scope, "--uninstall")
    assert (hooks.read_bytes(), servers.read_bytes()) == (HOOKS, SERVERS)


def run(repo: Path, *arguments: str) -> str:
    """Run `recollect install cursor` in the repository."""
    done = CliRunner().invoke(root, ["-C", str(repo), "install", "cursor", *arguments])
    assert done.exit_code == 0, done.output
    return done.output
