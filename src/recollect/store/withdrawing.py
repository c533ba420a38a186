"""Retiring a memory that was never sent, and restoring it: see `ledger/withdraw.py`."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING

from recollect.core.places import LOCAL, SHARED
from recollect.core.status import RETIRED, WITHDRAWN
from recollect.errors import LockTimeout
from recollect.ledger.lock import SYNC_LOCK, exclusive
from recollect.ledger.withdraw import SYNC_SECONDS, is_unsent, move

if TYPE_CHECKING:
    from recollect.ledger.writes import Change
    from recollect.store.reader import Reader


def write_status(store: Reader, change: Change, write: Callable[[Change], object]) -> None:
    """Write a change of status, and move the memory if that decides who gets it."""
    with ExitStack() as stack:
        try:
            stack.enter_context(
                exclusive(store.ledger.repository.state_dir / SYNC_LOCK, SYNC_SECONDS)
            )
        except LockTimeout:
            if change.fields["status"] != RETIRED:
                raise  # restored where it is, it would stay on this machine
            write(change)  # a sync runs and may have sent it
        else:
            _write(store, change, write)


def _write(store: Reader, change: Change, write: Callable[[Change], object]) -> None:
    places = store.indexing.fresh().places(change.of)
    is_local = any(place.space == LOCAL for place in places)
    retires = change.fields["status"] == RETIRED
    if is_local and not retires:
        move(store.ledger, change.of, places, SHARED)
        places = store.indexing.fresh().places(change.of)
        back = change._replace(places=places, fields={**change.fields, WITHDRAWN: None})
        write(back)
    elif retires and is_unsent(store.ledger, change.of, places):
        write(change._replace(fields={**change.fields, WITHDRAWN: True}))
        move(store.ledger, change.of, store.indexing.fresh().places(change.of), LOCAL)
    else:
        write(change)
