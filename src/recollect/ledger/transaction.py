"""A transaction: one attempt to change the ledger, published by swapping its refs.

Opening a namespace absorbs it: if the notes ref is not where we left it, something else moved it,
and both sides are joined before anything is added. So no foreign git command can make a notes ref
lose a record that this clone has seen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from recollect.core.limits import CHANGED_NOTE_BYTES, NOTE_RECORDS
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import Note, add_record, render_note
from recollect.core.places import Place
from recollect.core.spaces import Private
from recollect.errors import ObjectMissing, ValidationError
from recollect.ledger.border import read_private
from recollect.ledger.git_objects import ObjectReader
from recollect.ledger.holding import Judge, hold_back
from recollect.ledger.merge import TreeJoin, read_note
from recollect.ledger.objects import Objects
from recollect.ledger.refs import MISSING, REPLACED, Key, Swap, Tip
from recollect.ledger.repository import Repository
from recollect.ledger.tree import NotesTree


@dataclass(slots=True)
class Namespace:
    """One notes ref inside a transaction."""

    key: Key
    tip: Tip | None
    seen: Tip | None
    tree: NotesTree
    _objects: Objects
    _notes: dict[str, Note] = field(default_factory=dict)
    _dirty: set[str] = field(default_factory=set)
    # The parents of the next commit, if they differ from what we last saw.
    parents: tuple[str, ...] | None = None
    # A commit of a remote to adopt unchanged.
    taken: Tip | None = None
    # Purges that only one of the two sides joined at opening knew.
    new_purges: frozenset[str] = frozenset()
    # What the two refs hold now, even if it is not a notes commit.
    old: tuple[str | None, str | None] = (None, None)
    # Objects of another type at the place of the refs.
    replaced: tuple[str, ...] = ()
    # Memories that someone else purged and that this transaction moved to the held notes.
    held: frozenset[str] = frozenset()

    def note(self, anchor: str) -> Note:
        """Return the records of an anchor's note, including what this transaction added."""
        if anchor not in self._notes:
            self._notes[anchor] = read_note(self._objects, self.tree, anchor)
        return self._notes[anchor]

    def fetch(self, anchors: Iterable[str]) -> None:
        """Read the notes of several anchors together, before they are needed one by one."""
        unread = [anchor for anchor in anchors if anchor not in self._notes]
        self.tree.fetch(unread)
        self._objects.fetch([blob for anchor in unread for blob in self.tree.blobs(anchor)])

    def add(self, anchor: str, uid: str, text: str) -> None:
        """Add a record to an anchor's note."""
        note = self.note(anchor)
        add_record(note, uid, text)
        _check_size(note)
        self._dirty.add(anchor)

    def replace(self, anchor: str, note: Note) -> None:
        """Replace the records of an anchor's note."""
        self._notes[anchor] = note
        self._dirty.add(anchor)

    def write(self) -> str | None:
        """Return the id of the namespace's tree with all changes of this transaction."""
        for anchor in sorted(self._dirty):
            note = self._notes[anchor]
            data = render_note(note).encode("utf-8", "surrogateescape")
            self.tree.put_note(anchor, self._objects.add_blob(data) if note else None)
        self._dirty.clear()
        return self.tree.write()


def _check_size(note: Note) -> None:
    """Reject a change that makes a note too large for other clones to read."""
    size = sum(map(len, note.values()))
    if size * 4 > CHANGED_NOTE_BYTES:
        size = len(render_note(note).encode("utf-8", "surrogateescape"))
    if size > CHANGED_NOTE_BYTES or len(note) > NOTE_RECORDS // 2:
        raise ValidationError(
            f"The note would have {len(note)} records and {size} bytes, which is too large.",
            "Nothing was stored. Instead of changing this memory, capture a new one.",
        )


def _commit(revision: str) -> str:
    return revision + "^{commit}"


class Found(NamedTuple):
    """What a ref holds: the id, the commit if it is one, and what is wrong otherwise."""

    oid: str | None
    tip: Tip | None
    problem: str = ""


