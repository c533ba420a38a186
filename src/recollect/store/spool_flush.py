"""Brings what waits in the spool to the ledger, each draft once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from recollect.core.memory import Memory
from recollect.errors import RecollectError, ValidationError
from recollect.index.protocol import is_purged
from recollect.ledger.lock import exclusive
from recollect.ledger.repository import head_of
from recollect.state.spool import SPOOL_FOLDER, STASH_FOLDER, Spool
from recollect.store.store import Store

_LOCK = "spool.lock"
# Seconds for another event to come to an end: a hook has no time for more.
LONGEST_WAIT = 1.0
# Seconds after which no event is at work any more: the client waits for 5.
_ABANDONED = 10.0


def spool_of(store: Store) -> Spool:
    """The spool of a ledger."""
    return Spool(store.ledger.repository.state_dir / SPOOL_FOLDER)


def aside_of(store: Store) -> Spool:
    """What events have asked to keep, for as long as they are at work."""
    return Spool(store.ledger.repository.state_dir / STASH_FOLDER)


def keep(
    store: Store,
    drafts: Sequence[Mapping[str, Any]],
    *,
    uids: Sequence[str] = (),
    moment: int = 0,
) -> list[Memory]:
    """Remember drafts: spooled first, then written; gives those that reached the ledger.

    Bad ones are refused before anything is kept. Where the uids are given, what is kept again under
    one of them is the same memory. The moment is in milliseconds, and now where it is 0.
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
    given = uids or [store.new_uid() for _ in drafts]
    named = {uid: {**born, **draft} for uid, draft in zip(given, drafts, strict=True)}
    for uid, draft in named.items():
        store.prepare(draft, uid)
    for uid, draft in named.items():
        spool.put(uid, draft)
    written = {memory.uid: memory for memory in drain(store)}
    return [written[uid] for uid in named if uid in written]


def drain(store: Store) -> list[Memory]:
    """Bring every waiting draft to the ledger; gives the memories they became.

    Where the ledger cannot be written now they go on waiting, with a warning.
    """
    try:
        spool_of(store).adopt(aside_of(store), _ABANDONED)
        return _drain(store) if spool_of(store).waiting() else []
    except RecollectError as error:
        store.ledger.warnings.append(f"What was kept waits for the ledger: {error.message}")
        return []


def _drain(store: Store) -> list[Memory]:
    spool = spool_of(store)
    lock = store.ledger.repository.state_dir / _LOCK
    with exclusive(lock, min(store.config.number("lock.timeout"), LONGEST_WAIT)):
        waiting = spool.waiting()
        # One that was written by a process that was killed before it could say so is not written
        # again.
        known, purged = store.indexing.using(
            lambda index: (
                index.get_many(list(waiting)),
                {uid for uid in waiting if is_purged(index, uid)},
            )
        )
        there = {memory.uid: memory for memory in known}
        creations = []
        for uid, draft in waiting.items():
            if uid in there:
                continue
            if uid in purged:
                spool.drop(uid)  # somebody erased it before a process that hung came back to it
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
