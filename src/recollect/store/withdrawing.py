"""Retiring a memory that was never sent, and restoring it: see `ledger/withdraw.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.core.places import LOCAL, SHARED
from recollect.core.status import RETIRED, WITHDRAWN
from recollect.errors import LockTimeout
from recollect.ledger.lock import SYNC_LOCK, exclusive
from recollect.ledger.withdraw import SYNC_SECONDS, is_unsent, move

if TYPE_CHECKING:
    from recollect.ledger.writes import Change
    from recollect.store.store import Store


def write_status(store: Store, change: Change) -> None:
    """Write a change of status, and move the memory if that decides who gets it."""
    try:
        with exclusive(store.ledger.repository.state_dir / SYNC_LOCK, SYNC_SECONDS):
            _write(store, change)
    except LockTimeout:  # a sync runs and may have sent it
        _plainly(store, change)


def _write(store: Store, change: Change) -> None:
    places = store.indexing.fresh().places(change.of)
    is_local = any(place.space == LOCAL for place in places)
    retires = change.fields["status"] == RETIRED
    if is_local and not retires:
        move(store.ledger, change.of, places, SHARED)
        places = store.indexing.fresh().places(change.of)
        back = change._replace(places=places, fields={**change.fields, WITHDRAWN: None})
        _plainly(store, back)
    elif retires and is_unsent(store.ledger, change.of, places):
        _plainly(store, change._replace(fields={**change.fields, WITHDRAWN: True}))
        move(store.ledger, change.of, store.indexing.fresh().places(change.of), LOCAL)
    else:
        _plainly(store, change)


def _plainly(store: Store, change: Change) -> None:
    store.write([change], str(change.fields["status"]))
