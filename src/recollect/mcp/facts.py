"""The MCP tools for facts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recollect.api.recollect import Recollect
from recollect.api.results import Listed
from recollect.core.facts import Fact
from recollect.core.names import short
from recollect.errors import ValidationError
from recollect.mcp.reading import find, paging
from recollect.mcp.results import Json, page
from recollect.mcp.writing import provenance

_MOST_CLOSED = 10


def store_fact(store: Recollect, given: Mapping[str, Any]) -> Json:
    """Store a fact."""
    source = given.get("source")
    stored = store.store_fact(
        given["subject"],
        given["predicate"],
        given["object"],
        confidence=given.get("confidence"),
        source=find(store, source)[1].uid if source else None,
        valid_from=given.get("valid_from"),
        valid_until=given.get("valid_until"),
        replaces=given.get("replaces"),
        provenance=provenance(store),
    )
    done = "stored" if stored.is_new else "updated" if stored.kept else "known already"
    result = {"done": done, **_line(stored.fact)}
    if stored.kept:
        result["added"] = stored.kept
    if stored.unkept:
        result["note"] = _unkept(stored.unkept)
    if stored.closed:
        result["closed"] = [_line(fact) for fact in stored.closed[:_MOST_CLOSED]]
    if len(stored.closed) > _MOST_CLOSED:
        result["closed_total"] = len(stored.closed)
    return result


def _unkept(said: Mapping[str, Any]) -> str:
    """Say what a known fact did not take over, so that nothing is dropped silently."""
    other = ", ".join(f"{name}={_written(value)}" for name, value in said.items())
    way = "If the new values are right: delete_memory(id), then store_fact again."
    return f"The known fact differs; not stored: {other}. {way}"


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def query_facts(store: Recollect, given: Mapping[str, Any]) -> Json:
    """Find facts by any of their parts."""
    hops = given.get("hops", 1)
    if hops not in (1, 2):
        raise ValidationError(f"hops cannot be {hops}.", "Use 1 or 2.")
    offset, limit = paging(given)
    found = store.query_facts(
        given.get("subject"),
        given.get("predicate"),
        given.get("object"),
        at=given.get("at"),
        history=given.get("history", False),
        hops=hops,
    )
    lines = [_line(one.fact) | ({"hop": 2} if one.hop == 2 else {}) for one in found]
    shown = [one.fact.memory for one in found[offset : offset + limit] if one.fact.memory.uid]
    store.note_shown(map(Listed, shown))
    return page(
        lines,
        offset,
        limit,
        name="facts",
        next_step="history=true also shows facts that are no longer true.",
    )


def _line(fact: Fact) -> Json:
    named = {"id": short(fact.memory.id), "version": fact.memory.version}
    line: Json = {
        **(named if fact.memory.uid else {}),  # no memory holds a boundary of a session
        "subject": fact.subject,
        "predicate": fact.predicate,
        "object": fact.object,
        "confidence": fact.memory.confidence,
        "valid_from": fact.valid_from,
    }
    more = {"valid_until": fact.valid_until, "source": fact.source}
    return line | {name: value for name, value in more.items() if value}
