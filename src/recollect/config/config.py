"""Configuration: defaults, then the user's TOML, then the project's, then RECOLLECT_* variables.

`config.keys` lists the keys. Each value remembers where it came from. A project's file comes with
the repository: it counts only at the root of the working tree, settings that need trust are ignored
until the user trusts them, and nothing in it can stop a command.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from recollect.config.key import ABOVE_ZERO, ANY, NEVER, ConfigKey
from recollect.config.keys import KEYS
from recollect.core.kinds import find_kind
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.errors import BadConfig

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

USER_FILE = "config.toml"
PROJECT_FILE = ".recollect.toml"
UNTRUSTED = "ignored until you trust it: recollect config trust"
_MOST_BYTES = 1 << 20
_MOST_NAMED, _MOST_WARNINGS = 8, 8
_KEYS_ARE_LISTED = "To see every key, run: recollect config list --all"
_ADDRESS = pattern(r"[/:\\]")


_BY_NAME: Mapping[str, ConfigKey] = {key.name: key for key in KEYS}
# Keys of older versions. A similar key would be the wrong advice.
_REMOVED: Mapping[str, str] = {
    "capture.auto_threshold": "It had no effect and was removed. Remove it from the file.",
}


class Setting(NamedTuple):
    """A value and where it came from."""

    value: str | float | bool
    source: str


class Ignored(NamedTuple):
    """A value in a project's file that has no effect, and why."""

    value: str | float | bool
    source: str
    reason: str


class Config(NamedTuple):
    """All settings of one run, and warnings about the files."""

    settings: Mapping[str, Setting]
    warnings: tuple[str, ...] = ()
    # What a project's file sets but may not set, by key.
    ignored: Mapping[str, Ignored] = {}
    # The user's own data directory; nothing in it comes with a repository.
    home: Path = Path()

    def number(self, name: str) -> float:
        """Return the value of a number key."""
        return float(self.settings[name].value)

    def text(self, name: str) -> str:
        """Return the value of a text key."""
        return str(self.settings[name].value)

    def flag(self, name: str) -> bool:
        """Return the value of an on-off key."""
        return bool(self.settings[name].value)

    def explain(self, name: str) -> Setting:
        """Return a setting with its source; raise an error for an unknown key."""
        return self.settings[key_named(name).name]


def key_named(name: str) -> ConfigKey:
    """Return the key with that name; raise an error if it is unknown."""
    key = _BY_NAME.get(canonical(name))
    if key is None:
        raise BadConfig(
            f"There is no configuration key {name!r}.{_nearest(name)}", _KEYS_ARE_LISTED
        )
    return key


def canonical(name: str) -> str:
    """Return the name of a key, in which an alias of a kind may stand for the kind."""
    if not name.startswith("kinds."):
        return name
    table, _, last = name[len("kinds.") :].rpartition(".")
    kind = find_kind(table)
    return f"kinds.{kind.name}.{last}" if kind is not None else name


def _nearest(name: str) -> str:
    """Return what to do about a removed key, or the most similar key; empty if there is none."""
    from difflib import get_close_matches

    wanted = canonical(name)[:80]
    if wanted in _REMOVED:
        return f" {_REMOVED[wanted]}"
    table, _, last = wanted.rpartition(".")
    beside = [key.rpartition(".")[2] for key in _BY_NAME if key.rpartition(".")[0] == table]
    found = [f"{table}.{key}" for key in get_close_matches(last, beside, n=1, cutoff=0.6)]
    if not beside:  # the table is misspelled as well
        found = get_close_matches(wanted, _BY_NAME, n=1, cutoff=0.8)
    return f" Did you mean {found[0]}?" if found else ""


def is_address(value: Any) -> bool:
    """Whether a remote is given as an address and not as a name."""
    return _ADDRESS.search(str(value)) is not None


def data_dir(environment: Mapping[str, str]) -> Path:
    """Return the data directory, with the user ledger: RECOLLECT_DATA_DIR, or the platform's."""
    named = environment.get("RECOLLECT_DATA_DIR")
    if named:
        return Path(named).expanduser()
    base = environment.get("XDG_DATA_HOME") or environment.get("LOCALAPPDATA")
    return (Path(base) if base else Path.home() / ".local" / "share") / "recollect"


def config_dir(environment: Mapping[str, str]) -> Path:
    """Return the configuration directory: RECOLLECT_CONFIG_DIR, or the platform's."""
    named = environment.get("RECOLLECT_CONFIG_DIR")
    if named:
        return Path(named).expanduser()
    base = environment.get("XDG_CONFIG_HOME") or environment.get("APPDATA")
    return (Path(base) if base else Path.home() / ".config") / "recollect"


