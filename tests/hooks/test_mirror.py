"""Hooks and the mirror: the guard before a write, and the check after one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.config.trust import trust_config
from recollect.mirror.mirror import Mirror
from tests.sandbox import Sandbox
from tests.support.agent import Agent
from tests.support.claude_memory import DECISION_CONTENT, document

ROOT = Path(__file__).parents[2]
ELSEWHERE = "docs/memories"
PREFERENCE = {"topic": "Indent", "value": "Tabs", "reason": "Taste", "strength": "strong"}


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository whose mirror is in a folder of its own choice."""
    path = sandbox.init("repo")
    (path / ".recollect.toml").write_text(f'[mirror]\nenabled = true\npath = "{ELSEWHERE}"\n')
    sandbox.commit(path)
    trust_config(path, os.environ)
    return path


@pytest.fixture
def store(sandbox: Sandbox, repo: Path) -> Recollect:
    """Its memory, with one decision."""
    store = sandbox.open(repo)
    store.capture("decisions", "Use PostgreSQL")
    return store


@pytest.fixture
def agent(repo: Path, store: Recollect) -> Agent:
    """An agent in that repository."""
    assert (repo / ELSEWHERE / "decisions" / "use-postgresql.json").is_file()
    return Agent(repo)


def denied(agent: Agent, tool: str, **given: Any) -> bool:
    """Whether the guard stops a tool."""
    said = agent.hook("tool-pre", tool_name=tool, tool_input=given)
    return bool(said) and said["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_the_guard_follows_the_path_of_the_mirror(agent: Agent, repo: Path) -> None:
    """Also through a link, and for every tool that writes."""
    (repo / "link").symlink_to(repo / ELSEWHERE)
    for path in (f"{ELSEWHERE}/decisions/x.json", "link/index.md", str(repo / ELSEWHERE / "x")):
        for tool in ("Write", "Edit", "MultiEdit"):
            assert denied(agent, tool, file_path=path)
        assert denied(agent, "NotebookEdit", notebook_path=path)
        assert denied(agent, "mcp__files__write_file", path=path)
        assert not denied(agent, "Read", file_path=path)
    assert not denied(agent, "Write", file_path=".claude/memory/decisions/x.json")
    assert not denied(agent, "Write", file_path="src/app.py")


def test_the_guard_knows_the_patches_of_codex(repo: Path, agent: Agent) -> None:
    """Which name their files in the patch."""
    patch = f"*** Begin Patch\n*** Update File: {ELSEWHERE}/index.md\n@@\n-a\n+b\n*** End Patch"
    said = agent.hook(
        "tool-pre", tool_name="apply_patch", tool_input={"command": patch}, turn_id="t"
    )

    assert said["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_the_guard_can_be_switched_off(agent: Agent) -> None:
    """Then the check after the write is what is left."""
    off = {"RECOLLECT_HOOK_TOOL_PRE_ENABLED": "false"}
    given = {"file_path": f"{ELSEWHERE}/x.json"}

    assert agent.hook("tool-pre", off, tool_name="Write", tool_input=given) == {}


@pytest.mark.parametrize("is_mirrored", [True, False])
def test_without_a_mirror_the_shell_answers(
    sandbox: Sandbox, repo: Path, store: Recollect, tmp_path: Path, is_mirrored: bool
) -> None:
    """The plugin's command starts Recollect only where there is something to guard."""
    place = repo if is_mirrored else sandbox.init("other")
    program = tmp_path / "bin" / "recollect-hook"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho started\n")
    program.chmod(0o755)
    hooks = json.loads((ROOT / "plugin" / "hooks" / "hooks.json").read_text())["hooks"]
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"

    for entry in hooks["PreToolUse"]:
        (hook,) = entry["hooks"]
        done = subprocess.run(
            ["sh", "-c", hook["command"]],
            cwd=place,
            env={**os.environ, "PATH": path},
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == ("started\n" if is_mirrored else "")


def written(agent: Agent, path: str) -> str:
    """What the agent gets to read after a shell command that wrote a file."""
    return agent.context(
        "tool-post",
        tool_name="Bash",
        tool_input={"command": f"echo x > {path}"},
        tool_response={"stdout": "", "stderr": ""},
    )


def test_a_file_is_validated_right_after_a_write(
    agent: Agent, repo: Path, store: Recollect
) -> None:
    """It is put aside, and the agent is told why; the copy is written again."""
    path = f"{ELSEWHERE}/decisions/use-postgresql.json"
    before = (repo / path).read_text()
    (repo / path).write_text("{not json")

    told = written(agent, path)

    assert "is not valid; renamed it to" in told
    assert "not valid JSON" in told
    assert told.startswith("<recollect-guide")
    assert (repo / path).read_text() == before
    assert written(agent, path) == ""  # told once


def test_a_change_by_a_shell_command_is_a_suggestion(
    agent: Agent, repo: Path, store: Recollect
) -> None:
    """It is nobody's word until a person accepts it, and it is not said to be the person's."""
    path = f"{ELSEWHERE}/decisions/use-postgresql.json"
    said = json.loads((repo / path).read_text())
    (repo / path).write_text(json.dumps({**said, "title": "Use SQLite"}))

    told = written(agent, path)

    assert "it waits until a person accepts it" in told
    assert [memory.summary for memory in store.memories()] == ["Use PostgreSQL"]
    (waiting,) = store.suggestions()
    assert "author" not in waiting.draft["provenance"]
    assert waiting.why.endswith("not committed: you or an agent")
    (changed,) = store.accept([waiting.name])
    assert changed.summary == "Use SQLite"


def test_other_writes_are_none_of_our_business(agent: Agent, repo: Path) -> None:
    """The mirror is not even looked at."""
    (repo / ELSEWHERE / "decisions" / "use-postgresql.json").write_text("{not json")

    assert "renamed" not in written(agent, "src/app.py")


def test_the_end_of_a_turn_finds_what_a_program_wrote(
    agent: Agent, repo: Path, store: Recollect
) -> None:
    """A command need not name the file that it writes."""
    (repo / ELSEWHERE / "decisions" / "new.json").write_text("{not json")

    agent.hook("stop", last_assistant_message="Done.")

    assert list((repo / ELSEWHERE).rglob("*.invalid.*"))


def test_foreign_files_in_the_folder_are_named(repo: Path, store: Recollect) -> None:
    """They stay, and they are no reason to fail."""
    (repo / ELSEWHERE / "notes.txt").write_text("mine")
    (repo / ELSEWHERE / "decisions" / "readme.md").write_text("mine")
    (repo / ELSEWHERE / "drafts").mkdir()

    found = Mirror(store).differences()

    assert {one.file: one.state for one in found} == {
        "notes.txt": "unknown",
        "decisions/readme.md": "unknown",
        "drafts": "unknown",
    }
    Mirror(store).update()
    assert (repo / ELSEWHERE / "notes.txt").read_text() == "mine"


def test_slugs_name_every_memory_that_has_one(repo: Path, store: Recollect, tmp_path: Path) -> None:
    """Whatever its kind, and whatever its title says."""
    for folder, category, content in (
        ("notes", "note", {"text": "x"}),
        ("preferences", "preference", PREFERENCE),
        ("decisions", "decision", DECISION_CONTENT),
    ):
        place = tmp_path / "store" / folder / f"name-of-{category}.json"
        place.parent.mkdir(parents=True)
        named = {"id": place.stem, "category": category, "title": "Some title"}
        place.write_text(document(**named, content=content))
    store.import_claude_memory(tmp_path / "store")

    files = {path.stem for path in (repo / ELSEWHERE).glob("*/*.json")}
    assert files >= {"name-of-note", "name-of-preference", "name-of-decision"}
