"""The tools for typed memories: whether something is known, and writing it as a document."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.engine.stores import Stores
from recollect.errors import ValidationError
from recollect.mcp.reading import find
from recollect.mcp.results import Json
from recollect.typed import write as typed


def find_candidate(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Whether new information is about a memory that is there."""
    found = typed.find_candidate(
        stores.store, given["kind"], given["new_info"], given.get("lifecycle_event")
    )
    return {**found, "next": "write_memory: with id and if_version to update, without to create."}


def write_memory(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Create or update a typed memory."""
    if "id" not in given:
        if "kind" not in given:
            raise ValidationError("The argument kind is missing.", "Give kind, or id to update.")
        created: Json = typed.create(stores.store, given["kind"], given["document"])
        return created
    store, memory = find(stores, given["id"])
    updated: Json = typed.update(
        store, memory.uid, given["document"], if_version=given.get("if_version", "")
    )
    return updated
