"""Calls of tools, and a document for them."""

from __future__ import annotations

import json
from typing import Any

from recollect.engine.server import Engine
from recollect.mcp.tools import call

DECISION: dict[str, Any] = {
    "title": "Use PostgreSQL",
    "tags": ["database"],
    "content": {
        "status": "accepted",
        "context": "Two workers write at once.",
        "decision": "PostgreSQL for everything that is shared.",
        "rationale": ["SQLite makes one wait"],
    },
}


def ask(engine: Engine, tool: str, **arguments: Any) -> dict[str, Any]:
    """A call that succeeds."""
    outcome = call(engine, tool, arguments)
    assert not outcome.is_error, outcome.text
    said: dict[str, Any] = json.loads(outcome.text)
    return said


def refuse(engine: Engine, tool: str, **arguments: Any) -> str:
    """A call that is refused; why."""
    outcome = call(engine, tool, arguments)
    assert outcome.is_error, outcome.text
    return outcome.text
