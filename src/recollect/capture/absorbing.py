"""One memory instead of two: what somebody writes takes in what was noticed of the same talk."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.capture.restating import adds_nothing, restates
from recollect.capture.twins import similar_in
from recollect.capture.unconfirmed import (
    CONFIRM,
    count_unconfirmed,
    like_of,
    status_change,
    text_of,
    unconfirmed,
)
from recollect.core.age import seconds_of
from recollect.core.kinds import SESSIONS
from recollect.core.memory import Memory
from recollect.core.places import LOCAL
from recollect.core.status import ACTIVE, RETIRED, UNCONFIRMED
from recollect.ledger.ledger import key_of
from recollect.store.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# Seconds that a talk lasts, where no session is known.
_TALK: Final = 3600.0


def settle_twins(store: Store, made: Sequence[str]) -> None:
    """Retire the unconfirmed memories that say what has just been captured as a shared one."""
    # Unconfirmed memories are local. Without any, a bulk capture needs no refresh of the index.
    if not any(key_of(ref).space == LOCAL for ref in store.ledger.tips()):
        return
    if not count_unconfirmed(store):
        return
    changes = []
    for memory in store.indexing.fresh().get_many(list(made)):
        for twin in _settled_by(store, memory):
            reason = f"confirmed as {store.short_name(memory)}"
            changes.append(status_change(store, twin, RETIRED, reason))
    if changes:
        store.write(list({change.of: change for change in changes}.values()), CONFIRM)


def replace_drafted(store: Store, names: Sequence[str], drafted: Memory) -> list[Memory]:
    """Retire the unconfirmed memories that an agent has written in its own words as another one.

    A name that means something else is ignored: an agent may be wrong.
    """
    found = []
    for name in names:
        meant = [m for m in store.candidates(name) if m.status == UNCONFIRMED]
        found += meant if len(meant) == 1 and meant[0].uid != drafted.uid else []
    found += _settled_by(store, drafted)
    unique = list({memory.uid: memory for memory in found}.values())
    if unique:
        reason = f"drafted as {store.short_name(drafted)}"
        store.write([status_change(store, m, RETIRED, reason) for m in unique], CONFIRM)
    return unique


def _settled_by(store: Store, new: Memory) -> list[Memory]:
    """Return the unconfirmed memories that say the same, or that an agent wrote a new one from.

    The summary of a session takes none in: it is about that session, and the next ones replace it.
    """
    if new.kind == SESSIONS:
        return []
    found = {memory.uid: memory for memory in like_of(store, text_of(new))}
    if new.provenance.get("said_by") == "agent":
        found |= {
            one.uid: one
            for one in unconfirmed(store)
            if is_same_talk(one, new) and restates(text_of(one), text_of(new))
        }
    return [memory for memory in found.values() if memory.uid != new.uid]


def restated_by(store: Store, text: str) -> list[Memory]:
    """Return the confirmed memories that a text restates, without adding anything."""
    return [
        memory
        for memory in similar_in(store, text)
        if memory.status == ACTIVE and memory.sensitivity == "public" and memory.kind != SESSIONS
        if adds_nothing(text, text_of(memory))
    ]


def is_same_talk(one: Memory, other: Memory) -> bool:
    """Return whether two memories come from one session, or from about the same time."""
    if one.session and other.session:
        return one.session == other.session
    first, second = seconds_of(one.created), seconds_of(other.created)
    return first is not None and second is not None and abs(first - second) <= _TALK
