"""Past sessions: which ones belong to a repository, and what is worth keeping of them."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from recollect.errors import ParseError
from recollect.importing.source import Item, Place, Reading, Skipped
from recollect.importing.transcripts import COPY, SOURCE
from tests.importing.readings import read, reading_in, shop
from tests.sandbox import Sandbox

Json = dict[str, Any]
AGENT_TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


class Session:
    """The transcript of a session, as the client of Claude Code writes it."""

    def __init__(self, directory: str, name: str = "s-1") -> None:
        self.directory = directory
        self.name = name
        self.lines: list[Json] = []
        self._calls = 0
        # Each session has its own day; the first one is on the second of March.
        self._day = 2 + (sum(map(ord, name)) - sum(map(ord, "s-1"))) % 20

    def _add(self, role: str, content: Any, **more: Any) -> None:
        self.lines.append(
            {
                "type": role,
                "sessionId": self.name,
                "cwd": self.directory,
                "timestamp": f"2026-03-{self._day:02}T09:00:{len(self.lines):02}Z",
                "message": {"role": role, "content": content},
                **more,
            }
        )

    def user(self, text: str) -> Session:
        """What a person types."""
        self._add("user", text)
        return self

    def agent(self, text: str) -> Session:
        """What the agent says."""
        self._add("assistant", [{"type": "text", "text": text}])
        return self

    def tool(self, name: str, given: Json, output: str, *, failed: bool = False) -> Session:
        """A tool that runs, and its result."""
        self._calls += 1
        call = {"type": "tool_use", "id": f"t{self._calls}", "name": name, "input": given}
        self._add("assistant", [call])
        result: Json = {"type": "tool_result", "tool_use_id": call["id"], "content": output}
        more = {} if failed else {"toolUseResult": {"stdout": output, "stderr": ""}}
        self._add("user", [result | ({"is_error": True} if failed else {})], **more)
        return self

    def bash(self, command: str, output: str, *, failed: bool = False) -> Session:
        """A command."""
        return self.tool("Bash", {"command": command}, output, failed=failed)

    def save(self, home: Path) -> Path:
        """Write it where the client does."""
        slug = re.sub(r"[^A-Za-z0-9]", "-", self.directory)
        path = home / ".claude" / "projects" / slug / f"{self.name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(line) + "\n" for line in self.lines))
        return path


def worked(directory: str, name: str = "s-1") -> Session:
    """A session with a wish, a failure with its cure, and a commit."""
    session = Session(directory, name).user("Fix the rounding of invoice totals in src/money.py")
    session.bash("pytest", "Exit code 1\nModuleNotFoundError: No module named 'tomli'", failed=True)
    session.bash("pip install tomli", "Successfully installed tomli-2.0.1")
    session.bash("pytest", "===== 12 passed in 0.31s =====")
    session.tool("Edit", {"file_path": f"{directory}/src/money.py"}, "done")
    session.agent("I've fixed the rounding of invoice totals in `src/money.py`.")
    session.user("Remember that amounts are always integers in cents.")
    return session.agent("Noted.")


def found_in(reading: Reading) -> tuple[list[Item], list[Skipped]]:
    """Everything in the places that are found."""
    found = [one for place in SOURCE.find(reading) for one in SOURCE.read(reading, place)]
    items = [one for one in found if isinstance(one, Item)]
    return items, [one for one in found if isinstance(one, Skipped)]


def test_what_a_session_leaves(sandbox: Sandbox, tmp_path: Path) -> None:
    """The wish, the cure and the summary, with the session, its dates, files and commit."""
    repository = shop(sandbox)
    worked(str(repository)).save(tmp_path)
    reading = reading_in(sandbox, repository, tmp_path)
    items, _ = found_in(reading)
    by_kind = {item.kind: item for item in items}
    head = sandbox.git(repository, "rev-parse", "HEAD")

    assert [p.about for p in SOURCE.find(reading)] == ["1 session of Claude Code, 1 MB"]
    wish = next(item for item in items if item.is_rule)
    assert wish.summary == "Amounts are always integers in cents"
    assert wish.fields["provenance"] == {"said_by": "user"}
    cure = by_kind["solutions"]
    assert cure.summary.startswith("`pytest` failed: ModuleNotFoundError")
    assert "pip install tomli" in cure.body
    summary = by_kind["sessions"]
    assert summary.summary == "Fix the rounding of invoice totals in src/money.py"
    assert summary.fields["files_modified"] == ["src/money.py"]
    assert summary.fields["content"]["outcome"] == "success"
    assert summary.created == "2026-03-02T09:00:00Z"
    assert {item.fields["session"] for item in items} == {"s-1"}
    assert {item.commit for item in items} == {head}
    assert not any(item.is_rule for item in items if item is not wish)


def test_a_wish_for_the_task_at_hand_is_no_rule(sandbox: Sandbox, tmp_path: Path) -> None:
    """“Keep in mind” is often about one task; “from now on” is not."""
    repository = shop(sandbox)
    session = Session(str(repository))
    session.user("Keep in mind that the staging server restarts every night.")
    session.user("From now on use uv for all Python environments.").save(tmp_path)
    items, _ = found_in(reading_in(sandbox, repository, tmp_path))

    assert {(item.is_rule, item.score > 0.9) for item in items if "uv" in item.summary} == {
        (True, True)
    }
    assert {item.is_rule for item in items if "staging" in item.summary} == {False}


def test_two_readings_are_the_same(sandbox: Sandbox, tmp_path: Path) -> None:
    """Identities do not change, and each is there once."""
    repository = shop(sandbox)
    path = worked(str(repository)).save(tmp_path)
    reading = reading_in(sandbox, repository, tmp_path)

    assert read(SOURCE, reading, path) == read(SOURCE, reading, path)


def test_sessions_elsewhere_are_not_read(sandbox: Sandbox, tmp_path: Path) -> None:
    """A directory that exists and belongs to something else decides."""
    repository = shop(sandbox)
    other = tmp_path / "other"
    other.mkdir()
    worked(str(other)).save(tmp_path)
    worked("/nowhere/at-all", "s-2").save(tmp_path)

    assert found_in(reading_in(sandbox, repository, tmp_path)) == ([], [])


def test_the_session_that_imports_is_not_past(sandbox: Sandbox, tmp_path: Path) -> None:
    """Hooks serve it; half of it would come in twice."""
    repository = shop(sandbox)
    worked(str(repository)).save(tmp_path)
    worked(str(repository), "s-2").save(tmp_path)
    running = {"CLAUDE_CODE_SESSION_ID": "s-2"}
    items, _ = found_in(reading_in(sandbox, repository, tmp_path, running))

    assert {item.fields["session"] for item in items} == {"s-1"}


def test_sessions_in_a_working_tree_and_below(sandbox: Sandbox, tmp_path: Path) -> None:
    """A session may have run in a linked working tree, or in a folder of one."""
    repository = shop(sandbox)
    sandbox.git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    worked(str(tmp_path / "tree"), "s-1").save(tmp_path)
    worked(str(repository / "src"), "s-2").save(tmp_path)
    items, _ = found_in(reading_in(sandbox, repository, tmp_path))

    assert {item.fields["session"] for item in items} == {"s-1", "s-2"}


def test_a_repository_that_has_moved(sandbox: Sandbox, tmp_path: Path) -> None:
    """The commits that a session made, or the files it worked on, tell whose it was."""
    repository = shop(sandbox)
    for name in ("a", "b", "c", "d"):
        (repository / "src" / f"{name}.py").write_text("x\n")
    sandbox.git(repository, "add", "-A")
    sandbox.git(repository, "commit", "-q", "-m", "More")
    head = sandbox.git(repository, "rev-parse", "--short", "HEAD")
    by_commit = worked("/gone/old-shop", "by-commit")
    by_commit.bash('git commit -m "More"', f"[main {head}] More\n 4 files changed").save(tmp_path)
    by_files = worked("/gone/renamed", "by-files")
    for name in ("a", "b", "c", "d"):
        by_files.tool("Read", {"file_path": f"/gone/renamed/src/{name}.py"}, "x")
    by_files.save(tmp_path)
    foreign = worked("/gone/foreign", "foreign")
    foreign.bash('git commit -m "x"', "[main 0123abc] x\n 1 file changed").save(tmp_path)
    items, _ = found_in(reading_in(sandbox, repository, tmp_path))

    assert {item.fields["session"] for item in items} == {"by-commit", "by-files"}
    summary = next(item for item in items if item.identity == "by-files#summary")
    assert summary.fields["files_modified"] == ["src/money.py"]


def test_a_resumed_session_repeats_nothing(sandbox: Sandbox, tmp_path: Path) -> None:
    """A client may copy the lines of a session into the next transcript."""
    repository = shop(sandbox)
    first = worked(str(repository))
    first.save(tmp_path)
    copy = Session(str(repository), "s-2")
    copy.lines = [line | {"sessionId": "s-2"} for line in first.lines]
    copy.save(tmp_path)
    items, left = found_in(reading_in(sandbox, repository, tmp_path))

    assert len({item.fields["session"] for item in items}) == 1
    assert [one.reason for one in left] == [COPY]


def test_secrets_and_what_is_off_the_record(sandbox: Sandbox, tmp_path: Path) -> None:
    """Neither a secret nor what a person asked not to keep is in any item."""
    repository = shop(sandbox)
    session = Session(str(repository))
    session.user(f"Remember that the token of the bot is {AGENT_TOKEN}")
    session.user("Between us: Bob will leave the company in May.")
    session.bash(
        f"curl -H 'Authorization: token {AGENT_TOKEN}' https://api",
        f"Exit code 2\nModuleNotFoundError: No module named 'tomli' {AGENT_TOKEN}",
        failed=True,
    )
    session.bash("pip install tomli", "ok")
    session.bash(f"curl -H 'Authorization: token {AGENT_TOKEN}' https://api", "ok")
    session.save(tmp_path)
    items, _ = found_in(reading_in(sandbox, repository, tmp_path))
    said = json.dumps([item._asdict() for item in items])

    assert items
    assert AGENT_TOKEN not in said
    assert AGENT_TOKEN[4:24] not in said
    assert "Bob" not in said


def codex_lines(directory: str, commit: str = "") -> Sequence[Json]:
    """A session of Codex, with the formats of several versions."""

    def line(kind: str, **payload: Any) -> Json:
        return {"timestamp": "2026-04-05T10:00:00.000Z", "type": kind, "payload": payload}

    def call(name: str, arguments: Any, number: int) -> Json:
        return line(
            "response_item",
            type="function_call",
            name=name,
            arguments=json.dumps(arguments),
            call_id=f"c{number}",
        )

    def output(text: str, number: int) -> Json:
        return line("response_item", type="function_call_output", call_id=f"c{number}", output=text)

    def said(role: str, text: str) -> Json:
        kind = "input_text" if role == "user" else "output_text"
        content = [{"type": kind, "text": text}]
        return line("response_item", type="message", role=role, content=content)

    prompt = "Fix the rounding of invoice totals in src/money.py"
    patch = "*** Begin Patch\n*** Update File: src/money.py\n+x\n*** End Patch"
    failed = json.dumps(
        {
            "output": "ModuleNotFoundError: No module named 'tomli'",
            "metadata": {"exit_code": 1},
        }
    )
    return [
        line("session_meta", id="x-1", cwd=directory, git={"commit_hash": commit}),
        said("user", "<environment_context>ignored</environment_context>"),
        said("user", prompt),
        line("event_msg", type="user_message", message=prompt),
        call("shell", {"command": ["bash", "-lc", "pytest"]}, 1),
        output(failed, 1),
        call("exec_command", {"cmd": "pip install tomli"}, 2),
        output("Process exited with code 0\nOutput:\nSuccessfully installed", 2),
        call("exec_command", {"cmd": "pytest"}, 3),
        output("Exit code: 0\nOutput:\n===== 12 passed in 0.31s =====", 3),
        line(
            "response_item", type="custom_tool_call", name="apply_patch", call_id="c4", input=patch
        ),
        line("response_item", type="custom_tool_call_output", call_id="c4", output="Success"),
        said("assistant", "I've fixed the rounding of invoice totals in `src/money.py`."),
    ]


@pytest.mark.parametrize("is_moved", [False, True])
def test_a_session_of_codex(sandbox: Sandbox, tmp_path: Path, is_moved: bool) -> None:
    """Its own format gives the same; the recorded commit tells whose it was."""
    repository = shop(sandbox)
    head = sandbox.git(repository, "rev-parse", "HEAD")
    directory = "/gone/shop" if is_moved else str(repository)
    path = tmp_path / ".codex" / "sessions" / "2026" / "04" / "05" / "rollout-x-1.jsonl"
    path.parent.mkdir(parents=True)
    lines = codex_lines(directory, head if is_moved else "")
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    items, _ = found_in(reading_in(sandbox, repository, tmp_path))
    by_kind = {item.kind: item for item in items}

    assert set(by_kind) == {"solutions", "sessions"}
    assert "pip install tomli" in by_kind["solutions"].body
    assert by_kind["sessions"].summary == "Fix the rounding of invoice totals in src/money.py"
    assert by_kind["sessions"].fields["files_modified"] == ["src/money.py"]
    assert by_kind["sessions"].fields["content"]["outcome"] == "success"
    assert {item.fields["session"] for item in items} == {"x-1"}


@pytest.mark.parametrize("text", ["", "{}", "not JSON\n", '{"type": "user"}\n', "\0" * 5000])
def test_a_file_that_is_no_transcript(sandbox: Sandbox, tmp_path: Path, text: str) -> None:
    """An error says so, and nothing comes in."""
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(ParseError, match="no transcript of a known agent"):
        list(SOURCE.read(reading_in(sandbox, shop(sandbox), tmp_path), Place(str(path), "")))
