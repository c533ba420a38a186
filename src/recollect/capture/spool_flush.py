"""Writes the drafts of the spool to the ledger, each draft once.

A draft is stored under its nonce. Two processes may write the same draft with different branches or
authors, and so under two uids. Before writing, the process checks, under the lock of the spool,
whether a memory with that nonce exists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from recollect.core.marks import MARKED, REQUESTED
from recollect.core.memory import Memory
from recollect.core.status import ACTIVE
from recollect.core.uid import is_nonce
from recollect.errors import NotWritable, RecollectError, ValidationError
from recollect.index.protocol import Index, is_purged, made_with
from recollect.ledger.lock import exclusive
from recollect.ledger.repository import head_of
from recollect.redact.gate import marked
from recollect.state.local_key import DRAFT, is_ours, sign, unsigned
from recollect.state.spool import SPOOL_FOLDER, STASH_FOLDER, Spool
from recollect.store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.ledger.writes import Creation

_LOCK = "spool.lock"
# Seconds to wait for another event; a hook has no time for more.
LONGEST_WAIT = 1.0
# Seconds after which no event is still running: the client waits for 5.
_ABANDONED = 10.0
# Drafts that are written together: few enough for the shortest deadline.
_AT_ONCE = 50


def spool_of(store: Store) -> Spool:
    """Return the spool of a ledger."""
    return Spool(store.ledger.repository.state_dir / SPOOL_FOLDER)


def stash_of(store: Store) -> Spool:
    """Return the stash: what running events have been asked to keep."""
    return Spool(store.ledger.repository.state_dir / STASH_FOLDER)


def keep(
    store: Store,
    drafts: Sequence[Mapping[str, Any]],
    *,
    nonces: Sequence[str] = (),
    moment: int = 0,
) -> list[Memory]:
    """Capture drafts as `keep_named` does; return those that reached the ledger."""
    given = nonces or [store.new_nonce() for _ in drafts]
    return list(keep_named(store, dict(zip(given, drafts, strict=True)), moment=moment).values())


def keep_named(
    store: Store, drafts: Mapping[str, Mapping[str, Any]], *, moment: int = 0
) -> dict[str, Memory]:
    """Capture drafts by nonce: spool them first, then write them; return those in the ledger.

    Invalid drafts are refused first. With the same nonces, repeating a call makes the same
    memories. What somebody else was asked for at the same moment is their memory, with another
    nonce. The moment is in milliseconds; 0 means now.
    """
    spool = spool_of(store)
    now = datetime.fromtimestamp(moment / 1000, UTC) if moment else store.ledger.clock()
    # The process that flushes the spool may be in another directory, on another branch.
    repository = store.ledger.repository
    born = {
        "created": now.strftime("%Y-%m-%dT%H:%M:%SZ"),
        "at": head_of(repository) or "HEAD",
        "branch": marked(store.config, repository.branch or "") or None,
        "project": store.project,
    }
    named = {nonce: {**born, **draft} for nonce, draft in drafts.items()}
    signed = {}
    for nonce, draft in named.items():
        store.prepare(draft, nonce)
        place = {"project": draft.get("project")}  # a path that must stay findable
        clean = {**store.redact(draft), **place}
        signed[nonce] = sign(store.config.home, DRAFT, nonce, clean)
    unspooled = {}
    try:
        spool.put_all(signed)
    except NotWritable as error:  # the ledger may still accept it
        store.ledger.warnings.append(error.message)
        unspooled = {nonce: store.prepare(draft, nonce) for nonce, draft in named.items()}
    kept = store.create(list(unspooled.values())) if unspooled else []
    for nonce in unspooled:
        spool.drop(nonce)
    written = _drain_all(store, frozenset(named)) | dict(zip(unspooled, kept, strict=True))
    return {nonce: written[nonce] for nonce in named if nonce in written}


def drain(store: Store, own: frozenset[str] = frozenset()) -> list[Memory]:
    """Write every spooled draft to the ledger; return the memories.

    If the ledger cannot be written now, drafts stay spooled, with a warning. Drafts that this
    person did not write on this machine are only suggested; the nonces in `own` were just written.
    """
    return list(_drain_all(store, own).values())


def _drain_all(store: Store, own: frozenset[str]) -> dict[str, Memory]:
    """Write every spooled draft to the ledger; return the memories by the nonces of the drafts."""
    try:
        spool_of(store).adopt(stash_of(store), _ABANDONED)
        return _drain_in_parts(store, own)
    except RecollectError as error:
        store.ledger.warnings.append(
            f"Captured memories stay in the spool for now: {error.message}"
        )
        return {}


def _drain_in_parts(store: Store, own: frozenset[str]) -> dict[str, Memory]:
    """Write some drafts at a time, so that finished ones stay if the time runs out.

    A draft that cannot be written stays spooled, and is not tried twice.
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
                store.ledger.warnings.append(f"Cannot write a spooled memory: {said}")
        uids = {nonce: creation.record(stamp).uid for nonce, creation in creations.items()}
        # Skip a draft that another process wrote before it was killed, and one whose memory was
        # purged before a hanging process came back to it.
        there, purged = store.indexing.using(
            lambda index: (
                {nonce: memory for nonce in waiting for memory in _kept_as(index, nonce)},
                {n for n, u in uids.items() if is_purged(index, u) or is_purged(index, n)},
            )
        )
        new = {
            n: creation for n, creation in creations.items() if n not in there and n not in purged
        }
        said, again = _said_once(store, new)
        there |= again
        new = {nonce: new[nonce] for nonce in said}
        there |= dict(zip(new, store.create(list(new.values())), strict=True))
        there |= {nonce: there[first] for first, others in said.items() for nonce in others}
        for nonce in there.keys() | purged:
            spool.drop(nonce)
        for nonce in waiting.keys() - there.keys() - purged:
            if nonce not in own and not is_ours(store.config.home, DRAFT, nonce, waiting[nonce]):
                _suggest_unknown(store, nonce, waiting[nonce])
        return there


