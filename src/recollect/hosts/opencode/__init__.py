"""OpenCode: a plugin of ours hands its events to the hooks, and offers it our MCP server."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.hosts.opencode.events import action_of, read_event, write_reply
from recollect.hosts.protocol import PastSession, Replayed, TranscriptPart

if TYPE_CHECKING:
    from recollect.hosts.settings_files import OwnFile

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


# Imports are inside the functions, so that a hook loads only what it needs.
def install(scope: str, directory: Path, environment: Mapping[str, str]) -> Path:
    """Write the plugin; return its file."""
    from recollect.hosts import settings_files

    files = _files(scope, directory, environment)
    settings_files.apply(settings_files.installing(files, environment), environment)
    return files[0].path


def has_plugin(directory: Path, _home: Path, environment: Mapping[str, str]) -> bool | None:
    """Return whether the plugin is there; None if OpenCode has no settings here."""
    from recollect.hosts import settings_files

    folders = (_folder(scope, directory, environment) for scope in ("user", "project"))
    if not any(folder.is_dir() for folder in folders):
        return None
    scopes = (_files(scope, directory, environment) for scope in ("user", "project"))
    return any(settings_files.is_installed(files) for files in scopes)


def uninstall(scope: str, directory: Path, environment: Mapping[str, str]) -> None:
    """Remove the plugin. The memories stay."""
    from recollect.hosts import settings_files

    files = _files(scope, directory, environment)
    settings_files.apply(settings_files.removing(files, environment), environment)


def _files(scope: str, directory: Path, environment: Mapping[str, str]) -> tuple[OwnFile]:
    """Return the plugin. It also offers our server, so that no settings file must change."""
    from recollect.hosts.settings_files import OwnFile

    plugin = Path(__file__).with_name("plugin.js").read_text("utf-8")
    return (OwnFile(_folder(scope, directory, environment) / "plugins" / "recollect.js", plugin),)


def _folder(scope: str, directory: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder that OpenCode reads: see https://opencode.ai/docs/config and /plugins."""
    if scope == "project":
        return directory / ".opencode"
    base = environment.get("XDG_CONFIG_HOME")
    return (Path(base) if base else Path.home() / ".config") / "opencode"
