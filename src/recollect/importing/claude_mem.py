"""The source `claude-mem`: the SQLite database of claude-mem (tried with 10.6.3 and 13.25.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from recollect.database import ForeignDatabase, open_foreign
from recollect.importing.foreign import (
    NO_TEXT,
    OTHER_PROJECT,
    Project,
    concepts_of,
    kind_for,
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

_FILE: Final = "claude-mem.db"
_NEEDED: Final = {"observations": ("id", "project", "type", "created_at_epoch")}
_OBSERVATION: Final = (
    *("id", "memory_session_id", "project", "text", "type", "title", "subtitle", "facts"),
    *("narrative", "concepts", "files_read", "files_modified", "created_at_epoch", "created_at"),
)
_SUMMARY: Final = (
    *("id", "memory_session_id", "project", "request", "investigated", "learned", "completed"),
    *("next_steps", "notes", "files_read", "files_edited", "created_at_epoch", "created_at"),
)
_TEXTS: Final = ("title", "subtitle", "narrative", "text")
_PARTS: Final = ("investigated", "learned", "completed", "next_steps", "notes")
_KINDS: Final = {
    "decision": "decisions",
    "bugfix": "solutions",
    "discovery": "learnings",
    "feature": "progress",
    "refactor": "progress",
    "change": "progress",
}
_SCORES: Final = {"decisions": 0.8, "solutions": 0.7, "learnings": 0.65, "progress": 0.35}
# The subtitle of what a person saved by hand.
_MANUAL: Final = "Manual memory"
_TYPES: Final = ("bugfix", "feature", "refactor", "change", "discovery", "decision")


class ClaudeMem:
    """Observations and summaries of sessions in this project."""

    name = "claude-mem"
    about = "claude-mem: observations and session summaries (SQLite, 10 to 13)"

    def find(self, reading: Reading) -> Sequence[Place]:
        """Return the database if it has something about this project."""
        given = reading.environ.get("CLAUDE_MEM_DATA_DIR")
        path = (Path(given) if given else reading.home / ".claude-mem") / _FILE
        if not path.is_file():
            return []
        project = Project(reading)
        with open_foreign(path) as db:
            db.check(_NEEDED, self.name)
            rows = db.rows("observations", ("project",))
            count = sum(project.is_named(text_of(row["project"])) for row in rows)
        return (
            [Place(str(path), how_many(count, "observation") + " about this project")]
            if count
            else []
        )

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield what the database holds about this project."""
        project = Project(reading)
        with open_foreign(store_at(place, _FILE)) as db:
            db.check(_NEEDED, self.name)
            sessions = _sessions(db)
            for row in db.rows("observations", _OBSERVATION):
                clean = without_secrets(reading, row, _TEXTS, ("facts", "concepts"))
                yield _observation(clean, project, sessions)
            for row in db.rows("session_summaries", _SUMMARY):
                clean = without_secrets(reading, row, ("request", *_PARTS))
                yield _summary(clean, project, sessions)


def _sessions(db: ForeignDatabase) -> dict[str, str]:
    """Return the agent's session for each session of the program."""
    rows = db.rows("sdk_sessions", ("memory_session_id", "content_session_id"))
    return {text_of(r["memory_session_id"]): text_of(r["content_session_id"]) for r in rows}


def _observation(
    row: Mapping[str, Any], project: Project, sessions: Mapping[str, str]
) -> Item | Skipped:
    identity = f"observation {row['id']}"
    if not project.is_named(text_of(row["project"])):
        return Skipped(identity, OTHER_PROJECT)
    facts = texts_of(row["facts"])
    subtitle = text_of(row["subtitle"])
    said = ["" if subtitle == _MANUAL else subtitle]
    said.append(text_of(row["narrative"]) or text_of(row["text"]))
    said.append("\n".join(f"- {fact}" for fact in facts))
    body = "\n\n".join(filter(None, said))
    if not text_of(row["title"]) and not body:
        return Skipped(identity, NO_TEXT)
    summary, body = titled(text_of(row["title"]), body)
    observed = text_of(row["type"]).lower()
    kind = kind_for(observed, f"{summary}. {body}", _KINDS)
    given = texts_of(row["concepts"])
    return Item(
        identity,
        kind,
        summary,
        body,
        time_of(row["created_at_epoch"]) or time_of(row["created_at"]),
        score=_SCORES.get(kind, 0.5),
        fields=without_empty(
            {
                "concepts": concepts_of(given),
                "tags": tags_of(one for one in given if not concepts_of([one])),
                "observation_type": observed if observed in _TYPES else None,
                "files_read": project.files(texts_of(row["files_read"])),
                "files_modified": project.files(texts_of(row["files_modified"])),
                "session": sessions.get(text_of(row["memory_session_id"])),
                "provenance": {"said_by": "agent"},
            }
        ),
    )


def _summary(
    row: Mapping[str, Any], project: Project, sessions: Mapping[str, str]
) -> Item | Skipped:
    identity = f"summary {row['id']}"
    if not project.is_named(text_of(row["project"])):
        return Skipped(identity, OTHER_PROJECT)
    told = [(name.replace("_", " ").capitalize(), text_of(row[name])) for name in _PARTS]
    body = "\n\n".join(f"{name}: {text}" for name, text in told if text)
    request = text_of(row["request"]) or text_of(row["completed"])
    if not request:
        return Skipped(identity, NO_TEXT)
    summary, body = titled(request.splitlines()[0], body)
    return Item(
        identity,
        "sessions",
        summary,
        body,
        time_of(row["created_at_epoch"]) or time_of(row["created_at"]),
        score=0.5,
        fields=without_empty(
            {
                "files_read": project.files(texts_of(row["files_read"])),
                "files_modified": project.files(texts_of(row["files_edited"])),
                "session": sessions.get(text_of(row["memory_session_id"])),
                "provenance": {"said_by": "agent"},
            }
        ),
    )


SOURCE = ClaudeMem()
