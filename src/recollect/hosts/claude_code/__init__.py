"""Claude Code: its events, replies, transcripts and installation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.hosts.claude_code.events import action_of, read_event, write_reply
from recollect.hosts.protocol import PastSession, Replayed, TranscriptPart

if TYPE_CHECKING:
    from recollect.hosts.settings_files import Installation

__all__ = ["action_of", "read_event", "write_reply"]

NAME = "claude-code"
TITLE = "Claude Code"
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
VARIABLES = ("CLAUDE_",)
INSTRUCTIONS = ("CLAUDE.md", "AGENTS.md")
REVIEW = "/recollect:review"
LEARN = "/recollect:learn"
PROGRAM = "claude"
TESTED = "2.1.325"


def detects(_payload: Mapping[str, Any], _environment: Mapping[str, str]) -> bool:
    """Recognise every input: Claude Code defines the format, so it is the fallback."""
    return True


# Imports are inside the functions, so that a hook loads only what it needs.
def read_transcript(path: Path, offset: int, *, most: int) -> TranscriptPart | None:
    """Read a transcript from an offset."""
    from recollect.hosts.claude_code import transcript

    return transcript.read_transcript(path, offset, most=most)


def past_sessions(home: Path, environment: Mapping[str, str]) -> Iterator[PastSession]:
    """Yield the sessions with a transcript."""
    from recollect.hosts.claude_code import past

    return past.past_sessions(home, environment)


def replay(path: Path) -> Iterator[Replayed]:
    """Yield what happened in a past session."""
    from recollect.hosts.claude_code import past

    return past.replay(path)


def memory_folders(
    directories: Sequence[Path], home: Path, environment: Mapping[str, str]
) -> list[Path]:
    """Return the folders of the client's own memory."""
    from recollect.hosts.claude_code import past

    return past.memory_folders(directories, home, environment)


def installation(
    scope: str, directory: Path, _home: Path, _environment: Mapping[str, str]
) -> Installation:
    """Return what installing takes."""
    from recollect.hosts.claude_code import plugin_install

    return plugin_install.installation(scope, directory)


def is_here(_directory: Path, home: Path, environment: Mapping[str, str]) -> bool:
    """Whether Claude Code is on this machine."""
    from recollect.hosts.claude_code import plugin_install
    from recollect.hosts.installing import has_program

    folder = plugin_install.config_folder(home, environment)
    return folder.is_dir() or has_program(PROGRAM, environment)


def is_installed(directory: Path, home: Path, environment: Mapping[str, str]) -> bool:
    """Whether the plugin is on."""
    from recollect.hosts.claude_code import plugin_install

    return plugin_install.is_enabled(directory, home, environment)
