"""Claude Code: its events, replies, transcripts and installation."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.hosts.claude_code.events import action_of, read_event, write_reply
from recollect.hosts.protocol import Part

__all__ = ["action_of", "read_event", "write_reply"]

NAME = "claude-code"
TITLE = "Claude Code"
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
VARIABLES = ("CLAUDE_",)
INSTRUCTIONS = ("CLAUDE.md", "AGENTS.md")


def detects(_payload: Mapping[str, Any], _environment: Mapping[str, str]) -> bool:
    """Claude Code defines the shape of these hooks: it is taken for it where no other is found."""
    return True


# A hook that needs no transcript does not pay for reading one, nor for the installer.
def read_transcript(path: Path, offset: int, *, most: int) -> Part | None:
    """What was said after an offset."""
    from recollect.hosts.claude_code import transcript

    return transcript.read_transcript(path, offset, most=most)


def install(scope: str, directory: Path, environment: Mapping[str, str]) -> Path:
    """Install the plugin; gives the folder that it is read from."""
    from recollect.hosts.claude_code import plugin_install

    return plugin_install.install(scope, directory, environment)


def uninstall(scope: str, directory: Path, environment: Mapping[str, str]) -> None:
    """Remove the plugin; the memories stay."""
    from recollect.hosts.claude_code import plugin_install

    plugin_install.uninstall(scope, directory, environment)
