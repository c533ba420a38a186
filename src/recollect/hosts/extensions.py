"""Setting up a host that has extensions: one for the user, entries in its settings for a project.

Both have the same hooks, with the same names, so that a session with both runs each hook once.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from recollect.hosts.hook_commands import hook_command, mcp_server, plain_command, sign_of
from recollect.hosts.own_files import OwnFile
from recollect.hosts.settings_files import Entry, File, Installation, Item, SettingsFile
from recollect.version import __version__


class Hook(NamedTuple):
    """The host's event, ours, and for which of its tools; empty for all, or none."""

    name: str
    event: str
    tools: str = ""


class ExtensionHost(NamedTuple):
    """What differs between hosts: the name, hooks, their timeout, and commands."""

    name: str
    title: str
    hooks: tuple[Hook, ...]
    timeout: int  # in the unit of the host
    commands: Callable[[Path], tuple[OwnFile, ...]]

    def installation(
        self, scope: str, directory: Path, home: Path, _environment: Mapping[str, str]
    ) -> Installation:
        """Return the files to write or to change."""
        if scope == "project":
            afterwards = f"{self.title} uses a project's settings only in a folder that you trust."
            return Installation(self._for_project(directory / self._folder), afterwards=afterwards)
        return Installation(self._extension(home / self._folder / "extensions" / "recollect"))

    def is_here(self, home: Path, _environment: Mapping[str, str]) -> bool:
        """Whether the host has settings on this machine."""
        return (home / self._folder / "settings.json").is_file()

    @property
    def _folder(self) -> str:
        return f".{self.name}"

    def _extension(self, folder: Path) -> tuple[File, ...]:
        manifest = {
            "name": "recollect",
            "version": __version__,
            "description": "A memory for coding agents that lives in your repository.",
            "mcpServers": {"recollect": mcp_server()},
        }
        hooks: dict[str, list[Mapping[str, Any]]] = {}
        for hook in self.hooks:
            hooks.setdefault(hook.name, []).append(self._handler(hook))
        return (
            OwnFile(folder / f"{self.name}-extension.json", _json(manifest), folder),
            OwnFile(folder / "hooks" / "hooks.json", _json({"hooks": hooks}), folder),
            *self.commands(folder / "commands" / "recollect"),
        )

    def _for_project(self, folder: Path) -> tuple[File, ...]:
        hooks = (
            Item(("hooks", hook.name), self._handler(hook), sign_of(hook.event))
            for hook in self.hooks
        )
        server = Entry(("mcpServers", "recollect"), mcp_server())
        return (
            SettingsFile(folder / "settings.json", (server, *hooks)),
            *self.commands(folder / "commands" / "recollect"),
        )

    def _handler(self, hook: Hook) -> dict[str, Any]:
        # PowerShell runs it on Windows.
        command = plain_command if sys.platform == "win32" else hook_command
        handler = {
            "name": f"recollect-{hook.event}",
            "type": "command",
            "command": command(self.name, hook.event),
            "timeout": self.timeout,
        }
        return {**({"matcher": hook.tools} if hook.tools else {}), "hooks": [handler]}


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"
