"""Joining two notes trees: what a foreign git command did, or what a remote has.

Only notes that differ are read. A note is a set of records, so no common ancestor is needed:
criss-cross, shallow and unrelated histories are all the same case.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from recollect.core.limits import NOTE_BYTES, NOTE_RECORDS
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import (
    Note,
    altered_copies,
    canonical,
    join,
    parse_note,
    purged_uids,
    render_note,
    scrub,
)
from recollect.errors import GitFailed
from recollect.ledger.git import Git
from recollect.ledger.objects import Objects
from recollect.ledger.repository import Repository
from recollect.ledger.tree import FILE_MODES, NotesTree, anchor_of


class PathChange(NamedTuple):
    """A file that differs between two trees; None if a tree does not have it."""

    path: str
    old: str | None
    new: str | None


def diff_trees(git: Git, pairs: Iterable[tuple[str, str]]) -> Iterator[list[PathChange]]:
    """Return the files that differ, for each pair of trees, in one call."""
    wanted = list(pairs)
    if not wanted:
        return
    unique = dict.fromkeys(wanted)  # two kinds may hold identical notes
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
        if not found and old != new:  # git skips a tree that it cannot read
            raise GitFailed(f"git diff-tree was unable to read {old} or {new}")
        yield found


def _read_diff(text: str) -> dict[str, list[PathChange]]:
    """Parse the raw output of diff-tree: each pair of trees, then the lines of its files."""
    groups: dict[str, list[PathChange]] = {}
    current: list[PathChange] = []
    fields = iter(text.split("\0"))
    for field in fields:
        # The line that repeats the pair ends with a newline, not with NUL.
        while not field.startswith(":") and "\n" in field:
            head, _, field = field.partition("\n")
            current = groups.setdefault(head, [])
        if field.startswith(":"):
            old_mode, new_mode, old, new = field[1:].split(" ")[:4]
            current.append(PathChange(next(fields), _blob(old_mode, old), _blob(new_mode, new)))
    return groups


def _blob(mode: str, oid: str) -> str | None:
    """Return the id of a file; None for anything else, and where there is nothing."""
    return oid if mode.startswith(FILE_MODES) and oid.strip("0") else None


def read_texts(objects: Objects, tree: NotesTree, anchor: str) -> list[str]:
    """Return the texts of an anchor's note; several if foreign tools mixed layouts."""
    found = (objects.read(blob) for blob in tree.blobs(anchor))
    return [data.decode("utf-8", "surrogateescape") for data in found]


def read_note(objects: Objects, tree: NotesTree, anchor: str) -> Note:
    """Return the records of an anchor's note."""
    return join(*map(parse_note, read_texts(objects, tree, anchor)))


class Joined(NamedTuple):
    """A joined tree, and the purges of each side."""

    tree: NotesTree
    purged_by_base: frozenset[str]
    purged_by_other: frozenset[str]


