"""Typed memories for the tests with the real client."""

from __future__ import annotations

import json
from typing import Any

from tests.realclient.workplace import Workplace

OLD: dict[str, Any] = {
    "title": "Keep the cart in PostgreSQL",
    "tags": ["cart", "postgresql"],
    "content": {
        "status": "accepted",
        "context": "Two workers write at once.",
        "decision": "PostgreSQL",
        "rationale": ["It locks rows."],
    },
}


PREFERENCE: dict[str, Any] = {
    "action": "create",
    "kind": "preferences",
    "title": "Every price is in cents",
    "tags": ["prices"],
    "content": {
        "topic": "prices",
        "value": "integer cents",
        "reason": "as agreed",
        "strength": "strong",
    },
}


def keep(place: Workplace, kind: str, document: dict[str, Any]) -> dict[str, Any]:
    """Put a typed memory in."""
    path = place.root / "document.json"
    path.write_text(json.dumps(document))
    printed = place.recollect("write", "create", "--kind", kind, "--input", str(path), "--json")
    done: dict[str, Any] = json.loads(printed)
    return done
