"""The versions of a memory, and the pending changes by others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.core.authority import SuggestedChange, counting_fields, suggested_changes
from recollect.core.fields import check_fields
from recollect.core.memory import Memory, fold
from recollect.core.named_tuple import NamedTuple
from recollect.core.record import Record
from recollect.errors import NotFound

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.store.store import Store


class Version(NamedTuple):
    """A memory as it was after one of its records."""

    record: Record
    memory: Memory
    # The fields of the record that have no effect, because someone else changed them.
    suggested: Mapping[str, Any]


def versions(store: Store, memory_id: str) -> list[Version]:
    """Return every version of a memory, oldest first, with its texts."""
    memory = store.get(memory_id)
    return versions_of(memory, store.indexing.fresh().history(memory.uid), store.ledger.author)


def versions_of(
    memory: Memory, records: Sequence[Record], owner: str | None = None
) -> list[Version]:
    """Return every version of a memory, oldest first, from its records in fold order."""
    create, *updates = records
    found = []
    for count, record in enumerate((create, *updates)):
        was = fold(create, updates[:count], kind=memory.kind, name=memory.id, owner=owner)
        counted = record.fields if not count else counting_fields(record, create, owner)
        left = {name: value for name, value in record.fields.items() if name not in counted}
        found.append(Version(record, was, left))
    return found


def waiting_changes(store: Store) -> list[SuggestedChange]:
    """Return the changes by others that are pending for the owner of this clone, oldest first."""
    index = store.indexing.fresh()
    contested = index.contested()
    if not contested:
        return []
    owner = store.ledger.author
    found: list[SuggestedChange] = []
    for memory in index.get_many(contested):
        create, *updates = index.history(memory.uid)
        for change in suggested_changes(create, updates, owner):
            known = memory.as_json()
            if any(known.get(name) != value for name, value in change.fields.items()):
                found.append(change)
    return sorted(found, key=lambda change: change.record)


def change_named(store: Store, record: str) -> SuggestedChange:
    """Return the suggested change whose record has this uid, or a uid that ends with it."""
    wanted = record.strip().upper()
    found = [c for c in waiting_changes(store) if wanted and c.record.endswith(wanted)]
    if len(found) != 1:
        raise NotFound(
            f"There is no suggested change {record}.", "To list them, run: recollect review"
        )
    return found[0]


def accept_change(store: Store, record: str) -> Memory:
    """Accept someone else's change by writing its values in your name."""
    change = change_named(store, record)
    wanted = {k: v for k, v in change.fields.items() if k not in _FROM_BIRTH}
    return _write(store, change, check_fields(wanted), "accept")


def reject_change(store: Store, record: str) -> Memory:
    """Keep the memory as it is; the change is not suggested again."""
    change = change_named(store, record)
    memory = store.get(change.memory)
    known = memory.as_json()
    return _write(store, change, {name: known.get(name) for name in change.fields}, "reject")


# Set only by a creation: no update can change it.
_FROM_BIRTH = frozenset({"created", "said_by", "trust"})


def _write(store: Store, change: SuggestedChange, fields: Mapping[str, Any], reason: str) -> Memory:
    memory = store.get(change.memory)
    # Removing a field that is not set also answers the suggestion.
    answer = {**dict.fromkeys(change.fields), **fields}
    from recollect.store.prepare import change_of  # a session start reads, and writes nothing

    store.write([change_of(store, memory, answer, None)], reason)
    return store.get(change.memory)
