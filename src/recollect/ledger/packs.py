"""Packs of our own: new objects that no `git gc` can remove before a ref leads to them.

`git gc --prune=now` removes loose objects that were unreachable when it looked, even those written
a moment ago. If a ref swap happens between its look and its removal, the ref leads to objects that
are gone. So new objects are stored as git stores what it fetches: in a pack with a `.keep` file,
which no repack removes and no prune inspects. The `.keep` file is removed after the refs have
moved: any later garbage collection sees them.

Each write leaves a small pack. They are combined before there are many, so that lookups stay fast
and we do not trigger git's automatic maintenance (from 50 packs on). A file with the pack's name in
our own directory says that a pack is ours.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from recollect.errors import GitFailed
from recollect.ledger.repository import Repository

_REASON = "recollect"
_MARK = ".pack"
_MOST = 16
# Packs are combined with those of similar size; the largest are left to git.
_SIZES = (256 * 1024, 4 * 1024 * 1024)
_FILES = (".idx", ".rev", ".bitmap", ".mtimes", ".pack")
_VERSION_2 = b"\xfftOc\x00\x00\x00\x02"
_FANOUT_END = 8 + 256 * 4
_SECONDS = 600.0
_ATTEMPTS = 40
_PAUSE = 0.02
_TAKEN_AWAY = ("No such file", "unable to rename", "unable to write file", "Could not stat")


def add_pack(repository: Repository, pack: bytes) -> Path:
    """Store a pack; return the `.keep` file that protects it until `release`."""
    said = _write(repository, "index-pack", "--stdin", f"--keep={_REASON}", stdin=pack)
    name = said.split()[-1]
    _mark(repository, name)
    return _folder(repository) / f"pack-{name}.keep"


def release(keeps: Collection[Path]) -> None:
    """Remove the protection, once a ref leads to the objects or none ever will."""
    for keep in keeps:
        with suppress(OSError):
            keep.unlink()


def release_stale(repository: Repository) -> None:
    """Release the packs that a killed writer left. The caller holds the lock of all writers.

    A writer may have been killed before it could mark its pack, so every `.keep` file with our
    reason counts.
    """
    for keep in _folder(repository).glob("pack-*.keep"):
        with suppress(OSError):
            if keep.read_text().strip() == _REASON:
                _mark(repository, keep.stem.removeprefix("pack-"))
                keep.unlink()


@contextmanager
def registering(repository: Repository) -> Iterator[None]:
    """Register the small packs that git creates in this block as ours, for combining."""
    before = {path.stem for path in _folder(repository).glob("pack-*.idx")}
    yield
    for path in _folder(repository).glob("pack-*.idx"):
        if path.stem not in before:
            _mark(repository, path.stem.removeprefix("pack-"))


def combine(repository: Repository) -> None:
    """Combine many small packs of ours into one, unless git is collecting garbage."""
    names = _names(repository)
    if len(names) < _MOST or (repository.common_dir / "gc.pid").exists():
        return
    tiers: dict[int, list[str]] = {}
    for name in names:
        if _is_in_midx(repository, name):
            _unmark(repository, name)  # git manages it from now on
            continue
        try:
            size = (_folder(repository) / f"pack-{name}.pack").stat().st_size
        except OSError:
            _unmark(repository, name)  # git has repacked it
            continue
        tier = sum(size > limit for limit in _SIZES)
        if tier == len(_SIZES):
            _unmark(repository, name)
        else:
            tiers.setdefault(tier, []).append(name)
    for found in tiers.values():
        if len(found) >= _MOST:
            with suppress(GitFailed):  # the objects are unchanged
                _rewrite(repository, found, frozenset())


def drop_objects(repository: Repository, oids: Collection[str]) -> None:
    """Rewrite our packs that contain some objects, without those objects."""
    doomed = frozenset(oids)
    size = len(repository.project_anchor) // 2
    for keep in _folder(repository).glob("pack-*.keep"):
        listed = _listed(keep.with_suffix(".idx"), size)
        if not doomed.isdisjoint(listed) and _is_abandoned(keep):
            _mark(repository, keep.stem.removeprefix("pack-"))
            release([keep])
    holding = [
        name
        for name in _names(repository)
        if not doomed.isdisjoint(_listed(_folder(repository) / f"pack-{name}.idx", size))
    ]
    if any(_is_in_midx(repository, name) for name in holding):
        # Git does the same when it removes a pack: this file is a cache, and git works without it.
        for path in _folder(repository).glob("multi-pack-index*"):
            with suppress(OSError):
                path.unlink()
    for name in holding:
        _rewrite(repository, [name], doomed)


# How often to look whether a fetch that holds purged text ends.
_ENDING_ATTEMPTS = 40


def _is_abandoned(keep: Path) -> bool:
    """Whether a fetch on this machine was killed before it could remove its `.keep` file."""
    if sys.platform == "win32":
        return False  # there is no harmless way to ask for a process
    import socket

    with suppress(OSError, ValueError):
        match keep.read_text().split():
            case ["fetch-pack", number, "on", host] if host == socket.gethostname():
                # It may outlive the process that started it by a moment.
                for _ in range(_ENDING_ATTEMPTS):
                    if not _is_running(int(number)):
                        return keep.exists()
                    time.sleep(_PAUSE)
    return False


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # somebody else's
    return True


def _rewrite(repository: Repository, names: Collection[str], without: frozenset[str]) -> None:
    """Put the objects of some packs into one, and remove those packs."""
    folder = _folder(repository)
    size = len(repository.project_anchor) // 2
    oids = {oid for name in names for oid in _listed(folder / f"pack-{name}.idx", size)} - without
    made = ""
    if oids:
        names_of_objects = "".join(f"{oid}\n" for oid in sorted(oids)).encode()
        said = _write(
            *(repository, "pack-objects", "-q", "--window=4", str(folder / "pack")),
            stdin=names_of_objects,
        )
        made = said.strip()
        _mark(repository, made)
    for name in names:
        if name != made and not (folder / f"pack-{name}.keep").exists():
            for suffix in _FILES:
                with suppress(OSError):
                    (folder / f"pack-{name}{suffix}").unlink()
            _unmark(repository, name)


def _write(repository: Repository, *command: str, stdin: bytes) -> str:
    """Run a command that writes a pack; retry if a `git gc` removes its temporary files."""
    for _ in range(_ATTEMPTS):
        try:
            said = repository.git.run(*command, stdin=stdin, detached=True, timeout=_SECONDS)
        except GitFailed as error:
            if not any(word in error.message for word in _TAKEN_AWAY):
                raise
            failure = error
            time.sleep(_PAUSE)
        else:
            return said.decode("ascii", "replace")
    raise failure


def _listed(index: Path, oid_size: int) -> list[str]:
    """Return the object ids in a pack, from its index file; empty if it is unreadable."""
    try:
        data = index.read_bytes()
    except OSError:
        return []
    if not data.startswith(_VERSION_2):
        return []
    count = int.from_bytes(data[_FANOUT_END - 4 : _FANOUT_END], "big")
    ids = data[_FANOUT_END : _FANOUT_END + count * oid_size]
    return [ids[at : at + oid_size].hex() for at in range(0, len(ids), oid_size)]


def _is_in_midx(repository: Repository, name: str) -> bool:
    try:
        data = (_folder(repository) / "multi-pack-index").read_bytes()
    except OSError:
        return False
    return f"pack-{name}.idx".encode() in data


def _folder(repository: Repository) -> Path:
    return repository.common_dir / "objects" / "pack"


def _names(repository: Repository) -> list[str]:
    marks = repository.state_dir.glob(f"*{_MARK}")
    return sorted(path.name.removesuffix(_MARK) for path in marks)


def _mark(repository: Repository, name: str) -> None:
    with suppress(OSError):
        (repository.state_dir / f"{name}{_MARK}").touch(mode=0o600)


def _unmark(repository: Repository, name: str) -> None:
    with suppress(OSError):
        (repository.state_dir / f"{name}{_MARK}").unlink()
