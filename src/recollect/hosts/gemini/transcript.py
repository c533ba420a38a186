"""Reads the new part of a transcript of Gemini CLI, as the real client writes it.

A line is a message, or a change of what the client keeps about the session. The agent's message is
written again, with the same id, when its tools have run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.hosts.claude_code.events import prompt_ignored
from recollect.hosts.gemini.events import without_added
from recollect.hosts.shell_results import read_shell_result, text_of_content
from recollect.hosts.transcript_lines import (
    AGENT,
    PERSON,
    Line,
    encodable,
    object_at,
    objects_of,
    transcript_reader,
)

# What the client itself says in a person's name.
_INSERTED = "<session_context>"


def _line(entry: Mapping[str, Any]) -> Line | None:
    text = encodable(without_added(text_of_content(entry.get("content")))).strip()
    if entry.get("type") == "user":
        is_typed = not text.startswith(_INSERTED) and not prompt_ignored(text)
        return Line(PERSON, text) if is_typed else None
    if entry.get("type") != "gemini":
        return None
    calls = objects_of(entry.get("toolCalls"))
    names = [str(call.get("name")) for call in calls]
    failures = [_has_failed(call) for call in calls]
    return Line(AGENT, text, names, failures, str(entry.get("id")))


def _has_failed(call: Mapping[str, Any]) -> bool:
    if call.get("status") == "error":
        return True
    for result in objects_of(call.get("result")):
        response = object_at(object_at(result, "functionResponse"), "response")
        output = response.get("output")
        if isinstance(output, str) and read_shell_result(output)[1]:
            return True
    return False


read_transcript = transcript_reader(_line)
