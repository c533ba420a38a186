"""The lines of Codex's transcripts, and the first one, `session_meta`, which says how it began."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.hosts.transcript_lines import own_lines

_MOST_HEAD = 1 << 20


def meta_of(path: Path) -> Mapping[str, Any]:
    """Return the first line of a session; empty if there is none."""
    for _, line in own_lines(path, _MOST_HEAD):
        payload = _payload(line, "session_meta")
        if payload is not None:
            return payload
    return {}


def is_one_shot(transcript: str) -> bool:
    """Whether a session was started by `codex exec`, which prints only the last message."""
    try:
        return bool(transcript) and meta_of(Path(transcript)).get("source") == "exec"
    except (OSError, ValueError):  # a path with a NUL
        return False


def entry_of(line: bytes) -> Mapping[str, Any] | None:
    """Parse a line; None if it has no payload."""
    try:
        entry = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict) or not isinstance(entry.get("payload"), dict):
        return None
    return entry


def _payload(line: bytes, kind: str) -> Mapping[str, Any] | None:
    entry = entry_of(line)
    if entry is None or entry.get("type") != kind:
        return None
    payload: Mapping[str, Any] = entry["payload"]
    return payload
