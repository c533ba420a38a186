"""Repair kinds whose git objects are damaged, then the index, then verify."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from recollect.api.verification import check_records
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
    before = list(check_records(store.ledger, store.indexing))
    if not found and not _wrong(before):
        return before
    had_vectors = store.indexing.fresh().model() is not None
    index = store.indexing.rebuild(progress)
    if had_vectors:
        store.indexing.embed_pending(index, progress=progress)
    after = list(check_records(store.ledger, store.indexing))
    restored = _ids(before) - _ids(after)
    told = f"Rebuilt the index. Records and memories that are right again: {len(restored)}"
    return [*found, Finding(OK, "repair", told, "", tuple(sorted(restored))), *after]


def _wrong(findings: Sequence[Finding]) -> list[Finding]:
    return [finding for finding in findings if finding.level == PROBLEM]


def _ids(findings: Sequence[Finding]) -> set[str]:
    return {uid for finding in _wrong(findings) for uid in finding.ids}


def known_notes(store: Store) -> dict[Place, Note]:
    """The records of every note, as the index last read them."""
    notes: dict[Place, Note] = {}
    try:
        for place, uid, text in store.indexing.without_refresh().texts():
            notes.setdefault(place, {})[uid] = text
    except MemoryIndexError:
        return {}  # the index is broken and will be rebuilt
    return notes
