"""What the sources share that read the stores of other programs.

A store may be broken, huge or hostile. So files are plain files up to a size, a value of the wrong
type counts as missing, and characters that no text has are dropped.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Final

from recollect.capture.kind_of import kind_of
from recollect.capture.titles import title_and_body
from recollect.core.age import seconds_of
from recollect.core.fields import CONCEPTS, MAX_ITEMS, MAX_TAGS, is_too_long, normal_tag
from recollect.core.kinds import find_kind
from recollect.core.note import shorten_line
from recollect.core.patterns import pattern
from recollect.errors import ParseError
from recollect.importing.source import Place, Reading
from recollect.ledger.git import Git
from recollect.ledger.repository import find_repository
from recollect.ledger.worktree import remote_addresses, working_trees

MOST_FILE: Final = 256 << 20
MOST_DOCUMENT: Final = 1 << 20
MOST_DOCUMENTS: Final = 20_000
OTHER_PROJECT: Final = "it belongs to another project"
NO_TEXT: Final = "it has no text, or too much"
_NAME_THE_STORE: Final = "Name the file or folder that the program wrote."
_TAG: Final = pattern(r"[^\w./+-]+")
_CONTROL: Final = pattern(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_NO_FOLLOW: Final = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_NOT_IN_NAME: Final = pattern(r"[^a-z0-9]+")


# Files


def read_text(path: Path, most: int = MOST_FILE) -> str:
    """Return the text of a plain file; raise `ParseError` if it is something else, or too large."""
    try:
        descriptor = os.open(path, os.O_RDONLY | _NO_FOLLOW)
        with os.fdopen(descriptor, "rb") as file:
            status = os.fstat(descriptor)
            if not stat.S_ISREG(status.st_mode):
                raise ParseError(f"{path} is not a plain file.", _NAME_THE_STORE)
            data = file.read(most + 1)
    except (OSError, ValueError) as error:
        said = getattr(error, "strerror", None) or str(error)
        raise ParseError(f"{path} cannot be read: {said}", _NAME_THE_STORE) from None
    if len(data) > most:
        raise ParseError(f"{path} is larger than {most >> 20} MB.", _NAME_THE_STORE)
    try:
        return data.decode("utf-8").removeprefix("\ufeff")
    except UnicodeDecodeError:
        raise ParseError(f"{path} is not text.", _NAME_THE_STORE) from None


def parse_json(text: str, path: Path | str) -> Any:
    """Return what a JSON text says; raise `ParseError` if it is broken."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ParseError(f"{path} is not valid JSON: {error}", _NAME_THE_STORE) from None


