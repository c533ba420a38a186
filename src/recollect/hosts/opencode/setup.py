"""How OpenCode is set up: a plugin, which also offers our server, and commands.

No settings file changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from recollect.hosts.command_files import markdown_commands
from recollect.hosts.own_files import OwnFile
from recollect.hosts.settings_files import Installation


def installation(
    scope: str, directory: Path, home: Path, environment: Mapping[str, str]
) -> Installation:
    """Return the plugin and the commands."""
    plugin = Path(__file__).with_name("plugin.js").read_text("utf-8")
    folder = _folder(home, environment) if scope == "user" else directory / ".opencode"
    commands = (
        # The folder is not ours, so the names say whose they are: `/recollect-review`.
        OwnFile(folder / "commands" / f"recollect-{command.path.name}", command.text)
        for command in markdown_commands(folder, arguments="$ARGUMENTS")
    )
    return Installation(files=(OwnFile(folder / "plugins" / "recollect.js", plugin), *commands))


def is_here(home: Path, environment: Mapping[str, str]) -> bool:
    """Whether OpenCode has settings on this machine."""
    return _folder(home, environment).is_dir()


def _folder(home: Path, environment: Mapping[str, str]) -> Path:
    """Return the folder of the user's settings: see https://opencode.ai/docs/config."""
    return Path(environment.get("XDG_CONFIG_HOME") or home / ".config") / "opencode"