def without_files(warning: str, env: Mapping[str, str]) -> Config:
    """Return defaults and variables only, with a warning about why no file is used."""
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
    """Read every source; stronger sources override weaker ones."""
    env = os.environ if environment is None else environment
    settings = _defaults()
    warnings: list[str] = []
    user = config_dir(env) / USER_FILE
    if user.is_file():
        for name, value in _flatten(_read_toml(user)):
            key = _BY_NAME.get(canonical(name))
            if key is None:
                warnings.append(f"{user}: there is no configuration key {name!r}.{_nearest(name)}")
            else:
                settings[key.name] = Setting(_typed(key, value, str(user)), str(user))
    project = find_project(directory)
    ignored: dict[str, Ignored] = {}
    if project is not None:
        warnings += _apply_project(project, settings, ignored, data_dir(env))
    return Config(settings | _variables(env), tuple(warnings), ignored, data_dir(env))


class Project(NamedTuple):
    """The root of a working tree, its configuration file, and the TOML tables of our keys."""

    root: Path
    path: Path
    tables: tuple[str, ...] = ()

    @property
    def is_there(self) -> bool:
        """Whether the repository has a configuration file for Recollect."""
        return self.path.is_file()

    def values(self) -> dict[str, Any]:
        """Return the values in the file, by dotted name."""
        if not self.is_there:
            return {}
        found: Any = _read_toml(self.path)
        for table in self.tables:
            found = found.get(table, {}) if isinstance(found, Mapping) else {}
        try:
            if not isinstance(found, Mapping):
                return {}
            return {canonical(name): value for name, value in _flatten(found)}
        except RecursionError:
            raise BadConfig(f"{self.path} is nested too deeply.", "Correct the file.") from None


def find_project(directory: Path) -> Project | None:
    """Return the project around a directory; None outside any working tree.

    Only the root counts: a file deeper down, as in `node_modules/x`, is not the project's own.
    """
    root = next((f for f in (directory, *directory.parents) if _is_root(f)), None)
    if root is None:
        return None
    own, pyproject = root / PROJECT_FILE, root / "pyproject.toml"
    if not own.is_file() and pyproject.is_file() and _has_table(pyproject):
        return Project(root, pyproject, ("tool", "recollect"))
    return Project(root, own)


def _is_root(folder: Path) -> bool:
    """Whether a folder has a repository: for git too, an empty `.git` does not count."""
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
        return True  # the warning says why it has no effect
    except (OSError, TypeError):
        return False


def needs_trust(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the project settings that have full effect only if the project is trusted."""
    return {
        name: value
        for name, value in values.items()
        if name in _BY_NAME and _BY_NAME[name].project not in (ANY, NEVER)
    }


def _apply_project(
    project: Project, settings: dict[str, Setting], ignored: dict[str, Ignored], home: Path
) -> list[str]:
    """Apply what a project's file may set; return warnings for the user.

    A mistake in it must not stop anyone, nor change what the user has set.
    """
    path = project.path
    try:
        values = project.values()
    except BadConfig as error:
        return [f"{error.message} Ignored the whole file."]
    warnings: list[str] = []
    waiting: list[str] = []
    trusted: bool | None = None  # looked up on demand
    for name, value in values.items():
        key = _BY_NAME.get(name)
        if key is None:
            near = _nearest(name) if len(warnings) < _MOST_WARNINGS else ""
            warnings.append(f"{path}: there is no configuration key {name[:80]!r}.{near}")
            continue
        try:
            wanted = _typed(key, value, str(path))
        except BadConfig as error:
            warnings.append(f"{error.message}. Ignored it.")
            continue
        if name == "sync.remote" and is_address(value):
            # It must not send memories to an address of its own.
            warnings.append(f"{path}: ignored sync.remote, which may only name a remote here.")
            ignored[name] = Ignored(wanted, str(path), "a project may only name a remote")
        elif key.is_personal:
            warnings.append(f"{path}: ignored {name}, which only you can set.")
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
    """Whether the user trusts the current contents of a project's file."""
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
    """Parse a value that was given as text."""
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
    if key.name == "index.url" and value:
        from recollect.config.database_url import check_database_url

        check_database_url(str(value), source, is_stored=source != key.variable)
    if isinstance(value, float) and not (math.isfinite(value) and key.least <= value <= key.most):
        raise BadConfig(f"{source}: {key.name} takes a number {_range(key)}, not {value!r}")
    if key.whole and isinstance(value, float) and not value.is_integer():
        raise BadConfig(f"{source}: {key.name} takes a whole number, not {value!r}")
    if key.choices and value not in key.choices:
        raise BadConfig(
            f"{source}: {key.name} takes {', '.join(key.choices)}, not {repr(value)[:80]}"
        )
    return value


def _range(key: ConfigKey) -> str:
    """Describe the numbers that a key accepts."""
    if key.least == ABOVE_ZERO:
        return "above 0" if key.most == math.inf else f"above 0, up to {key.most:g}"
    return "of 0 or more" if key.most == math.inf else f"from {key.least:g} to {key.most:g}"


def _name(wanted: type) -> str:
    return {str: "text", float: "a number", bool: "true or false"}[wanted]
