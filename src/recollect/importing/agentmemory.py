"""The source `agentmemory`: a store or an export of @agentmemory/agentmemory (tried with 0.9.29).

The stand-alone server writes `standalone.json`. The full server answers `/agentmemory/export` with
the same memories. A store does not say which project it is about, so you must name it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from recollect.errors import ParseError
from recollect.importing.foreign import (
    NO_TEXT,
    Project,
    kind_for,
    number_of,
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

_FILE: Final = "standalone.json"
_MEMORIES: Final = "mem:memories"
_REPLACED: Final = "a newer version replaces it"
_KINDS: Final = {
    "architecture": "decisions",
    "bug": "solutions",
    "workflow": "runbooks",
    "fact": "notes",
    "lesson": "learnings",
}


class AgentMemory:
    """The memories and the lessons of a store."""

    name = "agentmemory"
    about = "agentmemory: standalone.json, or an export as JSON; name the file"

    def find(self, _reading: Reading) -> Sequence[Place]:
        """Return nothing: a store does not say which project it is about."""
        return []

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield the newest version of each memory."""
        path = store_at(place, _FILE)
        project = Project(reading)
        for number, (kind, entry) in enumerate(_entries(path), 1):
            name = text_of(entry.get("id")) or f"entry {number}"
            clean = without_secrets(reading, entry, ("content", "title"), ("concepts",))
            yield _item(name, kind, clean, project)


def _entries(path: Path) -> list[tuple[str, Mapping[str, Any]]]:
    found = parse_json(read_text(path), path)
    store = found if isinstance(found, dict) else {}
    memories = store.get(_MEMORIES, store.get("memories"))
    if isinstance(memories, dict):
        memories = list(memories.values())
    if not isinstance(memories, list):
        raise ParseError(
            f"{path} is neither a store nor an export of agentmemory.",
            "Name standalone.json, or the answer of /agentmemory/export.",
        )
    lessons = store.get("lessons")
    listed = [("", one) for one in memories]
    listed += [("lesson", one) for one in (lessons if isinstance(lessons, list) else [])]
    return [(kind, one) for kind, one in listed if isinstance(one, dict)]


def _item(name: str, kind: str, entry: Mapping[str, Any], project: Project) -> Item | Skipped:
    content = text_of(entry.get("content"))
    if not content:
        return Skipped(name, NO_TEXT)
    if entry.get("isLatest") is False:
        return Skipped(name, _REPLACED)
    title = text_of(entry.get("title"))
    # The program takes the first 80 characters as the title.
    summary, body = titled("" if content.startswith(title) else title, content)
    strength = entry.get("strength")
    known = number_of(strength / 10, 0.5) if isinstance(strength, int | float) else 0.5
    fields = {
        "tags": tags_of(texts_of(entry.get("concepts"))),
        "files_modified": project.files(texts_of(entry.get("files"))),
        "session": next(iter(texts_of(entry.get("sessionIds"))), None),
        "importance": known,
        "provenance": {"said_by": "agent"},
    }
    return Item(
        name,
        kind_for(kind or text_of(entry.get("type")), content, _KINDS),
        summary,
        body,
        time_of(entry.get("createdAt")),
        score=0.4 + 0.4 * known,
        fields=without_empty(fields),
    )


SOURCE = AgentMemory()
