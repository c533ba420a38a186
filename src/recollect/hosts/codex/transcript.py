"""Reads the new part of a rollout, the transcript of a Codex session that runs."""

from __future__ import annotations

from pathlib import Path

from recollect.hosts.codex.past import exit_code_of, message_of, tool_of
from recollect.hosts.codex.session_meta import entry_of
from recollect.hosts.protocol import PROMPT, TranscriptPart
from recollect.hosts.transcript_lines import AGENT, PERSON, Line, read_part

_ITEM = "response_item"  # what the model reads and says; the client repeats messages in others


def read_transcript(path: Path, offset: int, *, most: int = 4 << 20) -> TranscriptPart | None:
    """Read the messages after an offset, at most about `most` bytes."""
    return read_part(path, offset, most, _line)


def _line(line: bytes) -> Line | None:
    if b'"response_item"' not in line:
        return None
    entry = entry_of(line)
    if entry is None or entry.get("type") != _ITEM:
        return None
    payload = entry["payload"]
    kind = payload.get("type")
    if kind in ("function_call", "custom_tool_call", "local_shell_call"):
        return Line(AGENT, tools=[tool_of(payload)])
    if kind in ("function_call_output", "custom_tool_call_output"):
        return Line(PERSON, failures=[exit_code_of(payload) not in (None, 0)])
    name, text = message_of(_ITEM, str(kind), payload)
    return Line(PERSON if name == PROMPT else AGENT, text) if name else None
