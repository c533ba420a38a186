"""Brings what waits in the spool to the ledger, each draft once."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from recollect.app.recollect import Recollect
from recollect.capture.spool import Spool
from recollect.core.memory import Memory
from recollect.core.uid import derive_uid
from recollect.errors import RecollectError, ValidationError
from recollect.ledger.lock import exclusive
from recollect.ledger.repository import head_of

SPOOL_FOLDER = "spool"
_LOCK = "spool.lock"
# Seconds for another event to come to an end: a hook has no time for more.
LONGEST_WAIT = 2.0


def spool_of(store: Recollect) -> Spool:
    """The spool of a ledger."""
    return Spool(store.ledger.repository.state_dir / SPOOL_FOLDER)


def keep(
    store: Recollect,
    drafts: Sequence[Mapping[str, Any]],
    *,
    session: str = "",
    moment: int = 0,
    uids: Sequence[str] = (),
) -> list[Memory]:
    """Remember drafts: spooled first, then written; gives those that reached the ledger.

    Bad ones are refused before anything is kept. Where the session and the moment, in milliseconds,
    of an event are given, the same text is the same memory, whoever keeps it and however often;
    so it is where the uids are given.
    """
    spool = spool_of(store)
    now = datetime.fromtimestamp(moment / 1000, UTC) if moment else store.ledger.clock()
    # Whoever drains the spool may be in another directory, on another branch.
    repository = store.ledger.repository
    born = {
        "created": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "at": head_of(repository) or "HEAD",
        "branch": repository.branch,
        "project": store.project,
    }
    named = {}
    for number, draft in enumerate(drafts):
        same = f"{session}\n{json.dumps(draft, sort_keys=True)}"
        uid = derive_uid(same, moment) if moment else store.new_uid()
        named[uids[number] if uids else uid] = {**born, **draft}
    for uid, draft in named.items():
        store.prepare(draft, uid)
    for uid, draft in named.items():
        spool.put(uid, draft)
    written = {memory.uid: memory for memory in drain(store)}
    return [written[uid] for uid in named if uid in written]


def drain(store: Recollect) -> list[Memory]:
    """Bring every waiting draft to the ledger; gives the memories they became.

    Where the ledger cannot be written now they go on waiting, with a warning.
    """
    if not spool_of(store).waiting():
        return []
    try:
        return _drain(store)
    except RecollectError as error:
        store.ledger.warnings.append(f"What was kept waits for the ledger: {error.message}")
        return []


def _drain(store: Recollect) -> list[Memory]:
    spool = spool_of(store)
    lock = store.ledger.repository.state_dir / _LOCK
    with exclusive(lock, min(store.config.number("lock.timeout"), LONGEST_WAIT)):
        waiting = spool.waiting()
        # One that was written by a process that was killed before it could say so is not written
        # again.
        known = store.indexing.using(lambda index: index.get_many(list(waiting)))
        there = {memory.uid: memory for memory in known}
        creations = []
        for uid, draft in waiting.items():
            if uid in there:
                continue
            try:
                creations.append(store.prepare(draft, uid))
            except ValidationError as error:
                store.ledger.warnings.append(f"A waiting memory cannot be kept: {error.message}")
        for memory in store.create(creations):
            there[memory.uid] = memory
        for uid in there:
            spool.drop(uid)
        return list(there.values())
