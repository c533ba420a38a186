"""Where the client keeps its sessions and its memory."""

from __future__ import annotations

import json
from pathlib import Path

from recollect.hosts.claude_code.past import memory_folders, past_sessions, replay
from recollect.hosts.protocol import PROMPT, STOP, TOOL_FAILURE

LINE = {"sessionId": "s", "timestamp": "2026-11-15T19:17:33.233Z", "cwd": "/home/ada/shop"}


def test_memory_folders(tmp_path: Path) -> None:
    """The name of a folder is the path with dashes; a long one is cut, and has a hash."""
    long = Path("/" + "x" * 300)
    for name in ("-home-ada-my-shop", "-" + "x" * 199 + "-k3j2", "-home-ada"):
        (tmp_path / ".claude" / "projects" / name / "memory").mkdir(parents=True)
    found = memory_folders([Path("/home/ada/my.shop"), long, Path("/none")], tmp_path, {})

    assert [folder.parent.name for folder in found] == [
        "-home-ada-my-shop",
        "-" + "x" * 199 + "-k3j2",
    ]
    assert not memory_folders([long], tmp_path, {"CLAUDE_CONFIG_DIR": str(tmp_path)})


def test_a_session_without_a_directory_is_none(tmp_path: Path) -> None:
    """The first line may lack it; a file in which no line has it is no session."""
    folder = tmp_path / ".claude" / "projects" / "x"
    (folder / "s" / "subagents").mkdir(parents=True)
    (folder / "a.jsonl").write_text(
        '{"type": "summary"}\nno JSON "cwd"\n' + json.dumps(LINE) + "\n"
    )
    (folder / "b.jsonl").write_text('{"type": "summary", "cwd": 5}\n')
    (folder / "s" / "subagents" / "agent.jsonl").write_text(json.dumps(LINE) + "\n")
    (folder / "c.jsonl").symlink_to(folder / "a.jsonl")

    found = list(past_sessions(tmp_path, {}))
    assert [(one.session, one.directory) for one in found] == [("a", "/home/ada/shop")]


def test_lines_that_are_too_long_or_broken(tmp_path: Path) -> None:
    """They are left out, and the others keep their offsets."""
    path = tmp_path / "a.jsonl"

    def line(role: str, content: object) -> str:
        message = {"role": role, "content": content}
        return json.dumps({**LINE, "type": role, "message": message}) + "\n"

    result = {"type": "tool_result", "tool_use_id": "t", "is_error": True, "content": "Exit code 1"}
    call = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "false"}}
    lines = [
        line("user", "first"),
        line("user", "x" * (2 << 20)),
        '{"type": "user", "message": \n',
        line("assistant", [call]),
        line("user", [result]),
        line("user", [result]),
        line("assistant", [{"type": "text", "text": "second"}]),
        line("user", "not complete").rstrip("\n"),
    ]
    path.write_text("".join(lines))
    found = list(replay(path))

    assert [(one.event.name, one.event.text) for one in found] == [
        (PROMPT, "first"),
        (TOOL_FAILURE, ""),
        (STOP, "second"),
    ]
    assert [one.at for one in found] == [0, sum(map(len, lines[:4])), sum(map(len, lines[:6]))]
    assert found[1].event.command == "false"
    assert found[0].event.moment == 1794770253233
