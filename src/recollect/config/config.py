"""Configuration: defaults, then the user's TOML, then the project's, then RECOLLECT_* variables.

`config_keys` lists what can be configured. Each value remembers where it came from. A project's
file comes with the repository: it counts at the root of the working tree only, what needs trust is
ignored until the person gives it, and nothing in it can stop a command.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from recollect.config.keys import ABOVE_ZERO, ANY, KEYS, NEVER, ConfigKey
from recollect.core.patterns import pattern
from recollect.errors import BadConfig

USER_FILE = "config.toml"
PROJECT_FILE = ".recollect.toml"
UNTRUSTED = "ignored until you trust it: recollect config trust"
_MOST_BYTES = 1 << 20
_MOST_NAMED, _MOST_WARNINGS = 8, 8
_KEYS_ARE_LISTED = "`recollect config list --all` shows every key."
_ADDRESS = pattern(r"[/:\\]")


_BY_NAME: Mapping[str, ConfigKey] = {key.name: key for key in KEYS}


class Setting(NamedTuple):
    """A value and where it came from."""

    value: str | float | bool
    source: str


class Ignored(NamedTuple):
    """A value that a project's file gives and that does not count, and why."""

    value: str | float | bool
    source: str
    reason: str


class Config(NamedTuple):
    """All settings of one run, and what was odd about the files."""

    settings: Mapping[str, Setting]
    warnings: tuple[str, ...] = ()
    # What a project's file says and may not, by key.
    ignored: Mapping[str, Ignored] = {}
    # Where the person's own data is; nothing that comes with a repository is in there.
    home: Path = Path()

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
    return Config(settings, (warning,), {}, data_dir(env))


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
    user = config_dir(env) / USER_FILE
    if user.is_file():
        for name, value in _flatten(_read_toml(user)):
            key = _BY_NAME.get(name)
            if key is None:
                warnings.append(f"{user}: there is no configuration key {name!r}.")
            else:
                settings[name] = Setting(_typed(key, value, str(user)), str(user))
    project = find_project(directory)
    ignored: dict[str, Ignored] = {}
    if project is not None:
        warnings += _apply_project(project, settings, ignored, data_dir(env))
    return Config(settings | _variables(env), tuple(warnings), ignored, data_dir(env))


class Project(NamedTuple):
    """The root of a working tree, the file in it that counts, and the tables our keys are under."""

    root: Path
    path: Path
    tables: tuple[str, ...] = ()

    @property
    def is_there(self) -> bool:
        """Whether the repository has a file for us."""
        return self.path.is_file()

    def values(self) -> dict[str, Any]:
        """What the file says, by dotted name."""
        if not self.is_there:
            return {}
        found: Any = _read_toml(self.path)
        for table in self.tables:
            found = found.get(table, {}) if isinstance(found, Mapping) else {}
        try:
            return dict(_flatten(found)) if isinstance(found, Mapping) else {}
        except RecursionError:
            raise BadConfig(f"{self.path} is nested too deeply.", "Correct the file.") from None


def find_project(directory: Path) -> Project | None:
    """The project around a directory; None outside of any working tree.

    Only its root counts: what lies deeper, like `node_modules/x`, is not the project's word.
    """
    root = next((f for f in (directory, *directory.parents) if _is_root(f)), None)
    if root is None:
        return None
    own, pyproject = root / PROJECT_FILE, root / "pyproject.toml"
    if not own.is_file() and pyproject.is_file() and _has_table(pyproject):
        return Project(root, pyproject, ("tool", "recollect"))
    return Project(root, own)


def _is_root(folder: Path) -> bool:
    """Whether a folder has a repository: an empty `.git` does not make one, for git neither."""
    git = folder / ".git"
    try:
        return git.is_file() or (
            (git / "HEAD").is_file()
            and ((git / "objects").is_dir() or (git / "commondir").is_file())
        )
    except OSError:
        return False


