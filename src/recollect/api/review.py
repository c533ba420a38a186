"""Accept suggestions: they become memories, or update existing ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.capture.pasted import PASTED
from recollect.capture.spool_flush import keep
from recollect.capture.suggestions import Suggestion, waiting_suggestions
from recollect.core.memory import Memory
from recollect.errors import VersionConflict
from recollect.index.protocol import made_with
from recollect.ledger.writes import NOBODY
from recollect.mirror.suggestions import accept_document
from recollect.sleep.plan import author_of
from recollect.store.store import Store


def accept(store: Store, chosen: Sequence[Suggestion], *, by: str = "user") -> list[Memory]:
    """Accept suggestions: they become memories, or update existing ones.

    If nobody here said what a suggestion says, whoever accepts it becomes its author.
    """
    _refuse_outdated(store, chosen)
    memories = []
    for suggestion in chosen:
        if suggestion.document:
            memories.append(accept_document(store, suggestion))
            waiting_suggestions(store).drop(suggestion.uid)
            continue
        draft = dict(suggestion.draft)
        known = store.indexing.fresh().get_many([suggestion.updates] if suggestion.updates else [])
        if known:
            memories.append(
                # A suggestion without a body does not remove the existing body.
                store.update(known[0].uid, summary=draft["summary"], body=draft.get("body") or None)
            )
        else:
            draft["provenance"] = _accepted(draft.get("provenance") or {}, by)
            memories += (
                _merge(store, suggestion, draft) if suggestion.sources else keep(store, [draft])
            )
        waiting_suggestions(store).drop(suggestion.uid)
    if any(suggestion.document for suggestion in chosen):
        store.run_effects((), "import")
    now = store.ledger.clock().timestamp()
    store.local.usage.record([memory.uid for memory in memories], "accepted", now)
    return memories


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
