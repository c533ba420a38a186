"""Recorded events, and their shape: which fields there are and of which type."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def read_events(folder: Path) -> dict[str, dict[str, Any]]:
    """The recorded events of a folder, by name."""
    return {path.stem: json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")}


def shape_of(value: object) -> object:
    """The fields of a value with the names of their types; a list by its first item."""
    match value:
        case dict():
            return {key: shape_of(part) for key, part in value.items()}
        case list():
            return [shape_of(part) for part in value[:1]]
        case bool():
            return "bool"
        case int() | float():
            return "number"
    return type(value).__name__
