"""Reads the new part of a transcript of GitHub Copilot CLI, as the real client writes it.

Each line has a `type` and `data`. What hooks added to a prompt is in another field than what was
typed.
"""

from __future__ import annotations

from pathlib import Path

from recollect.core.marks import without_own_text
from recollect.hosts.claude_code.events import prompt_ignored, text_of
from recollect.hosts.protocol import TranscriptPart
from recollect.hosts.transcript_lines import (
    AGENT,
    PERSON,
    Line,
    encodable,
    object_in,
    objects_of,
    read_part,
)


def read_transcript(path: Path, offset: int, *, most: int = 4 << 20) -> TranscriptPart | None:
    """Read the messages after an offset, at most about `most` bytes."""
    return read_part(path, offset, most, _line)


def _line(line: bytes) -> Line | None:
    entry = object_in(line)
    data = entry.get("data") if entry else None
    if entry is None or not isinstance(data, dict):
        return None
    kind = entry.get("type")
    if kind == "tool.execution_complete":
        shell = data.get("shellExecution")
        code = shell.get("exitCode") if isinstance(shell, dict) else 0
        return Line(PERSON, failures=[data.get("success") is False or code not in (0, None)])
    text = encodable(without_own_text(text_of(data, "content"))).strip()
    if kind == "assistant.message":
        return Line(
            AGENT, text, [str(one.get("name")) for one in objects_of(data.get("toolRequests"))]
        )
    if kind != "user.message" or prompt_ignored(text):
        return None
    return Line(PERSON, text)
