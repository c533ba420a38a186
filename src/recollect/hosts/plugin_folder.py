"""Where the plugin is, whose texts several hosts share."""

from __future__ import annotations

from pathlib import Path

from recollect.errors import InstallFailed


def plugin_folder() -> Path:
    """Return the folder of the plugin: in the installed package, or beside the sources."""
    package = Path(__file__).resolve().parents[1]
    for folder in (package / "plugin", package.parents[1] / "plugin"):
        if (folder / ".claude-plugin" / "plugin.json").is_file():
            return folder
    raise InstallFailed("This installation does not contain the plugin.")
