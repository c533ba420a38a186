"""The folder of the mirror: finding it, reading it without being led astray, writing it safely.

What stands in the folder may have come with a repository that nobody trusts: links are never
followed, odd files are never opened, and nothing is written over that is not known to be a copy.
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
from typing import Any, Final, NamedTuple

from recollect.core.claude_memory import folder_of
from recollect.core.kinds import KINDS
from recollect.core.patterns import pattern
from recollect.core.uid import is_uid
from recollect.errors import NotWritable, ValidationError
from recollect.store.store import Store

INDEX_PAGE: Final = "index.md"
MANIFEST: Final = ".recollect.json"
# Raised when the same memory is written as other bytes than before.
FORMAT: Final = 1
# The biggest document that is looked at.
BIGGEST: Final = 512 * 1024
_TEMPORARY = ".recollect-"
_FILE = pattern(r"[a-z0-9_][a-z0-9_-]*/[^./\\\x00-\x1f][^/\\\x00-\x1f]*\.json\Z")
_RECENT = 2_000_000_000  # nanoseconds: file systems round times
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class Entry(NamedTuple):
    """What the manifest knows of a file: the memory, its state, its last record, the bytes."""

    uid: str
    version: str
    record: str
    sha256: str


# Where two branches were merged, a file may have the lines of both.
Manifest = dict[str, tuple[Entry, ...]]


class Seen(NamedTuple):
    """What this clone remembers of the folder, so that it need not read all of it each time."""

    cursor: Mapping[str, str]
    manifest: tuple[int, ...]
    hashes: Mapping[str, tuple[tuple[int, ...], str]]
    saved: int = 0


NOTHING_SEEN = Seen({}, (), {})


class MirrorFolder(NamedTuple):
    """The folder of the mirror in one working tree."""

    root: Path
    path: Path
    # As it is written in the configuration, with forward slashes.
    name: str

    def scan(self, listed: Iterable[str]) -> dict[str, tuple[int, ...]]:
        """The files of the mirror that are there, and those listed, each with its state."""
        folders = {folder_of(kind.name) for kind in KINDS}
        folders |= {path.partition("/")[0] for path in listed}
        found = {}
        for folder in sorted(folders):
            place = self.path / folder
            if place.is_symlink():
                raise ValidationError(
                    f"{place} is a symbolic link, and the mirror follows none.",
                    "Put a folder in its place, or choose another with mirror.path.",
                )
            for entry in _entries(place):
                if is_file(f"{folder}/{entry.name}"):
                    found[f"{folder}/{entry.name}"] = _state(entry.stat(follow_symlinks=False))
        return found

    def sweep(self) -> None:
        """Delete what a crash left half written."""
        for place in (self.path, *(self.path / folder_of(kind.name) for kind in KINDS)):
            for entry in list(_entries(place)):
                if entry.name.startswith(_TEMPORARY):
                    (place / entry.name).unlink(missing_ok=True)

    def state(self, name: str) -> tuple[int, ...]:
        """By what a change of a file is noticed; empty where there is none."""
        try:
            return _state((self.path / name).lstat())
        except OSError:
            return ()

    def read(self, name: str, most: int = -1) -> bytes | None:
        """The contents of a file, line ends as we write them.

        None for what is no plain file, or one with more bytes than it may have.
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
        # A checkout may have turned the line ends.
        return data.replace(b"\r\n", b"\n") if most < 0 or len(data) <= most else None

    def write(self, name: str, text: str) -> None:
        """Put a text into a file: all of it or nothing, never through a link."""
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
            raise NotWritable(f"The mirror cannot be written: {error}") from None

    def stash(self, name: str, now: float) -> str:
        """Let a file that cannot be read be, under another name; that name."""
        number = int(now)
        aside = f"{name}.invalid.{number}"
        while os.path.lexists(self.path / aside):
            number += 1
            aside = f"{name}.invalid.{number}"
        try:
            (self.path / name).rename(self.path / aside)
        except OSError as error:
            raise NotWritable(f"{self.name}/{name} cannot be put aside: {error}") from None
        return aside

    def remove(self, name: str) -> None:
        """Delete a file, and its folder where that was the last."""
        path = self.path / name
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            raise NotWritable(f"{self.name}/{name} cannot be deleted: {error}") from None
        with suppress(OSError):
            path.parent.rmdir()

    def erase(self, name: str) -> None:
        """Delete a file and everything that was ever put aside of it."""
        folder, _, file = name.rpartition("/")
        for entry in list(_entries(self.path / folder)):
            if entry.name.startswith(f"{file}.invalid."):
                self.remove(f"{folder}/{entry.name}")
        self.remove(name)


