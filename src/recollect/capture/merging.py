"""Merges one memory into another, because a person says that both are about the same.

This is the only way in which one memory changes the text of another. Both changes are records, so
an undo of each of the two takes the merge back.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from recollect.capture.unconfirmed import CONFIRM, text_of, updated_by
from recollect.core.fields import MAX_ITEMS, MAX_TAGS
from recollect.core.kinds import FACTS
from recollect.core.status import ARCHIVED, HIDDEN, RETIRED, UNCONFIRMED, VISIBLE
from recollect.errors import NotFound, ValidationError
from recollect.index.protocol import Filters
from recollect.store.prepare import prepare_status, prepare_update

if TYPE_CHECKING:
    from recollect.core.memory import Memory
    from recollect.index.protocol import Index
    from recollect.store.store import Store

MERGE: Final = "merge"
_CANDIDATES = 5
_COMPARED = 300  # characters: with every word of a long text, a large index takes a second
# What the other memory takes over besides the text, and how many of each a memory can have.
_TAKEN_OVER = {"tags": MAX_TAGS, "files_read": MAX_ITEMS, "files_modified": MAX_ITEMS}


def merge_candidates(store: Store, memory: Memory, limit: int = _CANDIDATES) -> list[Memory]:
    """Return the confirmed memories that a memory could be merged into, the most similar first."""
    wanted = Filters(
        statuses=VISIBLE,
        sensitivities=frozenset({memory.sensitivity}),
        project=store.project,
    )

    def look(index: Index) -> list[Memory]:
        found = index.lexical(text_of(memory)[:_COMPARED], wanted, 2 * limit).matches
        return index.get_many([match.uid for match in found])

    first = updated_by(store, memory)
    found = store.indexing.using(look)
    best = [first] if first is not None and first.status in VISIBLE else []
    # The words of a fact follow from its parts, so it takes no other text.
    fitting = (one for one in (*best, *found) if one.uid != memory.uid and one.kind != FACTS)
    others = {one.uid: one for one in fitting}
    return list(others.values())[:limit]


def merge_into(store: Store, memory: Memory, into: Memory) -> Memory:
    """Add the text, tags and files of a memory to another one; return that one.

    What was unconfirmed is retired then. Anything else is archived: you can restore it at any time.
    """
    _check(store, memory, into)
    added = "\n".join(filter(None, (memory.summary, memory.text))).strip()
    body = into.body
    if added not in body:  # a second try after a crash adds nothing
        body = "\n\n".join(filter(None, (body.rstrip(), added)))
    is_noticed = memory.status == UNCONFIRMED
    fields: dict[str, Any] = {} if is_noticed else _taken_over(memory, into)
    reason = f"merged into {store.short_name(into)}"
    changes = [
        prepare_update(store, into, None, body, fields),
        prepare_status(store, memory, RETIRED if is_noticed else ARCHIVED, reason),
    ]
    store.write([one for one in changes if one is not None], CONFIRM if is_noticed else MERGE)
    return store.get(into.uid)


def _check(store: Store, memory: Memory, into: Memory) -> None:
    """Refuse a merge that would hide something, or show it to more people."""
    name, other = store.short_name(memory), store.short_name(into)
    if memory.uid == into.uid:
        raise ValidationError(
            f"{name} cannot be merged into itself.", "Choose another memory to merge it into."
        )
    if memory.status in HIDDEN:
        raise NotFound(
            f"{name} is {memory.status}: nothing was merged.",
            f"To merge it, first run: recollect restore {name}",
        )
    if into.status not in VISIBLE:
        raise ValidationError(f"{other} is {into.status}.", "Merge into an active memory.")
    if memory.sensitivity != into.sensitivity:
        raise ValidationError(
            f"{name} is {memory.sensitivity}, and {other} is {into.sensitivity}.",
            "Nothing was merged. Choose two memories of the same sensitivity.",
        )


def _taken_over(memory: Memory, into: Memory) -> dict[str, Any]:
    fields: dict[str, Any] = {
        name: list(dict.fromkeys((*getattr(into, name), *getattr(memory, name))))[:most]
        for name, most in _TAKEN_OVER.items()
    }
    fields["relates_to"] = list(dict.fromkeys((*into.relates_to, memory.uid)))[:MAX_ITEMS]
    return fields
