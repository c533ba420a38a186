"""The MCP tools for typed memories: check whether something is known, and write documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.api.recollect import Recollect
from recollect.errors import ValidationError
from recollect.mcp.reading import find
from recollect.mcp.results import Json


def find_candidate(store: Recollect, given: Mapping[str, Any]) -> Json:
    """Find the typed memory that new information is about."""
    found = store.find_candidate(given["kind"], given["new_info"], given.get("lifecycle_event"))
    return {**found, "next": "write_memory: with id and if_version to update, without to create."}


def write_memory(store: Recollect, given: Mapping[str, Any]) -> Json:
    """Create or update a typed memory."""
    if "id" not in given:
        if "kind" not in given:
            raise ValidationError("The argument kind is missing.", "Give kind, or id to update.")
        return store.create_document(given["kind"], given["document"])
    owner, memory = find(store, given["id"])
    version = given.get("if_version", "")
    return owner.update_document(memory.uid, given["document"], if_version=version)
