"""The source `mem0`: what Mem0 writes (tried with 2.2.1): its history database, or an export.

The vectors of Mem0 hold Python objects, which are code, so they are not read. The history has the
same texts. Mem0 knows people and agents but no projects, so a store is read only if you name it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from recollect.database import open_foreign
from recollect.errors import ParseError
from recollect.importing.foreign import (
    NO_TEXT,
    kind_for,
    parse_json,
    read_text,
    store_at,
    tags_of,
    text_of,
    texts_of,
    time_of,
    titled,
    without_empty,
    without_secrets,
)
from recollect.importing.source import Item, Place, Reading, Skipped

_FILE: Final = "history.db"
_NEEDED: Final = {"history": ("memory_id", "new_memory", "event")}
_COLUMNS: Final = ("memory_id", "new_memory", "event", "created_at", "is_deleted", "role")
_DELETED: Final = "it was deleted there"
_KINDS: Final = {"preferences": "preferences", "technical": "learnings", "rule": "constraints"}


class Mem0:
    """The memories of all users and agents in a store."""

    name = "mem0"
    about = "Mem0: its history.db, or an export of get_all() as JSON; name the file"

    def find(self, _reading: Reading) -> Sequence[Place]:
        """Return nothing: a store does not say which project it is about."""
        return []

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield the memories of a history or an export."""
        path = store_at(place, _FILE)
        if path.suffix == ".json":
            for number, entry in enumerate(_entries(path), 1):
                yield _exported(reading, entry, f"entry {number}")
            return
        last: dict[str, dict[str, Any]] = {}
        with open_foreign(path) as db:
            db.check(_NEEDED, self.name)
            for row in db.rows("history", _COLUMNS):
                name = text_of(row["memory_id"])
                first = last[name]["created_at"] if name in last else row["created_at"]
                last[name] = {**row, "created_at": first}
        for name, row in last.items():
            if row["is_deleted"] or text_of(row["event"]).upper() == "DELETE":
                yield Skipped(name, _DELETED)
            else:
                yield _item(reading, name, {**row, "memory": row["new_memory"]}, [])


def _entries(path: Path) -> list[Any]:
    found = parse_json(read_text(path), path)
    if isinstance(found, dict):
        found = found.get("results", found.get("memories"))
    if not isinstance(found, list):
        raise ParseError(f"{path} is not an export of Mem0.", "Export the result of get_all().")
    return found


def _exported(reading: Reading, entry: Any, name: str) -> Item | Skipped:
    row = entry if isinstance(entry, dict) else {}
    more = row.get("metadata")
    told: Mapping[str, Any] = more if isinstance(more, dict) else {}
    categories = texts_of(row.get("categories")) or texts_of(told.get("category"))
    return _item(reading, text_of(row.get("id")) or name, row, categories)


def _item(
    reading: Reading, name: str, row: Mapping[str, Any], categories: Sequence[str]
) -> Item | Skipped:
    clean = without_secrets(reading, {**row, "tags": list(categories)}, ("memory",), ("tags",))
    text, tags = clean["memory"], clean["tags"]
    if not text:
        return Skipped(name, NO_TEXT)
    summary, body = titled("", text)
    said_by = "user" if row.get("role") == "user" else "agent"
    fields = {"tags": tags_of(tags), "provenance": {"said_by": said_by}}
    return Item(
        name,
        kind_for(next(iter(tags), ""), text, _KINDS),
        summary,
        body,
        time_of(row.get("created_at")),
        score=0.6,
        fields=without_empty(fields),
    )


SOURCE = Mem0()
