"""Joining two notes trees: what a foreign git command did, or what a remote has.

Only notes that differ are read. A note is a set of records, so no common ancestor is needed:
criss-cross, shallow and unrelated histories are all the same case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from recollect.core.note import Note, canonical, join, parse_note, purged_uids, render_note, scrub
from recollect.errors import GitFailed
from recollect.ledger.git import Git
from recollect.ledger.objects import Objects
from recollect.ledger.repository import Repository
from recollect.ledger.tree import NotesTree, anchor_of

_NO_OBJECT = frozenset("0")


class PathChange(NamedTuple):
    """A file that differs between two trees; None where one of them does not have it."""

    path: str
    old: str | None
    new: str | None


def diff_trees(git: Git, pairs: Iterable[tuple[str, str]]) -> Iterator[list[PathChange]]:
    """The files that differ between trees, pair by pair, in one call."""
    wanted = list(pairs)
    if not wanted:
        return
    unique = dict.fromkeys(wanted)  # two kinds may hold the very same notes
    out = git.run(
        "diff-tree",
        "-r",
        "--no-renames",
        "--stdin",
        "-z",
        stdin="".join(f"{old} {new}\n" for old, new in unique).encode(),
        timeout=max(git.timeout, 300),
    )
    changes = _read_diff(out.decode("utf-8", "surrogateescape"))
    for old, new in wanted:
        found = changes.get(f"{old} {new}", [])
        if not found and old != new:  # git passes over a tree that it cannot read
            raise GitFailed(f"git diff-tree was unable to read {old} or {new}")
        yield found


def _read_diff(text: str) -> dict[str, list[PathChange]]:
    """Read the raw output of diff-tree: after each pair of trees the lines of its files."""
    groups: dict[str, list[PathChange]] = {}
    current: list[PathChange] = []
    fields = iter(text.split("\0"))
    for field in fields:
        # The line that repeats the pair ends with a newline, not with NUL.
        while not field.startswith(":") and "\n" in field:
            head, _, field = field.partition("\n")
            current = groups.setdefault(head, [])
        if field.startswith(":"):
            _, _, old, new, _ = field.split(" ")
            current.append(PathChange(next(fields), _oid(old), _oid(new)))
    return groups


def _oid(text: str) -> str | None:
    return None if set(text) <= _NO_OBJECT else text


def read_texts(objects: Objects, tree: NotesTree, anchor: str) -> list[str]:
    """The texts of an anchor's note; more than one where foreign tools mixed layouts."""
    found = (objects.read(blob) for blob in tree.blobs(anchor))
    return [data.decode("utf-8", "surrogateescape") for data in found]


def read_note(objects: Objects, tree: NotesTree, anchor: str) -> Note:
    """The records of an anchor's note."""
    return join(*map(parse_note, read_texts(objects, tree, anchor)))


class Joined(NamedTuple):
    """A joined tree, and what each side said is purged."""

    tree: NotesTree
    purged_by_base: frozenset[str]
    purged_by_other: frozenset[str]


class TreeJoin:
    """Joins notes trees of one repository, in one session with git."""

    def __init__(self, repository: Repository, objects: Objects) -> None:
        self._repository = repository
        self._objects = objects
        self._oid_length = len(repository.project_anchor)

    def tree(self, oid: str | None) -> NotesTree:
        """A tree to read and change."""
        return NotesTree(self._objects, oid, oid_length=self._oid_length)

    def join(self, base: str | None, other: str | None) -> Joined:
        """The join of two trees, without what either says is purged."""
        base_tree, other_tree = self.tree(base), self.tree(other)
        of_base, of_other = self.purges(base_tree), self.purges(other_tree)
        purged = of_base | of_other
        empty = self._repository.project_anchor
        (changes,) = diff_trees(self._repository.git, [(other or empty, base or empty)])
        for anchor in self._anchors(changes, base_tree, other_tree):
            texts = {
                text
                for tree in (base_tree, other_tree)
                for text in read_texts(self._objects, tree, anchor)
            }
            self.put(base_tree, anchor, sorted(texts), purged)
        return Joined(base_tree, of_base, of_other)

    def purges(self, tree: NotesTree) -> frozenset[str]:
        """The memories that a tree says are purged; the project's note keeps such records."""
        return purged_uids(read_note(self._objects, tree, self._repository.project_anchor))

    def _anchors(
        self, changes: list[PathChange], base: NotesTree, other: NotesTree
    ) -> Iterator[str]:
        """The anchors whose notes differ; files that are not notes are united on the way."""
        seen = set()
        for change in changes:
            anchor = anchor_of(change.path, self._oid_length)
            if anchor is None:
                blobs = [blob for blob in (base.file(change.path), other.file(change.path)) if blob]
                base.put_file(change.path, max(blobs, default=None))
            elif anchor not in seen:
                seen.add(anchor)
                yield anchor

    def put(self, tree: NotesTree, anchor: str, texts: list[str], purged: frozenset[str]) -> None:
        """Set an anchor's note to the join of some texts, without purged memories."""
        joined = join(*map(parse_note, texts))
        note = scrub(joined, purged)
        if not note:
            tree.put_note(anchor, None)
            return
        same = len(texts) == 1 and len(note) == len(joined)
        text = canonical(texts[0]) if same else render_note(note)
        data = text.encode("utf-8", "surrogateescape")
        tree.put_note(anchor, self._objects.add_blob(data))


def object_is_gone(error: GitFailed) -> bool:
    """Whether a command failed because an object it was given does not exist any more."""
    return any(word in error.message for word in ("unable to read", "bad object", "not a tree"))
