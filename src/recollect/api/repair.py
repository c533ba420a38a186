"""Repair kinds whose git objects are damaged, then the index, then verify."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.api.health import check_records
from recollect.core.note import Note
from recollect.core.places import Place
from recollect.errors import MemoryIndexError
from recollect.index.protocol import Progress
from recollect.ledger.health import OK, PROBLEM, Finding

if TYPE_CHECKING:
    from recollect.store.store import Store


def repair(store: Store, progress: Progress | None = None) -> list[Finding]:
    """Repair what can be repaired; gives what was done and what a check finds afterwards."""
    from recollect.ledger.repair import repair as repair_ledger

    found = [
        Finding(
            OK,
            "repair",
            f"The notes of {key.kind} were damaged. Rebuilt {records} records from what this clone"
            " still has.",
            "To fetch what only a remote has, run `recollect sync`.",
        )
        for key, records in repair_ledger(store.ledger, known_notes(store))
    ]
    if found or any(
        finding.level == PROBLEM for finding in check_records(store.ledger, store.indexing)
    ):
        store.indexing.rebuild(progress)
    return [*found, *check_records(store.ledger, store.indexing)]


def known_notes(store: Store) -> dict[Place, Note]:
    """The records of every note, as the index last read them."""
    notes: dict[Place, Note] = {}
    try:
        for place, uid, text in store.indexing.without_refresh().texts():
            notes.setdefault(place, {})[uid] = text
    except MemoryIndexError:
        return {}  # the index is broken and will be rebuilt
    return notes
