"""Adds a table to a TOML text, or takes it out; every other character stays.

A table goes to the end of the text. What an edit did is checked with the standard parser: if the
file would then say anything else besides, the edit is refused.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any

from recollect.core.patterns import pattern
from recollect.hosts.json_edit import Keys, Splice

_BARE = pattern(r"[A-Za-z0-9_-]+\Z")
_HEADER = pattern(r"[ \t]*\[")


class NotToml(ValueError):
    """The text is not TOML, or cannot hold the table."""


def read(text: str) -> dict[str, Any]:
    """Return what a text says."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise NotToml(str(error)) from None


def insert(text: str, keys: Keys, value: Mapping[str, Any]) -> Splice:
    """Put a table, whose values are no tables, at the end of a text."""
    import tomlkit

    newline = "\r\n" if "\r\n" in text else "\n"
    lines = [f"[{_dotted(keys)}]", *tomlkit.dumps(value).splitlines(), ""]
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    splice = Splice(len(text), "", gap + newline.join(lines))
    _check(splice.applied(text), _with(read(text), keys, value))
    return splice


def remove(text: str, keys: Keys) -> Splice | None:
    """Take out a table; None if it is not there."""
    said = read(text)
    if _at(said, keys) is None:
        return None
    lines = text.splitlines(keepends=True)
    header = re.compile(
        r"[ \t]*\[[ \t]*" + r"[ \t]*\.[ \t]*".join(map(_spelled, keys)) + r"[ \t]*\]"
    )
    start = next((number for number, line in enumerate(lines) if header.match(line)), None)
    if start is None:
        raise NotToml(f"there is no line [{_dotted(keys)}]")
    end = start + 1
    while end < len(lines) and not _HEADER.match(lines[end]):
        end += 1
    while end > start + 1 and not lines[end - 1].partition("#")[0].strip():
        end -= 1  # comments and empty lines after it belong to what follows
    if start and not lines[start - 1].strip():
        start -= 1  # the empty line that was put before it
    at = sum(map(len, lines[:start]))
    splice = Splice(at, "".join(lines[start:end]), "")
    _check(splice.applied(text), _without(said, keys))
    return splice


def _dotted(keys: Keys) -> str:
    return ".".join(key if _BARE.match(key) else _quoted(key) for key in keys)


def _quoted(key: str) -> str:
    import json

    return json.dumps(key, ensure_ascii=False)


def _spelled(key: str) -> str:
    """Return a pattern for the ways to write a key."""
    return f"(?:{re.escape(key)}|{re.escape(_quoted(key))}|'{re.escape(key)}')"


def _check(text: str, wanted: Mapping[str, Any]) -> None:
    if read(text) != wanted:
        raise NotToml("the file says the same in another form")


def _at(said: Any, keys: Keys) -> Any:
    for key in keys:
        said = said.get(key) if isinstance(said, Mapping) else None
    return said


def _with(said: Mapping[str, Any], keys: Keys, value: Any) -> dict[str, Any]:
    if not keys:
        return dict(value)
    inner = said.get(keys[0], {})
    if not isinstance(inner, Mapping):
        raise NotToml(f"{keys[0]} is not a table")
    return {**said, keys[0]: _with(inner, keys[1:], value)}


def _without(said: Mapping[str, Any], keys: Keys) -> dict[str, Any]:
    """Return what is left without a table, and without tables that only it made."""
    if len(keys) == 1:
        return {key: value for key, value in said.items() if key != keys[0]}
    inner = _without(said[keys[0]], keys[1:])
    rest = {key: value for key, value in said.items() if key != keys[0]}
    return {**rest, keys[0]: inner} if inner else rest
