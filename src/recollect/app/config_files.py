"""Changing configuration files: one key at a time, everything else stays as it was written."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.app.config import PROJECT_FILE, USER_FILE, config_dir, key_named, parse_value
from recollect.errors import BadConfig, NotWritable

if TYPE_CHECKING:
    from tomlkit import TOMLDocument

_TABLE = ("tool", "recollect")


def set_key(
    name: str, given: str, *, directory: Path, environment: Mapping[str, str], user: bool = False
) -> Path:
    """Set a key in the user's file, or in that of the project around a directory; gives the file.

    What a file cannot say, or a project's file may not say, is refused and changes nothing.
    """
    key = key_named(name)
    value = parse_value(key, given, key.name)
    if not user and key.is_personal:
        raise BadConfig(
            f"A project's file cannot set {name}: it comes with the repository.",
            "Set it for yourself with --user.",
        )
    path, prefix = _file(directory, environment, user=user)
    document = _read(path)
    *tables, last = (*prefix, *name.split("."))
    place: Any = document
    for table in tables:
        if not isinstance(place.get(table), Mapping):
            import tomlkit

            place[table] = tomlkit.table(is_super_table=True)
        place = place[table]
    place[last] = int(value) if isinstance(value, float) and value.is_integer() else value
    _write(path, document)
    return path


def unset_key(
    name: str, *, directory: Path, environment: Mapping[str, str], user: bool = False
) -> Path | None:
    """Take a key out of a file; the file, or None where it does not set the key."""
    key_named(name)
    path, prefix = _file(directory, environment, user=user)
    document = _read(path)
    *tables, last = (*prefix, *name.split("."))
    place: Any = document
    for table in tables:
        place = place.get(table)
        if not isinstance(place, Mapping):
            return None
    if last not in place:
        return None
    del place[last]
    _write(path, document)
    return path


def _file(
    directory: Path, environment: Mapping[str, str], *, user: bool
) -> tuple[Path, tuple[str, ...]]:
    """The file to change, and the tables under which it keeps our keys."""
    if user:
        return config_dir(environment) / USER_FILE, ()
    top = directory
    for folder in (directory, *directory.parents):
        if (folder / PROJECT_FILE).is_file():
            return folder / PROJECT_FILE, ()
        pyproject = folder / "pyproject.toml"
        if pyproject.is_file() and "[tool.recollect" in pyproject.read_text("utf-8", "replace"):
            return pyproject, _TABLE
        if (folder / ".git").exists():
            top = folder
            break
    return top / PROJECT_FILE, ()


def _read(path: Path) -> TOMLDocument:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    try:
        return tomlkit.parse(path.read_text("utf-8")) if path.exists() else tomlkit.document()
    except (TOMLKitError, OSError, UnicodeDecodeError) as error:
        raise BadConfig(f"{path} cannot be read: {error}", "Correct the file.") from None


def _write(path: Path, document: TOMLDocument) -> None:
    import tomlkit

    fresh = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        fresh.write_text(tomlkit.dumps(document), "utf-8", newline="")
        fresh.replace(path)
    except OSError as error:
        fresh.unlink(missing_ok=True)
        raise NotWritable(f"{path} cannot be written: {error}") from None
