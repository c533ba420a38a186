"""The database of the LetsGo pipeline."""

from __future__ import annotations

from pathlib import Path

from recollect.importing.foreign import OTHER_PROJECT
from recollect.importing.letsgo import SOURCE
from recollect.importing.source import Item, Place
from tests.importing.letsgo_store import database
from tests.importing.readings import read, reading_in, shop
from tests.sandbox import Sandbox


def test_a_database(sandbox: Sandbox, tmp_path: Path) -> None:
    """Memories keep what they have; what has expired or belongs elsewhere stays there."""
    path = database(tmp_path / "memory.db")
    items, left = read(SOURCE, reading_in(sandbox, shop(sandbox), tmp_path), path)
    first = items[0]

    assert [item.identity for item in items] == ["memory a", "memory c", "fact f"]
    assert (first.kind, first.summary) == ("decisions", "Use PostgreSQL")
    assert first.created == "2026-01-15T10:30:00Z"
    assert first.fields["files_modified"] == ["src/db.py"]
    assert first.fields["sensitivity"] == "private"
    assert first.fields["concepts"] == ["trade-off"]
    assert first.fields["tags"] == ["database", "storage"]
    assert first.fields["session"] == "s-1"
    assert {one.identity: one.reason for one in left}["memory b"] == OTHER_PROJECT
    assert {one.identity for one in left} == {"memory b", "memory d", "fact g"}


def test_what_names_no_project_is_not_read_by_itself(sandbox: Sandbox, tmp_path: Path) -> None:
    """A store that is found has only what is certainly about this project."""
    (tmp_path / ".letsgo").mkdir()
    database(tmp_path / ".letsgo" / "memories.db")
    reading = reading_in(sandbox, shop(sandbox), tmp_path)
    places = SOURCE.find(reading)
    items = [one for one in SOURCE.read(reading, places[0]) if isinstance(one, Item)]

    assert [place.about for place in places] == ["2 memories of this project"]
    assert [item.identity for item in items] == ["memory a"]
    assert not SOURCE.find(reading_in(sandbox, sandbox.init("unrelated"), tmp_path))
    named = Place(str(tmp_path / ".letsgo"), "")
    assert len([one for one in SOURCE.read(reading, named) if isinstance(one, Item)]) == 3
