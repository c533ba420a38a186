"""No source writes before somebody agrees: not without an answer, not in a dry run, not as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from recollect.cli import root
from recollect.importing.registry import SOURCES
from tests.importing import rivals
from tests.importing.letsgo_store import database
from tests.sandbox import Sandbox
from tests.support.history import with_past

# The stores of other programs; the other sources are in the repository or the home directory.
STORES = {
    "claude-mem": f"claude-mem-{rivals.CLAUDE_MEM[1]}.db.gz",
    "basic-memory": f"basic-memory-{rivals.BASIC_MEMORY}",
    "mcp-memory": f"server-memory-{rivals.SERVER_MEMORY}.jsonl",
    "mempalace": f"mempalace-{rivals.MEMPALACE}.sqlite3.gz",
    "mem0": f"mem0-{rivals.MEM0}-history.db.gz",
    "agentmemory": f"agentmemory-{rivals.AGENTMEMORY}-export.json",
}
HERE = ("instructions", "docs", "git")
WHOLE = ("claude-memory", "recollect")
# Their stores are folders of the home directory, and refs; what writes them is the same code.
ELSEWHERE = {"transcripts", "claude-native", "git-notes-memory"}


def run(repo: Path, *args: str) -> str:
    """A command in a repository; what it printed."""
    result = CliRunner().invoke(root, ["-C", str(repo), *args])
    assert result.exit_code == 0, (result.output, result.exception)
    return result.output


def store_of(source: str, folder: Path) -> list[str]:
    """Where a source finds something: nothing to name if it is in the repository."""
    if source in STORES:
        return [str(rivals.unpacked(STORES[source], folder / "store"))]
    if source == "letsgo":
        return [str(database(folder / "memory.db"))]
    return []


def exported(sandbox: Sandbox, folder: Path, kind: str) -> list[str]:
    """A store of the plugin, or an export, from another repository."""
    other = sandbox.init("other")
    sandbox.commit(other)
    sandbox.open(other).capture("decisions", "Carts expire after a day")
    path = folder / "exported"
    run(other, "export", str(path), "--format", "json" if kind == "recollect" else kind)
    return [str(path)]


def test_every_source_is_tried() -> None:
    """A new one must be added here."""
    assert {*STORES, *HERE, "letsgo"} == set(SOURCES) - ELSEWHERE


@pytest.mark.parametrize("source", [*HERE, *STORES, "letsgo", *WHOLE])
def test_nothing_is_written_before_somebody_agrees(
    sandbox: Sandbox, tmp_path: Path, source: str
) -> None:
    """With `--yes`, something is."""
    repo = with_past(sandbox).rename(sandbox.root / "shop")
    whole = exported(sandbox, tmp_path, source) if source in WHOLE else []
    command = ["import", source, *(whole or store_of(source, tmp_path))]

    for more in ([], ["--dry-run"], ["--dry-run", "--yes"], ["--json"]):
        said = run(repo, *command, *more)
        assert "--json" in more or "Nothing was written." in said
        assert sandbox.git(repo, "for-each-ref", "refs/notes").strip() == ""
    assert json.loads(CliRunner().invoke(root, ["-C", str(repo), *command, "--json"]).stdout)

    run(repo, *command, "--yes")
    brought = sandbox.open(repo).memories()
    assert brought
    assert {str(m.provenance["via"]) for m in brought} == {f"import:{source}"}
