"""How the plugin is installed: with Claude Code's own commands, or as files of a project."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from recollect.hosts.own_files import OwnFile
from recollect.hosts.plugin_folder import plugin_folder
from recollect.hosts.settings_files import Entry, Installation, SettingsFile

_NAME = "recollect"
PLUGIN = f"{_NAME}@recollect"
MARKETPLACE = "recollect"


def installation(
    scope: str, directory: Path, home: Path, environment: Mapping[str, str]
) -> Installation:
    """Return what installing takes: for the user, commands of Claude Code; for a project, files."""
    if scope == "project":
        return _for_project(directory / ".claude")
    return _for_user(config_folder(home, environment))


def _for_user(config: Path) -> Installation:
    folder = plugin_folder()
    plugin = ("claude", "plugin")
    # Claude Code refuses to remove what is not there.
    is_there = any(_is_ours(name) for name in _enabled_in(config / "settings.json"))
    is_known = MARKETPLACE in _object_in(config / "plugins" / "known_marketplaces.json")
    return Installation(
        # The commands write these, too.
        files=(SettingsFile(config / "settings.json", _entries(str(folder))),),
        commands=(
            (*plugin, "marketplace", "add", str(folder)),
            (*plugin, "install", PLUGIN, "--scope", "user"),
        ),
        undo=(
            *(((*plugin, "uninstall", PLUGIN, "--scope", "user"),) if is_there else ()),
            *(((*plugin, "marketplace", "remove", MARKETPLACE),) if is_known else ()),
        ),
        instead=(
            f"Install Claude Code, or run in a session: /plugin marketplace add {folder}"
            f" and then /plugin install {PLUGIN}"
        ),
    )


def _for_project(place: Path) -> Installation:
    """The project carries a copy of the plugin, so that it works in every clone."""
    folder, copy = plugin_folder(), place / MARKETPLACE
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    copies = (
        OwnFile(copy / path.relative_to(folder), path.read_text("utf-8"), copy) for path in paths
    )
    entries = _entries(f"./{place.name}/{MARKETPLACE}")
    return Installation(
        files=(SettingsFile(place / "settings.json", entries), *copies),
        afterwards="Claude Code uses it in folders that you trust, from the second session on.",
    )


def _entries(folder: str) -> tuple[Entry, ...]:
    """Return what turns the plugin in a folder on."""
    source = {"source": "directory", "path": folder}
    return (
        Entry(("extraKnownMarketplaces", MARKETPLACE), {"source": source}),
        Entry(("enabledPlugins", PLUGIN), True),
    )


def config_folder(home: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder of the user's settings."""
    return Path(environment.get("CLAUDE_CONFIG_DIR") or home / ".claude")


def is_here(home: Path, environment: Mapping[str, str]) -> bool:
    """Whether Claude Code has settings on this machine."""
    return config_folder(home, environment).is_dir()


def is_installed(directory: Path, home: Path, environment: Mapping[str, str]) -> bool:
    """Return whether settings turn the plugin on.

    The project's settings are stronger than the user's, and its local ones are the strongest.
    """
    files = [config_folder(home, environment) / "settings.json"]
    files += [directory / ".claude" / name for name in ("settings.json", "settings.local.json")]
    is_on = False
    for file in files:
        for name, value in _enabled_in(file).items():
            if _is_ours(name):
                is_on = value is True
    return is_on


def _is_ours(plugin: str) -> bool:
    return plugin.partition("@")[0] == _NAME


def _enabled_in(file: Path) -> Mapping[str, Any]:
    """Return what a settings file says about plugins; nothing if it cannot be read."""
    found = _object_in(file).get("enabledPlugins")
    return found if isinstance(found, dict) else {}


def _object_in(file: Path) -> Mapping[str, Any]:
    """Return the object in a file; an empty one if it cannot be read."""
    try:
        said = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
