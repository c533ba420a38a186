"""Reads text files of a working tree that nobody vouches for.

Links that lead out of the tree are not followed, special files are not opened, and a file that is
too large or is not text is left out.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.errors import ParseError, RecollectError
from recollect.importing.commit_body import shortened
from recollect.importing.source import RELATED, Item, Reading
from recollect.ledger.commits import last_changes
from recollect.ledger.git import Git

MOST_BYTES: Final = 2 * 1024 * 1024
MOST_BODY: Final = 2_000
# Folders with the files of others.
_FOREIGN = frozenset(
    {"node_modules", "vendor", "vendored", "third_party", "third-party", "thirdparty", "external"}
    | {"deps", "site-packages", ".venv", "venv", "dist", "testdata", "fixtures", "_vendor", "po"}
    | {"locale", "locales", "i18n", "translations"}
)
_TAGGED = pattern(r"(?<![\d.])(\d{1,4}(?:[._]\d{1,4}){0,3}[a-z]{0,2})\Z")
_MOST_TAG = 200
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class TextFile(NamedTuple):
    """A file of the working tree: its path and its text."""

    path: str
    text: str


def tracked_files(reading: Reading) -> list[str]:
    """Return the files that git tracks, without those of others."""
    git = Git(reading.repository, environment=reading.environ)
    try:
        parts = git.stream("ls-files", "-z", "--full-name", ":/")
        names = [part.decode("utf-8", "surrogateescape") for part in parts]
    except RecollectError:
        return []
    return [name for name in names if _FOREIGN.isdisjoint(name.lower().split("/")[:-1])]


def real_path(root: Path, path: str) -> str | None:
    """Return the path in the tree that a path leads to; None if it leads out of it."""
    try:
        base = root.resolve()
        found = (base / path).resolve(strict=True)
    except (OSError, ValueError, RuntimeError):
        return None
    return found.relative_to(base).as_posix() if found.is_relative_to(base) else None


def read_text(root: Path, path: str) -> str | None:
    """Return the text of a file; None if it is no plain text file inside the tree."""
    real = real_path(root, path)
    if real is None or real.startswith(".git/"):
        return None
    try:
        handle = os.open(root.resolve() / real, os.O_RDONLY | _NO_FOLLOW)
    except OSError:
        return None
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_BYTES:
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        data = file.read(MOST_BYTES)
    if b"\0" in data:
        return None
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def path_in_tree(root: Path, path: str) -> str:
    """Return a path that somebody named as the tree names it: relative to the root of the tree."""
    full = Path(os.path.abspath(root / path))  # noqa: PTH100 - a link keeps its own name
    base = next((one for one in (root, root.resolve()) if full.is_relative_to(one)), None)
    if base is None or real_path(root, path) is None:
        raise ParseError(
            f"There is no {path} in this repository.", "Name a file or a folder of it."
        )
    return full.relative_to(base).as_posix()


def read_files(reading: Reading, paths: Sequence[str]) -> Iterator[TextFile]:
    """Yield the files that can be read, redacted."""
    for path in paths:
        text = read_text(reading.repository, path)
        if text is not None:
            # Redact before anything is cut: rules do not find half a secret.
            yield TextFile(path, reading.redact(text))


def item_of_file(
    file: TextFile, identity: str, title: str, body: str, kind: str, score: float, *,
    is_rule: bool = False, where: str = "", also: Sequence[str] = (),
    date: str | None = None,
) -> Item:  # fmt: skip
    """Return a memory from a file; `where` in it, and what else belongs to it."""
    origin = ", ".join(filter(None, (f"From {file.path}", where)))
    text = shortened(body.strip(), MOST_BODY)
    named = f"{RELATED}\n" + "\n".join(f"- {line}" for line in also) if also else ""
    whole = "\n\n".join(filter(None, (text, origin, named)))
    return Item(
        identity, kind, title, whole, date, None, score, is_rule, {"files_read": [file.path]},
    )  # fmt: skip


def released_versions(reading: Reading) -> dict[str, str]:
    """Return the versions that tags name, each with the day of its tag."""
    git = Git(reading.repository, environment=reading.environ)
    said = git.run(
        "for-each-ref", "--format=%(creatordate:short) %(refname:short)", "refs/tags", ok=(0, 128)
    )
    found: dict[str, str] = {}
    for line in said.decode("utf-8", "replace").splitlines():
        day, _, tag = line.partition(" ")
        version = _TAGGED.search(tag[:_MOST_TAG])
        if version and day:
            found.setdefault(version[1].replace("_", "."), day)
    return found


def dated(reading: Reading, items: Sequence[Item]) -> list[Item]:
    """Return items with the commits that last changed their files, and the dates of these.

    Only files that gave an item are looked up: that reads the history. An item with a date of its
    own keeps it.
    """
    files = {str(path) for item in items for path in item.fields["files_read"]}
    git = Git(reading.repository, environment=reading.environ)
    changes = last_changes(git, sorted(path for path in files if "\n" not in path))
    found = []
    for item in items:
        commit, time = changes.get(str(item.fields["files_read"][0]), (None, 0))
        if commit is not None and item.created is None:
            created = datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
            item = item._replace(commit=commit, created=created)
        found.append(item)
    return found
