"""Sync: what was received, what both sides changed, and which purges wait for an answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from recollect.api.effects import update_mirror
from recollect.core.authority import may_purge
from recollect.core.memory import Memory, fold
from recollect.core.named_tuple import NamedTuple
from recollect.core.places import FOREIGN, LOCAL, SHARED
from recollect.core.record import Record
from recollect.index.protocol import ALL, Filters
from recollect.ledger.conflicts import Difference
from recollect.ledger.holding import APPLY
from recollect.ledger.sync import SyncReport
from recollect.ledger.sync import sync as sync_ledger

if TYPE_CHECKING:
    from recollect.store.store import Store

_NO_TEXT = frozenset({"changes", "times_updated", "status_by", "undoes"})
BODY = "body"


class PendingPurge(NamedTuple):
    """A memory that somebody else purged; our copy is held until the owner of this clone agrees."""

    memory: Memory
    by: tuple[str, ...]
    timestamp: str | None

    def as_json(self) -> dict[str, Any]:
        """The purge as `--json` prints it."""
        return {
            **self.memory.as_reference(),
            "author": self.memory.author,
            "purged_by": list(self.by),
            "timestamp": self.timestamp,
        }


class FieldConflict(NamedTuple):
    """A field that both sides changed: both values, and which one counts."""

    field: str
    ours: Any
    theirs: Any
    won: str


class Conflict(NamedTuple):
    """A memory that both sides changed since the last sync."""

    memory: Memory
    ours: Memory
    theirs: Memory
    by: tuple[str, ...]
    fields: tuple[FieldConflict, ...]

    def as_json(self) -> dict[str, Any]:
        """The conflict as `--json` prints it."""
        return {
            "id": self.memory.id,
            "uid": self.memory.uid,
            "changed_by": list(self.by),
            "fields": [field._asdict() for field in self.fields],
            "ours": {"summary": self.ours.summary, "body": self.ours.body},
            "theirs": {"summary": self.theirs.summary, "body": self.theirs.body},
            "now": {"summary": self.memory.summary, "body": self.memory.body},
        }


class SyncResult(NamedTuple):
    """The result of a sync."""

    report: SyncReport
    received: list[Memory]
    purged: list[str]
    conflicts: list[Conflict]
    # Purges by others that wait for an answer, also those of earlier syncs.
    pending: list[PendingPurge]


def sync(store: Store, remote: str | None = None) -> SyncResult:
    """Exchange memories with a remote, and update everything that depends on them."""
    from recollect.capture.suggestions import forget
    from recollect.sleep.purge import purge_late_merges, shared_memories
    from recollect.state.session_files import remove_session_files

    everything = Filters(statuses=ALL)
    before = {memory.uid: memory for memory in store.indexing.fresh().select(everything)}
    report = sync_ledger(
        store.ledger,
        remote or store.config.text("sync.remote") or None,
        timeout=store.config.number("sync.timeout"),
    )
    after = store.indexing.fresh().select(everything)
    purged = shared_memories(store, report.purged)
    store.local.forget(sorted(purged))
    for uid in purged & before.keys():
        forget(store, before[uid])
    if purged:
        remove_session_files(store.ledger.repository.state_dir)
    accept_purges(store, _answered(store))
    purge_late_merges(store, after)
    update_mirror(store, after)
    return SyncResult(
        report,
        [m for m in after if m.uid not in before or before[m.uid].version != m.version],
        sorted(before[uid].id for uid in purged if uid in before),
        find_conflicts(store, report.differences),
        pending_purges(store),
    )


def pending_purges(store: Store) -> list[PendingPurge]:
    """The purges by others that wait for the owner of this clone."""
    index = store.indexing.fresh()
    found = []
    for memory in index.get_many(index.outside({SHARED, LOCAL, FOREIGN})):
        purges = index.purges(memory.uid)
        names = dict.fromkeys(purge.by or "somebody" for purge in purges)
        found.append(PendingPurge(memory, tuple(names), purges[0].timestamp if purges else None))
    return found


def _answered(store: Store) -> list[PendingPurge]:
    """The purges that need no answer any more, because the author has purged the memory too."""
    pending = pending_purges(store)
    index = store.indexing.fresh()
    owner, all_count = store.ledger.author if pending else "", store.ledger.purge_policy == APPLY
    found = []
    for purge in pending:
        create, *updates = index.history(purge.memory.uid)
        records = index.purges(create.uid)
        if all_count or any(may_purge(record, create, updates, owner) for record in records):
            found.append(purge)
    return found


def accept_purges(store: Store, chosen: Sequence[PendingPurge]) -> list[str]:
    """Apply purges by others; gives what could not be erased, in sentences."""
    from recollect.sleep.purge import purge

    return purge(store, [pending.memory for pending in chosen])


def find_conflicts(
    store: Store,
    differences: Mapping[str, Difference],
    incoming: Mapping[str, Sequence[Record]] = MappingProxyType({}),
) -> list[Conflict]:
    """The memories that both sides changed; a change by sleep or another run is no conflict.

    `incoming` are updates, by memory, that are not in the index yet.
    """
    index, owner = store.indexing.fresh(), store.ledger.author if differences else None
    found = []
    for memory in index.get_many(sorted(differences)):
        difference = differences[memory.uid]
        create, *updates = index.history(memory.uid)
        updates += incoming.get(memory.uid, ())
        ours = [update for update in updates if update.uid in difference.ours]
        theirs = [update for update in updates if update.uid in difference.theirs]
        if not _by_people(ours) or not _by_people(theirs):
            continue

        def without(
            left: frozenset[str],
            *,
            create: Record = create,
            updates: Sequence[Record] = updates,
            memory: Memory = memory,
        ) -> Memory:
            kept = [update for update in updates if update.uid not in left]
            return fold(create, kept, kind=memory.kind, name=memory.id, owner=owner)

        one, other = without(difference.theirs), without(difference.ours)
        now = without(frozenset()) if memory.uid in incoming else memory
        by = tuple(dict.fromkeys(update.by or "somebody" for update in theirs))
        both = sorted(_touched(ours) & _touched(theirs))
        found.append(Conflict(now, one, other, by, tuple(_compared(both, one, other, now))))
    return found


def _by_people(updates: Sequence[Record]) -> bool:
    return any("status_by" not in update.fields for update in updates)


def _touched(updates: Sequence[Record]) -> set[str]:
    names = {name for update in updates for name in update.fields} - _NO_TEXT
    return names | ({BODY} if any(update.body is not None for update in updates) else set())


def _compared(
    names: Sequence[str], ours: Memory, theirs: Memory, now: Memory
) -> list[FieldConflict]:
    found = []
    for name in names:
        one, other, current = (m.as_json().get(name) for m in (ours, theirs, now))
        if one != other:
            won = "ours" if current == one else "theirs" if current == other else "both"
            found.append(FieldConflict(name, one, other, won))
    return found
