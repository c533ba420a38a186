"""The source `agentmemory`: a store or an export of @agentmemory/agentmemory (tried with 0.9.29).

The stand-alone server writes `standalone.json`, which does not say which project it is about. The
full server answers `/agentmemory/export` with memories, lessons and summaries of sessions, and some
of them name a project.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from recollect.errors import ParseError
from recollect.importing.foreign import (
    NO_TEXT,
    OTHER_PROJECT,
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
_DELETED: Final = "it was deleted"
_LESSON, _SUMMARY = "lesson", "summary"
_TEXTS: Final = ("content", "title", "context", "narrative")
_LISTS: Final = ("concepts", "tags", "keyDecisions")
_KINDS: Final = {
    "architecture": "decisions",
    "bug": "solutions",
    "workflow": "runbooks",
    "fact": "notes",
    "lesson": "learnings",
}


class AgentMemory:
    """The memories, the lessons and the summaries of a store."""

    name = "agentmemory"
    about = "agentmemory: standalone.json, or an export as JSON; name the file"

    def find(self, _reading: Reading) -> Sequence[Place]:
        """Return nothing: a store need not say which project it is about."""
        return []

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield the newest version of each memory, unless it names another project."""
        path = store_at(place, _FILE)
        store = _store(path)
        project = Project(reading)
        ours = _names_here(store, project)
        for number, (kind, entry) in enumerate(_entries(store), 1):
            name = _name(kind, entry) or f"entry {number}"
            about = text_of(entry.get("project"))
            if about and about not in ours and not project.is_named(about):
                yield Skipped(name, OTHER_PROJECT)
                continue
            clean = without_secrets(reading, entry, _TEXTS, _LISTS)
            make = _summary if kind == _SUMMARY else _item
            yield make(name, kind, clean, project)


def _store(path: Path) -> Mapping[str, Any]:
    found = parse_json(read_text(path), path)
    store = dict(found) if isinstance(found, dict) else {}
    memories = store.get(_MEMORIES, store.get("memories"))
    if isinstance(memories, dict):
        memories = list(memories.values())
    if not isinstance(memories, list):
        raise ParseError(
            f"{path} is neither a store nor an export of agentmemory.",
            "Name standalone.json, or the answer of /agentmemory/export.",
        )
    return {**store, "memories": memories}


def _entries(store: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield what a store holds, each with a kind if its place in the store gives it one."""
    for kind, name in (("", "memories"), (_LESSON, "lessons"), (_SUMMARY, "summaries")):
        yield from ((kind, one) for one in _dicts(store, name))


def _dicts(store: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    listed = store.get(name)
    return [one for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []


def _names_here(store: Mapping[str, Any], project: Project) -> set[str]:
    """Return what sessions in this repository call their project; it may be any name."""
    here = (one for one in _dicts(store, "sessions") if project.is_named(text_of(one.get("cwd"))))
    return {text_of(one.get("project")) for one in here}


def _name(kind: str, entry: Mapping[str, Any]) -> str:
    if kind == _SUMMARY:
        session = text_of(entry.get("sessionId"))
        return f"summary {session}" if session else ""
    return text_of(entry.get("id"))


def _item(name: str, kind: str, entry: Mapping[str, Any], project: Project) -> Item | Skipped:
    content = text_of(entry.get("content"))
    if not content:
        return Skipped(name, NO_TEXT)
    if entry.get("isLatest") is False:
        return Skipped(name, _REPLACED)
    if entry.get("deleted") is True:
        return Skipped(name, _DELETED)
    title = text_of(entry.get("title"))
    # The program takes the first 80 characters as the title.
    summary, body = titled("" if content.startswith(title) else title, content)
    body = "\n\n".join(filter(None, (body, text_of(entry.get("context")))))
    strength = entry.get("strength")
    known = number_of(strength / 10, 0.5) if isinstance(strength, int | float) else 0.5
    if kind == _LESSON:
        known = number_of(entry.get("confidence"), known)
    fields = {
        "tags": tags_of([*texts_of(entry.get("concepts")), *texts_of(entry.get("tags"))]),
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


def _summary(name: str, _kind: str, entry: Mapping[str, Any], project: Project) -> Item | Skipped:
    """Return the summary of a session, with what was decided in it."""
    decided = [f"- {one}" for one in texts_of(entry.get("keyDecisions"))]
    said = [text_of(entry.get("narrative")), "\n".join(["Decided:", *decided] if decided else [])]
    title = text_of(entry.get("title"))
    if not title:
        return Skipped(name, NO_TEXT)
    summary, body = titled(title, "\n\n".join(filter(None, said)))
    fields = {
        "tags": tags_of(texts_of(entry.get("concepts"))),
        "files_modified": project.files(texts_of(entry.get("filesModified"))),
        "session": text_of(entry.get("sessionId")),
        "provenance": {"said_by": "agent"},
    }
    time = time_of(entry.get("createdAt"))
    return Item(name, "sessions", summary, body, time, score=0.5, fields=without_empty(fields))


SOURCE = AgentMemory()