class TreeJoin:
    """Joins notes trees of one repository over one connection to git."""

    def __init__(self, repository: Repository, objects: Objects) -> None:
        self._repository = repository
        self._objects = objects
        self._oid_length = len(repository.project_anchor)
        # Warnings about what was refused.
        self.warnings: list[str] = []
        # The records for which an altered copy was found; the original was kept.
        self.refused: set[str] = set()

    def tree(self, oid: str | None) -> NotesTree:
        """Return a tree for reading and changing."""
        return NotesTree(self._objects, oid, oid_length=self._oid_length)

    def join(self, base: str | None, other: str | None, kind: str = "") -> Joined:
        """Join two trees, without what either side has purged.

        `other` is ours. If a note of the other side exceeds the limits, or would make ours exceed
        them, it is refused, as if it did not exist. No contents are read before their size is
        known.
        """
        base_tree, other_tree = self.tree(base), self.tree(other)
        empty = self._repository.project_anchor
        (changes,) = diff_trees(self._repository.git, [(other or empty, base or empty)])
        sizes = self._sizes(changes, base_tree, other_tree)
        large = {oid: size for oid, size in sizes.items() if size > NOTE_BYTES}
        self._refuse_large(kind, base_tree, other_tree, changes, large)
        of_base, of_other = self.purges(base_tree), self.purges(other_tree)
        purged = of_base | of_other
        for anchor in self._anchors(changes, base_tree, other_tree):
            ours = other_tree.blobs(anchor)
            if any(oid in large for oid in ours):
                base_tree.put_note(anchor, max(ours))  # it was ours before there was a limit
                continue
            own = read_texts(self._objects, other_tree, anchor)
            texts = {*own, *read_texts(self._objects, base_tree, anchor)}
            if not self.put(base_tree, anchor, sorted(texts), purged):
                self._refuse(kind, anchor, "joined with yours, it is")
                self.put(base_tree, anchor, own, purged, always=True)
        return Joined(base_tree, of_base, of_other)

    def has_large_notes(self, tree: str) -> bool:
        """Whether a tree contains a file larger than a note may be."""
        git = self._repository.git
        out = git.run("ls-tree", "-r", "-l", "-z", "--full-tree", tree, timeout=300)
        rows = (row.partition(b"\t")[0].split() for row in out.split(b"\0") if row)
        return any(row[3].isdigit() and int(row[3]) > NOTE_BYTES for row in rows if len(row) == 4)

    def _sizes(self, changes: list[PathChange], *trees: NotesTree) -> dict[str, int]:
        """Return the size of every object that the join may read."""
        oids = {oid for change in changes for oid in (change.old, change.new) if oid}
        anchors = {anchor_of(change.path, self._oid_length) for change in changes}
        anchors.add(self._repository.project_anchor)
        for tree in trees:
            oids.update(oid for anchor in anchors if anchor for oid in tree.blobs(anchor))
        return self._repository.git.sizes(sorted(oids))

    def _refuse_large(
        self,
        kind: str,
        base: NotesTree,
        other: NotesTree,
        changes: list[PathChange],
        large: Mapping[str, int],
    ) -> None:
        """Remove the notes that are too large from the other side's tree."""
        for change in changes if large else ():
            if change.new not in large and change.old not in large:
                continue
            anchor = anchor_of(change.path, self._oid_length)
            if anchor is None:  # not a note: keep our file
                base.put_file(change.path, other.file(change.path))
                continue
            found = [oid for oid in base.blobs(anchor) if oid in large]
            if found:
                base.put_note(anchor, None)
                size = large[found[0]]
                self._refuse(kind, anchor, f"at {size} bytes (object {found[0]}), it is")

    def _refuse(self, kind: str, anchor: str, why: str) -> None:
        self.warnings.append(
            f"A note of {kind} on {anchor[:7]} is refused: {why} larger than the limit of"
            f" {NOTE_BYTES} bytes and {NOTE_RECORDS} records."
        )

    def purges(self, tree: NotesTree) -> frozenset[str]:
        """Return the memories that a tree says are purged, from the project's note."""
        return purged_uids(read_note(self._objects, tree, self._repository.project_anchor))

    def _anchors(
        self, changes: list[PathChange], base: NotesTree, other: NotesTree
    ) -> Iterator[str]:
        """Return the anchors whose notes differ; files that are not notes are merged on the way."""
        seen = set()
        for change in changes:
            anchor = anchor_of(change.path, self._oid_length)
            if anchor is None:
                blobs = [blob for blob in (base.file(change.path), other.file(change.path)) if blob]
                base.put_file(change.path, max(blobs, default=None))
            elif anchor not in seen:
                seen.add(anchor)
                yield anchor

    def put(
        self,
        tree: NotesTree,
        anchor: str,
        texts: list[str],
        purged: frozenset[str],
        *,
        always: bool = False,
    ) -> bool:
        """Set an anchor's note to the join of some texts, without purged memories.

        Returns False and sets nothing if the result exceeds the limits.
        """
        parsed = [parse_note(text) for text in texts]
        joined = join(*parsed)
        note = scrub(joined, purged)
        self.refused |= altered_copies(joined, parsed) & note.keys()
        if not note:
            tree.put_note(anchor, None)
            return True
        same = len(texts) == 1 and len(note) == len(joined)
        text = canonical(texts[0]) if same else render_note(note)
        data = text.encode("utf-8", "surrogateescape")
        if not always and (len(data) > NOTE_BYTES or len(note) > NOTE_RECORDS):
            return False
        tree.put_note(anchor, self._objects.add_blob(data))
        return True
