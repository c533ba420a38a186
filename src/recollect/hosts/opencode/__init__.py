"""OpenCode: a plugin of ours hands its events to the hooks, and offers it our MCP server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.hosts.opencode.events import action_of, read_event, write_reply
from recollect.hosts.protocol import PastSession, Replayed, TranscriptPart

__all__ = ["action_of", "read_event", "write_reply"]

NAME = "opencode"
TITLE = "OpenCode"
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"  # it has none of its own
VARIABLES = ("OPENCODE_",)
INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md")
REVIEW = ""
LEARN = ""


def detects(payload: Mapping[str, Any], _environment: Mapping[str, str]) -> bool:
    """Whether our plugin for OpenCode runs the hook: it says so."""
    return payload.get("host") == NAME


def read_transcript(_path: Path, _offset: int, *, most: int) -> TranscriptPart | None:  # noqa: ARG001
    """Return None: OpenCode keeps its sessions in a database, which is not read."""
    return None


def past_sessions(_home: Path, _environment: Mapping[str, str]) -> Iterator[PastSession]:
    """Yield nothing: see `read_transcript`."""
    yield from ()


def replay(_path: Path) -> Iterator[Replayed]:
    """Yield nothing: see `read_transcript`."""
    yield from ()


def memory_folders(
    _directories: Sequence[Path], _home: Path, _environment: Mapping[str, str]
) -> list[Path]:
    """Return nothing: the host keeps no notes about a project."""
    return []
