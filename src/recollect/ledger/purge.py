"""Purging: erase memories here, and record it so that every clone erases them.

The purge record keeps the uid and the name of what it erased, never the text. The uid comes from a
hash of the text and a random nonce, which is erased too, so nobody can check a guess. If the nonce
was not random (merges, imports, hooks), the record keeps it, so that the same memory is not created
again.

Anyone who can push can already delete the refs, so spreading purges gives nobody new power.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recollect.core.authority import BECAUSE, MACHINE
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import scrub
from recollect.core.places import HELD, LOCAL, SHARED, Place
from recollect.core.proof import seal
from recollect.core.record import PURGE, PURGED_NONCE, Record, render_record
from recollect.errors import ValidationError
from recollect.ledger.erase import erase
from recollect.ledger.holding import anchors_naming
from recollect.ledger.ledger import Ledger
from recollect.ledger.lock import SYNC_LOCK, exclusive
from recollect.ledger.refs import SEEN_PREFIXES, Key, list_tips
from recollect.ledger.transaction import Transaction

_SYNC_SECONDS = 300.0


class Target(NamedTuple):
    """A memory to erase: its uid, name and places, and the nonce of the purge record.

    A quarantined record has no name.
    """

    uid: str
    name: str
    places: tuple[Place, ...]
    nonce: str
    # The nonce that the memory was created with, if nothing with that nonce may be created again.
    purged_nonce: str = ""
    # For an automatic purge: the purged memories whose text it contains.
    because: tuple[str, ...] = ()
    is_automatic: bool = False


def purge(ledger: Ledger, targets: Sequence[Target]) -> list[str]:
    """Erase memories here, and record it in the ledger so that other clones erase them too.

    Purging many at once costs little more than one. Returns sentences about what could not be
    erased.
    """
    if not targets:
        return []
    wanted = sorted({_key(place) for target in targets for place in target.places})
    if any(key.space not in SEEN_PREFIXES for key in wanted):
        raise ValidationError(
            "The memory is in the notes of another tool, which Recollect only reads.",
            "Remove it there, for example: git notes --ref=cs/KIND remove COMMIT",
        )
    repository = ledger.repository
    # Held memories were also in the shared notes, whose history and reflogs may still have them.
    touched = sorted({*wanted, *(Key(SHARED, k.kind) for k in wanted if k.space == HELD)})
    before = list_tips(
        repository.git, *(ref for key in touched for ref in (key.notes_ref, key.seen_ref))
    )
    stamp = ledger.stamp()

    def edit(transaction: Transaction) -> None:
        for key in wanted:
            namespace = transaction[key]
            here = [target for target in targets if any(_key(p) == key for p in target.places)]
            anchors = {p.anchor for target in here for p in target.places if p.kind == key.kind}
            erased = {target.uid for target in here}
            for anchor in anchors | _anchors_naming(transaction, key, sorted(erased)):
                namespace.replace(anchor, scrub(namespace.note(anchor), erased))
            for target in here:
                fields: dict[str, Any] = {"type": key.kind, **_reasons(target)}
                if target.purged_nonce:
                    fields[PURGED_NONCE] = target.purged_nonce
                record = seal(
                    Record(
                        uid="",
                        op=PURGE,
                        id=target.name or None,
                        of=target.uid,
                        timestamp=stamp.time,
                        by=MACHINE if target.is_automatic else stamp.author,
                        nonce=target.nonce,
                        fields=fields,
                    )
                )
                namespace.add(repository.project_anchor, record.uid, render_record(record))
            namespace.parents = ()  # no history: it contains what must be erased

    # A running sync may be about to read what is erased here.
    with exclusive(repository.state_dir / SYNC_LOCK, _SYNC_SECONDS):
        ledger.drop_stale_locks()
        ledger.transact(edit, "purge")
        left: list[str] = []
        # The private space is independent of the others.
        for is_local in sorted({key.space == LOCAL for key in touched}):
            keys = [key for key in touched if (key.space == LOCAL) == is_local]
            uids = {t.uid for t in targets if any((p.space == LOCAL) == is_local for p in t.places)}
            refs = {ref for key in keys for ref in (key.notes_ref, key.seen_ref)}
            tips = [tip.commit for ref, tip in before.items() if ref in refs]
            left += erase(repository, keys, uids, tips)
        return left


def _reasons(target: Target) -> dict[str, list[str]]:
    return {BECAUSE: list(target.because)} if target.because else {}


def _key(place: Place) -> Key:
    return Key(place.space, place.kind)


def _anchors_naming(transaction: Transaction, key: Key, uids: Sequence[str]) -> set[str]:
    """Return the anchors whose notes name one of the memories, by searching all notes."""
    tree = transaction[key].write()
    if tree is None:
        return set()
    transaction.objects.store()  # absorbing may just have created it
    return anchors_naming(transaction, tree, uids)
