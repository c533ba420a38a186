"""Puts our entries into an agent's settings files, and takes them out again.

Only what must change does: formatting, comments and line ends stay. What was done is kept in a
receipt in our data directory: offsets, our own text, and a hash of the result, but nothing of what
the file says otherwise, which may be secret. If the file is still as we left it, removing restores
it byte for byte; a file and folders that we made are removed. If somebody changed the file, our
entries are found in it and taken out.

An entry with our name that we did not make is the user's: it stays, also at the end.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from recollect.config.replacing import replace_file
from recollect.errors import InstallFailed
from recollect.hosts import json_edit, own_files, toml_edit
from recollect.hosts.file_changes import Change, hash_of, read, receipt_of
from recollect.hosts.json_edit import Splice
from recollect.hosts.own_files import OwnFile


class Entry(NamedTuple):
    """A value at a key: in TOML a table."""

    keys: tuple[str, ...]
    value: Any


class Item(NamedTuple):
    """A value in the list at a key. `sign` is a text that only our items contain."""

    keys: tuple[str, ...]
    value: Any
    sign: str


class SettingsFile(NamedTuple):
    """A JSON (with or without comments) or TOML file of the agent, and what must be in it."""

    path: Path
    entries: tuple[Entry | Item, ...]


File = SettingsFile | OwnFile


class Installation(NamedTuple):
    """What installing takes: commands of the agent to run, then files to change.

    Removing runs `undo` first and then restores the files. If commands write entries of ours into a
    file, it is in `files` with these entries, so that it keeps its form. `afterwards` is what the
    user must do; `instead` is what they can do if the agent's program is not found.
    """

    files: tuple[File, ...] = ()
    commands: tuple[tuple[str, ...], ...] = ()
    undo: tuple[tuple[str, ...], ...] = ()
    afterwards: str = ""
    instead: str = ""
    # Where a host without hooks looks for standing instructions, in its order: it reads the first
    # file that exists. That file gets the block with the most important memories.
    rules: tuple[Path, ...] = ()


def installing(files: Sequence[File], environment: Mapping[str, str]) -> list[Change]:
    """Return what must change so that all entries are in the files. Nothing is written."""
    return [
        *own_files.no_longer_shipped(files, environment),
        *(
            own_files.installing(file, environment)
            if isinstance(file, OwnFile)
            else _installing(file, environment)
            for file in files
        ),
    ]


def removing(files: Sequence[File], environment: Mapping[str, str]) -> list[Change]:
    """Return what must change so that no entry of ours is in the files. Nothing is written."""
    return [
        *own_files.no_longer_shipped(files, environment),
        *(
            own_files.removing(file, environment)
            if isinstance(file, OwnFile)
            else _removing(file, read(file.path), environment)
            for file in files
        ),
    ]


@contextmanager
def keeping_form(files: Sequence[File]) -> Iterator[None]:
    """Put the bytes of files back if commands changed only our entries in them.

    A program writes its settings anew, in another order and without what it does not know.
    """
    before = [(file, read(file.path)) for file in files if isinstance(file, SettingsFile)]
    yield
    for file, content in before:
        now = read(file.path)
        if now == content or not _differs_only_by_ours(file, content, now):
            continue
        if content is None:
            file.path.unlink(missing_ok=True)
        else:
            replace_file(file.path, content)


def _differs_only_by_ours(file: SettingsFile, one: bytes | None, other: bytes | None) -> bool:
    try:
        return bool(_others(file, one) == _others(file, other))
    except (ValueError, InstallFailed):
        return False


def _others(file: SettingsFile, content: bytes | None) -> Any:
    """Return what a file says without our entries and without the objects that held only them."""
    text = _text(file.path, content)
    said = _said(file.path, text) if text.strip() else {}
    for entry in file.entries:
        for length in range(len(entry.keys), 0, -1):
            holder = _value_at(said, entry.keys[: length - 1])
            found = _value_at(said, entry.keys[:length])
            if isinstance(holder, dict) and (length == len(entry.keys) or found in ({}, None)):
                holder.pop(entry.keys[length - 1], None)
    return said


def is_in_place(files: Sequence[File]) -> bool:
    """Whether every entry is in the files, ours or the user's own."""
    # Each file is read, so that one that can't be is told, whatever is missing in another.
    in_place = [
        read(file.path) == file.text.encode()
        if isinstance(file, OwnFile)
        else not any(True for _ in _missing(file, _text(file.path, read(file.path))))
        for file in files
    ]
    return all(in_place)


def _installing(file: SettingsFile, environment: Mapping[str, str]) -> Change:
    before = read(file.path)
    known = receipt_of(file.path, environment)
    text = _text(file.path, before)
    if known is not None and not any(True for _ in _missing(file, text, exactly=True)):
        return Change(file.path, before, before, known)
    # What an older version wrote goes first.
    base = before if known is None else _removing(file, before, environment).after
    text = _text(file.path, base)
    splices: list[Splice] = []
    made: list[list[str]] = []
    put: list[Entry | Item] = []
    for entry in list(_missing(file, text)):
        try:
            splice = _put(file.path, text, entry)
            made += _made(file.path, text, entry)
        except ValueError as error:
            raise InstallFailed(
                f"Cannot change {file.path}: {error}", "Nothing was changed. Correct the file."
            ) from None
        text = splice.applied(text)
        splices.append(splice)
        put.append(entry)
    after = text.encode()
    if base is not None and not splices:
        return Change(file.path, before, base, None)  # the user has it all
    receipt = {
        "existed": base is not None,
        "hash": hash_of(after),
        "splices": [list(splice) for splice in splices],
        "put": [[list(entry.keys), getattr(entry, "sign", None)] for entry in put],
        "made": made,
    }
    return Change(file.path, before, after, receipt)


