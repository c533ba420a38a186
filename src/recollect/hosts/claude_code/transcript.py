"""Reads the new part of a Claude Code transcript.

The client appends one JSON object per line. Most lines do not matter here: tool results, thinking,
attachments, whole requests. Only what a person typed and what the agent answered counts, without
the text that the client inserts. Unknown and malformed lines are skipped.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from re import DOTALL

from recollect.core.marks import without_own_text
from recollect.core.patterns import pattern
from recollect.hosts.protocol import TranscriptPart
from recollect.hosts.transcript_lines import Line, encodable, read_part

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_ROLES = ("user", "assistant")
# Lines with these fields are not part of this conversation, whatever their type.
_NOT_SAID = ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly")
_NOT_MEANT = ("isApiErrorMessage", "toolUseResult")
# The model of messages that the client writes itself.
_SYNTHETIC = "<synthetic>"
# What the client inserts into a person's message.
_BLOCK = pattern(r"<(system-reminder|ide_[a-z_]+|task-notification)\b.*?(?:</\1>|\Z)", DOTALL)
_BLOCK_HINTS = ("<system-reminder", "<ide_", "<task-notification")
# What the client writes in a person's name: commands and their output.
_NOT_TYPED = pattern(
    r"<(?:command-|local-command-|bash-|user-memory-|user-prompt-|teammate-)[a-z-]+\b"
    r"|\[Request interrupted by user|This session is being continued from a previous conversation"
    r"|Stop hook feedback:|/[\w:.-]+(?:\s|\Z)"
)
# The client's frame around a person's reason for refusing a tool.
_REFUSED = pattern(
    r"The user doesn't want to proceed with this tool use\..{0,300}?the user said:\s*", DOTALL
)


def read_transcript(path: Path, offset: int, *, most: int = 4 << 20) -> TranscriptPart | None:
    """Read the messages after an offset, at most about `most` bytes."""
    return read_part(path, offset, most, _line)


def _line(line: bytes) -> Line | None:
    entry = entry_of(line)
    if entry is None:
        return None
    return Line(entry["type"], message_text(entry), _tools(entry), _results(entry))


def entry_of(line: bytes) -> Mapping[str, Any] | None:
    """Parse a line; None if it is not part of this conversation."""
    if b'"user"' not in line and b'"assistant"' not in line:
        return None  # most bytes are in other lines: do not parse them
    try:
        entry = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or entry.get("type") not in _ROLES:
        return None
    if any(entry.get(name) for name in _NOT_SAID) or not isinstance(entry.get("message"), dict):
        return None
    return entry


def blocks_of(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the parts of a message: text, calls of tools, and their results."""
    content = entry["message"].get("content")
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if not isinstance(content, list):
        return []
    return [block for block in content if isinstance(block, dict)]


def _tools(entry: Mapping[str, Any]) -> list[str]:
    """Return the names of the tools that a line calls."""
    if entry["type"] != "assistant":
        return []
    return [str(block.get("name")) for block in blocks_of(entry) if block.get("type") == "tool_use"]


def _results(entry: Mapping[str, Any]) -> list[bool]:
    """Return for each tool result of a line whether it is an error."""
    results = [block for block in blocks_of(entry) if block.get("type") == "tool_result"]
    return [bool(block.get("is_error")) for block in results]


def message_text(entry: Mapping[str, Any]) -> str:
    """Return the message of a line without inserted text; empty if there is none."""
    blocks = blocks_of(entry)
    refused = [_refusal(block) for block in blocks if block.get("type") == "tool_result"]
    if any(refused):
        return "\n\n".join(filter(None, refused))
    if any(entry.get(name) for name in _NOT_MEANT) or entry["message"].get("model") == _SYNTHETIC:
        return ""
    if any(block.get("type") == "tool_result" for block in blocks):
        return ""
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    cleaned = (_cleaned(text) for text in texts if isinstance(text, str))
    if entry["type"] == "user":
        cleaned = (text for text in cleaned if not _NOT_TYPED.match(text))
    return "\n\n".join(filter(None, cleaned))


def _refusal(result: Mapping[str, Any]) -> str:
    """Return a person's reason for refusing a tool; empty if there is none."""
    content = result.get("content")
    if not result.get("is_error") or not isinstance(content, str):
        return ""
    frame = _REFUSED.match(content)
    return _cleaned(content[frame.end() :]) if frame else ""


def _cleaned(text: str) -> str:
    text = without_own_text(text)
    if any(hint in text for hint in _BLOCK_HINTS):
        text = _BLOCK.sub(" ", text)
    return encodable(text).strip()
