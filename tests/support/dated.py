"""Memories of a given age, in a store where it is a given day."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from recollect.api.recollect import Recollect
from recollect.core.age import seconds_of
from recollect.core.memory import Memory

NOW = datetime(2026, 8, 1, 12, 0, tzinfo=UTC)


NOTICED = {"said_by": "tool", "via": "tool", "hook": "tool-post"}


BUG = "The checkout test times out because the {} port is shared"


def days_ago(days: float) -> str:
    """A moment before `NOW`."""
    return (NOW - timedelta(days=days)).strftime("%Y-%m-%dT%H:%M:%SZ")


def at(store: Recollect, moment: datetime) -> Recollect:
    """A store for which it is then."""
    store.ledger.clock = lambda: moment
    return store


def notes(*days: float, **fields: Any) -> list[dict[str, Any]]:
    """Notes on one bug, each so many days old."""
    return [
        {
            "kind": "learnings",
            "summary": BUG.format(("first", "second", "third")[number % 3]),
            "body": "The fixture starts the server on a fixed port.\r\n\n---\nuse 0  \n",
            "created": days_ago(day),
            **fields,
        }
        for number, day in enumerate(days)
    ]


def capture(store: Recollect, drafts: list[dict[str, Any]]) -> list[Memory]:
    """Memories that this clone knows since their birth."""
    found = store.capture_many(drafts)
    for memory in found:
        store.local.usage.know([memory.uid], seconds_of(memory.created) or 0.0)
    return found


def states(store: Recollect) -> dict[str, Memory]:
    """Every memory, by uid."""
    return {memory.uid: memory for memory in store.memories(status="all")}
