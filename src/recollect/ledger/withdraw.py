"""Withdrawing: what was never sent leaves the shared notes when its author takes it back.

Its records move, byte for byte, to the local notes, which are never pushed, and the shared notes
get a new history without them. Restoring it moves them back. What a remote has stays where it is:
only a purge erases it there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from recollect.core.note import purged_uids, scrub
from recollect.core.places import LOCAL, SHARED, Place
from recollect.ledger.ledger import Ledger
from recollect.ledger.merge import read_note
from recollect.ledger.refs import REMOTES, Key, list_tips
from recollect.ledger.transaction import Transaction

# How long to wait for a running sync, which may be sending the memory.
SYNC_SECONDS: Final = 0.5


def is_unsent(ledger: Ledger, uid: str, places: Sequence[Place]) -> bool:
    """Whether a shared memory was never sent, as far as our copies of remotes tell.

    Hold the lock of a sync, so that none sends it in the meantime.
    """
    if not places or any(place.space != SHARED for place in places):
        return False
    copies = list_tips(ledger.repository.git, REMOTES)

    def look(transaction: Transaction) -> bool:
        for place in places:
            tips = [tip for ref, tip in copies.items() if ref.endswith(f"/{place.kind}")]
            for tip in tips:
                tree = transaction.trees.tree(tip.tree)
                if uid in read_note(transaction.objects, tree, place.anchor):
                    return False
            project = transaction[Key(SHARED, place.kind)].note(
                transaction.repository.project_anchor
            )
            if not tips and purged_uids(project):
                return False  # a purge drops our copies, so nobody knows
        return True

    return ledger.transact(look, "look")


def move(ledger: Ledger, uid: str, places: Sequence[Place], space: str) -> None:
    """Move the records of a memory to the shared or to the local notes, in one transaction."""

    def edit(transaction: Transaction) -> None:
        for place in places:
            source, target = transaction[Key(place.space, place.kind)], Key(space, place.kind)
            note = source.note(place.anchor)
            kept = scrub(note, (uid,))
            for own in note.keys() - kept.keys():
                transaction[target].add(place.anchor, own, note[own])
            source.replace(place.anchor, kept)
            if place.space == SHARED:
                source.parents = ()  # the history contains it, and could be sent

    if any(place.space != space for place in places):
        ledger.transact(edit, "withdraw" if space == LOCAL else "restore")
