"""Reads the new part of a transcript of Qwen Code, as the real client writes it.

Each line has a `type` and a `message` with parts: texts, calls of tools and their results. What the
client itself says in a person's name has another `provenance`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.hosts.claude_code.events import prompt_ignored
from recollect.hosts.transcript_lines import (
    AGENT,
    PERSON,
    Line,
    clean,
    object_at,
    objects_of,
    transcript_reader,
)

_TYPED = ("real_user", None)


def _line(entry: Mapping[str, Any]) -> Line | None:
    kind, parts = entry.get("type"), objects_of(object_at(entry, "message").get("parts"))
    if kind == "tool_result":
        status = object_at(entry, "toolCallResult").get("status")
        return Line(PERSON, failures=[status == "error"])
    texts = [part.get("text") for part in parts if not part.get("thought")]
    text = clean("\n\n".join(text for text in texts if isinstance(text, str)))
    if kind == "assistant":
        calls = [part["functionCall"] for part in parts if "functionCall" in part]
        return Line(AGENT, text, [str(call.get("name")) for call in objects_of(calls)])
    if kind != "user" or entry.get("provenance") not in _TYPED or prompt_ignored(text):
        return None
    return Line(PERSON, text)


read_transcript = transcript_reader(_line)
