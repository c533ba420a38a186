"""The store of agentmemory, and an export."""

from __future__ import annotations

import json
from pathlib import Path

from recollect.importing.agentmemory import SOURCE
from tests.importing.readings import read, reading_in, shop
from tests.importing.rivals import AGENTMEMORY, unpacked
from tests.sandbox import Sandbox


def test_a_store_of_the_program(sandbox: Sandbox, tmp_path: Path) -> None:
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
