"""Reads the new part of a transcript of Gemini CLI, as the real client writes it.

A line is a message, or a change of what the client keeps about the session. The agent's message is
written again, with the same id, when its tools have run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from recollect.hosts.claude_code.events import prompt_ignored
from recollect.hosts.gemini.events import without_added
from recollect.hosts.protocol import TranscriptPart
from recollect.hosts.shell_results import read_shell_result, text_of_content
from recollect.hosts.transcript_lines import (
    AGENT,
    PERSON,
    Line,
    encodable,
    object_in,
    objects_of,
    read_part,
)

# What the client itself says in a person's name.
_INSERTED = "<session_context>"


def read_transcript(path: Path, offset: int, *, most: int = 4 << 20) -> TranscriptPart | None:
    """Read the messages after an offset, at most about `most` bytes."""
    return read_part(path, offset, most, _parser())


def _parser() -> Callable[[bytes], Line | None]:
    """Return what reads the lines of one part in order, and each message once."""
    last = ""

    def parse(line: bytes) -> Line | None:
        nonlocal last
        entry = object_in(line)
        if entry is None:
            return None
        text = encodable(without_added(text_of_content(entry.get("content")))).strip()
        if entry.get("type") == "user":
            is_typed = not text.startswith(_INSERTED) and not prompt_ignored(text)
            return Line(PERSON, text) if is_typed else None
        if entry.get("type") != "gemini":
            return None
        again, last = entry.get("id") == last, str(entry.get("id"))
        calls = objects_of(entry.get("toolCalls"))
        names = [str(call.get("name")) for call in calls]
        return Line(AGENT, "" if again else text, names, [_has_failed(call) for call in calls])

    return parse


def _has_failed(call: Mapping[str, Any]) -> bool:
    if call.get("status") == "error":
        return True
    for result in objects_of(call.get("result")):
        response = result.get("functionResponse")
        said = response.get("response") if isinstance(response, dict) else None
        output = said.get("output") if isinstance(said, dict) else None
        if isinstance(output, str) and read_shell_result(output)[1]:
            return True
    return False
