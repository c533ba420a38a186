"""The tools that tidy up: what has expired, and what is old and says much the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.engine.stores import Stores
from recollect.mcp.results import Json
from recollect.sleep.clock import check_clock

_OLD = 30


def purge_expired(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Erase what was meant to last so many days and has."""
    from recollect.sleep.purge import expired, purge

    store = stores.store
    memories = expired(store)
    named = [_named(memory) for memory in memories]
    if given.get("dry_run"):
        return {"would_purge": named}
    check_clock(store)
    left = purge(store, memories) if memories else []
    return {"purged": named, **({"left": left} if left else {})}


def _named(memory: Memory) -> Json:
    """A memory by its id; what it says only where everybody may know."""
    if memory.sensitivity != "public":
        return {"id": short(memory.id), "sensitivity": memory.sensitivity}
    return {"id": short(memory.id), "summary": memory.summary}


def summarize_old(stores: Stores, given: Mapping[str, Any]) -> Json:
    """Merge what is old and says much the same."""
    from recollect.sleep.run import plan_of_summaries, sleep

    days = given.get("days", _OLD)
    store = stores.store
    is_trial = given.get("dry_run", False)
    if not is_trial:
        check_clock(store)
    plan = (
        plan_of_summaries(store, days)
        if is_trial
        else sleep(store, lambda s: plan_of_summaries(s, days))
    )
    merges = [
        {"summary": merge.summary, "sources": [short(m.id) for m in merge.sources]}
        for merge in plan.merges
    ]
    return {"would_merge" if is_trial else "merged": merges, "next": "Sources stay, archived."}
