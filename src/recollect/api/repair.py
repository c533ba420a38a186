"""Repairing: kinds whose objects are damaged, then the index, then another look at everything."""

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
    """Mend what can be mended; what was done, and what a look at everything says afterwards."""
    from recollect.ledger.repair import repair as repair_ledger

    found = [
        Finding(
            OK,
            "repair",
            f"The notes of {key.kind} were damaged. They are rebuilt from what this clone still"
            f" has: {records} records.",
            "Run `recollect sync` to bring what only a remote has.",
        )
        for key, records in repair_ledger(store.ledger, known_notes(store))
    ]
    if found or any(
        finding.level == PROBLEM for finding in check_records(store.ledger, store.indexing)
    ):
        store.indexing.rebuild(progress)
    return [*found, *check_records(store.ledger, store.indexing)]


def known_notes(store: Store) -> dict[Place, Note]:
    """What the index knows of every note, as it was when it was last read."""
    notes: dict[Place, Note] = {}
    try:
        for place, uid, text in store.indexing.as_it_is().texts():
            notes.setdefault(place, {})[uid] = text
    except MemoryIndexError:
        return {}  # it is broken, and will be built anew
    return notes
