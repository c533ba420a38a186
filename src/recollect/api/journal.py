"""The records of a ledger as `log` shows them: by when they were written, newest first."""

from __future__ import annotations

from datetime import UTC, datetime

from recollect.api.results import LogEntry
from recollect.core.crowding import is_ahead
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.core.places import FOREIGN, LOCAL, SHARED
from recollect.core.record import PURGE, Record
from recollect.core.spaces import marked
from recollect.core.uid import uid_milliseconds
from recollect.store.store import Store


def entries(store: Store, levels: frozenset[str]) -> list[LogEntry]:
    """Return the records of memories with one of these sensitivities, or of `all`."""
    now, journal = store.now(), store.journal()[::-1]
    # A record that claims to be from the future does not come before the new ones.
    journal.sort(key=lambda entry: is_ahead(_written(entry[0]), now))
    memories = {memory.uid: memory for memory in store.memories(status="all")}
    private = set(store.indexing.fresh().outside([SHARED, FOREIGN]))
    found = []
    for record, place in journal:
        uid = record.memory_uid
        memory = memories.get(marked(uid) if uid in private and place.space != LOCAL else uid)
        level = _sensitivity(record, memory)
        if levels.isdisjoint({level, "all"}):
            continue
        name = short(memory.id if memory else record.id or uid)
        found.append(LogEntry(record, name, _shown(record), level))
    return found


def _sensitivity(record: Record, memory: Memory | None) -> str:
    """Return the sensitivity of a record; unknown if its memory has not arrived."""
    if memory is not None:
        return memory.sensitivity
    # A purge has no text.
    return "public" if record.op == PURGE else str(record.fields.get("sensitivity", "unknown"))


def _written(record: Record) -> float:
    """Return when a record was written, in seconds; 0 for undated text from plain git."""
    return uid_milliseconds(record.uid) / 1000


def _shown(record: Record) -> str | None:
    seconds = _written(record)
    if not seconds:
        return record.timestamp
    return datetime.fromtimestamp(seconds, tz=UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
