"""Configuration: defaults, then the user's TOML, then the project's, then RECOLLECT_* variables.

`config_keys` lists what can be configured. Each value remembers where it came from.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from recollect.config.keys import ABOVE_ZERO, KEYS, ConfigKey
from recollect.core.patterns import pattern
from recollect.errors import BadConfig

USER_FILE = "config.toml"
PROJECT_FILE = ".recollect.toml"
_KEYS_ARE_LISTED = "`recollect config list --all` shows every key."
_ADDRESS = pattern(r"[/:\\]")


_BY_NAME: Mapping[str, ConfigKey] = {key.name: key for key in KEYS}


class Setting(NamedTuple):
    """A value and where it came from."""

    value: str | float | bool
    source: str


class Config(NamedTuple):
    """All settings of one run, and what was odd about the files."""

    settings: Mapping[str, Setting]
    warnings: tuple[str, ...] = ()

    def number(self, name: str) -> float:
        """The value of a key that is a number."""
        return float(self.settings[name].value)

    def text(self, name: str) -> str:
        """The value of a key that is text."""
        return str(self.settings[name].value)

    def flag(self, name: str) -> bool:
        """The value of a key that is on or off."""
        return bool(self.settings[name].value)

    def explain(self, name: str) -> Setting:
        """A setting with its source; an unknown key is refused."""
        return self.settings[key_named(name).name]


def key_named(name: str) -> ConfigKey:
    """The key of a name; an unknown one is refused."""
    key = _BY_NAME.get(name)
    if key is None:
        raise BadConfig(f"There is no configuration key {name!r}.", _KEYS_ARE_LISTED)
    return key


def is_address(value: Any) -> bool:
    """Whether a remote is given by where it is, and not by its name."""
    return _ADDRESS.search(str(value)) is not None


def data_dir(environment: Mapping[str, str]) -> Path:
    """Where the user ledger lives: RECOLLECT_DATA_DIR, or the platform's place for data."""
    named = environment.get("RECOLLECT_DATA_DIR")
    if named:
        return Path(named).expanduser()
    base = environment.get("XDG_DATA_HOME") or environment.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".local" / "share") / "recollect"


def config_dir(environment: Mapping[str, str]) -> Path:
    """Where the user's configuration lives: RECOLLECT_CONFIG_DIR, or the platform's place."""
    named = environment.get("RECOLLECT_CONFIG_DIR")
    if named:
        return Path(named).expanduser()
    base = environment.get("XDG_CONFIG_HOME") or environment.get("APPDATA")
    return (Path(base) if base else Path.home() / ".config") / "recollect"


def without_files(warning: str, env: Mapping[str, str]) -> Config:
    """Defaults and variables only, with a warning on why no file counts."""
    settings = _defaults()
    with suppress(BadConfig):
        settings |= _variables(env)
    return Config(settings, (warning,))


def _defaults() -> dict[str, Setting]:
    return {key.name: Setting(key.default, "default") for key in KEYS}


def _variables(env: Mapping[str, str]) -> dict[str, Setting]:
    return {
        key.name: Setting(parse_value(key, env[key.variable], key.variable), key.variable)
        for key in KEYS
        if key.variable in env
    }


def load_config(directory: Path, environment: Mapping[str, str] | None = None) -> Config:
    """Read every source, the stronger over the weaker."""
    env = os.environ if environment is None else environment
    settings = _defaults()
    warnings: list[str] = []
    for path, values in _files(directory, env):
        for name, value in _flatten(values):
            key = _BY_NAME.get(name)
            if key is None:
                warnings.append(f"{path}: there is no configuration key {name!r}.")
            elif name == "sync.remote" and path.name != USER_FILE and is_address(value):
                # It came with the repository: it must not send memories to an address of its own.
                warnings.append(f"{path}: sync.remote may only name a remote here; it is ignored.")
            elif key.is_personal and path.name != USER_FILE:
                warnings.append(f"{path}: only you can set {name}; it is ignored.")
            else:
                settings[name] = Setting(_typed(key, value, str(path)), str(path))
    return Config(settings | _variables(env), tuple(warnings))


def _files(directory: Path, env: Mapping[str, str]) -> Iterator[tuple[Path, Mapping[str, Any]]]:
    user = config_dir(env) / USER_FILE
    if user.is_file():
        yield user, _read_toml(user)
    for folder in (directory, *directory.parents):
        project, pyproject = folder / PROJECT_FILE, folder / "pyproject.toml"
        if project.is_file():
            yield project, _read_toml(project)
            return
        if pyproject.is_file() and "[tool.recollect" in pyproject.read_text("utf-8", "replace"):
            yield pyproject, _read_toml(pyproject).get("tool", {}).get("recollect", {})
            return
        if (folder / ".git").exists():
            return


def _read_toml(path: Path) -> Mapping[str, Any]:
    import tomllib  # most repositories have no such file

    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except (tomllib.TOMLDecodeError, OSError, UnicodeDecodeError) as error:
        raise BadConfig(f"{path} cannot be read: {error}", "Correct the file.") from None


def _flatten(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield prefix + name, value


def _typed(key: ConfigKey, value: Any, source: str) -> str | float | bool:
    wanted = type(key.default)
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        value = float(value)
    if not isinstance(value, wanted):
        raise BadConfig(f"{source}: {key.name} takes {_name(wanted)}, not {value!r}")
    return _allowed(key, value, source)


def parse_value(key: ConfigKey, given: str, source: str) -> str | float | bool:
    """A value that was given as text."""
    if isinstance(key.default, bool):
        words = {"1": True, "true": True, "yes": True, "on": True}
        words |= {"0": False, "false": False, "no": False, "off": False}
        if given.strip().lower() in words:
            return words[given.strip().lower()]
        raise BadConfig(f"{source} takes true or false, not {given!r}")
    if isinstance(key.default, float):
        try:
            number = float(given)
        except ValueError:
            raise BadConfig(f"{source} takes a number, not {given!r}") from None
        return _allowed(key, number, source)
    return _allowed(key, given, source)


def _allowed(key: ConfigKey, value: str | float | bool, source: str) -> str | float | bool:
    if isinstance(value, float) and not (math.isfinite(value) and key.least <= value <= key.most):
        raise BadConfig(f"{source}: {key.name} takes a number {_range(key)}, not {value!r}")
    if key.choices and value not in key.choices:
        raise BadConfig(f"{source}: {key.name} takes {', '.join(key.choices)}, not {value!r}")
    return value


def _range(key: ConfigKey) -> str:
    """The numbers that a key takes, in words."""
    if key.least == ABOVE_ZERO:
        return "above 0" if key.most == math.inf else f"above 0, up to {key.most:g}"
    return "of 0 or more" if key.most == math.inf else f"from {key.least:g} to {key.most:g}"


def _name(wanted: type) -> str:
    return {str: "text", float: "a number", bool: "true or false"}[wanted]
