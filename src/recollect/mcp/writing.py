"""The tools that write. What an agent changes it must have read: it sends the version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.app.warm import Stores
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.errors import ValidationError
from recollect.mcp.reading import find
from recollect.mcp.results import Json

_VIA = {"said_by": "agent", "via": "mcp"}


def store_memory(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Keep something new, unless just this is known."""
    draft = {**given, "provenance": _VIA}
    memory = stores.store.capture_many([draft])[0]
    return _done("stored", memory)


def update_memory(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Change a memory that is still as it was read."""
    changes = dict(given)
    store, memory = find(stores, changes.pop("id"))
    version = changes.pop("if_version")
    if version != memory.version:
        raise ValidationError(
            f"{short(memory.id)} is at version {memory.version}, not at {version[:40]}.",
            "Nothing was changed. Read it again with get_memory and send its version.",
        )
    return _done("updated", store.update(memory.uid, **changes))


def delete_memory(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Retire a memory: gone from recall, and restorable."""
    return set_status(stores, {**given, "status": "retired"})


def set_status(stores: Stores, given: Mapping[str, Any]) -> Json:
    """A step in the life of a memory."""
    store, memory = find(stores, given["id"])
    changed = store.set_status(memory.uid, given["status"], given.get("reason", ""))
    return _done(changed.status, changed)


def _done(what: str, memory: Memory) -> Json:
    undo = "set_status(id, status=active) brings it back."
    return {
        "done": what,
        "id": short(memory.id),
        "version": memory.version,
        "summary": memory.summary,
        **({"next": undo} if what in ("retired", "archived") else {}),
    }
