"""Purging: memories are erased here, and the ledger says so, so that every clone erases them.

The purge record keeps the uid and the name of what it erased, never the text nor a hash of it.
Whoever can push can already delete the refs, so letting a purge spread gives nobody a new power.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from recollect.core.note import scrub
from recollect.core.places import Place
from recollect.core.record import PURGE, Record, render_record
from recollect.errors import ValidationError
from recollect.ledger.erase import erase
from recollect.ledger.ledger import Ledger
from recollect.ledger.lock import SYNC_LOCK, exclusive
from recollect.ledger.refs import SEEN_PREFIXES, Key, list_tips
from recollect.ledger.session import Session
from recollect.ledger.tree import anchor_of

_SYNC_SECONDS = 300.0


class Target(NamedTuple):
    """A memory to be erased: its uid, its name, where it is, and the uid of the purge record."""

    uid: str
    name: str
    places: tuple[Place, ...]
    record_uid: str


def purge(ledger: Ledger, targets: Sequence[Target]) -> list[str]:
    """Erase memories here, and say so in the ledger, so that other clones erase them too.

    All at once costs little more than one. Gives what could not be erased, in sentences.
    """
    if not targets:
        return []
    wanted = sorted({_key(place) for target in targets for place in target.places})
    if any(key.space not in SEEN_PREFIXES for key in wanted):
        raise ValidationError(
            "The memory is in notes of another tool, which Recollect only reads.",
            "Remove it there, for example with `git notes --ref=cs/KIND remove COMMIT`",
        )
    repository = ledger.repository
    erased = {target.uid for target in targets}
    before = [
        tip.commit
        for tip in list_tips(
            repository.git, *(ref for key in wanted for ref in (key.notes_ref, key.seen_ref))
        ).values()
    ]
    stamp = ledger.stamp()

    def edit(session: Session) -> None:
        for key in wanted:
            namespace = session[key]
            here = [target for target in targets if any(_key(p) == key for p in target.places)]
            anchors = {p.anchor for target in here for p in target.places if p.kind == key.kind}
            for anchor in anchors | _anchors_naming(session, key, [t.uid for t in here]):
                namespace.replace(anchor, scrub(namespace.note(anchor), erased))
            for target in here:
                record = Record(
                    uid=target.record_uid,
                    op=PURGE,
                    id=target.name,
                    of=target.uid,
                    timestamp=stamp.time,
                    by=stamp.author,
                    fields={"type": key.kind},
                )
                namespace.add(repository.project_anchor, record.uid, render_record(record))
            namespace.parents = ()  # no history: it holds what is to be erased

    # A sync that is under way may be about to read what is erased here.
    with exclusive(repository.state_dir / SYNC_LOCK, _SYNC_SECONDS):
        ledger.drop_stale_locks()
        ledger.transact(edit, "purge")
        return erase(repository, wanted, erased, before)


def _key(place: Place) -> Key:
    return Key(place.space, place.kind)


def _anchors_naming(session: Session, key: Key, uids: Sequence[str]) -> set[str]:
    """The anchors whose notes name one of some memories, found by looking into all of them."""
    tree = session[key].write()
    if tree is None:
        return set()
    session.objects.store()  # absorbing may have made it just now
    repository = session.repository
    out = repository.git.run(
        *("grep", "-l", "-a", "-F", "--full-name", "-f", "-", tree),
        stdin="".join(f"{uid}\n" for uid in uids).encode(),
        ok=(0, 1),
        timeout=300,
    )
    length = len(repository.project_anchor)
    paths = (line.partition(":")[2] for line in out.decode("utf-8", "replace").splitlines())
    return {anchor for anchor in (anchor_of(path, length) for path in paths) if anchor}
