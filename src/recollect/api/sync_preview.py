"""What a sync would send and bring, memory by memory, before anybody decides to run it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from recollect.api.sync import Conflict, find_conflicts
from recollect.core.memory import Memory, fold
from recollect.core.named_tuple import NamedTuple
from recollect.core.record import CREATE, PURGE, UPDATE, Record
from recollect.ledger.preview import preview

if TYPE_CHECKING:
    from recollect.store.store import Store


class Exchanged(NamedTuple):
    """A memory that a sync would send or bring, and what would change about it."""

    # `new`, `changed` or `purged`.
    what: str
    uid: str
    # As it would be then; None if it is purged, or only known to the other side.
    memory: Memory | None
    # As it is on the side that gets it, if it is there.
    before: Memory | None
    by: tuple[str, ...]
    # Whether this clone has it already.
    is_here: bool


class SyncPreview(NamedTuple):
    """What a sync with a remote would do now; the newest memories come first."""

    remote: str
    sends: Sequence[Exchanged]
    brings: Sequence[Exchanged]
    conflicts: Sequence[Conflict]
    # Memories here that somebody else purged: erased at once, and held until you decide.
    erases: Sequence[Memory]
    holds: Sequence[Memory]
    warnings: Sequence[str]

    @property
    def is_empty(self) -> bool:
        """Whether both sides have the same."""
        return not (self.sends or self.brings or self.erases or self.holds)


def preview_sync(store: Store, remote: str | None = None) -> SyncPreview:
    """Fetch what a remote has, and return what a sync would do; no memory changes."""
    found = preview(
        store.ledger,
        remote or store.config.text("sync.remote") or None,
        timeout=store.config.number("sync.timeout"),
    )
    index = store.indexing.fresh()
    incoming: dict[str, list[Record]] = {}
    for _, record in found.brought:
        if record.op == UPDATE:
            incoming.setdefault(record.memory_uid, []).append(record)
    return SyncPreview(
        found.remote,
        list(_exchanged(store, found.sent, is_ours=True)),
        list(_exchanged(store, found.brought, is_ours=False)),
        find_conflicts(store, found.differences, incoming),
        index.get_many(sorted(found.erased)),
        index.get_many(sorted(found.held)),
        found.warnings,
    )


def _exchanged(
    store: Store, records: Iterable[tuple[str, Record]], *, is_ours: bool
) -> Iterable[Exchanged]:
    groups: dict[str, list[tuple[str, Record]]] = {}
    for kind, record in records:
        groups.setdefault(record.memory_uid, []).append((kind, record))
    index, owner = store.indexing.fresh(), store.ledger.author if groups else None
    known = {memory.uid: memory for memory in index.get_many(list(groups))}
    for uid in sorted(groups, reverse=True):
        kind, group = groups[uid][0][0], [record for _, record in groups[uid]]
        here = known.get(uid)
        history = index.history(uid) if here is not None else []
        theirs = {record.uid for record in group}
        if is_ours:  # what we have, and what the other side has of it
            after, rest = history, [record for record in history if record.uid not in theirs]
        else:
            after, rest = [*history, *(r for r in group if r.op != PURGE)], history
        name = here.id if here is not None else next((r.id for r in group if r.id), None) or ""

        def folded(parts: Sequence[Record], *, kind: str = kind, name: str = name) -> Memory | None:
            create = next((record for record in parts if record.op == CREATE), None)
            if create is None:
                return None
            updates = [record for record in parts if record.op == UPDATE]
            return fold(create, updates, kind=kind, name=name, owner=owner)

        ops = {record.op for record in group}
        what = "purged" if PURGE in ops else "new" if CREATE in ops else "changed"
        by = tuple(dict.fromkeys(record.by or "somebody" for record in group))
        memory = None if what == "purged" else folded(after)
        yield Exchanged(
            what, uid, memory, None if what == "new" else folded(rest), by, here is not None
        )
