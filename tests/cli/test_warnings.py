"""What was redacted, or has no effect, is told to people and to programs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recollect.cli import root
from tests.sandbox import Sandbox

SECRET = "The token is ghp_" + "abcdefghijklmnopqrstuvwxyz0123456789"
TOLD = "Redacted or reported: github-token"


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with commits."""
    sandbox.make_hub()
    return sandbox.clone("ada")


def run(repo: Path, *args: str) -> Result:
    """A command that must succeed."""
    said = CliRunner().invoke(root, ["-C", str(repo), *args])
    assert said.exit_code == 0, said.output
    return said


def test_redaction_is_told_in_json_warnings(repo: Path) -> None:
    """By `capture` and `edit`; there is nothing to tell about clean text."""
    captured = json.loads(run(repo, "capture", "notes", SECRET, "--json").stdout)
    assert captured["warnings"] == [TOLD]

    edited = json.loads(run(repo, "edit", captured["id"], "-m", f"{SECRET}!", "--json").stdout)
    assert edited["warnings"] == [TOLD]
    clean = json.loads(run(repo, "capture", "notes", "Nothing to see", "--json").stdout)
    assert clean["warnings"] == []


def test_redaction_is_told_to_people(repo: Path) -> None:
    """On standard error, so that the id stays alone on standard output."""
    said = run(repo, "capture", "notes", SECRET)

    assert f"Note: {TOLD}" in said.stderr
    assert TOLD not in said.stdout


@pytest.mark.parametrize(
    "command",
    ["list", "timeline", "log", "show", "search", "status", "config list", "config explain"],
)
def test_every_reader_tells_of_a_broken_configuration(repo: Path, command: str) -> None:
    """Once, on standard error: what it prints may differ from what the file asks for."""
    uid = json.loads(run(repo, "capture", "notes", "The cart rounds up", "--json").stdout)["uid"]
    (repo / ".recollect.toml").write_text("[inject\n")
    more = {"show": [uid], "search": ["cart"], "config explain": ["notify"]}

    said = run(repo, *command.split(), *more.get(command, []))

    assert said.stderr.count("Ignored the whole file.") == 1
    assert "Ignored the whole file." not in said.stdout
