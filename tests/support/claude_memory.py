"""Documents of the claude-memory plugin, and its schemas."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

# The plugin's schemas: for each field its form, and a mark where it must be there. A list needs as
# many entries as its number says.
_TEXT, _LIST = "text", ["text"]


_PAIR = [{"option!": _TEXT, "rejected_reason!": _TEXT}]


_PLUGIN: Mapping[str, Mapping[str, Any]] = {
    "decision": {
        "status!": ("proposed", "accepted", "deprecated", "superseded"),
        "context!": _TEXT,
        "decision!": _TEXT,
        "alternatives": _PAIR,
        "rationale!1": _LIST,
        "consequences": _LIST,
    },
    "session_summary": {
        "goal!": _TEXT,
        "outcome!": ("success", "partial", "blocked", "abandoned"),
        "completed!": _LIST,
        "in_progress": _LIST,
        "blockers": _LIST,
        "next_actions!": _LIST,
        "key_changes": _LIST,
    },
    "runbook": {
        "trigger!": _TEXT,
        "symptoms": _LIST,
        "steps!1": _LIST,
        "verification!": _TEXT,
        "root_cause": _TEXT,
        "environment": _TEXT,
    },
    "constraint": {
        "kind!": ("limitation", "gap", "policy", "technical"),
        "rule!": _TEXT,
        "impact!1": _LIST,
        "workarounds": _LIST,
        "severity!": ("high", "medium", "low"),
        "active!": bool,
        "expires": _TEXT,
    },
    "tech_debt": {
        "status!": ("open", "in_progress", "resolved", "wont_fix"),
        "priority!": ("critical", "high", "medium", "low"),
        "description!": _TEXT,
        "reason_deferred!": _TEXT,
        "impact": _LIST,
        "suggested_fix": _LIST,
        "acceptance_criteria": _LIST,
    },
    "preference": {
        "topic!": _TEXT,
        "value!": _TEXT,
        "reason!": _TEXT,
        "strength!": ("strong", "default", "soft"),
        "examples": {"prefer": _LIST, "avoid": _LIST},
    },
}


_ROOT: Mapping[str, Any] = {
    "schema_version!": ("1.0",),
    "category!": _TEXT,
    "id!": _TEXT,
    "title!": _TEXT,
    "created_at!": _TEXT,
    "updated_at!": _TEXT,
    "tags!1": _LIST,
    "related_files": _LIST,
    "confidence": float,
    "record_status": ("active", "retired", "archived"),
    "changes": [
        {"date!": _TEXT, "summary!": _TEXT, "field": None, "old_value": None, "new_value": None}
    ],
    "times_updated": int,
    "retired_at": _TEXT,
    "retired_reason": _TEXT,
    "archived_at": _TEXT,
    "archived_reason": _TEXT,
    "content!": None,
}


def violations(shape: Any, value: Any, where: str = "") -> list[str]:
    """What the plugin would refuse in a value: no field is known that its shape does not name."""
    if shape is None:
        return []
    if isinstance(shape, tuple):
        return [] if value in shape else [f"{where}: {value!r}"]
    if isinstance(shape, type):
        is_fit = isinstance(value, shape) and (shape is bool or not isinstance(value, bool))
        return [] if is_fit else [f"{where}: {value!r}"]
    if shape == _TEXT:
        return [] if isinstance(value, str) else [f"{where}: {value!r}"]
    if isinstance(shape, list):
        if not isinstance(value, list):
            return [f"{where}: {value!r}"]
        return [v for item in value for v in violations(shape[0], item, f"{where}[]")]
    if not isinstance(value, dict):
        return [f"{where}: {value!r}"]
    named = {key.rstrip("!1"): key for key in shape}
    found = [f"{where}.{key} is unknown" for key in value if key not in named]
    for name, key in named.items():
        if name not in value:
            found += [f"{where}.{name} is missing"] if "!" in key else []
            continue
        found += violations(shape[key], value[name], f"{where}.{name}")
        if key.endswith("1") and not value[name]:
            found.append(f"{where}.{name} is empty")
    return found


def plugin_refuses(document: Mapping[str, Any]) -> list[str]:
    """Everything that the plugin's schemas do not allow in a document."""
    found = violations(_ROOT, document)
    if document["category"] in _PLUGIN:
        found += violations(_PLUGIN[document["category"]], document["content"], "content")
    if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{0,78}[a-z0-9])?", document["id"]):
        found.append(f"id: {document['id']}")
    if not 1 <= len(document["title"]) <= 120:
        found.append(f"title: {document['title']}")
    if not 0 <= document["confidence"] <= 1 or document["times_updated"] < 0:
        found.append("numbers")
    if len(document["changes"]) > 50:
        found.append("changes")
    limited = [entry["summary"] for entry in document["changes"]]
    limited += [document.get("retired_reason", ""), document.get("archived_reason", "")]
    return found + [text for text in limited if len(text) > 300]


DECISION = {"status": "accepted", "context": "Many writers", "decision": "Postgres"}
DECISION_CONTENT = {**DECISION, "rationale": ["It is known"]}


def document(**changes: Any) -> str:
    """A valid document of the plugin, with changes; None takes a field away."""
    whole = {
        "schema_version": "1.0",
        "category": "decision",
        "id": "use-postgres",
        "title": "Use Postgres",
        "created_at": "2026-02-01T10:00:00Z",
        "updated_at": "2026-02-03T10:00:00Z",
        "tags": ["db", "storage"],
        "related_files": ["src/db.py"],
        "confidence": 0.9,
        "record_status": "active",
        "changes": [{"date": "2026-02-03T10:00:00Z", "summary": "Reason added"}],
        "times_updated": 1,
        "content": DECISION_CONTENT,
        **changes,
    }
    return json.dumps({key: value for key, value in whole.items() if value is not None})
