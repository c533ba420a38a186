"""Installs and removes the plugin with Claude Code's own commands."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.errors import InstallFailed

_NAME = "recollect"
PLUGIN = f"{_NAME}@recollect"
MARKETPLACE = "recollect"
_SECONDS = 120.0


def plugin_folder() -> Path:
    """Return the folder of the plugin: in the installed package, or beside the sources."""
    package = Path(__file__).resolve().parents[2]
    for folder in (package / "plugin", package.parents[1] / "plugin"):
        if (folder / ".claude-plugin" / "plugin.json").is_file():
            return folder
    raise InstallFailed("This installation does not contain the plugin.")


def install(scope: str, directory: Path, environment: Mapping[str, str]) -> Path:
    """Install the plugin; return the folder that it is read from."""
    client, folder = _client(environment), plugin_folder()
    _run(client, directory, environment, "marketplace", "add", str(folder))
    _run(client, directory, environment, "install", PLUGIN, "--scope", scope)
    return folder


def uninstall(scope: str, directory: Path, environment: Mapping[str, str]) -> None:
    """Remove the plugin. The memories stay."""
    client = _client(environment)
    _run(client, directory, environment, "uninstall", PLUGIN, "--scope", scope)
    _run(client, directory, environment, "marketplace", "remove", MARKETPLACE)


def is_enabled(directory: Path, home: Path, environment: Mapping[str, str]) -> bool | None:
    """Return whether settings turn the plugin on; None if Claude Code has never run here.

    The project's settings are stronger than the user's, and its local ones are the strongest.
    """
    user = Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")
    if not user.is_dir():
        return None
    files = [user / "settings.json"]
    files += [directory / ".claude" / name for name in ("settings.json", "settings.local.json")]
    is_on = False
    for file in files:
        for name, value in _enabled_in(file).items():
            if name.partition("@")[0] == _NAME:
                is_on = value is True
    return is_on


def _enabled_in(file: Path) -> dict[str, Any]:
    """Return what a settings file says about plugins; nothing if it cannot be read."""
    try:
        said = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    found = said.get("enabledPlugins") if isinstance(said, dict) else None
    return found if isinstance(found, dict) else {}


def _client(environment: Mapping[str, str]) -> str:
    client = shutil.which("claude", path=environment.get("PATH"))
    if client is None:
        raise InstallFailed(
            "Command `claude` not found.",
            "Install Claude Code, or run in a session: /plugin marketplace add"
            f" {plugin_folder()} and then /plugin install {PLUGIN}",
        )
    return client


def _run(client: str, directory: Path, environment: Mapping[str, str], *arguments: str) -> None:
    try:
        done = subprocess.run(
            [client, "plugin", *arguments],
            cwd=directory,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise InstallFailed(f"`claude plugin {arguments[0]}` failed: {error}") from None
    if done.returncode != 0:
        output = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        raise InstallFailed(f"`claude plugin {' '.join(arguments)}` failed: {output}")
