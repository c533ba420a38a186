"""Agents that are rows of a table: our server goes where they document it, and out again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from recollect.cli import root
from recollect.hosts import registry
from recollect.hosts.documented import ROWS, Documented
from recollect.hosts.instruction_files import has_block
from tests.sandbox import Sandbox

# As each page shows it: the key of the servers, and what a server needs.
SHAPES: dict[str, tuple[str, dict[str, Any]]] = {
    "amp": ("amp.mcpServers", {}),
    "vscode": ("servers", {"type": "stdio"}),
    "windsurf": ("mcpServers", {}),
    "zed": ("context_servers", {}),
}
PLACES = [
    (row, scope)
    for row in ROWS
    for scope, file in (("user", row.user), ("project", row.project))
    if file
]


@pytest.fixture
def repo(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository, whose owner has a home of their own."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    home = sandbox.root / "home"
    home.mkdir(exist_ok=True)
    monkeypatch.setenv("HOME", str(home))
    return path


def run(repo: Path, *arguments: str) -> str:
    """Run `recollect install` in the repository."""
    done = CliRunner().invoke(root, ["-C", str(repo), "install", *arguments])
    assert done.exit_code == 0, done.output
    return done.output


def test_every_row_is_registered() -> None:
    """The registry has the names, so that it need not load the table."""
    assert tuple(row.NAME for row in ROWS) == registry.DOCUMENTED
    assert {row.NAME for row in ROWS if row.user or row.project} == SHAPES.keys()
    assert all(row.page.startswith("https://") for row in ROWS)


@pytest.mark.parametrize(("row", "scope"), PLACES, ids=lambda value: getattr(value, "NAME", value))
def test_the_server_goes_in_and_out(repo: Path, row: Documented, scope: str) -> None:
    """Beside what is there, twice; removing restores the file byte for byte."""
    path = Path.home() / row.user if scope == "user" else repo / row.project
    path.parent.mkdir(parents=True)
    before = b'{\n\t// mine\n\t"theme": "dark", "other": [1, 2]\n}\n'
    path.write_bytes(before)

    shown = run(repo, row.NAME, "--scope", scope, "--dry-run")
    assert path.read_bytes() == before
    for _ in range(2):
        run(repo, row.NAME, "--scope", scope)
    text = path.read_text().replace("// mine", "")
    run(repo, row.NAME, "--scope", scope, "--uninstall")

    key, more = SHAPES[row.NAME]
    server = {"command": "recollect", "args": ["mcp"], **more}
    assert json.loads(text) == {"theme": "dark", "other": [1, 2], key: {"recollect": server}}
    assert '"recollect"' in shown
    assert path.read_bytes() == before
    assert not (repo / "AGENTS.md").exists()


@pytest.mark.parametrize("name", registry.DOCUMENTED)
def test_a_project_gets_the_block(repo: Path, name: str) -> None:
    """The file is made, and removed with the block."""
    run(repo, name, "--scope", "project")
    text = (repo / "AGENTS.md").read_text("utf-8")
    run(repo, name, "--scope", "project", "--uninstall")

    assert "recollect search" in text
    assert not (repo / "AGENTS.md").exists()


@pytest.mark.parametrize(
    ("name", "theirs", "file"),
    [
        ("zed", (".rules", "AGENTS.md"), ".rules"),
        (
            "zed",
            (".github/copilot-instructions.md", "CLAUDE.md"),
            ".github/copilot-instructions.md",
        ),
        ("zed", ("CLAUDE.md",), "CLAUDE.md"),
        ("zed", (), "AGENTS.md"),
        ("amp", ("CLAUDE.md", "AGENTS.md"), "AGENTS.md"),
        ("amp", ("CLAUDE.md", ".rules"), "CLAUDE.md"),
        ("vscode", ("CLAUDE.md",), "AGENTS.md"),  # it reads both
    ],
)
def test_the_block_is_where_the_agent_reads(
    repo: Path, name: str, theirs: tuple[str, ...], file: str
) -> None:
    """Who reads only the first file gets the block there, and still reads the project's rules."""
    for other in theirs:
        (repo / other).parent.mkdir(exist_ok=True)
        (repo / other).write_text(f"The rules in {other}.\n")

    shown = run(repo, name, "--scope", "project", "--dry-run")
    assert not any(has_block(repo / other) for other in (*theirs, file))
    for _ in range(2):
        run(repo, name, "--scope", "project")
    blocks = [path for path in (*theirs, "AGENTS.md") if has_block(repo / path)]
    run(repo, name, "--scope", "project", "--uninstall")

    assert set(blocks) == {file}
    assert file in shown
    assert [(repo / other).read_text() for other in theirs] == [
        f"The rules in {other}.\n" for other in theirs
    ]
    assert (repo / file).exists() == (file in theirs)


def test_the_block_is_found_again_although_another_file_comes_before_it(repo: Path) -> None:
    """A colleague added a file that Zed reads first; removing takes the block from where it is."""
    run(repo, "zed", "--scope", "project")
    (repo / ".rules").write_text("Ours.\n")

    run(repo, "zed", "--scope", "project", "--uninstall")

    assert not (repo / "AGENTS.md").exists()
    assert (repo / ".rules").read_text() == "Ours.\n"


@pytest.mark.parametrize(
    ("name", "file"),
    [("zed", ".zed/settings.json"), ("opencode", ".opencode/plugins/recollect.js")],
)
def test_a_subdirectory_is_part_of_the_project(repo: Path, name: str, file: str) -> None:
    """The settings go to the root of the working tree, where agents and `doctor` look."""
    folder = repo / "src" / "deep"
    folder.mkdir(parents=True)

    run(folder, name, "--scope", "project")
    assert (repo / file).is_file()
    assert list(folder.iterdir()) == []
    run(folder, name, "--scope", "project", "--uninstall")

    assert not (repo / file).exists()


def test_goose_is_told_what_to_do(repo: Path) -> None:
    """Its settings are YAML, which we do not change."""
    assert "config.yaml" in run(repo, "goose")


def test_doctor_does_not_warn_about_an_editor(repo: Path) -> None:
    """Nobody may use it as an agent; if it is installed, no hook is missed."""
    (Path.home() / ".config" / "zed").mkdir(parents=True)
    before = findings(repo)
    run(repo, "zed")
    after = findings(repo)

    assert [(one["level"], "not installed in Zed" in one["message"]) for one in before] == [
        ("ok", True)
    ]
    assert [(one["level"], "installed in Zed" in one["message"]) for one in after] == [("ok", True)]


def findings(repo: Path) -> list[dict[str, str]]:
    """What `recollect doctor` says about Zed."""
    done = CliRunner().invoke(root, ["-C", str(repo), "doctor", "--json"])
    said = json.loads(done.stdout)
    return [one for one in said if "Zed" in one["message"]]
