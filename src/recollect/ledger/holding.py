"""Held purges: someone else's purge waits until this clone's owner agrees.

The purge record itself is accepted and the memory leaves the shared notes, as with every purge: all
clones and the remote end with equal trees, and nothing that a colleague purged is published again.
Only our own copy moves, in the same transaction, to `refs/mem/held/<kind>`, which is never pushed.
You can read and search it as before until the purge is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol

from recollect.core.authority import BECAUSE, may_purge
from recollect.core.note import Note, purge_records, read_stored
from recollect.core.places import HELD, SHARED
from recollect.core.record import CREATE, UPDATE, Record
from recollect.ledger.merge import TreeJoin, read_note, read_texts
from recollect.ledger.objects import Objects
from recollect.ledger.refs import Key, Tip
from recollect.ledger.repository import Repository
from recollect.ledger.tree import NotesTree, anchor_of

APPLY: Final = "apply"

# Decides whether a purge applies at once, from the purge, the creation, the updates and all purges.
Judge = Callable[[Record, Record, Sequence[Record], frozenset[str]], bool]


class Holder(Protocol):
    """What holding needs from a transaction."""

    judge: Judge
    objects: Objects
    repository: Repository
    trees: TreeJoin

    def __getitem__(self, key: Key, /) -> Notes:
        """Return the notes of a kind in a space, for changing."""

    def find(self, ref: str, /) -> Held:
        """Return what a ref holds now."""


class Notes(Protocol):
    """Notes that records can be added to."""

    def add(self, anchor: str, uid: str, text: str, /) -> None:
        """Add a record to an anchor's note."""


class Held(Protocol):
    """What a ref holds."""

    @property
    def tip(self) -> Tip | None:
        """The commit, if it is one."""


def judge_for(policy: str, owner: Callable[[], str]) -> Judge:
    """Return this clone's policy for purges by others."""

    def judge(
        purge: Record, create: Record, updates: Sequence[Record], purged: frozenset[str]
    ) -> bool:
        return policy == APPLY or may_purge(purge, create, updates, owner(), purged)

    return judge


def hold_back(
    transaction: Holder, key: Key, ours: str | None, joined: NotesTree, new: frozenset[str]
) -> frozenset[str]:
    """Move our copies of newly purged memories to the held notes, if the purge must wait.

    `ours` is our previous tree, `joined` the one that replaces it. Returns what is held.
    """
    if not new or ours is None or key.space != SHARED:
        return frozenset()
    tree = transaction.trees.tree(ours)
    anchors = anchors_naming(transaction, ours, sorted(new))
    notes = {anchor: read_note(transaction.objects, tree, anchor) for anchor in sorted(anchors)}
    held = _undecided(transaction, key, joined, notes, new)
    namespace = transaction[Key(HELD, key.kind)] if held else None
    for anchor, note in notes.items():
        for uid, text in note.items() if namespace is not None else ():
            if _belongs(uid, text, held):
                assert namespace is not None
                namespace.add(anchor, uid, text)
        # A tree that brings a purge may still contain the memory; then the diff does not show it.
        texts = read_texts(transaction.objects, joined, anchor)
        if texts:
            transaction.trees.put(joined, anchor, sorted(set(texts)), new)
    return held


def _undecided(
    transaction: Holder, key: Key, joined: NotesTree, notes: Mapping[str, Note], new: frozenset[str]
) -> frozenset[str]:
    """Return the purged memories that we have and that only someone else wants purged."""
    project = read_note(transaction.objects, joined, transaction.repository.project_anchor)
    purges: dict[str, list[Record]] = {}
    for record in purge_records(project):
        purges.setdefault(record.of or "", []).append(record)
    incoming = [record for uid in new for record in purges.get(uid, ())]
    purged = frozenset(purges) - _held_already(transaction, key, incoming)
    records = [read_stored(text) for note in notes.values() for text in note.values()]
    creations = {r.uid: r for r in records if r.op == CREATE and r.uid in new}
    updates: dict[str, list[Record]] = {uid: [] for uid in creations}
    for record in records:
        if record.op == UPDATE and record.of in updates:
            updates[record.of].append(record)
    undecided = frozenset(creations)
    while True:  # a merged memory is purged with its source only if the purge of the source applies
        accepted = purged - undecided
        still = frozenset(
            uid
            for uid, create in creations.items()
            if not any(
                transaction.judge(purge, create, updates[uid], accepted)
                for purge in purges.get(uid, ())
            )
        )
        if still == undecided:
            return undecided
        undecided = still


def _held_already(transaction: Holder, key: Key, purges: Iterable[Record]) -> set[str]:
    """Return those sources of some purges that are held, so that their own purge does not apply."""
    reasons = {str(uid) for purge in purges for uid in purge.fields.get(BECAUSE) or ()}
    tip = transaction.find(Key(HELD, key.kind).notes_ref).tip if reasons else None
    if tip is None:
        return set()
    tree = transaction.trees.tree(tip.tree)
    anchors = anchors_naming(transaction, tip.tree, sorted(reasons))
    return {uid for anchor in anchors for uid in read_note(transaction.objects, tree, anchor)}


def _belongs(uid: str, text: str, memories: frozenset[str]) -> bool:
    return uid in memories or (read_stored(text).of or "") in memories


def anchors_naming(transaction: Holder, tree: str, uids: Sequence[str]) -> set[str]:
    """Return the anchors whose notes name one of the memories, by searching all notes."""
    repository = transaction.repository
    out = repository.git.run(
        *("grep", "-l", "-a", "-F", "--full-name", "-f", "-", tree),
        stdin="".join(f"{uid}\n" for uid in uids).encode(),
        ok=(0, 1),
        timeout=300,
    )
    length = len(repository.project_anchor)
    paths = (line.partition(":")[2] for line in out.decode("utf-8", "replace").splitlines())
    return {anchor for anchor in (anchor_of(path, length) for path in paths) if anchor}
