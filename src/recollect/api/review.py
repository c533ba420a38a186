"""Accept suggestions and unconfirmed memories: they become memories.

Nothing here changes the text of another memory.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.capture.pasted import PASTED
from recollect.capture.spool_flush import keep
from recollect.capture.suggestions import Suggestion, waiting_suggestions
from recollect.capture.unconfirmed import confirm
from recollect.capture.vouching import check_permission
from recollect.core.age import seconds_of
from recollect.core.memory import Memory
from recollect.core.reversal import SUPERSEDED
from recollect.core.status import ARCHIVED, VISIBLE
from recollect.errors import VersionConflict
from recollect.index.protocol import made_with
from recollect.ledger.writes import NOBODY
from recollect.mirror.suggestions import accept_document
from recollect.sleep.plan import author_of
from recollect.store.store import Store


def accept(store: Store, chosen: Sequence[Suggestion], *, by: str = "user") -> list[Memory]:
    """Accept suggestions: they become memories.

    If nobody here said what a suggestion says, whoever accepts it becomes its author.
    """
    _refuse_outdated(store, chosen)
    memories = []
    for suggestion in chosen:
        if suggestion.document:
            with store.deferred_effects("import"):  # the mirror must not suggest it again
                memories.append(accept_document(store, suggestion))
                waiting_suggestions(store).drop(suggestion.uid)
            continue
        draft = dict(suggestion.draft)
        draft["provenance"] = _accepted(draft.get("provenance") or {}, by)
        made = _merge(store, suggestion, draft) if suggestion.sources else keep(store, [draft])
        _supersede(store, suggestion.updates, made)
        memories += made
        waiting_suggestions(store).drop(suggestion.uid)
    now = store.now()
    store.local.usage.record([memory.uid for memory in memories], "accepted", now)
    return memories


def _supersede(store: Store, uid: str | None, made: Sequence[Memory]) -> None:
    """Archive the memory that a suggestion updates; its text stays as it is."""
    known = store.indexing.fresh().get_many([uid] if uid else [])
    if known and made and known[0].status in VISIBLE:
        store.set_status(known[0].uid, ARCHIVED, SUPERSEDED + store.short_name(made[0]))


def accept_unconfirmed(
    store: Store, chosen: Sequence[Memory], *, by: str, user_said: str, keep_both: bool
) -> list[Memory]:
    """Confirm unconfirmed memories; an agent needs the user's word for it."""
    if not chosen:
        return []
    if by != "user":
        newest = max(seconds_of(memory.created) or 0.0 for memory in chosen)
        check_permission(store, user_said, newest)
    return [confirm(store, memory, supersede=not keep_both) for memory in chosen]


def _merge(store: Store, suggestion: Suggestion, draft: Mapping[str, Any]) -> list[Memory]:
    """Write a merged memory. If somebody accepts it in another clone, it is the same memory.

    Its nonce derives from its sources, its author is theirs, and no field depends on this clone.
    """
    index = store.indexing.fresh()
    known = made_with(index, suggestion.uid)
    if known is not None:
        return [known]
    creation = store.prepare(draft, suggestion.uid)
    fields = {
        name: value
        for name, value in creation.fields.items()
        if name in draft or name not in ("branch", "project")
    }
    by = author_of(index.get_many(list(suggestion.sources)))
    return store.create([creation._replace(fields=fields, by=by or NOBODY)])


def _accepted(provenance: Mapping[str, Any], by: str) -> dict[str, Any]:
    accepted: dict[str, Any] = {**provenance, "accepted": True}
    if by != "user":
        accepted["accepted_by"] = by
    if provenance.get("via") == PASTED:
        accepted["said_by"] = by
    return accepted


def _refuse_outdated(store: Store, chosen: Sequence[Suggestion]) -> None:
    """Refuse and drop a merge whose sources have changed: it would hide what is true now."""
    for suggestion in chosen:
        sources = store.indexing.fresh().get_many(list(suggestion.sources))
        present = {memory.uid: memory.version for memory in sources}
        if present != dict(suggestion.sources):
            waiting_suggestions(store).drop(suggestion.uid)
            raise VersionConflict(
                f"A source of {suggestion.name} has changed since the merge was suggested.",
                "Nothing was stored. The suggestion is dropped; the next sleep looks again.",
            )
