"""The tree behind a notes ref, changed only along the affected paths.

We always store notes as `ab/cd/<rest>`, so that equal contents are equal trees. Git's porcelain
uses varying layouts; we read all of them, and move what we change to its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from recollect.core.patterns import pattern
from recollect.errors import ObjectMissing
from recollect.ledger.objects import BLOB_MODE, TREE_MODE, Entry, Objects, decode_tree

_HEX = pattern(r"[0-9a-f]+\Z")
# Files and links, which are blobs; not submodules.
FILE_MODES = ("100", "120")


def note_path(anchor: str) -> str:
    """Return the path where we put the note of an anchor."""
    return f"{anchor[:2]}/{anchor[2:4]}/{anchor[4:]}"


def anchor_of(path: str, oid_length: int) -> str | None:
    """Return the anchor whose note is at a path, in any layout; None for other files."""
    anchor = path.replace("/", "")
    return anchor if len(anchor) == oid_length and _HEX.match(anchor) else None


class _Node:
    """A directory that has been loaded."""

    __slots__ = ("children", "dirty", "entries")

    def __init__(self, entries: dict[str, Entry]) -> None:
        self.entries = entries
        self.children: dict[str, _Node] = {}
        self.dirty = False


class NotesTree:
    """A notes tree that is read lazily and changed in memory."""

    def __init__(self, objects: Objects, oid: str | None, *, oid_length: int) -> None:
        self._objects = objects
        self._oid_length = oid_length
        self.oid = oid
        self._root = self._load(oid)

    def _load(self, oid: str | None) -> _Node:
        if oid is None:
            return _Node({})
        try:
            return _Node(decode_tree(self._objects.read(oid), self._oid_length // 2))
        except ValueError:
            raise ObjectMissing(f"The tree {oid} of the ledger is damaged.") from None

    def _child(self, node: _Node, name: str) -> _Node | None:
        child = node.children.get(name)
        if child is None:
            entry = node.entries.get(name)
            if entry is None or entry[0] != TREE_MODE:
                return None
            child = node.children[name] = self._load(entry[1])
        return child

    def _find(self, node: _Node, rest: str) -> Iterator[tuple[_Node, str]]:
        entry = node.entries.get(rest)
        if entry is not None and entry[0].startswith(FILE_MODES):
            yield node, rest
        child = self._child(node, rest[:2])
        if child is not None:
            yield from self._find(child, rest[2:])

    def fetch(self, anchors: Iterable[str]) -> None:
        """Read the folders of several anchors together, level by level."""
        level = [(self._root, anchor) for anchor in anchors]
        while level:
            entries = [
                node.entries.get(rest[:2]) for node, rest in level if rest[:2] not in node.children
            ]
            self._objects.fetch(entry[1] for entry in entries if entry and entry[0] == TREE_MODE)
            folders = [(self._child(node, rest[:2]), rest[2:]) for node, rest in level]
            level = [(node, rest) for node, rest in folders if node is not None]

    def blobs(self, anchor: str) -> list[str]:
        """Return the blobs of an anchor's note: normally one, in a mixed layout several."""
        return [node.entries[name][1] for node, name in self._find(self._root, anchor)]

    def put_note(self, anchor: str, blob: str | None) -> None:
        """Set or remove the note of an anchor; wherever it was, it is now in its place."""
        for node, name in list(self._find(self._root, anchor)):
            del node.entries[name]
            node.dirty = True
        self.put_file(note_path(anchor), blob)

    def put_file(self, path: str, blob: str | None) -> None:
        """Set or remove a file of the tree."""
        *folders, name = path.split("/")
        node = self._root
        walked = [node]
        for folder in folders:
            child = self._child(node, folder)
            if child is None:
                if blob is None:
                    break
                child = node.children[folder] = _Node({})
                node.entries[folder] = (TREE_MODE, "")
            node = child
            walked.append(node)
        else:
            if blob is None:
                node.entries.pop(name, None)
            else:
                node.entries[name] = (BLOB_MODE, blob)
        for node in walked:
            node.dirty = True

    def file(self, path: str) -> str | None:
        """Return the blob of a file in the tree."""
        *folders, name = path.split("/")
        node: _Node | None = self._root
        for folder in folders:
            node = self._child(node, folder) if node is not None else None
        entry = node.entries.get(name) if node is not None else None
        return entry[1] if entry is not None and entry[0] != TREE_MODE else None

    def names(self, folder: str) -> list[str]:
        """Return the names in a top-level folder of the tree."""
        node = self._child(self._root, folder)
        return sorted(node.entries) if node is not None else []

    def write(self) -> str | None:
        """Add the changed directories to the objects to store; return the id of the whole tree.

        An empty tree has no id.
        """
        if self._is_dirty(self._root):
            self.oid = self._write(self._root)
        return self.oid

    def _write(self, node: _Node) -> str | None:
        for name, child in node.children.items():
            if not self._is_dirty(child):
                continue
            node.dirty = True
            oid = self._write(child)
            if oid is None:
                node.entries.pop(name, None)
            else:
                node.entries[name] = (TREE_MODE, oid)
        return self._objects.add_tree(node.entries) if node.entries else None

    def _is_dirty(self, node: _Node) -> bool:
        return node.dirty or any(map(self._is_dirty, node.children.values()))
