"""The MCP tools that write. An agent must send the version of a memory that it changes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.api.duplicates import hidden_as
from recollect.api.recollect import Recollect
from recollect.core.kinds import FACTS, kind_named
from recollect.core.memory import Memory
from recollect.core.names import as_uid_prefix, short
from recollect.errors import ValidationError, VersionConflict
from recollect.mcp.reading import find
from recollect.mcp.results import Json

_CONFIRMED = "confirmed"


def provenance(store: Recollect) -> dict[str, str]:
    """Return who stores a memory: an agent, and which one if that is known."""
    return {"said_by": "agent", "via": "mcp"} | ({"host": store.host} if store.host else {})


def store_memory(store: Recollect, given: Mapping[str, Any]) -> Json:
    """Store a memory, unless one with the same text exists."""
    if kind_named(given["kind"]).name == FACTS:
        raise ValidationError(
            "A fact has a subject, a predicate and an object; stored as text, no query finds it.",
            "Use store_fact(subject, predicate, object).",
        )
    captured = store.capture_once(**given, provenance=provenance(store))
    if not captured.is_new:
        merged = {"merged": list(captured.merged)} if captured.merged else {}
        return _done("known already", captured.memory) | merged
    notes = [f"{short(m.id)} has the same text and is {hidden_as(m)}." for m in captured.hidden]
    note = {"note": " ".join(notes)} if notes else {}
    return _done("stored", captured.memory) | note


def update_memory(store: Recollect, given: Mapping[str, Any]) -> Json:
    """Change a memory, if it is still at the version that the agent read."""
    changes = dict(given)
    owner, memory = find(store, changes.pop("id"))
    version = changes.pop("if_version")
    if "ttl" in changes:  # with purge_expired this would erase a memory; only a person may
        raise ValidationError(
            "An agent cannot change the lifetime (ttl) of an existing memory.",
            f"Ask the user to run: recollect edit {short(memory.id)} --ttl DAYS",
        )
    if version != memory.version:
        raise VersionConflict(
            f"{short(memory.id)} is at version {memory.version}, not at {version[:40]}.",
            "Nothing was changed. Read it again with get_memory and send its version.",
        )
    updated = owner.update_for_agent(memory.uid, via="mcp", if_version=version, **changes)
    return _done("updated", updated)


def delete_memory(store: Recollect, given: Mapping[str, Any]) -> Json:
    """Retire a memory: search no longer finds it, and `set_status` can restore it."""
    return set_status(store, {**given, "status": "retired"})


def set_status(store: Recollect, given: Mapping[str, Any]) -> Json:
    """Change the status of a memory, or confirm an unconfirmed one with the user's word."""
    owner, memory = find(store, given["id"])
    if given["status"].strip().lower() == _CONFIRMED:
        old = owner.would_supersede(memory)
        (confirmed,) = owner.accept(
            [memory.uid],
            by="agent",
            user_said=given.get("user_said", ""),
            keep_both=given.get("keep_both", False),
        )
        is_archived = old is not None and not given.get("keep_both")
        note = {"archived": short(old.id)} if old is not None and is_archived else {}
        return _done(_CONFIRMED, confirmed) | note
    if memory.sensitivity != "public" and as_uid_prefix(given["id"]) is None:
        raise ValidationError(
            f"That memory is {memory.sensitivity}, and ids can be guessed.",
            "Ask the user; then use its uid.",
        )
    changed = owner.set_status(memory.uid, given["status"], given.get("reason", ""))
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
