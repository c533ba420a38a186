"""The source `letsgo`: the SQLite database of the LetsGo memory pipeline (`tool-memory-store`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from recollect.core.fields import OBSERVATION_TYPES, SENSITIVITIES
from recollect.database import open_foreign
from recollect.importing.foreign import (
    NO_TEXT,
    OTHER_PROJECT,
    Project,
    concepts_of,
    kind_for,
    number_of,
    store_at,
    tags_of,
    text_of,
    texts_of,
    time_of,
    titled,
    without_empty,
    without_secrets,
)
from recollect.importing.source import Item, Place, Reading, Skipped, how_many

# The code and the guide of the program name its file differently.
_FILES: Final = ("memories.db", "memory.db")
_NEEDED: Final = {"memories": ("id", "content", "created_at")}
_COLUMNS: Final = (
    *("id", "content", "category", "importance", "sensitivity", "tags", "created_at"),
    *("expires_at", "title", "subtitle", "type", "concepts", "files_read", "files_modified"),
    *("session_id", "project"),
)
_TEXTS: Final = ("title", "subtitle", "content")
_TRIPLE: Final = ("subject", "predicate", "object")
_FACT: Final = ("id", "subject", "predicate", "object", "confidence", "created_at")
_KINDS: Final = {"decision": "decisions", "bugfix": "solutions", "discovery": "learnings"}
_EXPIRED: Final = "it has expired"
_BOUNDARY: Final = "it only marks a part of a session"
_NO_PROJECT: Final = "it names no project; name the file to import it"


class LetsGo:
    """Memories of this project, and facts."""

    name = "letsgo"
    about = "the SQLite database of the LetsGo pipeline: memories and facts"

    def find(self, reading: Reading) -> Sequence[Place]:
        """Return the database if it has something about this project."""
        given = reading.environ.get("LETSGO_MEMORY_DB")
        base = Path(reading.environ.get("LETSGO_HOME") or reading.home / ".letsgo")
        paths = [Path(given)] if given else [base / name for name in _FILES]
        path = next((one for one in paths if one.is_file()), None)
        if path is None:
            return []
        project = Project(reading)
        with open_foreign(path) as db:
            db.check(_NEEDED, self.name)
            rows = db.rows("memories", ("project",))
            count = sum(project.is_named(text_of(row["project"])) for row in rows)
        return (
            [Place(str(path), how_many(count, "memory", "memories") + " of this project")]
            if count
            else []
        )

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield the memories; those without a project, and facts, only if somebody names it."""
        project = Project(reading)
        is_named = not place.about
        with open_foreign(store_at(place, *_FILES)) as db:
            db.check(_NEEDED, self.name)
            for row in db.rows("memories", _COLUMNS):
                clean = without_secrets(reading, row, _TEXTS, ("tags", "concepts"))
                yield _memory(clean, project, is_named)
            for row in db.rows("facts", _FACT):
                yield _fact(without_secrets(reading, row, _TRIPLE), is_named)


def _memory(row: Mapping[str, Any], project: Project, is_named: bool) -> Item | Skipped:
    identity = f"memory {text_of(row['id'])}"
    owner = text_of(row["project"])
    if owner and not project.is_named(owner):
        return Skipped(identity, OTHER_PROJECT)
    if not owner and not is_named:
        return Skipped(identity, _NO_PROJECT)
    expires = time_of(row["expires_at"])
    if _is_over(expires):
        return Skipped(identity, _EXPIRED)
    content = text_of(row["content"])
    if not content:
        return Skipped(identity, NO_TEXT)
    body = "\n\n".join(filter(None, (text_of(row["subtitle"]), content)))
    summary, body = titled(text_of(row["title"]), body)
    observed = text_of(row["type"]).lower()
    importance = number_of(row["importance"], 0.5)
    sensitivity = text_of(row["sensitivity"]).lower()
    given = texts_of(row["concepts"])
    return Item(
        identity,
        kind_for(observed, f"{summary}. {body}", _KINDS),
        summary,
        body,
        time_of(row["created_at"]),
        score=0.4 + 0.5 * importance,
        fields=without_empty(
            {
                "importance": importance,
                "sensitivity": sensitivity if sensitivity in SENSITIVITIES else "unknown",
                "tags": tags_of(texts_of(row["tags"])),
                "concepts": concepts_of(given),
                "observation_type": observed if observed in OBSERVATION_TYPES else None,
                "files_read": project.files(texts_of(row["files_read"])),
                "files_modified": project.files(texts_of(row["files_modified"])),
                "session": text_of(row["session_id"]),
                "provenance": {"said_by": "agent"},
            }
        ),
    )


def _is_over(expires: str | None) -> bool:
    from datetime import UTC, datetime

    return bool(expires) and str(expires) < datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _fact(row: Mapping[str, Any], is_named: bool) -> Item | Skipped:
    identity = f"fact {text_of(row['id'])}"
    parts = [text_of(row[name]) for name in _TRIPLE]
    if not all(parts):
        return Skipped(identity, NO_TEXT)
    if parts[1] == "boundary_at":
        return Skipped(identity, _BOUNDARY)
    if not is_named:
        return Skipped(identity, _NO_PROJECT)
    summary, body = titled("", " ".join(parts))
    return Item(
        identity,
        "notes",
        summary,
        body,
        time_of(row["created_at"]),
        score=0.5,
        fields={
            "confidence": number_of(row["confidence"], 1.0),
            "provenance": {"said_by": "agent"},
        },
    )


SOURCE = LetsGo()
