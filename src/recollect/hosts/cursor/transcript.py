"""Reads the new part of a transcript of Cursor, as the code in its SDK writes it.

Each line has a `role` and the content of a message. What a person typed is in a tag of its own,
after what Cursor added. Results of tools are not there. Cursor writes what the agent thought below
what it said, so both count as said.
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

_TYPED = ("<user_query>", "</user_query>")


def read_transcript(path: Path, offset: int, *, most: int = 4 << 20) -> TranscriptPart | None:
    """Read the messages after an offset, at most about `most` bytes."""
    return read_part(path, offset, most, _line)


def _line(line: bytes) -> Line | None:
    entry = object_in(line)
    message = entry.get("message") if entry else None
    if entry is None or not isinstance(message, dict):
        return None
    content = objects_of(message.get("content"))
    said = "\n".join(text_of(part, "text") for part in content if part.get("type") == "text")
    if entry.get("role") == "assistant":
        tools = [text_of(part, "name") for part in content if part.get("type") == "tool_use"]
        return Line(AGENT, _clean(said), tools)
    if entry.get("role") != "user":
        return None
    before, tag, after = said.partition(_TYPED[0])
    text = _clean(after.rpartition(_TYPED[1])[0] or after if tag else before)
    return None if prompt_ignored(text) else Line(PERSON, text)


def _clean(text: str) -> str:
    return encodable(without_own_text(text)).strip()
