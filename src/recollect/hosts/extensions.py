"""Setting up a host that has extensions: one for the user, entries in its settings for a project.

Both have the same hooks, with the same names, so that a session with both runs each hook once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from recollect.hosts import protocol as events
from recollect.hosts.hook_commands import SIGN, hook_command, mcp_server
from recollect.hosts.own_files import OwnFile
from recollect.hosts.settings_files import (
    Entry,
    File,
    Installation,
    Item,
    SettingsFile,
    is_in_place,
)
from recollect.version import __version__


class Hook(NamedTuple):
    """The host's event, ours, and for which of its tools; empty for all, or none."""

    name: str
    event: str
    tools: str = ""


class ExtensionHost(NamedTuple):
    """What differs between hosts: the folder, the manifest, hooks, their timeout, commands."""

    title: str
    folder: str
    manifest: str
    hooks: tuple[Hook, ...]
    timeout: int  # in the unit of the host
    commands: Callable[[Path], tuple[OwnFile, ...]]

    def installation(self, scope: str, directory: Path, home: Path) -> Installation:
        """Return the files to write or to change."""
        if scope == "project":
            afterwards = f"{self.title} uses a project's settings only in a folder that you trust."
            return Installation(self._for_project(directory / self.folder), afterwards=afterwards)
        return Installation(self._extension(home / self.folder / "extensions" / "recollect"))

    def is_installed(self, directory: Path, home: Path) -> bool:
        """Whether everything is there, for the user or for the project."""
        plans = (self.installation(scope, directory, home) for scope in ("user", "project"))
        return any(is_in_place(plan.files) for plan in plans)

    def is_here(self, home: Path) -> bool:
        """Whether the host has settings on this machine."""
        return (home / self.folder / "settings.json").is_file()

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
            OwnFile(folder / self.manifest, _json(manifest), folder),
            OwnFile(folder / "hooks" / "hooks.json", _json({"hooks": hooks}), folder),
            *self.commands(folder / "commands" / "recollect"),
        )

    def _for_project(self, folder: Path) -> tuple[File, ...]:
        hooks = (
            Item(("hooks", hook.name), self._handler(hook), f"{SIGN} {hook.event}")
            for hook in self.hooks
        )
        server = Entry(("mcpServers", "recollect"), mcp_server())
        return (
            SettingsFile(folder / "settings.json", (server, *hooks)),
            *self.commands(folder / "commands" / "recollect"),
        )

    def _handler(self, hook: Hook) -> dict[str, Any]:
        is_start, is_guard = hook.event == events.SESSION_START, hook.event == events.TOOL_PRE
        handler = {
            "name": f"recollect-{hook.event}",
            "type": "command",
            "command": hook_command(hook.event, tells=is_start, guards_mirror=is_guard),
            "timeout": self.timeout,
        }
        return {**({"matcher": hook.tools} if hook.tools else {}), "hooks": [handler]}


def _json(value: Any) -> str:
    return json.dumps(value, indent=2) + "\n"
