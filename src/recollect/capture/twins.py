"""Finds memories that say exactly the same as a text."""

from __future__ import annotations

from recollect.core.memory import Memory
from recollect.index.protocol import ALL, Filters, Index
from recollect.store.store import Store

_SIMILAR = 5


def folded(text: str) -> str:
    """Return a text without differences of case, white space and the mark at its end."""
    return " ".join(text.casefold().split()).rstrip(".!")


def similar_in(
    store: Store,
    text: str,
    limit: int = _SIMILAR,
    *,
    project: str | None = None,
    alive_at: float | None = None,
) -> list[Memory]:
    """Return memories of one store, of any status, that share words with a text.

    `project` is that of the store, if it is not given.
    """
    wanted = Filters(statuses=ALL, project=project or store.project, alive_at=alive_at)

    def look(index: Index) -> list[Memory]:
        found = index.lexical(text, wanted, limit).matches
        return index.get_many([match.uid for match in found])

    return store.indexing.using(look)


def twins_of(
    store: Store,
    text: str,
    kind: str = "",
    *,
    project: str | None = None,
    alive_at: float | None = None,
) -> list[Memory]:
    """Return the public memories with exactly this text, of any status, of a kind if one is named.

    With `alive_at`, memories whose lifetime had ended at that time are left out.
    """
    return [
        memory
        for memory in similar_in(store, text, project=project, alive_at=alive_at)
        if memory.sensitivity == "public"
        and kind in ("", memory.kind)
        and folded(memory.text or memory.summary) == folded(text)
    ]
