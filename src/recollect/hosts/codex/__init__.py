"""Codex: it runs hooks with input in the format of Claude Code, from its own settings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.hosts.protocol import Event, PastSession, Replayed, Reply, TranscriptPart

if TYPE_CHECKING:
    from recollect.hosts.settings_files import Installation

NAME = "codex"
TITLE = "Codex"
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
VARIABLES = ("CLAUDE_", "CODEX_")
INSTRUCTIONS = ("AGENTS.md",)
REVIEW = ""
LEARN = ""
PROGRAM = "codex"
TESTED = "0.166.0"

# The prefix of Codex's transcript files. Its events within a turn also have a `turn_id`.
_TRANSCRIPT = "rollout-"


def detects(payload: Mapping[str, Any], _environment: Mapping[str, str]) -> bool:
    """Whether Codex runs the hook."""
    path = payload.get("transcript_path")
    named = isinstance(path, str) and path.rpartition("/")[2].startswith(_TRANSCRIPT)
    return named or "turn_id" in payload


def action_of(tool: str) -> str:
    """What a tool does: one of the actions of the protocol."""
    from recollect.hosts.codex import events

    return events.action_of(tool)


def read_event(name: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> Event:
    """Read the input of a hook."""
    from recollect.hosts.codex import events

    return events.read_event(name, payload, environment)


def write_reply(name: str, reply: Reply) -> str:
    """Format a reply for stdout."""
    from recollect.hosts.codex import events

    return events.write_reply(name, reply)


def read_transcript(_path: Path, _offset: int, *, most: int) -> TranscriptPart | None:  # noqa: ARG001
    """Return None: Codex's transcript format is not supported yet."""
    return None


def past_sessions(home: Path, environment: Mapping[str, str]) -> Iterator[PastSession]:
    """Yield the sessions with a transcript."""
    from recollect.hosts.codex import past

    return past.past_sessions(home, environment)


def replay(path: Path) -> Iterator[Replayed]:
    """Yield what happened in a past session."""
    from recollect.hosts.codex import past

    return past.replay(path, read_event)


def memory_folders(
    _directories: Sequence[Path], _home: Path, _environment: Mapping[str, str]
) -> list[Path]:
    """Return nothing: the host keeps no notes about a project."""
    return []


def installation(
    scope: str, directory: Path, home: Path, environment: Mapping[str, str]
) -> Installation:
    """Return what installing takes."""
    from recollect.hosts.codex import setup

    return setup.installation(scope, directory, home, environment)


def is_here(_directory: Path, home: Path, environment: Mapping[str, str]) -> bool:
    """Whether Codex is on this machine."""
    from recollect.hosts.codex import setup
    from recollect.hosts.installing import has_program

    return setup.folder(home, environment).is_dir() or has_program(PROGRAM, environment)


def is_installed(directory: Path, home: Path, environment: Mapping[str, str]) -> bool:
    """Whether the hooks and the server are in the user's settings or the project's."""
    from recollect.hosts.codex import setup

    return setup.is_installed(directory, home, environment)
