"""The commands with which hosts start our hooks and our MCP server."""

from __future__ import annotations

import json
from typing import Any

from recollect.hosts.protocol import SESSION_START, TOOL_PRE

# A text that only our hooks contain.
SIGN = "recollect-hook"
_MISSING = {
    "systemMessage": "Recollect is not installed, so this session has no memory. In a clone of"
    " Recollect, run `make install`, then start a new session."
}
_FOUND = f"command -v {SIGN} >/dev/null 2>&1"
_NO_MIRROR = (
    'ls "$(git rev-parse --git-common-dir 2>/dev/null || echo .git)"/recollect/mirror*.json'
    " >/dev/null 2>&1 || exit 0; "
)


def plain_command(host: str, event: str) -> str:
    """Return the command without anything that only some shells understand."""
    return f"{SIGN} {event} {host}"


def hook_command(host: str, event: str) -> str:
    """Return the shell command with which a host reports an event.

    Without our program it does nothing, or at the start of a session says so: a colleague may not
    have it. Before a file is written, nothing is started in a repository without a mirror.
    """
    if event != SESSION_START:
        return quiet_command(host, event)
    call = plain_command(host, event)
    return f"if {_FOUND}; then exec {call}; fi; printf '%s' '{json.dumps(_MISSING)}'"


def quiet_command(host: str, event: str) -> str:
    """Return the command for a host that shows its user nothing: it has no single quotes."""
    before = _NO_MIRROR if event == TOOL_PRE else ""
    return f"{before}{_FOUND} && exec {plain_command(host, event)}; exit 0"


def sign_of(event: str) -> str:
    """Return a text that only our hooks for an event contain, also those of older versions."""
    return f"{SIGN} {event}"


def mcp_server() -> dict[str, Any]:
    """Return the program of our MCP server, and its arguments."""
    return {"command": "recollect", "args": ["mcp"]}
