"""Exact duplicates: the one check that the command line, the MCP server and Python share."""

from __future__ import annotations

from recollect.core.kinds import kind_named
from recollect.core.memory import Memory
from recollect.index.protocol import ALL, Filters, Index
from recollect.store.store import Store

_MOST_COMPARED = 5


def find_duplicates(
    store: Store, kind: str, summary: str, body: str, sensitivity: str | None
) -> list[Memory]:
    """The memories of a kind with exactly this text, whatever their status.

    Only memories of the same sensitivity count, so that a secret one is not given away.
    """
    text = _words(store, summary, body)
    wanted = Filters(
        kind=kind_named(kind).name,
        statuses=ALL,
        project=store.project,
        sensitivities=frozenset({sensitivity or "public"}),
    )

    def look(index: Index) -> list[Memory]:
        found = index.lexical(summary, wanted, _MOST_COMPARED).matches
        return index.get_many([match.uid for match in found])

    similar = store.indexing.using(look)
    return [memory for memory in similar if _words(store, memory.summary, memory.text) == text]


def _words(store: Store, summary: str, body: str | None) -> list[str]:
    return str(store.redact(f"{summary}\n{body or ''}")).casefold().split()