def _has_table(pyproject: Path) -> bool:
    try:
        said = pyproject.read_text("utf-8", "replace")
        if "[tool.recollect" not in said:
            return False
        return "recollect" in (_read_toml(pyproject).get("tool") or {})
    except BadConfig:
        return True  # it is told why it does not count
    except (OSError, TypeError):
        return False


def needs_trust(values: Mapping[str, Any]) -> dict[str, Any]:
    """Those settings of a project that count, wholly or partly, only when it is trusted."""
    return {
        name: value
        for name, value in values.items()
        if name in _BY_NAME and _BY_NAME[name].project not in (ANY, NEVER)
    }


def _apply_project(
    project: Project, settings: dict[str, Setting], ignored: dict[str, Ignored], home: Path
) -> list[str]:
    """Let a project's file say what it may; what people should know, in sentences.

    A mistake in it must not stop anybody, nor take away what the person has set.
    """
    path = project.path
    try:
        values = project.values()
    except BadConfig as error:
        return [f"{error.message} Nothing in it counts."]
    warnings: list[str] = []
    waiting: list[str] = []
    trusted: bool | None = None  # looked up when it matters
    for name, value in values.items():
        key = _BY_NAME.get(name)
        if key is None:
            warnings.append(f"{path}: there is no configuration key {name[:80]!r}.")
            continue
        try:
            wanted = _typed(key, value, str(path))
        except BadConfig as error:
            warnings.append(f"{error.message}. It is ignored.")
            continue
        if name == "sync.remote" and is_address(value):
            # It must not send memories to an address of its own.
            warnings.append(f"{path}: sync.remote may only name a remote here; it is ignored.")
            ignored[name] = Ignored(wanted, str(path), "a project may only name a remote")
        elif key.is_personal:
            warnings.append(f"{path}: only you can set {name}; it is ignored.")
            ignored[name] = Ignored(wanted, str(path), "only you can set it")
        else:
            is_free = key.is_free(wanted, settings[name].value)
            if not is_free and trusted is None:
                trusted = is_trusted(home, project.root, values)
            if is_free or trusted:
                settings[name] = Setting(wanted, str(path))
            else:
                waiting.append(name)
                ignored[name] = Ignored(wanted, str(path), UNTRUSTED)
    if waiting:
        named = ", ".join(waiting[:_MOST_NAMED]) + (" …" if len(waiting) > _MOST_NAMED else "")
        warnings.append(f"{path} sets {named}: {UNTRUSTED}")
    if len(warnings) > _MOST_WARNINGS:
        left = len(warnings) - _MOST_WARNINGS
        warnings[:] = [*warnings[-_MOST_WARNINGS:], f"{path}: {left} more problems."]
    return warnings


def is_trusted(home: Path, root: Path, values: Mapping[str, Any]) -> bool:
    """Whether the person trusts what a project's file says now."""
    from recollect.config.trust_store import digest, trust_of

    return trust_of(home, root).config == digest(needs_trust(values))


def _read_toml(path: Path) -> Mapping[str, Any]:
    import tomllib  # most repositories have no such file

    try:
        if path.stat().st_size > _MOST_BYTES:
            raise ValueError("it is too long")
        with path.open("rb") as file:
            return tomllib.load(file)
    except (ValueError, OSError, RecursionError) as error:
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
        raise BadConfig(f"{source}: {key.name} takes {_name(wanted)}, not {repr(value)[:80]}")
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
        raise BadConfig(
            f"{source}: {key.name} takes {', '.join(key.choices)}, not {repr(value)[:80]}"
        )
    return value


def _range(key: ConfigKey) -> str:
    """The numbers that a key takes, in words."""
    if key.least == ABOVE_ZERO:
        return "above 0" if key.most == math.inf else f"above 0, up to {key.most:g}"
    return "of 0 or more" if key.most == math.inf else f"from {key.least:g} to {key.most:g}"


def _name(wanted: type) -> str:
    return {str: "text", float: "a number", bool: "true or false"}[wanted]
