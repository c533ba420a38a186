"""How Codex is set up: hooks in `hooks.json`, and our MCP server in `config.toml`.

Both are in `~/.codex`, or in `.codex` of a project that the user trusts. Codex runs a hook only
after its user has trusted it, and asks again if the hook changes: see `trust`.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.hosts import protocol as events
from recollect.hosts.codex.trust import untrusted
from recollect.hosts.hook_commands import SIGN, hook_command, mcp_server, plain_command, sign_of
from recollect.hosts.settings_files import Entry, Installation, Item, SettingsFile

_TOOLS = "Bash|apply_patch|spawn_agent|web_search"
# Codex's event, for which tools, ours, and its seconds. `SessionEnd` has at most 3.
_HOOKS: tuple[tuple[str, str, str, int], ...] = (
    ("SessionStart", "", events.SESSION_START, 5),
    ("UserPromptSubmit", "", events.PROMPT, 5),
    ("PreToolUse", "apply_patch", events.TOOL_PRE, 5),
    ("PostToolUse", _TOOLS, events.TOOL_POST, 5),
    ("PreCompact", "", events.PRE_COMPACT, 5),
    ("SubagentStop", "", events.SUBAGENT_STOP, 5),
    ("Stop", "", events.STOP, 5),
    ("SessionEnd", "", events.SESSION_END, 3),
)
# Codex runs the hooks of the user and those of the project, also if they are the same.
_STAND_DOWN = f'grep -qs {SIGN} "${{CODEX_HOME:-$HOME/.codex}}/hooks.json" && exit 0; '
_TRUST = (
    "Codex runs a new or changed hook only after you trust it: start `codex` in a terminal and"
    ' choose "Trust all and continue", or type /hooks. `codex exec` does not ask, and runs no hook'
    " until then."
)
_PROJECT = "Codex reads .codex only in a project that you trust, and asks you at the first start."
# `codex exec` refuses what needs a question. A project doesn't decide that for everybody in it.
_APPROVED = {"default_tools_approval_mode": "approve"}


def folder(home: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder of the user's settings."""
    return Path(environment.get("CODEX_HOME") or home / ".codex")


def installation(
    scope: str, directory: Path, home: Path, environment: Mapping[str, str]
) -> Installation:
    """Return the files to change."""
    place = folder(home, environment) if scope == "user" else directory / ".codex"
    before = "" if scope == "user" else _STAND_DOWN
    hooks = tuple(
        Item(("hooks", name), _hook(tools, event, seconds, before), sign_of(event))
        for name, tools, event, seconds in _HOOKS
    )
    server = {**mcp_server(), **(_APPROVED if scope == "user" else {})}
    return Installation(
        files=(
            SettingsFile(place / "hooks.json", hooks),
            SettingsFile(place / "config.toml", (Entry(("mcp_servers", "recollect"), server),)),
        ),
        afterwards=_TRUST if scope == "user" else f"{_PROJECT} {_TRUST}",
    )


def unapproved(directory: Path, home: Path, environment: Mapping[str, str]) -> str:
    """Say how many hooks Codex does not run yet, because its user has not trusted them."""
    user = folder(home, environment)
    for place in (user, directory / ".codex"):
        waiting, total = untrusted(place / "hooks.json", user / "config.toml")
        if total:  # the hooks of a project leave the work to the user's
            them = "them" if waiting > 1 else "it"
            return f"{waiting} of {total} hooks wait until you trust {them}." if waiting else ""
    return ""


def is_here(home: Path, environment: Mapping[str, str]) -> bool:
    """Whether Codex has settings on this machine."""
    return folder(home, environment).is_dir()


def _hook(tools: str, event: str, seconds: int, before: str) -> dict[str, Any]:
    handler = {
        "type": "command",
        "command": before + hook_command("codex", event),
        "commandWindows": plain_command("codex", event),
        "timeout": seconds,
    }
    return {**({"matcher": tools} if tools else {}), "hooks": [handler]}
