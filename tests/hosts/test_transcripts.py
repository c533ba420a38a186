"""Transcripts as the real clients wrote them: what a person typed and what the agent said."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from recollect.hosts.protocol import LAST_PART, TranscriptPart
from recollect.hosts.registry import host, host_of_transcript

HERE = Path(__file__).parent
HOSTS = ("codex", "gemini", "qwen")
SAID = [
    ("user", "Add a tax rate."),
    ("assistant", "I look at the cart first, because the tax depends on it."),
    ("assistant", "The tax has a module of its own."),
]
WRITES = {"codex": "apply_patch", "gemini": "write_file", "qwen": "write_file"}


def read(name: str, path: Path, offset: int = 0, most: int = 1 << 20) -> TranscriptPart:
    """A part of a transcript, by the host that wrote it."""
    part = host(name).read_transcript(path, offset, most=most)
    assert part is not None
    return part


def copy(name: str, tmp_path: Path) -> Path:
    """The recorded transcript in a file of the current user."""
    path = tmp_path / "transcript.jsonl"
    path.write_bytes((HERE / name / "recorded" / "transcript.jsonl").read_bytes())
    return path


@pytest.mark.parametrize("name", HOSTS)
def test_what_was_said_and_done(name: str, tmp_path: Path) -> None:
    """Nothing that hooks or the client added; each message once; the last command failed."""
    path = copy(name, tmp_path)

    part = read(name, path)

    assert [(one.role, one.text) for one in part.messages] == SAID
    assert sum(part.tools.values()) == 4
    assert part.tools[WRITES[name]] == 1
    assert (part.end, part.more, part.failed) == (path.stat().st_size, False, True)
    assert read(name, path, part.end).messages == ()


@pytest.mark.parametrize("name", HOSTS)
def test_in_small_parts_and_from_the_end(name: str, tmp_path: Path) -> None:
    """The parts say what the whole says, and each begins where the last one ended."""
    path = copy(name, tmp_path)

    said, at, more = [], 0, True
    while more:
        part = read(name, path, at, most=500)
        assert part.end > at
        said += [(one.role, one.text) for one in part.messages]
        at, more = part.end, part.more

    # Gemini CLI writes a message again when its tools have run; that may be another part.
    assert list(dict.fromkeys(said)) == SAID
    assert [one.text for one in read(name, path, LAST_PART, most=3_000).messages][-1] == SAID[-1][1]


@pytest.mark.parametrize("name", HOSTS)
def test_a_transcript_that_says_something_else(name: str, tmp_path: Path) -> None:
    """Each value of the recorded one is replaced by something else; nothing fails."""
    path = tmp_path / "transcript.jsonl"
    others: list[object] = [None, 1, [], ["x"], {}, "\ud800", [[]], [{"text": 1}], {"type": ["x"]}]
    for other in others:
        path.write_text("".join(_altered(name, other)) + "[" * 50_000 + "\n{}\n\x00\n", "utf-8")

        assert read(name, path).end == path.stat().st_size


def _altered(name: str, other: object) -> list[str]:
    lines = (HERE / name / "recorded" / "transcript.jsonl").read_text("utf-8").splitlines()
    altered = []
    for entry in map(json.loads, lines):
        for inner in (entry, entry.get("payload"), entry.get("message")):
            for key in inner if isinstance(inner, dict) else ():
                kept, inner[key] = inner[key], other
                altered.append(json.dumps(entry) + "\n")
                inner[key] = kept
        for key in ("parts", "toolCalls", "content"):
            for part in (entry.get("message") or entry).get(key) or ():
                for name_ in list(part) if isinstance(part, dict) else ():
                    kept, part[name_] = part[name_], other
                    altered.append(json.dumps(entry) + "\n")
                    part[name_] = kept
    return altered


def test_who_wrote_a_transcript() -> None:
    """The path tells, so that one agent can catch up on what another one said."""
    home = "/home/ada"
    assert host_of_transcript(f"{home}/.codex/sessions/2026/rollout-1-s.jsonl", "s") == "codex"
    assert host_of_transcript(f"{home}/.gemini/tmp/shop/chats/session-s.jsonl", "s") == "gemini"
    assert host_of_transcript(f"{home}/.qwen/projects/-x/chats/s.jsonl", "s") == "qwen"
    assert host_of_transcript(f"{home}/.claude/projects/-x/s.jsonl", "s") == "claude-code"


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("codex", r"C:\Users\ada\.codex\sessions\2026\11\18\rollout-2026-11-18-1.jsonl"),
        ("gemini", r"C:\Users\ada\.gemini\tmp\shop\chats\session-1.jsonl"),
        ("qwen", r"C:\Users\ada\.qwen\projects\shop\chats\1.jsonl"),
        ("copilot", r"C:\Users\ada\.copilot\session-state\1\events.jsonl"),
        ("cursor", r"C:\Users\ada\.cursor\projects\shop\agent-transcripts\1\1.jsonl"),
        ("claude-code", r"C:\Users\ada\.claude\projects\shop\1.jsonl"),
    ],
)
def test_paths_of_windows(name: str, path: str) -> None:
    """The host of a transcript is recognised there, too."""
    assert host_of_transcript(path, "1") == name
