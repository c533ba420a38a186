"""Reads the new part of a Claude Code transcript.

The client appends one JSON object per line. Most lines do not matter here: tool results, thinking,
attachments, whole requests. Only what a person typed and what the agent answered counts, without
the text that the client inserts. Unknown and malformed lines are skipped.

Reading continues at the offset where the last one ended, which always follows the end of a line. If
it does not, the file is a different one, and reading starts over.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from re import DOTALL
from typing import Any, BinaryIO

from recollect.core.marks import without_own_text
from recollect.core.patterns import pattern
from recollect.hosts.protocol import LAST_PART, Message, TranscriptPart
from recollect.hosts.transcript_lines import LONGEST_LINE, open_own

_CHUNK = 1 << 18
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
    """Read the messages after an offset, at most about `most` bytes.

    Only complete lines count: the client may be writing the last one. The result is None if there
    is no regular file of the current user at the path.
    """
    try:
        with open_own(path) as file:
            size = os.fstat(file.fileno()).st_size
            if offset == LAST_PART:
                start, data = _last_bytes(file, size, most)
            else:
                start, data = _next_bytes(file, offset, size, most)
    except (OSError, ValueError):
        return None
    complete = data.rfind(b"\n") + 1
    messages: list[Message] = []
    tools: list[str] = []
    failed = recovered = False
    for at, line in _lines(data[:complete]):
        entry = entry_of(line)
        if entry is None:
            continue
        tools += _tools(entry)
        for error in _results(entry):
            failed, recovered = error, (failed or recovered) and not error
        text = message_text(entry)
        if text:
            messages.append(Message(entry["type"], text, start + at))
    # What follows an incomplete line is not there yet.
    more = bool(complete) and start + len(data) < size
    return TranscriptPart(
        tuple(messages), start + complete, Counter(tools), len(messages), more, failed, recovered
    )


def _next_bytes(file: BinaryIO, offset: int, size: int, most: int) -> tuple[int, bytes]:
    """Return the next bytes and their offset; at least one line, if it is complete."""
    start = offset if 0 < offset <= size and _ends_line(file, offset) else 0
    file.seek(start)
    data = file.read(min(most, size - start))
    if b"\n" in data or start + len(data) >= size:
        return start, data
    return _long_line(file, start, data)


def _long_line(file: BinaryIO, start: int, data: bytes) -> tuple[int, bytes]:
    """Return a line that is longer than a part; only its end, if it is too long for a message."""
    begin = start
    while part := file.read(_CHUNK):
        if len(data) > LONGEST_LINE:
            begin, data = begin + len(data) - 1, data[-1:]
        end = part.find(b"\n") + 1
        if end and begin > start:
            return begin + len(data) + end - 1, b"\n"
        data += part[:end] if end else part
        if end:
            return begin, data
    return start, b""


def _last_bytes(file: BinaryIO, size: int, most: int) -> tuple[int, bytes]:
    """Return the last bytes and their offset, which is the start of a line."""
    if size <= most:
        file.seek(0)
        return 0, file.read(size)
    file.seek(size - most)
    data = file.read(most)
    begin = data.find(b"\n") + 1
    # Without a line end it is part of a line that is still being written.
    return (size - most + begin, data[begin:]) if begin else (0, b"")


def _ends_line(file: BinaryIO, offset: int) -> bool:
    file.seek(offset - 1)
    return file.read(1) == b"\n"


def _lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    for line in data.split(b"\n"):
        if line and len(line) <= LONGEST_LINE:
            yield at, line
        at += len(line) + 1


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
    # JSON can hold lone surrogates, which UTF-8 cannot encode.
    return text.encode("utf-8", "replace").decode("utf-8").strip()
