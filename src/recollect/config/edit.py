"""Editing configuration files: one key at a time; everything else stays as written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.config.config import (
    USER_FILE,
    canonical,
    config_dir,
    find_project,
    is_address,
    key_named,
    parse_value,
)
from recollect.config.locate import make_private
from recollect.config.replacing import replace_file
from recollect.errors import BadConfig, NotWritable

if TYPE_CHECKING:
    from tomlkit import TOMLDocument


def set_key(
    name: str, given: str, *, directory: Path, environment: Mapping[str, str], user: bool = False
) -> Path:
    """Set a key in the user's file or in the project's file; return the file.

    What a file cannot contain, or a project's file may not set, is rejected and changes nothing.
    """
    key = key_named(name)
    name = key.name
    value = parse_value(key, given, key.name)
    if not user and key.is_personal:
        raise BadConfig(
            f"A project's file cannot set {name}: it comes with the repository.",
            "Set it for yourself with --user.",
        )
    if not user and name == "sync.remote" and is_address(value):
        raise BadConfig(
            "A project's file may only name a remote, not give an address.",
            "Name a remote, or set it for yourself with --user.",
        )
    path, prefix = _file(directory, environment, user=user)
    document = _read(path)
    *tables, last = (*prefix, *_spelled(document, prefix, key.name))
    place: Any = document
    for table in tables:
        place = _table(place, table, path)
    place[last] = int(value) if isinstance(value, float) and value.is_integer() else value
    with _still_trusted(directory, environment, user=user):
        _write(path, document)
    return path


def _spelled(document: Any, prefix: tuple[str, ...], name: str) -> list[str]:
    """Return the parts of a key, with the alias of its kind if the file uses one for it."""
    parts = name.split(".")
    place: Any = document
    for table in (*prefix, parts[0]):
        place = place.get(table) if isinstance(place, Mapping) else None
    for alias, values in place.items() if isinstance(place, Mapping) else ():
        is_same = canonical(f"{parts[0]}.{alias}.{parts[-1]}") == name
        if is_same and isinstance(values, Mapping) and parts[-1] in values:
            return [parts[0], str(alias), parts[-1]]
    return parts


def _table(place: Any, name: str, path: Path) -> Any:
    """Return a table inside another one, created if it does not exist."""
    if name not in place:
        import tomlkit
        from tomlkit.items import InlineTable

        inline = isinstance(place, InlineTable)
        place[name] = tomlkit.inline_table() if inline else tomlkit.table(is_super_table=True)
    if not isinstance(place[name], Mapping):
        raise BadConfig(f"{path}: {name} is not a table.", "Nothing was changed. Correct the file.")
    return place[name]


def unset_key(
    name: str, *, directory: Path, environment: Mapping[str, str], user: bool = False
) -> Path | None:
    """Remove a key from a file; return the file, or None if it does not set the key."""
    name = key_named(name).name
    path, prefix = _file(directory, environment, user=user)
    document = _read(path)
    *tables, last = (*prefix, *_spelled(document, prefix, name))
    place: Any = document
    for table in tables:
        place = place.get(table)
        if not isinstance(place, Mapping):
            return None
    if last not in place:
        return None
    del place[last]
    with _still_trusted(directory, environment, user=user):
        _write(path, document)
    return path


def value_in_file(
    name: str, *, directory: Path, environment: Mapping[str, str], user: bool = False
) -> str | None:
    """Return what a file says about a key, as `set_key` takes it; None if it does not set it."""
    name = key_named(name).name
    path, prefix = _file(directory, environment, user=user)
    place: Any = _read(path)
    for part in (*prefix, *_spelled(place, prefix, name)):
        place = place.get(part) if isinstance(place, Mapping) else None
    return str(place).lower() if isinstance(place, bool) else None if place is None else str(place)


def _file(
    directory: Path, environment: Mapping[str, str], *, user: bool
) -> tuple[Path, tuple[str, ...]]:
    """Return the file to change, and the tables under which it keeps our keys."""
    if user:
        return config_dir(environment) / USER_FILE, ()
    project = find_project(directory)
    if project is None:
        raise BadConfig(
            "There is no repository here, so there is no project configuration.",
            "Change to a repository, or set it for yourself with --user.",
        )
    return project.path, project.tables


@contextmanager
def _still_trusted(
    directory: Path, environment: Mapping[str, str], *, user: bool
) -> Iterator[None]:
    """Keep a file trusted, or in need of no trust, after the user's own change to it."""
    from recollect.config.trust import takes_effect, trust_config

    counts = not user and takes_effect(directory, environment)
    yield
    if counts:
        trust_config(directory, environment)


def _read(path: Path) -> TOMLDocument:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(path.read_bytes()) if path.exists() else tomlkit.document()
    except (TOMLKitError, OSError, UnicodeDecodeError) as error:
        raise BadConfig(f"Cannot read {path}: {error}", "Correct the file.") from None


def _write(path: Path, document: TOMLDocument) -> None:
    import tomlkit

    try:
        make_private(path.resolve().parent)
    except OSError as error:
        raise NotWritable(f"Cannot write {path}: {error}") from None
    replace_file(path, tomlkit.dumps(document).encode())
