"""Notes that Basic Memory wrote."""

from __future__ import annotations

import json
from pathlib import Path

from recollect.importing.basic_memory import SOURCE
from recollect.importing.source import Place
from tests.importing.readings import read, reading_in, shop
from tests.importing.rivals import BASIC_MEMORY, unpacked
from tests.sandbox import Sandbox

STORE = f"basic-memory-{BASIC_MEMORY}"


def test_notes_of_the_program(sandbox: Sandbox, tmp_path: Path) -> None:
    """Observations keep their category, tags and context; the prose is a memory, too."""
    folder = unpacked(STORE, tmp_path / "notes")
    items, left = read(SOURCE, reading_in(sandbox, shop(sandbox), tmp_path), folder)

    assert [(item.kind, item.summary) for item in items] == [
        ("decisions", "Use PostgreSQL 16"),
        ("constraints", "Amounts are integers in cents"),
        ("notes", "Use PostgreSQL for persistence"),
    ]
    assert items[0].body == "From the note “Use PostgreSQL for persistence” (after the outage)"
    assert items[1].fields["tags"] == ["money", "database"]
    assert items[2].body == "Two workers write at once."
    assert not left


def test_projects_in_the_configuration(sandbox: Sandbox, tmp_path: Path) -> None:
    """A project with the name of the repository is found, another one is not."""
    folder = unpacked(STORE, tmp_path / "notes")
    config = tmp_path / ".basic-memory" / "config.json"
    config.parent.mkdir()
    reading = reading_in(sandbox, shop(sandbox), tmp_path)

    config.write_text(json.dumps({"projects": {"shop": {"path": str(folder)}, "x": str(folder)}}))
    assert SOURCE.find(reading) == [Place(str(folder), "1 note of “shop”")]
    config.write_text(json.dumps({"projects": {"x": str(folder)}}))
    assert SOURCE.find(reading) == []
    config.write_text("not JSON")
    assert SOURCE.find(reading) == []
