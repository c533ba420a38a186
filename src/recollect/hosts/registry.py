"""The list of hosts. The first host that recognises a hook's input reads it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, cast

from recollect.hosts.protocol import Host

# Packages beside this module. The last one recognises every input.
HOSTS: tuple[str, ...] = ("opencode", "codex", "gemini", "qwen", "claude_code")
# Rows of the table in `documented`: agents that run none of our hooks.
DOCUMENTED: tuple[str, ...] = (
    *("agents-md", "amp", "copilot", "cursor", "goose", "vscode", "windsurf", "zed"),
)
# Who an installation is for: you, or everybody in the project.
SCOPES = ("user", "project")


def host(package: str) -> Host:
    """Load the host in a package."""
    return cast("Host", importlib.import_module(f"recollect.hosts.{package}"))


def host_named(name: str) -> Host:
    """Load a host by its name, such as `claude-code`."""
    if name in DOCUMENTED:
        table = importlib.import_module("recollect.hosts.documented")
        return cast("Host", next(row for row in table.ROWS if name == row.NAME))
    return host(name.replace("-", "_"))


def names() -> list[str]:
    """Return the names of all hosts, sorted."""
    return sorted([*(package.replace("_", "-") for package in HOSTS), *DOCUMENTED])


def host_of(payload: Mapping[str, Any], environment: Mapping[str, str]) -> Host:
    """Return the host that runs a hook."""
    for package in HOSTS[:-1]:
        found = host(package)
        if found.detects(payload, environment):
            return found
    return host(HOSTS[-1])
