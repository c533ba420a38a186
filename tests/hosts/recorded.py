"""Events that were recorded from a real client, and what of their form must not change."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.realclient.shapes import shape_of

HERE = Path(__file__).parent
Json = dict[str, Any]


def recorded(host: str) -> dict[str, Json]:
    """The recorded events of a host, by name."""
    folder = HERE / host / "recorded"
    return {path.stem: json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")}


def lost_fields(name: str, before: Json, now: Json) -> list[str]:
    """Which fields of an event are gone or of another type; new ones are no concern."""
    return list(_lost(name, shape_of(before), shape_of(now)))


def _lost(name: str, before: object, now: object) -> list[str]:
    if isinstance(before, dict) and isinstance(now, dict):
        found = []
        for key, shape in before.items():
            place = f"{name}.{key}"
            found += _lost(place, shape, now[key]) if key in now else [f"{place} is gone"]
        return found
    return [] if before == now else [f"{name} was {before}, and is {now}"]
