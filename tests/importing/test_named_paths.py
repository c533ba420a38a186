"""The path of an import: what it may name, and that one that cannot be read is an error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from recollect.cli import root
from recollect.errors import ParseError, RecollectError, ValidationError
from recollect.importing.registry import SOURCES
from tests.sandbox import Sandbox

LONG = "x" * 300  # longer than a file name may be
WHOLE = ("claude-memory", "recollect")  # imported by commands of their own


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with rules, a decision and two commits."""
    repo = sandbox.init("repo")
    (repo / "docs" / "adr").mkdir(parents=True)
    (repo / "CLAUDE.md").write_text("# Rules\n\n- Never use floats for money; use Decimal.\n")
    (repo / "docs" / "adr" / "0001-use-postgresql.md").write_text(
        "# 1. Use PostgreSQL\n\n## Status\n\nAccepted\n\n## Decision\n\n"
        "We will use PostgreSQL because we need concurrent writers.\n"
    )
    sandbox.git(repo, "add", "-A")
    sandbox.git(repo, "commit", "-q", "-m", "Start")
    sandbox.git(repo, "tag", "v1")
    sandbox.commit(repo)
    return repo


def run(directory: Path, *args: str) -> Result:
    """An import, from a directory."""
    return CliRunner().invoke(root, ["-C", str(directory), "import", *args])


def planned(directory: Path, source: str, path: str) -> dict[str, Any]:
    """The plan of the only source."""
    found: dict[str, Any] = json.loads(run(directory, source, path, "--json").stdout)["sources"][0]
    return found


@pytest.mark.parametrize("source", [*SOURCES, *WHOLE])
@pytest.mark.parametrize("path", ["missing", LONG, "empty", "broken"])
def test_a_path_that_cannot_be_read(repo: Path, source: str, path: str) -> None:
    """An error says so, also in the exit code, and nothing is written."""
    (repo / "empty").mkdir()
    (repo / "broken").write_bytes(b"{\0\xff")
    done = run(repo, source, path, "--yes")

    if path == "empty" and source in ("claude-memory", "git-notes-memory"):
        assert done.exit_code == 0  # a store without a memory, a folder of this repository
        return
    assert isinstance(done.exception, ParseError | ValidationError), done.output
    assert path in done.exception.message
    assert done.exception.hint
    assert run(repo, "--undo", "import-1").exit_code


def test_a_path_from_a_folder_of_the_repository(repo: Path) -> None:
    """It counts from there, and the memory names the file as any other import does."""
    (rule,) = planned(repo / "docs", "instructions", "../CLAUDE.md")["kept"]
    assert rule["from"].startswith("CLAUDE.md#")
    (decision,) = planned(repo / "docs", "docs", "adr")["kept"]
    assert decision["from"] == "docs/adr/0001-use-postgresql.md"
    run(repo, "instructions", "--yes")
    assert planned(repo / "docs", "instructions", "../CLAUDE.md")["known"] == 1


def test_the_path_of_git_is_a_revision(repo: Path) -> None:
    """Wherever the command runs, and even if a file has the same name."""
    (repo / "v1").mkdir()
    assert planned(repo, "git", "v1")["looked_at"] == 1
    assert planned(repo, "git", "HEAD")["looked_at"] == 2


def test_a_revision_is_no_option_of_git(repo: Path) -> None:
    """Git writes to any file that an option names."""
    for option in ("--output=written", "--all", "-1"):
        done = run(repo, "git", "--yes", "--", option)
        assert isinstance(done.exception, ParseError)
        assert "There is no commit" in done.exception.message
    assert not (repo / "written").exists()


def test_an_agent_is_a_name_for_its_transcripts(repo: Path) -> None:
    """It is no path."""
    assert planned(repo, "transcripts", "claude-code")["looked_at"] == 0


def test_a_folder_outside_of_any_repository(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not taken for the repository in which the command runs."""
    (sandbox.root / "plain").mkdir()
    monkeypatch.chdir(repo)
    for path in ("../plain", str(repo / ".." / "plain")):
        with pytest.raises(ParseError, match="is not a git repository"):
            sandbox.open(repo).plan_import(["git-notes-memory"], path)


def test_an_export_cannot_be_written(repo: Path) -> None:
    """To a name that is too long."""
    done = CliRunner().invoke(root, ["-C", str(repo), "export", LONG])
    assert isinstance(done.exception, RecollectError)
    assert "too long" in done.exception.message


def test_one_is_no_plural(sandbox: Sandbox, repo: Path) -> None:
    """In what people read."""
    listed = run(repo, "--list").stdout
    assert "2 commits\n" in listed
    sandbox.git(repo, "reset", "-q", "--hard", "v1")
    assert "1 commit\n" in run(repo, "--list").stdout
    run(repo, "docs", "--yes")
    done = CliRunner().invoke(root, ["-C", str(repo), "export", "memories.json"])
    assert done.stderr.startswith("Exported 1 memory to ")
