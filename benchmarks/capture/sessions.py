"""Recorded sessions as conversations: what detection is trained on and measured on.

They are real people's words: nothing of them is printed unless somebody asks, and none of them is
part of the project.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from recollect.capture.conversation import Turn, heard
from recollect.capture.features import AGENT, USER, Said
from recollect.hosts.claude_code.transcript import read_transcript

_MOST = 1 << 30


def transcripts(folder: Path) -> list[Path]:
    """Return the recorded sessions below a folder."""
    return sorted(folder.rglob("*.jsonl"))


def conversation(path: Path) -> list[Turn]:
    """Return the messages of a session, each with what the tools did in its turn."""
    part = read_transcript(path, 0, most=_MOST)
    results = list(_results(path))
    found: list[Turn] = []
    failed = passed = False
    for message in part.messages if part else ():
        while results and results[0][0] < message.at:
            error = results.pop(0)[1]
            passed = (failed or passed) and not error
            failed = error
        if message.role == "user":
            failed = passed = False
        speaker = AGENT if message.role == "assistant" else USER
        found.append(Turn(speaker, message.text, failed, passed))
    return found


def sentences(path: Path) -> list[Said]:
    """Return the distinct sentences of a session."""
    found: dict[tuple[str, str], Said] = {}
    for one in heard(conversation(path)):
        found.setdefault((one.said.speaker, one.said.text), one.said)
    return list(found.values())


def _results(path: Path) -> Iterator[tuple[int, bool]]:
    """Yield the offset of each tool result, and whether it is an error."""
    at = 0
    for line in path.read_bytes().split(b"\n"):
        if b"tool_result" in line:
            try:
                entry = json.loads(line)
            except ValueError:
                entry = {}
            for block in _blocks(entry):
                if block.get("type") == "tool_result":
                    yield at, bool(block.get("is_error"))
        at += len(line) + 1


def _blocks(entry: Any) -> list[dict[str, Any]]:
    message = entry.get("message") if isinstance(entry, dict) else None
    content = message.get("content") if isinstance(message, dict) else None
    blocks = content if isinstance(content, list) else []
    return [block for block in blocks if isinstance(block, dict)]
