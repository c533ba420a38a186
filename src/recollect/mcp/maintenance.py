"""The MCP tools for upkeep: erase expired memories, merge old ones that are similar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.mcp.results import Json

_OLD = 30


def purge_expired(store: Recollect, given: Mapping[str, Any]) -> Json:
    """Erase the memories whose lifetime (ttl) is over."""
    found = store.purge_expired(dry_run=True)
    named = [_named(memory) for memory in found.memories]
    if given.get("dry_run"):
        return {"would_purge": named}
    left = store.purge_expired(found.memories).left
    return {"purged": named, **({"left": left} if left else {})}


def _named(memory: Memory) -> Json:
    """A memory by its id, with its summary only if it is public."""
    if memory.sensitivity != "public":
        return {"id": short(memory.id), "sensitivity": memory.sensitivity}
    return {"id": short(memory.id), "summary": memory.summary}


def summarize_old(store: Recollect, given: Mapping[str, Any]) -> Json:
    """Merge old memories that are similar."""
    dry_run = given.get("dry_run", False)
    plan = store.summarize_old(given.get("days", _OLD), dry_run=dry_run)
    merges = [
        {"summary": merge.summary, "sources": [short(m.id) for m in merge.sources]}
        for merge in plan.merges
    ]
    result: Json = {"would_merge" if dry_run else "merged": merges}
    if plan.proposals:
        # A person decides about kinds that are kept for good, such as decisions.
        result["would_suggest" if dry_run else "in_review"] = [
            {"summary": merge.summary, "sources": [short(m.id) for m in merge.sources]}
            for merge in plan.proposals
        ]
    ask = " The user decides about the rest: recollect review." if plan.proposals else ""
    return {**result, "next": f"Sources stay, archived.{ask}"}