def markdown_files(folder: Path) -> list[Path]:
    """Return the Markdown files below a folder, in order, without hidden folders and links."""
    found: list[Path] = []
    waiting = [folder]
    while waiting and len(found) < MOST_DOCUMENTS:
        try:
            entries = sorted(os.scandir(waiting.pop()), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
            elif entry.name.lower().endswith(".md") and entry.is_file(follow_symlinks=False):
                found.append(Path(entry.path))
    return sorted(found)


def store_at(place: Place, *names: str) -> Path:
    """Return the file of a store: the place, or the first of some names in it."""
    path = Path(place.path).expanduser()
    if not os.path.lexists(path):
        raise ParseError(f"There is no {path}.", _NAME_THE_STORE)
    if path.is_dir():
        found = next((path / name for name in names if (path / name).is_file()), None)
        if found is None:
            raise ParseError(f"{path} has no {' or '.join(names)}.", _NAME_THE_STORE)
        return found
    return path


# Values


def text_of(value: Any) -> str:
    """Return a text without control characters; empty if it is none, or too long."""
    if not isinstance(value, str):
        return ""
    clean = _CONTROL.sub("", value).encode("utf-8", "replace").decode("utf-8").strip()
    return "" if is_too_long(clean) else clean


def texts_of(value: Any) -> list[str]:
    """Return a list of texts, which may be written as JSON or separated by commas."""
    if isinstance(value, str):
        if value.lstrip().startswith("["):
            try:
                value = json.loads(value)
            except (ValueError, RecursionError):
                return []
        else:
            value = value.split(",")
    if not isinstance(value, list):
        return []
    return [text for one in value[:MAX_ITEMS] if (text := text_of(one))]


def number_of(value: Any, default: float) -> float:
    """Return a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return default
    return min(1.0, max(0.0, float(value)))


def time_of(value: Any) -> str | None:
    """Return a time, given as ISO 8601, seconds or milliseconds; None if it is none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        seconds: float | None = value / 1000 if value > 1e11 else float(value)
    else:
        seconds = seconds_of(value) if isinstance(value, str) else None
    if seconds is None or not 0 < seconds < 4e9:
        return None
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def tags_of(values: Iterable[str]) -> list[str]:
    """Return texts as tags, without what a tag cannot be."""
    tags = (_TAG.sub("-", normal_tag(value)).strip("-")[:60] for value in values)
    return list(dict.fromkeys(tag for tag in tags if tag))[:MAX_TAGS]


def concepts_of(values: Iterable[str]) -> list[str]:
    """Return the concepts among some texts."""
    return [one for one in dict.fromkeys(values) if one in CONCEPTS]


def digest_of(text: str) -> str:
    """Return a short name for a text that has no other."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def without_secrets(
    reading: Reading, row: Mapping[str, Any], texts: Iterable[str], lists: Iterable[str] = ()
) -> dict[str, Any]:
    """Return a row with the texts, and lists of texts, in it redacted.

    A source calls it before it cuts a title or makes a tag: the rules do not find half a secret.
    """
    clean = {name: reading.redact(text_of(row.get(name))) for name in texts}
    many = {name: [reading.redact(one) for one in texts_of(row.get(name))] for name in lists}
    return {**row, **clean, **many}


def titled(title: str, text: str) -> tuple[str, str]:
    """Return a summary and a body: a title if there is one, or the first sentence."""
    line = " ".join(title.split())
    if not line:
        first, more, _ = text.strip().partition("\n")
        if not more:
            return title_and_body(text)
        # The lines of the body stay as they are.
        return title_and_body(first.strip("#*->` \t") or first)[0], text.strip()
    body = "" if text.strip() == line else text
    if len(line) > 100:
        return shorten_line(line), f"{line}\n\n{body}".strip()
    return line, body


def kind_for(name: str, text: str, kinds: Mapping[str, str]) -> str:
    """Return our kind for a type of another program; if it has none, what the text says."""
    known = kinds.get(name.lower()) or getattr(find_kind(name), "name", "")
    return known or kind_of(text)


# Projects


class Project:
    """This repository, as other programs name it: by its folder, or by its remote."""

    def __init__(self, reading: Reading) -> None:
        root = reading.repository.resolve()
        found = find_repository(Git(root))
        trees = [] if found is None else working_trees(found)
        self.trees = [PurePosixPath(tree) for tree in dict.fromkeys([*trees, root])]
        addresses = [] if found is None else remote_addresses(found)
        names = [root.name, *(tree.name for tree in trees[:1])]
        names += [address.removesuffix(".git").replace(":", "/") for address in addresses]
        self.names = {_plain(PurePosixPath(name).name) for name in names} - {""}

    def is_named(self, name: str) -> bool:
        """Whether a name or a path means this project."""
        if not name.strip():
            return False
        path = PurePosixPath(name)
        if path.is_absolute():
            return any(path == tree or path.is_relative_to(tree) for tree in self.trees)
        return _plain(name) in self.names or _plain(path.name) in self.names

    def contains(self, path: str) -> bool:
        """Whether a path is in one of the working trees."""
        return self.relative(path) is not None and PurePosixPath(path).is_absolute()

    def relative(self, path: str) -> str | None:
        """Return a path relative to the repository; None if it is elsewhere or unusable."""
        full = PurePosixPath(path)
        if full.is_absolute():
            inner = next((tree for tree in self.trees if full.is_relative_to(tree)), None)
            if inner is None or full == inner:
                return None
            full = full.relative_to(inner)
        name = full.as_posix()
        is_odd = ".." in name or name.startswith(("-", "~", "\\")) or name[1:2] == ":"
        return None if is_odd or not name.isprintable() or name in ("", ".") else name

    def files(self, values: Iterable[str]) -> list[str]:
        """Return the files among some paths that are in the repository."""
        found = (self.relative(value) for value in values)
        return list(dict.fromkeys(one for one in found if one))[:MAX_ITEMS]


def _plain(name: str) -> str:
    return _NOT_IN_NAME.sub("-", name.lower()).strip("-")


def without_empty(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that say something."""
    return {name: value for name, value in fields.items() if value not in (None, "", [], ())}
