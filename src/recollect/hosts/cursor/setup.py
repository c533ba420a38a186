"""How Cursor is set up: our hooks in `hooks.json`, and our MCP server in `mcp.json`.

Both are in `~/.cursor`, or in `.cursor` of a project: see https://cursor.com/docs/hooks and
https://cursor.com/docs/context/mcp.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.hosts import protocol as events
from recollect.hosts.hook_commands import SIGN, mcp_server, plain_command, quiet_command, sign_of
from recollect.hosts.settings_files import Entry, Installation, Item, SettingsFile

HOOKS: Mapping[str, str] = {
    "sessionStart": events.SESSION_START,
    "beforeSubmitPrompt": events.PROMPT,
    "preToolUse": events.TOOL_PRE,
    "postToolUse": events.TOOL_POST,
    "postToolUseFailure": events.TOOL_FAILURE,
    "preCompact": events.PRE_COMPACT,
    "stop": events.STOP,
    "sessionEnd": events.SESSION_END,
}
_SECONDS = 5
_FOLDER = ".cursor"
_SERVER = Entry(("mcpServers", "recollect"), mcp_server())
# The hooks of a user run in `~/.cursor`.
_IN_PROJECT = 'cd "${CURSOR_PROJECT_DIR:-.}" 2>/dev/null; '
# Cursor runs the hooks of the user and those of the project, also if they are the same.
_STAND_DOWN = f'grep -qs {SIGN} "$HOME/{_FOLDER}/hooks.json" && exit 0; '


def installation(
    scope: str, directory: Path, home: Path, _environment: Mapping[str, str]
) -> Installation:
    """Return the files to change."""
    is_user = scope == "user"
    place = (home if is_user else directory) / _FOLDER
    hooks = (
        Item(("hooks", name), _hook(event, _IN_PROJECT if is_user else _STAND_DOWN), sign_of(event))
        for name, event in HOOKS.items()
    )
    return Installation(
        files=(
            SettingsFile(place / "hooks.json", (Entry(("version",), 1), *hooks)),
            SettingsFile(place / "mcp.json", (_SERVER,)),
        ),
        afterwards="Open a new chat in Cursor. Customize > Hooks shows what it runs."
        if is_user
        else "Cursor uses .cursor only in a folder that you trust.",
    )


def is_here(home: Path, _environment: Mapping[str, str]) -> bool:
    """Whether Cursor has settings on this machine."""
    return (home / _FOLDER).is_dir()


def _hook(event: str, before: str) -> dict[str, Any]:
    """Return a hook. Its command is one word of a shell and its arguments.

    Cursor puts the input behind the command as a here-document, and runs both in the user's shell,
    whichever that is. A here-document belongs to the last command of a line.
    """
    if sys.platform == "win32":
        command = plain_command("cursor", event)
    else:
        command = f"sh -c '{before}{quiet_command('cursor', event)}'"
    return {"command": command, "timeout": _SECONDS}
