"""The commands with which hosts start our hooks and our MCP server."""

from __future__ import annotations

import json
import os
from typing import Any

# A text that only our hooks contain.
SIGN = "recollect-hook"
_MISSING = {
    "systemMessage": "Recollect is not installed, so this session has no memory. In a clone of"
    " Recollect, run `make install`, then start a new session."
}
_NO_MIRROR = (
    'ls "$(git rev-parse --git-common-dir 2>/dev/null || echo .git)"/recollect/mirror*.json'
    " >/dev/null 2>&1 || exit 0; "
)


def hook_command(event: str, *, tells: bool = False, guards_mirror: bool = False) -> str:
    """Return the shell command for an event.

    Without our program it does nothing, or with `tells` says so: a colleague may not have it. With
    `guards_mirror`, nothing is started in a repository without a mirror.
    """
    if os.name == "nt":
        return f"{SIGN} {event}"
    found = f"command -v {SIGN} >/dev/null 2>&1"
    if tells:
        said = json.dumps(_MISSING)
        return f"if {found}; then exec {SIGN} {event}; fi; printf '%s' '{said}'"
    before = _NO_MIRROR if guards_mirror else ""
    return f"{before}{found} && exec {SIGN} {event}; exit 0"


def mcp_server() -> dict[str, Any]:
    """Return the program of our MCP server, and its arguments."""
    return {"command": "recollect", "args": ["mcp"]}