def find_folder(store: Store) -> MirrorFolder:
    """The folder of the mirror; refused where there can be none."""
    repository = store.ledger.repository
    root = store.work_tree
    if repository.is_user_ledger:
        raise ValidationError(
            "There is no mirror outside of a repository.",
            "Go to a repository; what is yours alone stays in your own ledger.",
        )
    if root is None or not _is_tree_of(root, repository.git_dir):
        raise _no_tree()
    name = store.config.text("mirror.path").strip().replace("\\", "/")
    relative = PurePosixPath(name)
    hint = "Set mirror.path to a folder of its own inside the working tree, like .claude/memory"
    parts = relative.parts
    if not parts or relative.is_absolute() or ".." in parts or ":" in name:
        raise ValidationError(f"mirror.path cannot be {name!r}.", hint)
    if any(part.lower() == ".git" for part in parts):
        raise ValidationError("The mirror cannot be inside .git", hint)
    path = root.joinpath(*parts)
    inside = path.resolve()
    real = root.resolve()
    if not inside.is_relative_to(real) or inside == real:
        raise ValidationError(f"{path} leads out of the working tree.", hint)
    if inside.is_relative_to(repository.common_dir.resolve()) or (
        path.exists() and not path.is_dir()
    ):
        raise ValidationError(f"{path} cannot hold the mirror.", hint)
    # Asking git takes a moment, and a mirror that is there has its answer.
    if not os.path.lexists(path / MANIFEST) and _is_bare(store):
        raise _no_tree()
    return MirrorFolder(root, path, str(relative))


def _no_tree() -> ValidationError:
    return ValidationError(
        "A bare repository has no working tree, so it has no mirror.",
        "Switch the mirror on in a clone that has files.",
    )


def _is_tree_of(root: Path, git_dir: Path) -> bool:
    """Whether a working tree belongs to a repository, and not to one around it."""
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
    """Whether a path inside the mirror is one that a memory's file may have."""
    return _FILE.match(path) is not None


def digest(data: bytes) -> str:
    """The hash by which a file is known."""
    return sha256(data).hexdigest()


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            yield from sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return


def _state(found: os.stat_result) -> tuple[int, ...]:
    return (found.st_mode, found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino)


# The manifest


def read_manifest(folder: MirrorFolder) -> Manifest:
    """What the manifest says of each file; what two branches say, where they were merged."""
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
    """The manifest as JSON, one line for each file and each on its own, so that git merges it."""
    lines = [
        f",{json.dumps(path)}: {json.dumps(entry._asdict())}"
        for path in sorted(manifest)
        for entry in manifest[path]
    ]
    return "\n".join([f'{{"format": {FORMAT}', *lines, "}", ""])


# What this clone has seen


def _seen_path(store: Store) -> Path:
    """Working trees share a ledger and have a mirror each."""
    repository = store.ledger.repository
    is_linked = repository.git_dir != repository.common_dir
    return repository.state_dir / (
        f"mirror-{repository.git_dir.name}.json" if is_linked else "mirror.json"
    )


def read_seen(store: Store, folder: MirrorFolder) -> Seen:
    """What was remembered; nothing where that cannot be used."""
    try:
        said = json.loads(_seen_path(store).read_text("utf-8"))
        if said["format"] != FORMAT or said["folder"] != str(folder.path):
            return NOTHING_SEEN
        hashes = {path: (tuple(state), sha) for path, (state, sha) in said["hashes"].items()}
        return Seen(said["cursor"], tuple(said["manifest"]), hashes, int(said["saved"]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return NOTHING_SEEN


def save_seen(store: Store, folder: MirrorFolder, seen: Seen) -> None:
    """Remember; where that is impossible, everything is read again the next time."""
    path = _seen_path(store)
    said = {**seen._asdict(), "format": FORMAT, "folder": str(folder.path)}
    temporary = path.with_suffix(f".{os.getpid()}.tmp")
    with suppress(OSError):
        temporary.write_text(json.dumps({**said, "saved": time.time_ns()}), "utf-8")
        temporary.replace(path)


def forget_seen(store: Store) -> None:
    """Remember nothing."""
    _seen_path(store).unlink(missing_ok=True)


def known_hash(seen: Seen, path: str, state: tuple[int, ...]) -> str | None:
    """The hash of a file that has not been touched since it was last read."""
    known = seen.hashes.get(path)
    if known is None or known[0] != state or max(state[1:3]) > seen.saved - _RECENT:
        return None
    return known[1]
