"""How GitHub Copilot CLI is set up: a file with our hooks, and our MCP server in its settings.

For the user both are in `~/.copilot` (or `COPILOT_HOME`), for a project in `.github`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.hosts import protocol as events
from recollect.hosts.environment import COPILOT_HOME_VARIABLE
from recollect.hosts.hook_commands import SIGN, hook_command, mcp_server, plain_command, sign_of
from recollect.hosts.settings_files import Entry, Installation, Item, SettingsFile

HOOKS: Mapping[str, str] = {
    "sessionStart": events.SESSION_START,
    "userPromptSubmitted": events.PROMPT,
    "preToolUse": events.TOOL_PRE,
    "postToolUse": events.TOOL_POST,
    "postToolUseFailure": events.TOOL_FAILURE,
    "agentStop": events.STOP,
    "sessionEnd": events.SESSION_END,
}
_SECONDS = 5
_FILE = "hooks/recollect.json"
_SERVER = Entry(("mcpServers", "recollect"), {"type": "local", **mcp_server(), "tools": ["*"]})
# Copilot runs the hooks of the user and those of the project, also if they are the same.
_STAND_DOWN = f'grep -qs {SIGN} "${{{COPILOT_HOME_VARIABLE}:-$HOME/.copilot}}/{_FILE}" && exit 0; '


def installation(
    scope: str, directory: Path, home: Path, environment: Mapping[str, str]
) -> Installation:
    """Return the files to change."""
    is_user = scope == "user"
    place = folder(home, environment) if is_user else directory / ".github"
    before = "" if is_user else _STAND_DOWN
    hooks = (
        Item(("hooks", name), _hook(event, before), sign_of(event)) for name, event in HOOKS.items()
    )
    return Installation(
        files=(
            SettingsFile(place / _FILE, (Entry(("version",), 1), *hooks)),
            SettingsFile(place / ("mcp-config.json" if is_user else "mcp.json"), (_SERVER,)),
        ),
        afterwards="" if is_user else "Copilot uses .github only in a folder that you trust.",
    )


def folder(home: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder of the user's settings."""
    return Path(environment.get(COPILOT_HOME_VARIABLE) or home / ".copilot")


def is_here(home: Path, environment: Mapping[str, str]) -> bool:
    """Whether Copilot has settings on this machine."""
    return folder(home, environment).is_dir()


def _hook(event: str, before: str) -> dict[str, Any]:
    return {
        "type": "command",
        "bash": before + hook_command("copilot", event),
        "powershell": plain_command("copilot", event),
        "timeoutSec": _SECONDS,
    }
