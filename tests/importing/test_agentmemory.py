"""The store of agentmemory, and an export."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from recollect.importing.agentmemory import SOURCE
from tests.importing.readings import read, reading_in, shop
from tests.importing.rivals import AGENTMEMORY, unpacked
from tests.sandbox import Sandbox


def test_a_store_of_the_stand_alone_server(sandbox: Sandbox, tmp_path: Path) -> None:
    """Memories keep their type, concepts and files."""
    path = unpacked(f"agentmemory-{AGENTMEMORY}.json", tmp_path / "standalone.json")
    items, left = read(SOURCE, reading_in(sandbox, shop(sandbox), tmp_path), path)

    assert [(item.kind, item.summary) for item in items] == [
        ("decisions", "Use PostgreSQL 16 because two workers write at once."),
        ("preferences", "Amounts are integers in cents."),
    ]
    assert items[0].fields["files_modified"] == ["src/db.py"]
    assert items[0].fields["tags"] == ["database", "persistence"]
    assert not left


def test_an_export_of_the_full_server(sandbox: Sandbox, tmp_path: Path) -> None:
    """What names another project, was replaced or was deleted stays out."""
    path = unpacked(f"agentmemory-{AGENTMEMORY}-export.json", tmp_path / "export.json")
    exported = json.loads(path.read_text())
    items, left = read(SOURCE, reading_in(sandbox, shop(sandbox), tmp_path), path)

    assert exported["version"] == AGENTMEMORY
    assert [(item.kind, item.summary) for item in items] == [
        ("decisions", "Use PostgreSQL 16 because two workers write at once."),
        ("preferences", "Amounts are integers in cents."),
        ("notes", "The worker listens on port 2 for jobs."),
        ("learnings", "Restart the worker after a deploy"),
        ("sessions", "Move the orders to PostgreSQL"),
    ]
    assert Counter(one.reason for one in left) == {
        "a newer version replaces it": 1,
        "it belongs to another project": 2,
        "it was deleted": 1,
    }
    assert len(items) + len(left) == sum(
        len(exported[name]) for name in ("memories", "lessons", "summaries")
    )


def test_what_an_export_says_of_lessons_and_sessions(sandbox: Sandbox, tmp_path: Path) -> None:
    """A lesson keeps where it applies; a summary keeps what was decided, and the session."""
    path = unpacked(f"agentmemory-{AGENTMEMORY}-export.json", tmp_path / "export.json")
    items, _ = read(SOURCE, reading_in(sandbox, shop(sandbox), tmp_path), path)
    lesson, summary = items[3:]

    assert lesson.body == "The queue keeps old code"
    assert lesson.fields["tags"] == ["deploy", "queue"]
    assert lesson.fields["importance"] == 0.8
    assert summary.identity == "summary s-1"
    assert summary.body == (
        "Two workers locked each other out of SQLite, so the orders moved.\n\n"
        "Decided:\n- Use PostgreSQL 16"
    )
    assert summary.fields["session"] == "s-1"
    assert summary.fields["files_modified"] == ["src/db.py"]


def test_a_project_may_have_any_name(sandbox: Sandbox, tmp_path: Path) -> None:
    """Its sessions say where they ran."""
    repository = shop(sandbox)
    path = tmp_path / "export.json"
    memories = [{"id": "m1", "type": "fact", "content": "Port 1", "project": "p-77"}]
    here = {"id": "s1", "project": "p-77", "cwd": str(repository / "src")}
    reading = reading_in(sandbox, repository, tmp_path)

    path.write_text(json.dumps({"memories": memories}))
    assert read(SOURCE, reading, path)[0] == []
    path.write_text(json.dumps({"memories": memories, "sessions": [here]}))
    assert [item.summary for item in read(SOURCE, reading, path)[0]] == ["Port 1"]


def test_an_export_with_older_versions_and_lessons(sandbox: Sandbox, tmp_path: Path) -> None:
    """Only the newest version of a memory counts; lessons are learnings."""
    path = tmp_path / "export.json"
    memories = [
        {"id": "m1", "type": "fact", "content": "The port is 1", "isLatest": False},
        {"id": "m2", "type": "fact", "content": "The port is 2", "isLatest": True},
    ]
    lessons = [{"id": "l1", "content": "Restart the worker after a deploy"}]
    path.write_text(json.dumps({"version": "0.9.29", "memories": memories, "lessons": lessons}))
    items, left = read(SOURCE, reading_in(sandbox, shop(sandbox), tmp_path), path)

    assert [(item.kind, item.identity) for item in items] == [("notes", "m2"), ("learnings", "l1")]
    assert [one.identity for one in left] == ["m1"]
