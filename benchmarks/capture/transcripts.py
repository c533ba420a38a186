"""The recorded sessions of a data folder, line by line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TRANSCRIPTS = "claude_code_transcripts"


def recorded(folder: Path) -> list[Path]:
    """The recorded sessions of a data folder."""
    return sorted((folder / TRANSCRIPTS).rglob("*.jsonl"))


def entries(transcript: Path) -> Iterator[dict[str, Any]]:
    """The lines of a transcript that are entries, without those that the client added itself."""
    for line in transcript.read_text("utf-8", "replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and not entry.get("isMeta"):
            yield entry
