"""Agents that get our MCP server, and a block in a file that they read. One row each.

No real client was driven for these: where the server goes is as the page named in each row says. An
agent whose hooks we serve has a package of its own beside this module.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from recollect.core.named_tuple import NamedTuple
from recollect.hosts.hook_commands import mcp_server
from recollect.hosts.protocol import (
    OTHER,
    Event,
    PastSession,
    Replayed,
    Reply,
    TranscriptPart,
)
from recollect.hosts.settings_files import Entry, Installation, SettingsFile, is_in_place

_BLOCK = "AGENTS.md"
_STDIO = {"type": "stdio", **mcp_server()}
_BY_HAND = (
    "Recollect cannot change its YAML settings. Add this below `extensions:` in"
    " ~/.config/goose/config.yaml: recollect: {enabled: true, type: stdio, name: recollect,"
    " cmd: recollect, args: [mcp], timeout: 60}"
)


class Documented(NamedTuple):
    """An agent as its documentation describes it.

    `user` and `project` are the settings files with the servers, from the home directory and from
    the root of the project; empty if there is none. `key` is where servers are in them.
    """

    NAME: str
    TITLE: str
    page: str
    user: str
    project: str
    key: str = "mcpServers"
    server: Mapping[str, Any] = mcp_server()
    # A sign that the agent is on this machine, besides its program.
    folder: str = ""
    # Whether it reads the file with the block. This is for agents whose hooks we don't serve.
    reads_block: bool = True
    by_hand: str = ""
    PROGRAM: str = ""
    TESTED: str = ""
    PROJECT_VARIABLE: str = ""
    VARIABLES: tuple[str, ...] = ()
    INSTRUCTIONS: tuple[str, ...] = (_BLOCK,)
    REVIEW: str = ""
    LEARN: str = ""

    def detects(self, _payload: Mapping[str, Any], _environment: Mapping[str, str]) -> bool:
        """Return False: it does not run our hooks."""
        return False

    def action_of(self, _tool: str) -> str:
        """Return nothing: its tools are not known."""
        return OTHER

    def read_event(
        self, name: str, _payload: Mapping[str, Any], _environment: Mapping[str, str]
    ) -> Event:
        """Return an event that is ignored."""
        return Event(name, self.NAME, ignored=f"{self.TITLE} does not run our hooks")

    def write_reply(self, _name: str, _reply: Reply) -> str:
        """Return nothing."""
        return ""

    def read_transcript(self, _path: Path, _offset: int, *, most: int) -> TranscriptPart | None:  # noqa: ARG002
        """Return None: its transcripts are not read."""
        return None

    def past_sessions(self, _home: Path, _environment: Mapping[str, str]) -> Iterator[PastSession]:
        """Yield nothing: its transcripts are not read."""
        yield from ()

    def replay(self, _path: Path) -> Iterator[Replayed]:
        """Yield nothing: its transcripts are not read."""
        yield from ()

    def memory_folders(
        self, _directories: Sequence[Path], _home: Path, _environment: Mapping[str, str]
    ) -> list[Path]:
        """Return nothing: its own notes are not read."""
        return []

    def installation(
        self, scope: str, directory: Path, home: Path, _environment: Mapping[str, str]
    ) -> Installation:
        """Return the file with our server, and for a project also the file with the block."""
        path = home / self.user if scope == "user" else directory / self.project
        is_there = bool(self.user if scope == "user" else self.project)
        entry = Entry((self.key, "recollect"), dict(self.server))
        return Installation(
            files=(SettingsFile(path, (entry,)),) if is_there else (),
            afterwards=self.by_hand,
            block=directory / _BLOCK if scope == "project" and self.reads_block else None,
        )

    def is_here(self, _directory: Path, home: Path, environment: Mapping[str, str]) -> bool:
        """Whether the agent is on this machine."""
        from recollect.hosts.installing import has_program

        has = bool(self.PROGRAM) and has_program(self.PROGRAM, environment)
        return has or bool(self.folder and (home / self.folder).is_dir())

    def is_installed(self, directory: Path, home: Path, environment: Mapping[str, str]) -> bool:
        """Whether our server is in the user's settings or the project's."""
        plans = (
            self.installation(scope, directory, home, environment) for scope in ("user", "project")
        )
        return any(plan.files and is_in_place(plan.files) for plan in plans)


def _editor_folder() -> str:
    """Return where VS Code keeps the settings of its user."""
    if sys.platform == "darwin":
        return "Library/Application Support/Code/User"
    return "AppData/Roaming/Code/User" if sys.platform == "win32" else ".config/Code/User"


ROWS: tuple[Documented, ...] = (
    Documented("agents-md", _BLOCK, "https://agents.md", "", ""),
    Documented(
        "amp",
        "Amp",
        "https://ampcode.com/manual",
        ".config/amp/settings.json",
        ".amp/settings.json",
        key="amp.mcpServers",
        folder=".config/amp",
        PROGRAM="amp",
    ),
    Documented(
        "copilot",
        "GitHub Copilot CLI",
        "https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers",
        ".copilot/mcp-config.json",
        ".github/mcp.json",
        server={"type": "local", **mcp_server(), "tools": ["*"]},
        folder=".copilot",
        PROGRAM="copilot",
    ),
    Documented(
        "cursor",
        "Cursor",
        "https://cursor.com/docs/context/mcp",
        ".cursor/mcp.json",
        ".cursor/mcp.json",
        folder=".cursor",
        PROGRAM="cursor-agent",
    ),
    Documented(
        "goose",
        "Goose",
        "https://block.github.io/goose/docs/guides/config-files",
        "",
        "",
        folder=".config/goose",
        by_hand=_BY_HAND,
        PROGRAM="goose",
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
        PROGRAM="code",
    ),
    Documented(
        "windsurf",
        "Windsurf",
        "https://docs.windsurf.com/windsurf/cascade/mcp",
        ".codeium/windsurf/mcp_config.json",
        "",
        folder=".codeium/windsurf",
        PROGRAM="windsurf",
    ),
    Documented(
        "zed",
        "Zed",
        "https://zed.dev/docs/ai/mcp",
        ".config/zed/settings.json",
        ".zed/settings.json",
        key="context_servers",
        folder=".config/zed",
        PROGRAM="zed",
    ),
)
