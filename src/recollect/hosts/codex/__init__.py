"""Codex: it runs the hooks of the same plugin, with input in the format of Claude Code.

Two things differ: `apply_patch` changes files, and the output of a tool is a string.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.errors import InstallFailed
from recollect.hosts import claude_code
from recollect.hosts import protocol as events
from recollect.hosts.claude_code import write_reply
from recollect.hosts.patches import patched_files
from recollect.hosts.protocol import Event, PastSession, Replayed, TranscriptPart

__all__ = ["write_reply"]

NAME = "codex"
TITLE = "Codex"
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"
VARIABLES = ("CLAUDE_", "CODEX_")
INSTRUCTIONS = ("AGENTS.md",)
REVIEW = ""
LEARN = ""

_ACTIONS: Mapping[str, str] = {
    "apply_patch": events.EDIT,
    "spawn_agent": events.AGENT,
    "web_search": events.FETCH,
}
# The prefix of Codex's transcript files. Its events within a turn also have a `turn_id`.
_TRANSCRIPT = "rollout-"


def detects(payload: Mapping[str, Any], _environment: Mapping[str, str]) -> bool:
    """Whether Codex runs the hook."""
    path = payload.get("transcript_path")
    named = isinstance(path, str) and path.rpartition("/")[2].startswith(_TRANSCRIPT)
    return named or "turn_id" in payload


def action_of(tool: str) -> str:
    """What a tool does: one of the actions of the protocol."""
    return _ACTIONS.get(tool) or claude_code.action_of(tool)


def read_event(name: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> Event:
    """Read the input of a hook."""
    event = claude_code.read_event(name, payload, environment)
    action = action_of(event.tool)
    if event.tool != "apply_patch":
        return event._replace(action=action)
    return event._replace(action=action, files=patched_files(event.command))


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


def install(scope: str, _directory: Path, _environment: Mapping[str, str]) -> Path:
    """Raise an error that names Codex's own command."""
    from recollect.hosts.claude_code.plugin_install import plugin_folder

    raise InstallFailed(
        f"Recollect cannot install its plugin into Codex yet (scope: {scope}).",
        f"Run: codex plugin marketplace add {plugin_folder()} && codex plugin add"
        " recollect@recollect",
    )


def has_plugin(_directory: Path, _home: Path, _environment: Mapping[str, str]) -> bool | None:
    """Return None: where Codex records its plugins is not documented."""
    return None


def uninstall(scope: str, _directory: Path, _environment: Mapping[str, str]) -> None:
    """Raise an error that names Codex's own command."""
    raise InstallFailed(
        f"Recollect cannot remove its plugin from Codex yet (scope: {scope}).",
        "Run: codex plugin remove recollect@recollect",
    )
