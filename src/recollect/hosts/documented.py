"""Agents that get our MCP server, and a block in a file that they read. One row each.

No real client was driven for these: where the server goes is as the page named in each row says. An
agent whose hooks we serve has a package of its own beside this module.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.hosts.hook_commands import mcp_server
from recollect.hosts.installing import has_program
from recollect.hosts.instruction_files import AGENTS_FILE
from recollect.hosts.lazy_host import LazyHost
from recollect.hosts.settings_files import Entry, Installation, SettingsFile

_STDIO = {"type": "stdio", **mcp_server()}
_BY_HAND = (
    "Recollect cannot change its YAML settings. Add this below `extensions:` in"
    " ~/.config/goose/config.yaml: recollect: {enabled: true, type: stdio, name: recollect,"
    " cmd: recollect, args: [mcp], timeout: 60}"
)


class Documented(LazyHost):
    """An agent as its documentation describes it, at a `page`.

    `user` and `project` are the settings files with the servers, from the home directory and from
    the root of the project; empty if there is none. `key` is where servers are in them. `folder` is
    a sign that the agent is on this machine, besides its program. `rules` are the files in which it
    looks for instructions, and reads the first that exists: if a new one came before it, the agent
    would no longer read the project's own.
    """

    def __init__(
        self,
        name: str,
        title: str,
        page: str,
        user: str = "",
        project: str = "",
        *,
        key: str = "mcpServers",
        server: Mapping[str, Any] | None = None,
        folder: str = "",
        by_hand: str = "",
        program: str = "",
        rules: tuple[str, ...] = (AGENTS_FILE,),
    ) -> None:
        super().__init__(name, (), title=title, program=program)
        self.NAME, self.page = name, page
        self.user, self.project = user, project
        self._entry = Entry((key, "recollect"), dict(server or mcp_server()))
        self._folder, self._by_hand, self._rules = folder, by_hand, rules

    def installation(
        self, scope: str, directory: Path, home: Path, _environment: Mapping[str, str]
    ) -> Installation:
        """Return the file with our server, and for a project also where the block may be."""
        is_user = scope == "user"
        path = self.user if is_user else self.project
        file = SettingsFile((home if is_user else directory) / path, (self._entry,))
        return Installation(
            files=(file,) if path else (),
            afterwards=self._by_hand,
            rules=() if is_user else tuple(directory / name for name in self._rules),
        )

    def is_here(self, _directory: Path, home: Path, environment: Mapping[str, str]) -> bool:
        """Whether the agent is on this machine."""
        if self._folder and (home / self._folder).is_dir():
            return True
        return bool(self.PROGRAM) and has_program(self.PROGRAM, environment)


def _editor_folder() -> str:
    """Return where VS Code keeps the settings of its user."""
    if sys.platform == "darwin":
        return "Library/Application Support/Code/User"
    return "AppData/Roaming/Code/User" if sys.platform == "win32" else ".config/Code/User"


ROWS: tuple[Documented, ...] = (
    Documented("agents-md", AGENTS_FILE, "https://agents.md"),
    Documented(
        "amp",
        "Amp",
        "https://ampcode.com/manual",
        ".config/amp/settings.json",
        ".amp/settings.json",
        key="amp.mcpServers",
        folder=".config/amp",
        program="amp",
        rules=(AGENTS_FILE, "AGENT.md", "CLAUDE.md"),
    ),
    Documented(
        "goose",
        "Goose",
        "https://block.github.io/goose/docs/guides/config-files",
        folder=".config/goose",
        by_hand=_BY_HAND,
        program="goose",
    ),
    Documented(
        "vscode",
        "VS Code",
        "https://code.visualstudio.com/docs/copilot/reference/mcp-configuration",
        f"{_editor_folder()}/mcp.json",
        ".vscode/mcp.json",
        key="servers",
        server=_STDIO,
        folder=_editor_folder(),
        program="code",
    ),
    Documented(
        "windsurf",
        "Windsurf",
        "https://docs.windsurf.com/windsurf/cascade/mcp",
        ".codeium/windsurf/mcp_config.json",
        folder=".codeium/windsurf",
        program="windsurf",
    ),
    Documented(
        "zed",
        "Zed",
        "https://zed.dev/docs/ai/mcp",
        ".config/zed/settings.json",
        ".zed/settings.json",
        key="context_servers",
        folder=".config/zed",
        program="zed",
        # See https://zed.dev/docs/ai/instructions.
        rules=(
            *(".rules", ".cursorrules", ".windsurfrules", ".clinerules"),
            *(".github/copilot-instructions.md", "AGENT.md", AGENTS_FILE, "CLAUDE.md", "GEMINI.md"),
        ),
    ),
)
