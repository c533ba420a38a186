"""The hosts, by name; the first that recognises a hook's input reads it."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, cast

from recollect.hosts.protocol import Host

# Each is a package beside this module. The last one recognises everything.
HOSTS: tuple[str, ...] = ("codex", "claude_code")
# Where an installation is for: you, or the project.
SCOPES = ("user", "project")


def host(package: str) -> Host:
    """The host of a package."""
    return cast("Host", importlib.import_module(f"recollect.hosts.{package}"))


def host_named(name: str) -> Host:
    """The host that people call by this name."""
    return host(name.replace("-", "_"))


def names() -> list[str]:
    """What people call the hosts."""
    return sorted(package.replace("_", "-") for package in HOSTS)


def host_of(payload: Mapping[str, Any], environment: Mapping[str, str]) -> Host:
    """The host that runs a hook."""
    for package in HOSTS[:-1]:
        found = host(package)
        if found.detects(payload, environment):
            return found
    return host(HOSTS[-1])


def variables() -> tuple[str, ...]:
    """The prefixes of the variables that hosts set for their hooks."""
    return tuple(dict.fromkeys(name for package in HOSTS for name in host(package).VARIABLES))
