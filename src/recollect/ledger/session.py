"""One attempt to write: the namespaces as they are now, the changes wanted, and the swap.

Opening a namespace absorbs it: if the notes ref is not where we left it, somebody else moved it,
and what both sides hold is joined before anything is added. Hence nothing that a foreign git
command does to a notes ref can lose a record that this clone has seen.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from recollect.core.note import Note, add_record, render_note
from recollect.ledger.git import ObjectReader
from recollect.ledger.merge import TreeJoin, read_note
from recollect.ledger.objects import Objects
from recollect.ledger.refs import Key, Swap, Tip
from recollect.ledger.repository import Repository
from recollect.ledger.tree import NotesTree


@dataclass(slots=True)
class Namespace:
    """One notes ref inside a session."""

    key: Key
    tip: Tip | None
    seen: Tip | None
    tree: NotesTree
    _objects: Objects
    _notes: dict[str, Note] = field(default_factory=dict)
    _dirty: set[str] = field(default_factory=set)
    # The parents of the next commit, where they are not what we saw last.
    parents: tuple[str, ...] | None = None
    # A commit of a remote to be taken as it is.
    taken: Tip | None = None
    # Purges that only one of the two sides knew that were joined at the opening.
    learnt: frozenset[str] = frozenset()

    def note(self, anchor: str) -> Note:
        """The records of an anchor's note, with what this session has added."""
        if anchor not in self._notes:
            self._notes[anchor] = read_note(self._objects, self.tree, anchor)
        return self._notes[anchor]

    def add(self, anchor: str, uid: str, text: str) -> None:
        """Add a record to an anchor's note."""
        add_record(self.note(anchor), uid, text)
        self._dirty.add(anchor)

    def replace(self, anchor: str, note: Note) -> None:
        """Put another set of records into an anchor's note."""
        self._notes[anchor] = note
        self._dirty.add(anchor)

    def write(self) -> str | None:
        """The id of the namespace's tree with everything that this session changed."""
        for anchor in sorted(self._dirty):
            note = self._notes[anchor]
            data = render_note(note).encode("utf-8", "surrogateescape")
            self.tree.put_note(anchor, self._objects.add_blob(data) if note else None)
        self._dirty.clear()
        return self.tree.write()


class Session:
    """The namespaces of one attempt, and the objects it wants to store."""

    def __init__(self, repository: Repository, reader: ObjectReader) -> None:
        self.repository = repository
        self.objects = Objects(repository, reader)
        self.trees = TreeJoin(repository, self.objects)
        self._namespaces: dict[Key, Namespace] = {}
        # The next number at an anchor, for each kind, once it has been asked for.
        self.numbers: dict[tuple[str, str], int] = {}

    def __getitem__(self, key: Key) -> Namespace:
        """The namespace, absorbed."""
        if key not in self._namespaces:
            self._namespaces[key] = self._open(key)
        return self._namespaces[key]

    def tip(self, ref: str) -> Tip | None:
        """Where a ref points now."""
        found = self.objects.find(ref)
        if found is None or found.type != "commit":
            return None
        return Tip(found.oid, found.data[5 : found.data.index(b"\n")].decode())

    def commit_id(self, revision: str) -> str | None:
        """The id of the commit that a revision names."""
        found = self.objects.find(revision + "^{commit}")
        return found.oid if found is not None else None

    def _open(self, key: Key) -> Namespace:
        tip, seen = self.tip(key.notes_ref), self.tip(key.seen_ref)
        if tip == seen:
            return Namespace(key, tip, seen, self.trees.tree(tip and tip.tree), self.objects)
        tree, ours, theirs = self.trees.join(tip and tip.tree, seen and seen.tree)
        namespace = Namespace(key, tip, seen, tree, self.objects)
        if tip is not None and seen is not None and ours != theirs:
            # One of the histories holds what the other says is purged: keep the clean one.
            clean = [t.commit for t, own in ((seen, theirs), (tip, ours)) if own == ours | theirs]
            namespace.parents = tuple(clean[:1])
            namespace.learnt = ours ^ theirs
        return namespace

    def learnt(self) -> dict[Key, Namespace]:
        """The namespaces whose opening brought purges that one side did not know."""
        return {key: found for key, found in self._namespaces.items() if found.learnt}

    def finish(self, who: str, reason: str) -> list[Swap]:
        """Make the commits; the swaps of refs that bring them in."""
        swaps: list[Swap] = []
        for key, namespace in self._namespaces.items():
            commit = self._commit(namespace, who, reason)
            for ref, tip in ((key.notes_ref, namespace.tip), (key.seen_ref, namespace.seen)):
                old = tip.commit if tip else None
                if commit != old or (swaps and swaps[-1].ref == key.notes_ref):
                    swaps.append(Swap(ref, commit, old))
        return swaps

    def _commit(self, namespace: Namespace, who: str, reason: str) -> str | None:
        """The commit for a namespace: one that has its tree already, or a new one.

        The parent is what we saw last, not what a foreign command wrote since: its commits may
        bring back history that was purged, and the truth is in the tree.
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
