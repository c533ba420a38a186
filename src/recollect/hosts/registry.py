"""The list of hosts. The command of a hook names its host; else the hosts look at its input."""

from __future__ import annotations

import importlib
from collections.abc import Mapping

from recollect.hosts.protocol import Host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Packages beside this module. An input that none recognises is of the last one, whose format it is.
HOSTS: tuple[str, ...] = (
    *("opencode", "codex", "gemini", "qwen", "copilot", "cursor", "claude_code"),
)
# Rows of the table in `documented`: agents that run none of our hooks.
DOCUMENTED: tuple[str, ...] = (*("agents-md", "amp", "goose", "vscode", "windsurf", "zed"),)
# Who an installation is for: you, or everybody in the project.
SCOPES = ("user", "project")


def host(package: str) -> Host:
    """Load the host in a package."""
    found: Host = importlib.import_module(f"recollect.hosts.{package}").HOST
    return found


def host_named(name: str) -> Host:
    """Load a host by its name, such as `claude-code`."""
    if name in DOCUMENTED:
        table = importlib.import_module("recollect.hosts.documented")
        found: Host = next(row for row in table.ROWS if name == row.NAME)
        return found
    return host(name.replace("-", "_"))


def host_of_client(client: str) -> str:
    """Return the host that an MCP client is, by the name that it gives itself; empty for others.

    Codex is `codex-mcp-client`, and Gemini CLI `gemini-cli-mcp-client`.
    """
    words = "-".join("".join(c if c.isalnum() else " " for c in client[:100].lower()).split())
    return next((name for name in names() if f"-{name}-" in f"-{words}-"), "")


def names() -> list[str]:
    """Return the names of all hosts, sorted."""
    return sorted([*(package.replace("_", "-") for package in HOSTS), *DOCUMENTED])


def host_of_transcript(path: str, session: str) -> str:
    """Return the name of the host that wrote the transcript of a session."""
    return host_of({"transcript_path": path, "session_id": session}, {}).NAME


def host_of(payload: Mapping[str, Any], environment: Mapping[str, str], named: str = "") -> Host:
    """Return the host that runs a hook.

    `named` is the host in the hook's command. Some hosts also run the hooks of others, so another
    one counts if it recognises the input and the named one does not. Older commands name none.
    """
    package = named.replace("-", "_")
    own = host(package) if package in HOSTS else None
    if own is not None and own.detects(payload, environment):
        return own
    for other in HOSTS:
        if other != package and (found := host(other)).detects(payload, environment):
            return found
    return own or host(HOSTS[-1])