def _said_once(
    store: Store, creations: Mapping[str, Creation]
) -> tuple[dict[str, list[str]], dict[str, Memory]]:
    """Return which drafts to write, with those that say the same, and those that are known.

    Two sessions may be asked for the same at once, and neither sees the other's memory when it
    looks. This is asked under the lock of the spool, so one of them does.
    """
    from recollect.capture.twins import folded  # nearly always, the spool is empty

    said: dict[tuple[str, str, object], list[str]] = {}
    known: dict[str, Memory] = {}
    now = store.ledger.clock().timestamp()
    for nonce, creation in creations.items():
        text = creation.body or str(creation.fields.get("summary", ""))
        # The user ledger has the drafts of all projects.
        project = creation.fields.get("project")
        is_asked = dict(creation.fields.get("provenance") or {}).get("via") in (MARKED, REQUESTED)
        twin = _twin(store, text, creation.kind, project, now) if is_asked else None
        if twin is not None:
            known[nonce] = twin
        else:
            key = (creation.kind, folded(text) if is_asked else nonce, project)
            said.setdefault(key, []).append(nonce)
    return {first: others for first, *others in said.values()}, known


def _twin(store: Store, text: str, kind: str, project: str | None, now: float) -> Memory | None:
    """Return the active memory of a project that says exactly this."""
    from recollect.capture.twins import twins_of

    for memory in twins_of(store, text, kind, project=project, alive_at=now):
        if memory.status == ACTIVE and memory.project == project:
            return memory
    return None


def _kept_as(index: Index, nonce: str) -> list[Memory]:
    """Return the memory of a draft; older versions used its nonce as the uid."""
    found = made_with(index, nonce)
    return [found] if found is not None else index.get_many([nonce])


def _suggest_unknown(store: Store, nonce: str, draft: Mapping[str, Any]) -> None:
    """Suggest a draft of unknown origin: its text is pending, its metadata is dropped."""
    from recollect.capture.suggestions import suggest_unknown

    if suggest_unknown(store, draft):
        spool_of(store).drop(nonce)
        store.ledger.warnings.append(
            "You did not write a spooled memory on this machine. To accept or reject it: recollect"
            " review"
        )
    else:
        store.ledger.warnings.append(
            f"You did not write {spool_of(store).folder / nonce}.json, and it is not a draft."
        )
