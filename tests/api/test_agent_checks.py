"""What `doctor` says about each agent on the machine."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from recollect.api.agent_checks import check_agents
from recollect.api.recollect import Recollect
from recollect.hosts.server_probe import server_problem
from recollect.ledger.health import OK, WARNING, Finding
from recollect.state.sessions import Trace
from tests.cli.running import run
from tests.sandbox import Sandbox

SERVER = """\
import json, sys
asked = json.loads(sys.stdin.readline())
print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": {"serverInfo": {}}}), flush=True)
sys.stdin.read()
"""


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh home, and the only folder on the search path besides git's."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    git = shutil.which("git")
    assert git is not None
    monkeypatch.setenv("PATH", f"{folder}:{Path(git).parent}")
    return folder


def _program(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}")
    path.chmod(0o755)


def _findings(store: Recollect) -> dict[str, list[Finding]]:
    found: dict[str, list[Finding]] = {}
    for one in check_agents(store):
        found.setdefault(one.check, []).append(one)
    return found


def test_an_agent_from_nothing_to_a_hook(sandbox: Sandbox, programs: Path) -> None:
    """It is found by its program; each finding says what to do next."""
    repo = sandbox.init("work")
    store = sandbox.open(repo)
    _program(programs, "gemini", "print('0.60.2')")

    (missing,) = _findings(store)["plugin"]
    assert (missing.level, missing.hint) == (WARNING, "Run: recollect install gemini")

    run(repo, "install", "gemini")
    found = _findings(store)
    old, nothing_to_start = found["plugin"]
    assert "0.60.2, which is older than the tested version" in old.message
    assert old.hint == "Update Gemini CLI if its hooks do not run."
    assert "not on the PATH" in nothing_to_start.message
    assert found["hooks"][0].message == "Gemini CLI: No hook has run here yet."

    _program(programs, "gemini", "print('gemini 99.0.1')")
    _program(programs, "recollect", SERVER)
    _program(programs, "recollect-hook", "")
    store.local.sessions.trace(Trace(store.now(), "s", "prompt", 1.0, [], "gemini"))
    found = _findings(store)
    assert [one.level for group in found.values() for one in group] == [OK] * 3
    assert "99.0.1; tested with" in found["plugin"][0].message
    assert found["hooks"][0].message == "Gemini CLI: The last hook ran just now: prompt"
    assert found["mcp"][0].message == "`recollect mcp` answers."


def test_codex_needs_an_approval(sandbox: Sandbox, programs: Path) -> None:
    """As long as hooks are not trusted, the hint says what to do."""
    repo = sandbox.init("work")
    _program(programs, "codex", "print('codex-cli 0.166.0')")
    run(repo, "install", "codex")

    (hooks,) = _findings(sandbox.open(repo))["hooks"]

    assert "8 of 8 hooks wait" in hooks.message
    assert "/hooks" in hooks.hint


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("print('hello', flush=True)", "Expecting value"),
        ("print('[1]', flush=True)", "not one of an MCP server"),
        ("import sys; sys.exit(3)", "not one of an MCP server"),
        (SERVER, ""),
    ],
)
def test_a_server_that_does_not_answer(tmp_path: Path, text: str, said: str) -> None:
    """What is wrong is told, and the server is ended."""
    _program(tmp_path, "server", text)

    problem = server_problem([str(tmp_path / "server")], tmp_path)

    assert said in problem
    assert bool(said) == bool(problem)


def test_a_program_that_is_not_there(tmp_path: Path) -> None:
    """The system says so."""
    assert "No such file" in server_problem([str(tmp_path / "none")], tmp_path)


def test_the_agents_are_listed(sandbox: Sandbox, programs: Path) -> None:
    """Without a name nothing is installed, unless a person at a terminal agrees."""
    repo = sandbox.init("work")
    assert "No agent was found" in run(repo, "install").stderr
    _program(programs, "qwen", "print('0.24.4')")

    listed = run(repo, "install")

    assert listed.stdout == "qwen         not installed\n"
    assert "recollect install AGENT" in listed.stderr
    assert json.loads(run(repo, "install", "--json").stdout) == [
        {"agent": "qwen", "installed": False}
    ]


def test_settings_that_cannot_be_read_hide_no_other_agent(
    sandbox: Sandbox, programs: Path, tmp_path: Path
) -> None:
    """`doctor` warns and goes on, and so does the list of `install`."""
    repo = sandbox.init("work")
    broken = tmp_path / "home" / ".cursor" / "mcp.json"
    broken.parent.mkdir(parents=True)
    broken.write_text("{oops")
    _program(programs, "gemini", "print('99.0.0')")

    cursor, gemini = sorted(_findings(sandbox.open(repo))["plugin"])
    assert cursor.level == gemini.level == WARNING
    assert "Cursor: Cannot read " in cursor.message
    assert cursor.hint == "Correct the file, then run: recollect install cursor"
    assert "not installed in Gemini CLI" in gemini.message

    listed = run(repo, "install").stdout.splitlines()
    assert listed[0].startswith("cursor       Cannot read ")
    assert listed[1:] == ["gemini       not installed"]
    shown = json.loads(run(repo, "install", "--json").stdout)
    assert [one["installed"] for one in shown] == [False, False]
    assert "mcp.json" in shown[0]["problem"]
