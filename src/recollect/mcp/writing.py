"""The tools that write. What an agent changes it must have read: it sends the version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.api.recollect import Recollect
from recollect.capture.vouching import reworded_by_agent
from recollect.core.kinds import FACTS, kind_named
from recollect.core.memory import Memory
from recollect.core.names import as_uid_prefix, short
from recollect.core.status import VISIBLE
from recollect.engine.stores import Stores
from recollect.errors import ValidationError, VersionConflict
from recollect.index.protocol import ALL, Filters, Index
from recollect.mcp.reading import find
from recollect.mcp.results import Json

_ALIKE = 5
VIA = {"said_by": "agent", "via": "mcp"}


def store_memory(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Keep something new, unless just this is known."""
    if kind_named(given["kind"]).name == FACTS:
        raise ValidationError(
            "A fact is kept as subject, predicate and object, else no query finds it.",
            "Use store_fact(subject, predicate, object).",
        )
    store = stores.store
    same = _same(store, given)
    known = next((memory for memory in same if memory.status in VISIBLE), None)
    if known is not None:
        now = store.ledger.clock().timestamp()
        store.local.usage.record([known.uid], "said", now)
        return _done("known already", known)
    memory = store.capture_many([{**given, "provenance": VIA}])[0]
    also = [f"{short(m.id)} said the same and is {m.status}." for m in same]
    return _done("stored", memory) | ({"note": " ".join(also)} if also else {})


def _same(store: Recollect, given: Mapping[str, Any]) -> list[Memory]:
    """The memories of that kind that say just this, whatever their status."""
    kind, text = kind_named(given["kind"]).name, _words(store, given["summary"], given.get("body"))
    as_open = frozenset({given.get("sensitivity") or "public"})  # a secret one is not told of
    wanted = Filters(kind=kind, statuses=ALL, project=store.project, sensitivities=as_open)

    def look(index: Index) -> list[Memory]:
        found = index.lexical(given["summary"], wanted, _ALIKE).matches
        return index.get_many([match.uid for match in found])

    alike = store.indexing.using(look)
    return [m for m in alike if _words(store, m.summary, m.text) == text]


def _words(store: Recollect, summary: str, body: str | None) -> list[str]:
    return str(store.redact(f"{summary}\n{body or ''}")).casefold().split()


def update_memory(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Change a memory that is still as it was read."""
    changes = dict(given)
    store, memory = find(stores, changes.pop("id"))
    version = changes.pop("if_version")
    if "ttl" in changes:  # with purge_expired it would erase, and only a person may
        raise ValidationError(
            "An agent cannot set how long a known memory lasts.",
            f"Ask the user to run: recollect edit {short(memory.id)} --ttl DAYS",
        )
    if version != memory.version:
        raise VersionConflict(
            f"{short(memory.id)} is at version {memory.version}, not at {version[:40]}.",
            "Nothing was changed. Read it again with get_memory and send its version.",
        )
    if "summary" in changes or "body" in changes:
        changes |= reworded_by_agent(memory, "mcp")
    return _done("updated", store.update(memory.uid, if_version=version, **changes))


def delete_memory(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Retire a memory: gone from recall, and restorable."""
    return set_status(stores, {**given, "status": "retired"})


def set_status(stores: Stores, given: Mapping[str, Any]) -> Json:
    """A step in the life of a memory."""
    store, memory = find(stores, given["id"])
    if memory.sensitivity != "public" and as_uid_prefix(given["id"]) is None:
        raise ValidationError(
            f"That memory is {memory.sensitivity}, and ids can be guessed.",
            "Ask the user; then name it by its uid.",
        )
    changed = store.set_status(memory.uid, given["status"], given.get("reason", ""))
    return _done(changed.status, changed)


def _done(what: str, memory: Memory) -> Json:
    undo = "set_status(id, status=restored) brings it back."
    return {
        "done": what,
        "id": short(memory.id),
        "version": memory.version,
        **({"summary": memory.summary} if memory.sensitivity == "public" else {}),
        **({"next": undo} if what in ("retired", "archived") else {}),
    }
