"""Unconfirmed memories: what was noticed and is not certain, until somebody confirms or rejects it.

They are in the local space and are never pushed. Confirming creates a new memory in the shared
space and retires the local one. The nonce of the new memory derives from the local one, so a second
try after a crash finds what the first one wrote.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recollect.capture.novelty import DUPLICATE, NEW, Known, judge
from recollect.capture.pasted import PASTED
from recollect.core.memory import Memory
from recollect.core.names import parse_name, short
from recollect.core.status import ARCHIVED, HIDDEN, RESTORED, RETIRED, UNCONFIRMED, VISIBLE
from recollect.core.strength import UNUSED
from recollect.core.unconfirmed import confirmed_nonce, has_expired, is_imported
from recollect.errors import NotFound, RecollectError, UnsafeName
from recollect.index.protocol import Filters, is_purged, made_with
from recollect.store.store import Store

# A hook imports this module: what only a few events need is imported where it is used.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from recollect.ledger.writes import Change

# How a memory was confirmed, as its provenance says.
ACCEPTED: Final = "accepted by user"
SAID_AGAIN: Final = "said again"
USED: Final = "used in two sessions"
CONFIRMED: Final = "confirmed"
# In the provenance of an unconfirmed memory: why it was noticed, and the memory that it may change.
WHY: Final = "why"
UPDATES: Final = "updates"
# The reasons for writes, which tell a confirmation from a rejection.
CONFIRM: Final = "confirm"
REJECT: Final = "reject"
# The `via` in the provenance of what detection noticed in talk.
NOTICED: Final = "signal"
_USE = {ACCEPTED: "accepted", SAID_AGAIN: "said", USED: "cited"}
_ONLY = frozenset({UNCONFIRMED})
# What a confirmed memory does not take over: its own, or only true of the local one.
_NOT_COPIED = frozenset(
    {
        *("uid", "id", "author", "edited_by", "updated"),
        *("status", "status_changed", "status_reason"),
        *("status_by", "version", "slugs", "changes", "times_updated", "extra", "altered"),
    }
)


def add(
    store: Store,
    draft: Mapping[str, Any],
    *,
    confidence: float,
    why: str,
    updates: str | None = None,
    reverses: Sequence[Memory] = (),
    nonce: str | None = None,
    moment: int = 0,
) -> Memory | None:
    """Keep a draft as an unconfirmed memory; the same nonce makes the same memory.

    What it reverses is superseded at once if that is unconfirmed as well. Anything else stays as it
    is, and recall puts the newer one in its place.

    Returns None if it is not in the ledger: its like was rejected, or it waits in the spool.
    """
    from recollect.capture.rejections import is_rejected
    from recollect.capture.spool_flush import keep

    if is_rejected(store, f"{draft.get('summary', '')}\n{draft.get('body') or ''}"):
        return None
    provenance = {**(draft.get("provenance") or {}), WHY: why}
    if updates:
        provenance[UPDATES] = updates
    if reverses:
        draft = relate_reversed({**draft, "provenance": provenance}, reverses)
        provenance = draft["provenance"]
    born = {
        **draft,
        "status": UNCONFIRMED,
        "confidence": min(1.0, max(0.0, confidence)),
        "provenance": provenance,
    }
    found = keep(store, [born], nonces=[nonce] if nonce else (), moment=moment)
    if found and reverses:
        supersede_unconfirmed(store, reverses, found[0])
    return found[0] if found else None


def relate_reversed(draft: Mapping[str, Any], reversed_: Sequence[Memory]) -> dict[str, Any]:
    """Return a draft that says which memories it reverses."""
    from recollect.core.reversal import REVERSES

    uids = [memory.uid for memory in reversed_]
    return {
        **draft,
        "relates_to": [*(draft.get("relates_to") or ()), *uids],
        "provenance": {**(draft.get("provenance") or {}), REVERSES: uids},
    }


def supersede_unconfirmed(store: Store, old: Sequence[Memory], new: Memory) -> list[Memory]:
    """Retire the unconfirmed ones of the memories that a newer one reverses; return them."""
    from recollect.core.reversal import SUPERSEDED

    noticed = [one for one in old if one.status == UNCONFIRMED and one.uid != new.uid]
    reason = SUPERSEDED + store.short_name(new)
    if noticed:
        store.write([status_change(store, one, RETIRED, reason) for one in noticed], CONFIRM)
    return noticed


def unconfirmed(store: Store) -> list[Memory]:
    """Return the unconfirmed memories that wait for a decision, oldest first.

    Those whose time is over are left out, and so are imported ones: the user agreed to the import.
    """
    wanted = Filters(statuses=_ONLY, project=store.project)
    found = store.indexing.using(lambda index: index.select(wanted))
    return without_expired(store, [memory for memory in found if not is_imported(memory)])


def count_unconfirmed(store: Store) -> int:
    """Return how many memories are unconfirmed."""
    wanted = Filters(statuses=_ONLY, project=store.project)
    if not store.indexing.using(lambda index: index.count(wanted)):
        return 0
    return len(unconfirmed(store))


def without_expired(store: Store, memories: Sequence[Memory]) -> list[Memory]:
    """Return the memories except unconfirmed ones that nobody used for too long."""
    noticed = [memory.uid for memory in memories if memory.status == UNCONFIRMED]
    if not noticed:
        return list(memories)
    uses, now = store.local.usage.uses(noticed), store.ledger.clock().timestamp()
    days = store.config.number("capture.unconfirmed_days")
    return [m for m in memories if not has_expired(m, uses.get(m.uid, UNUSED).last, now, days)]


def status_change(store: Store, memory: Memory, status: str, reason: str) -> Change:
    """Prepare a change of the status of a memory."""
    from recollect.store.prepare import prepare_status

    return prepare_status(store, memory, status, reason)


def named(store: Store, name: str) -> Memory:
    """Return the unconfirmed memory with an id; refuse any other."""
    memory = store.get(name)
    if memory.status != UNCONFIRMED:
        raise NotFound(
            f"{store.short_name(memory)} is {memory.status}, not unconfirmed.",
            "List what waits with: recollect review",
        )
    return memory


def updated_by(store: Store, memory: Memory) -> Memory | None:
    """Return the visible memory that an unconfirmed one would supersede, if there is one."""
    uid = memory.provenance.get(UPDATES)
    if not isinstance(uid, str):
        return None
    found = store.indexing.using(lambda index: index.get_many([uid]))
    return found[0] if found and found[0].status in (*VISIBLE, UNCONFIRMED) else None


# Confirming


def confirm(
    store: Store,
    memory: Memory,
    *,
    how: str = ACCEPTED,
    by: str = "user",
    supersede: bool = False,
) -> Memory:
    """Make a shared memory of an unconfirmed one, and retire the local one; return the new one.

    With `supersede`, the memory that it updates is archived; its text stays as it is.
    """
    from recollect.core.reversal import SUPERSEDED

    nonce = confirmed_nonce(memory)
    known, purged = store.indexing.using(
        lambda index: (made_with(index, nonce), is_purged(index, nonce))
    )
    if known is None and purged:
        raise NotFound(f"{short(memory.id)} was confirmed and purged.", "Capture it anew.")
    replaced = updated_by(store, memory)
    confirmed = known or _create(store, memory, nonce, how, by, replaced)
    name = store.short_name(confirmed)
    changes = []
    if known is not None and known.status in HIDDEN:  # somebody took the first one back
        changes.append(status_change(store, known, RESTORED, "confirmed again"))
    if supersede and replaced is not None and replaced.uid != confirmed.uid:
        status = RETIRED if replaced.status == UNCONFIRMED else ARCHIVED
        changes.append(status_change(store, replaced, status, SUPERSEDED + name))
    memory = store.get(memory.uid)  # an effect of the creation may have retired it
    if memory.status == UNCONFIRMED:
        changes.append(status_change(store, memory, RETIRED, f"confirmed as {name}"))
    if changes:
        store.write(changes, CONFIRM)
    now = store.ledger.clock().timestamp()
    store.local.usage.record([confirmed.uid], _USE.get(how, "accepted"), now)
    if how == ACCEPTED:
        _learn(store, [memory], accepted=True)
    return store.get(confirmed.uid)


def _create(
    store: Store, memory: Memory, nonce: str, how: str, by: str, replaced: Memory | None
) -> Memory:
    from recollect.core.reversal import REVERSES, reversed_uids

    fields = {
        name: value
        for name, value in memory.as_json().items()
        if name not in _NOT_COPIED and value not in (None, "", [], {})
    }
    provenance = {k: v for k, v in memory.provenance.items() if k not in (WHY, UPDATES, REVERSES)}
    if reversed_ := _shared(store, reversed_uids(memory)):
        provenance[REVERSES] = reversed_
    fields["provenance"] = {**provenance, CONFIRMED: how}
    if how == ACCEPTED:
        fields["provenance"]["accepted"] = True
        if by != "user":
            fields["provenance"]["accepted_by"] = by
    related = [*memory.relates_to, *([replaced.uid] if replaced is not None else [])]
    fields["relates_to"] = _shared(store, list(dict.fromkeys(related)))
    creation = store.prepare({**fields, "at": _anchor(store, memory)}, nonce)
    # Where and in which directory it was noticed counts, not where it was confirmed.
    kept = {n: v for n, v in creation.fields.items() if n != "branch" or memory.branch}
    try:
        return store.create([creation._replace(fields=kept)])[0]
    except UnsafeName:  # its commit is gone since
        return store.create([creation._replace(fields=kept, revision="HEAD")])[0]


def _anchor(store: Store, memory: Memory) -> str | None:
    name = parse_name(memory.id)
    if name is None:
        return "HEAD"
    return None if name.anchor == store.ledger.repository.project_anchor else name.anchor


def _shared(store: Store, uids: Sequence[str]) -> list[str]:
    """Return the memories that a shared one may name: no private and no unconfirmed ones."""
    from recollect.store.prepare import is_private

    found = store.indexing.using(lambda index: index.get_many(list(uids)))
    return [memory.uid for memory in found if not is_private(store, memory)]


# Rejecting


def reject(store: Store, memories: Sequence[Memory]) -> list[Memory]:
    """Retire unconfirmed memories and their like for good; return all of them."""
    from recollect.capture.rejections import note_rejected

    doomed = with_like(store, memories)
    _learn(store, [m for m in memories if m.status == UNCONFIRMED], accepted=False)
    note_rejected(store, {memory.uid: text_of(memory) for memory in doomed})
    changes: list[Change] = [
        status_change(store, memory, RETIRED, "rejected")
        for memory in doomed
        if memory.status == UNCONFIRMED
    ]
    if changes:
        store.write([*changes, *_restored(store, doomed)], REJECT)
    return store.indexing.using(lambda index: index.get_many([m.uid for m in doomed]))


def _restored(store: Store, doomed: Sequence[Memory]) -> list[Change]:
    """Return the changes that bring back what rejected memories had superseded."""
    from recollect.core.reversal import SUPERSEDED, is_superseded, reversed_uids

    reasons = {
        uid: SUPERSEDED + store.short_name(memory)
        for memory in doomed
        for uid in reversed_uids(memory)
    }
    found = store.indexing.using(lambda index: index.get_many(list(reasons))) if reasons else []
    return [
        status_change(store, old, RESTORED, "what superseded it was rejected")
        for old in found
        if is_superseded(old) and old.status_reason == reasons[old.uid]
    ]


def _learn(store: Store, memories: Sequence[Memory], *, accepted: bool) -> None:
    """Adjust detection to what a person keeps and rejects of what it noticed in talk."""
    from recollect.capture.adaptation import learn

    for memory in memories:
        if memory.provenance.get("via") == NOTICED:
            learn(store, memory.text or memory.summary, memory.kind, accepted)


def with_like(store: Store, memories: Sequence[Memory]) -> list[Memory]:
    """Return memories and the unconfirmed ones that say the same."""
    found = {memory.uid: memory for memory in memories}
    for memory in memories:
        found |= {twin.uid: twin for twin in like_of(store, text_of(memory))}
    return list(found.values())


def like_of(store: Store, text: str) -> list[Memory]:
    """Return the unconfirmed memories that say the same as a text."""
    return [
        m
        for m in unconfirmed(store)
        if judge(text, [Known(m.uid, text_of(m))]).verdict == DUPLICATE
    ]


def text_of(memory: Memory) -> str:
    """Return the whole text of a memory, as texts are compared."""
    return f"{memory.summary}\n{memory.text}"


def noticed_like(store: Store, purged: Sequence[Memory]) -> list[Memory]:
    """Return what was noticed, whatever became of it, and has the text of purged memories."""
    gone = [memory for memory in purged if not memory.was_unconfirmed]
    if not gone:
        return []
    wanted = Filters(statuses=frozenset({UNCONFIRMED, ARCHIVED, RETIRED}))
    found = store.indexing.using(lambda index: index.select(wanted))
    noticed = [memory for memory in found if memory.was_unconfirmed]
    nonces, known = {m.nonce for m in gone}, [Known(m.uid, text_of(m)) for m in gone]
    return [
        memory
        for memory in noticed
        if confirmed_nonce(memory) in nonces or judge(text_of(memory), known).verdict != NEW
    ]


# Earlier versions


def convert_suggestions(store: Store) -> int:
    """Make unconfirmed memories of plain drafts that an earlier version put into the queue."""
    from recollect.capture.suggestions import COMPACTION, suggestions, waiting_suggestions

    converted = 0
    for waiting in suggestions(store):
        is_held = (waiting.draft.get("provenance") or {}).get("via") in (PASTED, COMPACTION)
        if waiting.sources or waiting.document or waiting.is_unknown or is_held:
            continue
        try:
            add(
                store,
                waiting.draft,
                confidence=waiting.confidence,
                why=waiting.why,
                updates=waiting.updates,
                nonce=waiting.uid,
            )
        except RecollectError:  # it stays where it can be seen and rejected
            continue
        waiting_suggestions(store).drop(waiting.uid)
        converted += 1
    return converted
