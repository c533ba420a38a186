"""OpenCode: a plugin of ours hands its events to the hooks, and offers it our MCP server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.hosts.protocol import Event, PastSession, Replayed, Reply, TranscriptPart

if TYPE_CHECKING:
    from recollect.hosts.settings_files import Installation

NAME = "opencode"
TITLE = "OpenCode"
PROJECT_VARIABLE = "CLAUDE_PROJECT_DIR"  # it has none of its own
VARIABLES = ("OPENCODE_",)
INSTRUCTIONS = ("AGENTS.md", "CLAUDE.md")
REVIEW = ""
LEARN = ""
PROGRAM = "opencode"
TESTED = "1.18.33"


def detects(payload: Mapping[str, Any], _environment: Mapping[str, str]) -> bool:
    """Whether our plugin for OpenCode runs the hook: it says so."""
    return payload.get("host") == NAME


# Imports are inside the functions, so that a hook loads only what it needs.
def action_of(tool: str) -> str:
    """What a tool does: one of the actions of the protocol."""
    from recollect.hosts.opencode import events

    return events.action_of(tool)


def read_event(name: str, payload: Mapping[str, Any], environment: Mapping[str, str]) -> Event:
    """Read the input of a hook."""
    from recollect.hosts.opencode import events

    return events.read_event(name, payload, environment)


def write_reply(name: str, reply: Reply) -> str:
    """Format a reply for the plugin."""
    from recollect.hosts.opencode import events

    return events.write_reply(name, reply)


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


def installation(
    scope: str, directory: Path, home: Path, environment: Mapping[str, str]
) -> Installation:
    """Return the plugin. It also offers our server, so that no settings file must change."""
    from recollect.hosts.own_files import OwnFile
    from recollect.hosts.settings_files import Installation

    plugin = Path(__file__).with_name("plugin.js").read_text("utf-8")
    folder = _folder(home, environment) if scope == "user" else directory / ".opencode"
    return Installation(files=(OwnFile(folder / "plugins" / "recollect.js", plugin),))


def is_here(_directory: Path, home: Path, environment: Mapping[str, str]) -> bool:
    """Whether OpenCode is on this machine."""
    from recollect.hosts.installing import has_program

    return _folder(home, environment).is_dir() or has_program(PROGRAM, environment)


def is_installed(directory: Path, home: Path, environment: Mapping[str, str]) -> bool:
    """Whether the plugin is there, for the user or for the project."""
    from recollect.hosts.settings_files import is_in_place

    plans = (installation(scope, directory, home, environment) for scope in ("user", "project"))
    return any(is_in_place(plan.files) for plan in plans)


def _folder(home: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder of the user's settings: see https://opencode.ai/docs/config."""
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
