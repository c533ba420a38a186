"""Reads the new part of a transcript of Qwen Code, as the real client writes it.

Each line has a `type` and a `message` with parts: texts, calls of tools and their results. What the
client itself says in a person's name has another `provenance`.
"""

from __future__ import annotations

from pathlib import Path

from recollect.core.marks import without_own_text
from recollect.hosts.claude_code.events import prompt_ignored
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

_TYPED = ("real_user", None)


def read_transcript(path: Path, offset: int, *, most: int = 4 << 20) -> TranscriptPart | None:
    """Read the messages after an offset, at most about `most` bytes."""
    return read_part(path, offset, most, _line)


def _line(line: bytes) -> Line | None:
    entry = object_in(line)
    message = entry.get("message") if entry else None
    if entry is None or not isinstance(message, dict):
        return None
    kind, parts = entry.get("type"), objects_of(message.get("parts"))
    if kind == "tool_result":
        result = entry.get("toolCallResult")
        status = result.get("status") if isinstance(result, dict) else ""
        return Line(PERSON, failures=[status == "error"])
    texts = [part.get("text") for part in parts if not part.get("thought")]
    text = "\n\n".join(text for text in texts if isinstance(text, str))
    text = encodable(without_own_text(text)).strip()
    if kind == "assistant":
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        return Line(AGENT, text, [str(call.get("name")) for call in objects_of(calls)])
    if kind != "user" or entry.get("provenance") not in _TYPED or prompt_ignored(text):
        return None
    return Line(PERSON, text)
