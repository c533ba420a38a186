"""The source `mempalace`: the drawers of a MemPalace (tried with 3.11.0).

The palace is a Chroma database: a wing is a project, and a drawer is a piece of a file or a talk,
word for word. What was mined from the files of this repository is not imported: the repository has
it. What an agent filed is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from recollect.capture.kind_of import kind_of
from recollect.database import ForeignDatabase, open_foreign
from recollect.errors import ParseError
from recollect.importing.foreign import (
    NO_TEXT,
    OTHER_PROJECT,
    Project,
    parse_json,
    read_text,
    store_at,
    tags_of,
    text_of,
    time_of,
    titled,
    without_empty,
    without_secrets,
)
from recollect.importing.source import Item, Place, Reading, Skipped, how_many

_FILE: Final = "chroma.sqlite3"
_COLLECTION: Final = "mempalace_drawers"
_NEEDED: Final = {
    "collections": ("id", "name"),
    "segments": ("id", "collection"),
    "embeddings": ("id", "segment_id", "embedding_id"),
    "embedding_metadata": ("id", "key", "string_value"),
}
_TEXT: Final = "chroma:document"
_MINER: Final = "mempalace"
_OWN_FILE: Final = "it repeats a file of this repository"


class MemPalace:
    """The drawers of this project's wing."""

    name = "mempalace"
    about = "MemPalace: drawers of this project that agents filed (Chroma, 3)"

    def find(self, reading: Reading) -> Sequence[Place]:
        """Return the palace if it has a wing for this project."""
        path = _palace(reading) / _FILE
        if not path.is_file():
            return []
        project = Project(reading)
        with open_foreign(path) as db:
            count = sum(
                project.is_named(drawer.get("wing", "")) for _, drawer in _drawers(db, path)
            )
        return [Place(str(path), how_many(count, "drawer") + " of this project")] if count else []

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield the drawers of this project."""
        project = Project(reading)
        path = store_at(place, _FILE)
        with open_foreign(path) as db:
            for name, drawer in _drawers(db, path):
                clean = without_secrets(reading, drawer, (_TEXT, "room", "hall"))
                yield _item(name, clean, project)


def _palace(reading: Reading) -> Path:
    """Return the folder that the program's configuration names, or its default."""
    base = Path(reading.environ.get("XDG_CONFIG_HOME") or reading.home / ".config")
    for path in (base / "mempalace" / "config.json", reading.home / ".mempalace" / "config.json"):
        try:
            config = parse_json(read_text(path, 1 << 20), path)
        except ParseError:
            continue
        given = text_of(config.get("palace_path")) if isinstance(config, dict) else ""
        if given:
            return Path(given.replace("~", str(reading.home), 1) if given[0] == "~" else given)
    return reading.home / ".mempalace" / "palace"


def _drawers(db: ForeignDatabase, path: Path) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yield the name of each drawer and what is known about it."""
    db.check(_NEEDED, MemPalace.name)
    named = {row["id"] for row in db.rows("collections", ("id", "name")) if _is_palace(row)}
    if not named:
        raise ParseError(f"{path} has no collection {_COLLECTION}.", "Name the folder of a palace.")
    segments = {
        row["id"] for row in db.rows("segments", ("id", "collection")) if row["collection"] in named
    }
    names = {
        row["id"]: text_of(row["embedding_id"])
        for row in db.rows("embeddings", ("id", "segment_id", "embedding_id"))
        if row["segment_id"] in segments
    }
    rows = db.rows("embedding_metadata", ("id", "key", "string_value"), order="id")
    for number, group in groupby(rows, key=lambda row: row["id"]):
        if number in names:
            yield names[number], {text_of(r["key"]): text_of(r["string_value"]) for r in group}


def _is_palace(row: Mapping[str, Any]) -> bool:
    return bool(row["name"] == _COLLECTION)


def _item(name: str, drawer: Mapping[str, str], project: Project) -> Item | Skipped:
    if not project.is_named(drawer.get("wing", "")):
        return Skipped(name, OTHER_PROJECT)
    text = drawer.get(_TEXT, "")
    if not text:
        return Skipped(name, NO_TEXT)
    source = drawer.get("source_file", "")
    is_mined = drawer.get("added_by", "") == _MINER
    if is_mined and project.contains(source):
        return Skipped(name, _OWN_FILE)
    summary, body = titled("", text)
    fields = {
        "tags": tags_of(filter(None, (drawer.get("room", ""), drawer.get("hall", "")))),
        "provenance": {"said_by": "agent"},
    }
    return Item(
        name,
        kind_of(text),
        summary,
        body,
        time_of(drawer.get("content_date")) or time_of(drawer.get("filed_at")),
        score=0.3 if is_mined else 0.6,
        fields=without_empty(fields),
    )


SOURCE = MemPalace()