class Transaction:
    """The namespaces that one attempt opened, and the objects that it will store."""

    def __init__(self, repository: Repository, reader: ObjectReader, judge: Judge) -> None:
        self.repository = repository
        self.judge = judge
        self.objects = Objects(repository, reader)
        self.trees = TreeJoin(repository, self.objects)
        self._namespaces: dict[Key, Namespace] = {}
        # Warnings about what was refused or replaced.
        self.warnings: list[str] = self.trees.warnings
        # The next number at an anchor, for each kind, once requested.
        self.numbers: dict[tuple[str, str], int] = {}
        # Where the memories are that this transaction created, by uid.
        self.created: dict[str, Place] = {}
        self._private: Private | None = None
        # Revision → the id of its commit: a thousand captures name the same one.
        self._commits: dict[str, str | None] = {}

    def __getitem__(self, key: Key) -> Namespace:
        """Return the namespace, absorbed."""
        if key not in self._namespaces:
            self._namespaces[key] = self._open(key)
        return self._namespaces[key]

    def private(self) -> Private:
        """What is private here, read once."""
        if self._private is None:
            self._private = read_private(self.repository.git)
        return self._private

    def find(self, ref: str) -> Found:
        """Return what a ref holds now."""
        found = self.objects.find(ref)
        if found is None:
            return self._find_damaged(ref)
        if found.type != "commit" or not found.data.startswith(b"tree "):
            return Found(found.oid, None, f"pointed to a {found.type}")
        return Found(found.oid, Tip(found.oid, found.data[5 : found.data.index(b"\n")].decode()))

    def _find_damaged(self, ref: str) -> Found:
        """Handle a ref without an object: it does not exist, or its object is gone."""
        is_loose = (self.repository.common_dir / ref).is_file()
        if not is_loose and not self._is_packed(ref):
            return Found(None, None)
        git = self.repository.git
        out = git.run("for-each-ref", "--format=%(refname) %(objectname)", ref)
        rows = dict(line.split(" ") for line in out.decode("utf-8", "replace").splitlines())
        if is_loose and ref not in rows:
            raise ObjectMissing(f"The ref {ref} is broken.", "To fix it, run: recollect repair")
        return Found(rows[ref], None, MISSING) if ref in rows else Found(None, None)

    def _is_packed(self, ref: str) -> bool:
        common = self.repository.common_dir
        if (common / "reftable").exists():
            return True
        try:
            return f" {ref}\n".encode() in (common / "packed-refs").read_bytes()
        except OSError:
            return False

    def fetch_commits(self, revisions: Iterable[str]) -> None:
        """Find the commits of several revisions together, before they are needed one by one."""
        self.objects.fetch(_commit(name) for name in revisions if name not in self._commits)

    def commit_id(self, revision: str) -> str | None:
        """Return the id of the commit that a revision names; git is asked once for each."""
        if revision not in self._commits:
            found = self.objects.find(_commit(revision))
            self._commits[revision] = found.oid if found is not None else None
        return self._commits[revision]

    def _open(self, key: Key) -> Namespace:
        refs = (key.notes_ref, key.seen_ref)
        found = [self.find(ref) for ref in refs]
        tip, seen = (one.tip for one in found)
        if tip is None and seen is None and any(one.problem == MISSING for one in found):
            raise ObjectMissing(
                f"The notes of {key.kind} lead to an object that is missing or damaged.",
                "To rebuild them from what this clone still has, run: recollect repair",
            )
        namespace = self._join(key, tip, seen)
        namespace.old = (found[0].oid, found[1].oid)
        for ref, one in zip(refs, found, strict=True):
            if one.oid is not None and one.tip is None:
                self.warnings.append(f"{ref} {one.problem}. It is replaced.")
                if one.problem != MISSING:
                    namespace.replaced += (one.oid,)
        return namespace

    def _join(self, key: Key, tip: Tip | None, seen: Tip | None) -> Namespace:
        if tip == seen:
            return Namespace(key, tip, seen, self.trees.tree(tip and tip.tree), self.objects)
        tree, ours, theirs = self.trees.join(tip and tip.tree, seen and seen.tree, key.kind)
        namespace = Namespace(key, tip, seen, tree, self.objects)
        if tip is not None and seen is not None and ours != theirs:
            # One of the histories contains what the other has purged: keep the clean one.
            clean = [t.commit for t, own in ((seen, theirs), (tip, ours)) if own == ours | theirs]
            namespace.parents = tuple(clean[:1])
            namespace.held = hold_back(self, key, seen.tree, tree, ours - theirs)
            namespace.new_purges = (ours ^ theirs) - namespace.held
        return namespace

    def with_new_purges(self) -> dict[Key, Namespace]:
        """Return the namespaces whose opening brought purges that one side did not know."""
        return {key: found for key, found in self._namespaces.items() if found.new_purges}

    def finish(self, who: str, reason: str) -> list[Swap]:
        """Create the commits; return the ref swaps that publish them."""
        swaps: list[Swap] = []
        for key, namespace in self._namespaces.items():
            commit = self._commit(namespace, who, reason)
            for ref, old in zip((key.notes_ref, key.seen_ref), namespace.old, strict=True):
                if commit != old or (swaps and swaps[-1].ref == key.notes_ref):
                    swaps.append(Swap(ref, commit, old))
            swaps += (
                Swap(REPLACED + oid, oid, self.find(REPLACED + oid).oid)
                for oid in dict.fromkeys(namespace.replaced)
            )
        return swaps

    def _commit(self, namespace: Namespace, who: str, reason: str) -> str | None:
        """Return the commit for a namespace: an existing one with its tree, or a new one.

        The parent is what we last saw, not what a foreign command wrote since: its commits may
        bring back purged history, and the truth is in the tree.
        """
        tip, seen = namespace.tip, namespace.seen
        if namespace.taken is not None:
            return namespace.taken.commit
        tree = namespace.write()
        if tree is None:
            if tip is None and seen is None:
                return None
            tree = self.objects.add_tree({})
        parents = namespace.parents
        if parents is None:
            for known in (seen, tip):
                if known is not None and known.tree == tree:
                    return known.commit
            parent = seen or tip
            parents = (parent.commit,) if parent is not None else ()
        return self.objects.add_commit(tree, parents, who, f"recollect: {reason}")
