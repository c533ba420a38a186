"""Qwen Code: it runs hooks of an extension, with the events of Claude Code and its own tools."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.hosts.protocol import Event, PastSession, Replayed, Reply, TranscriptPart

if TYPE_CHECKING:
    from recollect.hosts.settings_files import Installation

NAME = "qwen"
TITLE = "Qwen Code"
PROJECT_VARIABLE = "QWEN_PROJECT_DIR"
VARIABLES = ("QWEN_",)
INSTRUCTIONS = ("QWEN.md",)
REVIEW = "/recollect:review"
LEARN = "/recollect:learn"
PROGRAM = "qwen"
TESTED = "0.24.4"

# Where it keeps transcripts, in the home directory.
_FOLDER = "/.qwen/"


def detects(payload: Mapping[str, Any], environment: Mapping[str, str]) -> bool:
    """Whether Qwen Code runs the hook."""
    path = payload.get("transcript_path")
    if isinstance(path, str) and path:
        return _FOLDER in path
    session = environment.get("QWEN_CODE_SESSION_ID")
    return bool(session) and session == payload.get("session_id")


# Imports are inside the functions, so that hooks of other hosts do not pay for them.
def action_of(tool: str) -> str:
    """What a tool does: one of the actions of the protocol."""
    from recollect.hosts.qwen import events

    return events.action_of(tool)


def read_event(name: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> Event:
    """Read the input of a hook."""
    from recollect.hosts.qwen import events

    return events.read_event(name, payload, environment)


def write_reply(name: str, reply: Reply) -> str:
    """Format a reply for stdout."""
    from recollect.hosts.qwen import events

    return events.write_reply(name, reply)


def read_transcript(path: Path, offset: int, *, most: int) -> TranscriptPart | None:  # noqa: ARG001
    """Return None: only the last message counts, which each stop has."""
    return None


def past_sessions(_home: Path, _environment: Mapping[str, str]) -> Iterator[PastSession]:
    """Yield nothing: the transcripts of this host are not read."""
    yield from ()


def replay(_path: Path) -> Iterator[Replayed]:
    """Yield nothing: see `past_sessions`."""
    yield from ()


def memory_folders(
    _directories: Sequence[Path], _home: Path, _environment: Mapping[str, str]
) -> list[Path]:
    """Return nothing: the host keeps its notes in the user's QWEN.md."""
    return []


def installation(
    scope: str, directory: Path, home: Path, _environment: Mapping[str, str]
) -> Installation:
    """Return what installing takes."""
    from recollect.hosts.qwen.setup import QWEN

    return QWEN.installation(scope, directory, home)


def is_here(_directory: Path, home: Path, environment: Mapping[str, str]) -> bool:
    """Whether Qwen Code is on this machine."""
    from recollect.hosts.installing import has_program
    from recollect.hosts.qwen.setup import QWEN

    return QWEN.is_here(home) or has_program(PROGRAM, environment)


def is_installed(directory: Path, home: Path, _environment: Mapping[str, str]) -> bool:
    """Whether the extension is there, or the project has the hooks."""
    from recollect.hosts.qwen.setup import QWEN

    return QWEN.is_installed(directory, home)
