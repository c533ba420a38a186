"""Brings what waits in the spool to the ledger, each draft once.

A draft waits under its nonce. Two processes may bring the same draft, with contents that differ in
the branch or the author, and so under two uids: whoever is about to write one looks, under the lock
of the spool, whether a memory of that nonce is there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from recollect.core.memory import Memory
from recollect.core.uid import is_nonce
from recollect.errors import NotWritable, RecollectError, ValidationError
from recollect.index.protocol import Index, is_purged, made_with
from recollect.ledger.lock import exclusive
from recollect.ledger.repository import head_of
from recollect.redact.gate import marked
from recollect.state.local_key import DRAFT, is_ours, sign, unsigned
from recollect.state.spool import SPOOL_FOLDER, STASH_FOLDER, Spool
from recollect.store.store import Store

_LOCK = "spool.lock"
# Seconds for another event to come to an end: a hook has no time for more.
LONGEST_WAIT = 1.0
# Seconds after which no event is at work any more: the client waits for 5.
_ABANDONED = 10.0
# Drafts that are written together: few enough for the shortest deadline.
_AT_ONCE = 50


def spool_of(store: Store) -> Spool:
    """The spool of a ledger."""
    return Spool(store.ledger.repository.state_dir / SPOOL_FOLDER)


def stash_of(store: Store) -> Spool:
    """What events have asked to keep, for as long as they are at work."""
    return Spool(store.ledger.repository.state_dir / STASH_FOLDER)


def keep(
    store: Store,
    drafts: Sequence[Mapping[str, Any]],
    *,
    nonces: Sequence[str] = (),
    moment: int = 0,
) -> list[Memory]:
    """Remember drafts: spooled first, then written; gives those that reached the ledger.

    Bad ones are refused before anything is kept. Where the nonces are given, what is kept again
    with one of them is the same memory. The moment is in milliseconds, and now where it is 0.
    """
    spool = spool_of(store)
    now = datetime.fromtimestamp(moment / 1000, UTC) if moment else store.ledger.clock()
    # Whoever drains the spool may be in another directory, on another branch.
    repository = store.ledger.repository
    born = {
        "created": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "at": head_of(repository) or "HEAD",
        "branch": marked(store.config, repository.branch or "") or None,
        "project": store.project,
    }
    given = nonces or [store.new_nonce() for _ in drafts]
    named = {nonce: {**born, **draft} for nonce, draft in zip(given, drafts, strict=True)}
    signed = {}
    for nonce, draft in named.items():
        store.prepare(draft, nonce)
        place = {"project": draft.get("project")}  # a path, by which it is found again
        clean = {**store.redact(draft), **place}
        signed[nonce] = sign(store.config.home, DRAFT, nonce, clean)
    unspooled = {}
    try:
        spool.put_all(signed)
    except NotWritable as error:  # the ledger may take it all the same
        store.ledger.warnings.append(error.message)
        unspooled = {nonce: store.prepare(draft, nonce) for nonce, draft in named.items()}
    kept = store.create(list(unspooled.values())) if unspooled else []
    for nonce in unspooled:
        spool.drop(nonce)
    written = _drain_all(store, frozenset(named)) | dict(zip(unspooled, kept, strict=True))
    return [written[nonce] for nonce in named if nonce in written]


def drain(store: Store, own: frozenset[str] = frozenset()) -> list[Memory]:
    """Bring every waiting draft to the ledger; gives the memories they became.

    Where the ledger cannot be written now they go on waiting, with a warning. What this person did
    not put there on this machine is only suggested; the uids in `own` were put there just now.
    """
    return list(_drain_all(store, own).values())


def _drain_all(store: Store, own: frozenset[str]) -> dict[str, Memory]:
    """Bring every waiting draft to the ledger; gives the memories by the nonces of the drafts."""
    try:
        spool_of(store).adopt(stash_of(store), _ABANDONED)
        return _drain_in_parts(store, own)
    except RecollectError as error:
        store.ledger.warnings.append(f"What was kept waits for the ledger: {error.message}")
        return {}


def _drain_in_parts(store: Store, own: frozenset[str]) -> dict[str, Memory]:
    """Bring them some at a time: what is brought stays, although the time may end before the rest.

    What cannot be kept goes on waiting, and is not tried twice.
    """
    brought: dict[str, Memory] = {}
    tried: set[str] = set()
    while waiting := [name for name in spool_of(store).names() if name not in tried][:_AT_ONCE]:
        tried.update(waiting)
        brought |= _drain(store, waiting, own)
    return brought


def _drain(store: Store, names: Sequence[str], own: frozenset[str]) -> dict[str, Memory]:
    spool = spool_of(store)
    lock = store.ledger.repository.state_dir / _LOCK
    with exclusive(lock, min(store.config.number("lock.timeout"), LONGEST_WAIT)):
        waiting = {nonce: d for nonce, d in spool.waiting(names).items() if is_nonce(nonce)}
        stamp = store.ledger.stamp()
        creations = {}
        for nonce, draft in waiting.items():
            if nonce not in own and not is_ours(store.config.home, DRAFT, nonce, draft):
                continue
            try:
                creations[nonce] = store.prepare(unsigned(draft), nonce)
            except (ValidationError, TypeError, ValueError, AttributeError) as error:
                said = getattr(error, "message", repr(error))
                store.ledger.warnings.append(f"A waiting memory cannot be kept: {said}")
        uids = {nonce: creation.record(stamp).uid for nonce, creation in creations.items()}
        # One that was written by a process that was killed before it could say so is not written
        # again, nor one that somebody erased before a process that hung came back to it.
        there, purged = store.indexing.using(
            lambda index: (
                {nonce: memory for nonce in waiting for memory in _kept_as(index, nonce)},
                {n for n, u in uids.items() if is_purged(index, u) or is_purged(index, n)},
            )
        )
        new = {
            n: creation for n, creation in creations.items() if n not in there and n not in purged
        }
        there |= dict(zip(new, store.create(list(new.values())), strict=True))
        for nonce in there.keys() | purged:
            spool.drop(nonce)
        for nonce in waiting.keys() - there.keys() - purged:
            if nonce not in own and not is_ours(store.config.home, DRAFT, nonce, waiting[nonce]):
                _suggest_unknown(store, nonce, waiting[nonce])
        return there


def _kept_as(index: Index, nonce: str) -> list[Memory]:
    """The memory that a draft became; older versions kept it with its nonce as the uid."""
    found = made_with(index, nonce)
    return [found] if found is not None else index.get_many([nonce])


def _suggest_unknown(store: Store, nonce: str, draft: Mapping[str, Any]) -> None:
    """A draft that somebody else left here: its words wait for review, its claims are dropped."""
    from recollect.capture.suggestions import suggest_unknown

    if suggest_unknown(store, draft):
        spool_of(store).drop(nonce)
        store.ledger.warnings.append(
            "A waiting memory was not written by you on this machine; it waits for: recollect"
            " review"
        )
    else:
        store.ledger.warnings.append(
            f"{spool_of(store).folder / nonce}.json was not written by you, and is no draft."
        )
