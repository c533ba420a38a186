"""Reads the new part of a transcript of Cursor, as the code in its SDK writes it.

Each line has a `role` and the content of a message. What a person typed is in a tag of its own,
after what Cursor added. Results of tools are not there. Cursor writes what the agent thought below
what it said, so both count as said.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.hosts.claude_code.events import prompt_ignored, text_of
from recollect.hosts.transcript_lines import (
    AGENT,
    PERSON,
    Line,
    clean,
    object_at,
    objects_of,
    transcript_reader,
)

_TYPED = ("<user_query>", "</user_query>")


def _line(entry: Mapping[str, Any]) -> Line | None:
    content = objects_of(object_at(entry, "message").get("content"))
    said = "\n".join(text_of(part, "text") for part in content if part.get("type") == "text")
    if entry.get("role") == "assistant":
        tools = [text_of(part, "name") for part in content if part.get("type") == "tool_use"]
        return Line(AGENT, clean(said), tools)
    if entry.get("role") != "user":
        return None
    before, tag, after = said.partition(_TYPED[0])
    text = clean(after.rpartition(_TYPED[1])[0] or after if tag else before)
    return None if prompt_ignored(text) else Line(PERSON, text)


read_transcript = transcript_reader(_line)
