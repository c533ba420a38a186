"""Reads the new part of a transcript of GitHub Copilot CLI, as the real client writes it.

Each line has a `type` and `data`. What hooks added to a prompt is in another field than what was
typed.
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


def _line(entry: Mapping[str, Any]) -> Line | None:
    kind, data = entry.get("type"), object_at(entry, "data")
    if kind == "tool.execution_complete":
        code = object_at(data, "shellExecution").get("exitCode")
        return Line(PERSON, failures=[data.get("success") is False or code not in (0, None)])
    text = clean(text_of(data, "content"))
    if kind == "assistant.message":
        return Line(
            AGENT, text, [str(one.get("name")) for one in objects_of(data.get("toolRequests"))]
        )
    if kind != "user.message" or prompt_ignored(text):
        return None
    return Line(PERSON, text)


read_transcript = transcript_reader(_line)
