"""Finds, reads and writes the folder of the mirror, safely.

The folder may come from a repository that you do not trust. So links are never followed, special
files are never opened, and only known copies are overwritten.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from pathlib import Path, PurePosixPath
from typing import Any, Final

from recollect.core.claude_memory import folder_of
from recollect.core.kinds import KINDS
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.core.uid import is_uid
from recollect.errors import NotWritable, ValidationError
from recollect.store.store import Store

INDEX_PAGE: Final = "index.md"
MANIFEST: Final = ".recollect.json"
# Increase this if the same memory is written as different bytes.
FORMAT: Final = 1
# The largest document that is read.
BIGGEST: Final = 512 * 1024
_TEMPORARY = ".recollect-"
_FILE = pattern(r"[a-z0-9_][a-z0-9_-]*/[^./\\\x00-\x1f][^/\\\x00-\x1f]*\.json\Z")
_RECENT = 2_000_000_000  # nanoseconds: file systems round times
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Entry(NamedTuple):
    """An entry of the manifest: memory, version, last record, and hash of the file."""

    uid: str
    version: str
    record: str
    sha256: str


# After a merge of two branches, a file may have the entries of both.
Manifest = dict[str, tuple[Entry, ...]]


class Seen(NamedTuple):
    """What this clone knows about the folder, so that it does not read all files every time."""

    cursor: Mapping[str, str]
    manifest: tuple[int, ...]
    hashes: Mapping[str, tuple[tuple[int, ...], str]]
    saved: int = 0


NOTHING_SEEN = Seen({}, (), {})


class MirrorFolder(NamedTuple):
    """The folder of the mirror in one working tree."""

    root: Path
    path: Path
    # As configured, with forward slashes.
    name: str

    def scan(self, listed: Iterable[str]) -> dict[str, tuple[int, ...]]:
        """Return the files of the mirror, and those listed, each with its state."""
        folders = {folder_of(kind.name) for kind in KINDS}
        folders |= {path.partition("/")[0] for path in listed}
        found = {}
        for folder in sorted(folders):
            place = self.path / folder
            if place.is_symlink():
                raise ValidationError(
                    f"{place} is a symbolic link, which the mirror does not follow.",
                    "Replace it with a folder, or set mirror.path to another folder.",
                )
            for entry in _entries(place):
                if is_file(f"{folder}/{entry.name}"):
                    found[f"{folder}/{entry.name}"] = _state(entry.stat(follow_symlinks=False))
        return found

    def others(self) -> list[str]:
        """Return files and folders in the folder that the mirror does not use, by path."""
        known = {folder_of(kind.name) for kind in KINDS}
        found = []
        for entry in _entries(self.path):
            if entry.name in known and entry.is_dir(follow_symlinks=False):
                inside = (f"{entry.name}/{one.name}" for one in _entries(self.path / entry.name))
                found += [path for path in inside if not is_file(path) and not _is_ours(path)]
            elif entry.name not in (INDEX_PAGE, MANIFEST) and not _is_ours(entry.name):
                found.append(entry.name)
        return found

    def sweep(self) -> None:
        """Delete what a crash left half written."""
        for place in (self.path, *(self.path / folder_of(kind.name) for kind in KINDS)):
            for entry in list(_entries(place)):
                if entry.name.startswith(_TEMPORARY):
                    (place / entry.name).unlink(missing_ok=True)

    def state(self, name: str) -> tuple[int, ...]:
        """Return a value that changes with the file; empty if there is no file."""
        try:
            return _state((self.path / name).lstat())
        except OSError:
            return ()

    def read(self, name: str, most: int = -1) -> bytes | None:
        """Return the content of a file with normalised line ends.

        Returns None if it is not a plain file, or larger than `most` bytes.
        """
        try:
            handle = os.open(self.path / name, os.O_RDONLY | _NO_FOLLOW)
        except OSError:
            return None
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            return None
        try:
            with os.fdopen(handle, "rb") as file:
                data = file.read(most + 1 if most >= 0 else -1)
        except OSError:
            return None
        # A checkout may have converted the line ends.
        return data.replace(b"\r\n", b"\n") if most < 0 or len(data) <= most else None

    def write(self, name: str, text: str) -> None:
        """Write a file atomically, and never through a link."""
        target = self.path / name
        temporary = target.with_name(f"{_TEMPORARY}{os.getpid()}-{os.urandom(4).hex()}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | getattr(os, "O_BINARY", 0)
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with os.fdopen(os.open(temporary, flags, 0o666), "wb") as file:
                file.write(text.encode("utf-8"))
            temporary.replace(target)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            raise NotWritable(f"Cannot write the mirror: {error}") from None

    def rename_invalid(self, name: str, now: float) -> str:
        """Rename an invalid file, and return its new name."""
        number = int(now)
        renamed = f"{name}.invalid.{number}"
        while os.path.lexists(self.path / renamed):
            number += 1
            renamed = f"{name}.invalid.{number}"
        try:
            (self.path / name).rename(self.path / renamed)
        except OSError as error:
            raise NotWritable(f"Cannot rename {self.name}/{name}: {error}") from None
        return renamed

    def remove(self, name: str) -> None:
        """Delete a file, and its folder if that is then empty."""
        path = self.path / name
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise NotWritable(f"Cannot delete {self.name}/{name}: {error}") from None
        with suppress(OSError):
            path.parent.rmdir()

    def erase(self, name: str) -> None:
        """Delete a file and all its renamed invalid versions."""
        folder, _, file = name.rpartition("/")
        for entry in list(_entries(self.path / folder)):
            if entry.name.startswith(f"{file}.invalid."):
                self.remove(f"{folder}/{entry.name}")
        self.remove(name)


def find_folder(store: Store) -> MirrorFolder:
    """Return the folder of the mirror; raise if there can be none."""
    repository = store.ledger.repository
    root = store.work_tree
    if repository.is_user_ledger:
        raise ValidationError(
            "The mirror needs a repository.",
            "Run this inside a repository. Your personal memories have no mirror.",
        )
    if root is None or not _is_tree_of(root, repository.git_dir):
        raise _no_tree()
    name = store.config.text("mirror.path").strip().replace("\\", "/")
    relative = PurePosixPath(name)
    hint = "Set mirror.path to a separate folder inside the working tree, such as .claude/memory"
    parts = relative.parts
    if not parts or relative.is_absolute() or ".." in parts or ":" in name:
        raise ValidationError(f"mirror.path cannot be {name!r}.", hint)
    if any(part.lower() == ".git" for part in parts):
        raise ValidationError("The mirror cannot be inside .git", hint)
    path = root.joinpath(*parts)
    inside = path.resolve()
    real = root.resolve()
    if not inside.is_relative_to(real) or inside == real:
        raise ValidationError(f"{path} is outside the working tree.", hint)
    if inside.is_relative_to(repository.common_dir.resolve()) or (
        path.exists() and not path.is_dir()
    ):
        raise ValidationError(f"{path} cannot hold the mirror.", hint)
    # Asking git takes time, and a mirror that exists was checked before.
    if not os.path.lexists(path / MANIFEST) and _is_bare(store):
        raise _no_tree()
    return MirrorFolder(root, path, str(relative))


def _no_tree() -> ValidationError:
    return ValidationError(
        "A bare repository has no working tree, so it has no mirror.",
        "Turn on the mirror in a clone that has a working tree.",
    )


def _is_tree_of(root: Path, git_dir: Path) -> bool:
    """Return whether a working tree belongs to this repository, and not to an enclosing one."""
    link = root / ".git"
    try:
        if link.is_dir():
            return link.samefile(git_dir)
        said = link.read_text("utf-8", "replace").removeprefix("gitdir:").strip()
        return (root / said).samefile(git_dir)
    except OSError:
        return False


def _is_bare(store: Store) -> bool:
    repository = store.ledger.repository
    if repository.git_dir != repository.common_dir:
        return False  # a linked working tree
    said = repository.git.run("config", "--type=bool", "--get", "core.bare", ok=(0, 1))
    return said.strip() == b"true"


def is_file(path: str) -> bool:
    """Return whether a path inside the mirror can be the file of a memory."""
    return _FILE.match(path) is not None


def digest(data: bytes) -> str:
    """Return the hash of a file."""
    return sha256(data).hexdigest()


def _is_ours(path: str) -> bool:
    """Return whether Recollect made a file that is no memory: half written, or put aside."""
    name = path.rpartition("/")[2]
    return name.startswith(_TEMPORARY) or ".invalid." in name


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return


def _state(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_mode, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


# Manifest


def read_manifest(folder: MirrorFolder) -> Manifest:
    """Return the entries of each file; after a merge of branches, those of both."""
    data = folder.read(MANIFEST) or b""
    manifest: Manifest = {}
    for line in data.decode("utf-8", "replace").splitlines():
        with suppress(ValueError, RecursionError):
            for path, value in json.loads("{" + line.strip().strip(",") + "}").items():
                entry = _entry(value)
                if entry is not None and is_file(path):
                    manifest[path] = (*manifest.get(path, ()), entry)
    return manifest


def _entry(value: Any) -> Entry | None:
    if not isinstance(value, dict):
        return None
    entry = Entry(*(str(value.get(name, "")) for name in Entry._fields))
    return entry if is_uid(entry.uid) else None


def render_manifest(manifest: Manifest) -> str:
    """Return the manifest as JSON with one line per file, so that git can merge it."""
    lines = [
        f",{json.dumps(path)}: {json.dumps(entry._asdict())}"
        for path in sorted(manifest)
        for entry in manifest[path]
    ]
    return "\n".join([f'{{"format": {FORMAT}', *lines, "}", ""])


# What this clone has seen


def _seen_path(store: Store) -> Path:
    """Return the path of the state; working trees share a ledger, but each has its own mirror."""
    repository = store.ledger.repository
    is_linked = repository.git_dir != repository.common_dir
    return repository.state_dir / (
        f"mirror-{repository.git_dir.name}.json" if is_linked else "mirror.json"
    )


def read_seen(store: Store, folder: MirrorFolder) -> Seen:
    """Return the saved state; an empty one if it is unusable."""
    try:
        said = json.loads(_seen_path(store).read_text("utf-8"))
        if said["format"] != FORMAT or said["folder"] != str(folder.path):
            return NOTHING_SEEN
        hashes = {path: (tuple(state), sha) for path, (state, sha) in said["hashes"].items()}
        return Seen(said["cursor"], tuple(said["manifest"]), hashes, int(said["saved"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return NOTHING_SEEN


def save_seen(store: Store, folder: MirrorFolder, seen: Seen) -> None:
    """Save the state; if that fails, the next run reads everything again."""
    path = _seen_path(store)
    said = {**seen._asdict(), "format": FORMAT, "folder": str(folder.path)}
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    with suppress(OSError):
        temporary.write_text(json.dumps({**said, "saved": time.time_ns()}), "utf-8")
        temporary.replace(path)


def forget_seen(store: Store) -> None:
    """Delete the saved state."""
    _seen_path(store).unlink(missing_ok=True)


def known_hash(seen: Seen, path: str, state: tuple[int, ...]) -> str | None:
    """Return the hash of a file that has not changed since it was last read."""
    known = seen.hashes.get(path)
    if known is None or known[0] != state or max(state[1:3]) > seen.saved - _RECENT:
        return None
    return known[1]