def _removing(file: SettingsFile, before: bytes | None, environment: Mapping[str, str]) -> Change:
    known = receipt_of(file.path, environment)
    if before is None:
        return Change(file.path, before, None)
    text = _text(file.path, before)
    if known is not None and known.get("hash") == hash_of(before):
        for splice in reversed(known["splices"]):
            at, removed, inserted = splice
            text = Splice(at, inserted, removed).applied(text)
        return Change(file.path, before, text.encode() if known["existed"] else None)
    try:
        text = _cut(file, text, known)
    except ValueError as error:
        raise InstallFailed(
            f"Cannot change {file.path}: {error}",
            "Nothing was changed. Remove the entries of Recollect from it yourself.",
        ) from None
    is_empty = known is not None and not known["existed"] and text.strip() in ("", "{}")
    return Change(file.path, before, None if is_empty else text.encode())


def _cut(file: SettingsFile, text: str, known: Mapping[str, Any] | None) -> str:
    """Take our entries out of a text that somebody changed."""
    ours: list[Entry | Item]
    if known is None:
        ours = [entry for entry in file.entries if _is_ours(file.path, text, entry)]
    else:
        ours = [
            Entry(tuple(keys), None) if sign is None else Item(tuple(keys), None, sign)
            for keys, sign in known.get("put", ())
        ]
    for entry in ours:
        while (splice := _taking_out(file.path, text, entry)) is not None:
            text = splice.applied(text)
    for keys in sorted((known or {}).get("made", ()), key=len, reverse=True):
        if _value_at(_said(file.path, text), keys) in ({}, []):
            splice = json_edit.remove(text, keys)
            text = splice.applied(text) if splice is not None else text
    return text


def _is_ours(path: Path, text: str, entry: Entry | Item) -> bool:
    """Whether an entry is there as we write it: without a receipt, another one is the user's."""
    found = _value_at(_said(path, text), entry.keys)
    if isinstance(entry, Entry):
        return bool(found == entry.value)
    return isinstance(found, list) and any(entry.sign in _dumped(item) for item in found)


def _taking_out(path: Path, text: str, entry: Entry | Item) -> Splice | None:
    if _is_toml(path):
        return toml_edit.remove(text, entry.keys)
    if isinstance(entry, Entry):
        return json_edit.remove(text, entry.keys)
    found = _value_at(json_edit.read(text), entry.keys)
    for index, item in enumerate(found if isinstance(found, list) else ()):
        handlers = item.get("hooks") if isinstance(item, Mapping) else None
        parts = handlers if isinstance(handlers, list) else [item]
        signed = [at for at, part in enumerate(parts) if entry.sign in _dumped(part)]
        if signed and len(signed) == len(parts):
            return json_edit.remove(text, (*entry.keys, index))
        if signed:  # the user put their own hooks beside ours
            return json_edit.remove(text, (*entry.keys, index, "hooks", signed[0]))
    return None


def _missing(file: SettingsFile, text: str, *, exactly: bool = False) -> Iterator[Entry | Item]:
    """Yield the entries that are not in a text; with `exactly`, also those that differ."""
    try:
        said = _said(file.path, text)
    except ValueError as error:
        raise InstallFailed(
            f"Cannot read {file.path}: {error}", "Nothing was changed. Correct the file."
        ) from None
    for entry in file.entries:
        found = _value_at(said, entry.keys)
        if isinstance(entry, Entry):
            is_there = found == entry.value if exactly else found is not None
        else:
            items = found if isinstance(found, list) else []
            is_there = any(
                item == entry.value if exactly else entry.sign in _dumped(item) for item in items
            )
        if not is_there:
            yield entry


def _put(path: Path, text: str, entry: Entry | Item) -> Splice:
    if _is_toml(path):
        if isinstance(entry, Item):
            raise toml_edit.NotToml("lists in TOML are not supported")
        return toml_edit.insert(text, entry.keys, entry.value)
    if isinstance(entry, Entry):
        return json_edit.insert(text, entry.keys, entry.value)
    return json_edit.append(text, entry.keys, entry.value)


def _made(path: Path, text: str, entry: Entry | Item) -> list[list[str]]:
    """Return the keys of the objects and lists that an entry makes on its way."""
    if _is_toml(path):
        return []
    most = len(entry.keys) + isinstance(entry, Item)
    said = json_edit.read(text)
    paths = [list(entry.keys[:length]) for length in range(1, most)]
    return [keys for keys in paths if _value_at(said, keys) is None]


def _said(path: Path, text: str) -> Any:
    return toml_edit.read(text) if _is_toml(path) else json_edit.read(text)


def _is_toml(path: Path) -> bool:
    return path.suffix == ".toml"


def _value_at(said: Any, keys: Sequence[str]) -> Any:
    for key in keys:
        said = said.get(key) if isinstance(said, Mapping) else None
    return said


def _dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text(path: Path, content: bytes | None) -> str:
    try:
        return (content or b"").decode("utf-8")
    except UnicodeDecodeError:
        raise InstallFailed(
            f"{path} is not UTF-8.", "Nothing was changed. Correct the file."
        ) from None
