"""The options that describe a memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from recollect.cli import root
from tests.sandbox import Sandbox


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with commits."""
    sandbox.make_hub()
    return sandbox.clone("ada")


def run(repo: Path, *args: str) -> str:
    """A command that must succeed; what it prints."""
    said = CliRunner().invoke(root, ["-C", str(repo), *args])
    assert said.exit_code == 0, said.output
    return said.stdout


def test_several_tags_in_one_option(sandbox: Sandbox, repo: Path) -> None:
    """`--tag a,b` is two tags: where they are given, filtered by, and removed."""
    run(repo, "capture", "notes", "The cart rounds half up", "--tag", "money, cart", "-t", "tax")
    (memory,) = sandbox.open(repo).memories()
    assert set(memory.tags) == {"money", "cart", "tax"}

    assert "rounds" in run(repo, "list", "--tag", "money,cart")
    assert "rounds" not in run(repo, "list", "--tag", "money,other")

    run(repo, "edit", memory.id, "--untag", "money,tax")
    (memory,) = sandbox.open(repo).memories()
    assert memory.tags == ("cart",)


def test_an_empty_tag_is_still_refused(repo: Path) -> None:
    """It is a mistake, such as an unset variable."""
    said = CliRunner().invoke(root, ["-C", str(repo), "capture", "notes", "x", "--tag", ""])

    assert said.exit_code != 0
