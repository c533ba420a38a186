"""Git objects: read through one process, built in memory, and passed to git as one pack.

A write creates a handful of objects that depend on each other's ids. Building them here and passing
them to git together costs one process instead of one per object (measured in
`docs/decisions/0006-git-executable.md`); git itself checks and stores them.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

from recollect.errors import ObjectMissing, StorageError
from recollect.ledger import packs
from recollect.ledger.git_objects import GitObject, ObjectReader
from recollect.ledger.repository import Repository

_TYPES = {"commit": 1, "tree": 2, "blob": 3}

Entry = tuple[str, str]  # mode, oid
_AT_ONCE = 50  # names: they fit in a pipe
TREE_MODE = "40000"
BLOB_MODE = "100644"


class Objects:
    """The objects of a repository, and new ones that are not stored yet."""

    def __init__(self, repository: Repository, reader: ObjectReader) -> None:
        self._repository = repository
        self._reader = reader
        self._objects: dict[str, tuple[str, bytes]] = {}
        self._fetched: dict[str, GitObject | None] = {}
        self._keeps: list[Path] = []

    def find(self, name: str) -> GitObject | None:
        """Return the object with that id, ref or path expression; None if there is none."""
        new = self._objects.get(name)
        if new is not None:
            return GitObject(name, *new)
        return self._fetched.pop(name) if name in self._fetched else self._reader.get(name)

    def fetch(self, names: Iterable[str]) -> None:
        """Read objects together that are needed one by one: to wait for git each time takes longer.

        Each is kept until it is asked for.
        """
        wanted = [n for n in dict.fromkeys(names) if n not in self._objects and n.isprintable()]
        for start in range(0, len(wanted), _AT_ONCE):
            some = wanted[start : start + _AT_ONCE]
            self._fetched.update(zip(some, self._reader.get_many(some), strict=True))

    def read(self, oid: str) -> bytes:
        """Read an object that must exist; treating it as empty would lose memories."""
        found = self.find(oid)
        if found is None:
            raise ObjectMissing(f"The object {oid} of the ledger is missing in this clone.")
        if found.is_too_large:
            raise StorageError(
                f"The object {oid} of the ledger is too large to read.",
                f"To inspect it, run: git cat-file -p {oid}",
            )
        return found.data

    def add_blob(self, data: bytes) -> str:
        """Add a blob; return its id."""
        return self._add("blob", data)

    def add_tree(self, entries: Mapping[str, Entry]) -> str:
        """Add a tree of named entries; return its id."""
        return self._add("tree", encode_tree(entries))

    def add_commit(self, tree: str, parents: Iterable[str], who: str, message: str) -> str:
        """Add a commit; `who` is `Name <email> seconds zone`. Returns its id."""
        lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
        lines += [f"author {who}", f"committer {who}", "", message, ""]
        return self._add("commit", "\n".join(lines).encode("utf-8", "surrogateescape"))

    def _add(self, kind: str, data: bytes) -> str:
        oid = self._repository.hash_object(kind, data)
        self._objects[oid] = (kind, data)
        return oid

    def store(self) -> None:
        """Pass everything to git, protected from garbage collection until `release`."""
        if not self._objects:
            return
        self._keeps.append(packs.add_pack(self._repository, self._pack()))
        self._objects.clear()

    def drop_damaged(self) -> None:
        """Remove damaged files of objects about to be stored, because git does not replace them."""
        folder = self._repository.common_dir / "objects"
        for oid, (kind, data) in self._objects.items():
            path = folder / oid[:2] / oid[2:]
            try:
                stored = zlib.decompress(path.read_bytes())
            except FileNotFoundError:
                continue
            except (OSError, zlib.error):
                stored = b""
            if stored != f"{kind} {len(data)}\0".encode() + data:
                with suppress(OSError):
                    path.unlink()

    def release(self) -> None:
        """End the protection of the stored objects: a ref leads to them, or none ever will."""
        if self._keeps:
            packs.release(self._keeps)
            self._keeps.clear()
            packs.combine(self._repository)

    def _pack(self) -> bytes:
        parts = [b"PACK", (2).to_bytes(4, "big"), len(self._objects).to_bytes(4, "big")]
        for kind, data in self._objects.values():
            level = 0 if kind == "tree" else 1  # hashes don't get smaller
            parts += (_entry_header(_TYPES[kind], len(data)), zlib.compress(data, level))
        body = b"".join(parts)
        name = self._repository.object_format
        return body + hashlib.new(name, body, usedforsecurity=False).digest()


def _entry_header(kind: int, size: int) -> bytes:
    byte = (kind << 4) | (size & 15)
    size >>= 4
    header = bytearray()
    while size:
        header.append(byte | 0x80)
        byte = size & 0x7F
        size >>= 7
    header.append(byte)
    return bytes(header)


def encode_tree(entries: Mapping[str, Entry]) -> bytes:
    """Encode a tree as git stores it; directories sort as if their name ended with a slash."""
    rows = sorted(
        (name.encode("utf-8", "surrogateescape") + (b"/" if mode == TREE_MODE else b""), mode, oid)
        for name, (mode, oid) in entries.items()
    )
    return b"".join(
        mode.encode() + b" " + key.removesuffix(b"/") + b"\0" + bytes.fromhex(oid)
        for key, mode, oid in rows
    )


def decode_tree(data: bytes, oid_size: int) -> dict[str, Entry]:
    """Decode the entries of a stored tree."""
    entries: dict[str, Entry] = {}
    position = 0
    while position < len(data):
        space = data.index(b" ", position)
        end = data.index(b"\0", space)
        mode = data[position:space].decode()
        name = data[space + 1 : end].decode("utf-8", "surrogateescape")
        position = end + 1 + oid_size
        entries[name] = (mode, data[end + 1 : position].hex())
    return entries
