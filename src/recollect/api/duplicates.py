"""Exact duplicates: the one check that the command line, the MCP server and Python share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.core.age import seconds_since
from recollect.core.fields import add_questions, check_questions
from recollect.core.kinds import kind_named
from recollect.core.memory import Memory
from recollect.core.status import VISIBLE
from recollect.index.protocol import ALL, Filters, Index
from recollect.store.store import Store

_MOST_COMPARED = 5
_LISTS = ("tags", "concepts", "files_read", "files_modified")


def find_duplicates(
    store: Store, kind: str, summary: str, body: str, sensitivity: str | None
) -> list[Memory]:
    """The memories of a kind with exactly this text, whatever their status.

    Only memories of the same sensitivity count, so that a secret one is not given away. What was
    only noticed does not count: capturing the same text confirms it.
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
    return [
        memory
        for memory in similar
        if not memory.was_unconfirmed and _words(store, memory.summary, memory.text) == text
    ]


def is_shown(memory: Memory, now: float) -> bool:
    """Whether search shows a memory: it is not archived, retired or expired."""
    passed = seconds_since(memory.created, now)
    is_over = memory.ttl is not None and passed is not None and passed > memory.ttl * 86_400
    return memory.status in VISIBLE and not is_over


def hidden_as(memory: Memory) -> str:
    """Why search does not show a memory: its status, or that it expired."""
    return "expired" if memory.status in VISIBLE else memory.status


def merge_into(
    store: Store, known: Memory, given: Mapping[str, Any]
) -> tuple[Memory, tuple[str, ...]]:
    """Add what is new in a duplicate to the known memory; return it, and the changed fields."""
    changes: dict[str, Any] = {}
    for name in _LISTS:
        old = list(getattr(known, name))
        new = [one for one in store.redact(list(given.get(name) or ())) if one not in old]
        if new:
            changes[name] = [*old, *new]
    asked = check_questions("asked_as", store.redact(list(given.get("asked_as") or ())))
    if (questions := add_questions(known.asked_as, asked)) != list(known.asked_as):
        changes["asked_as"] = questions
    importance = given.get("importance")
    if importance is not None and importance > known.importance:
        changes["importance"] = importance
    if not changes:
        return known, ()
    return store.update(known.uid, **changes), tuple(changes)


def _words(store: Store, summary: str, body: str | None) -> list[str]:
    return str(store.redact(f"{summary}\n{body or ''}")).casefold().split()
