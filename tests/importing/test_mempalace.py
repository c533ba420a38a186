"""A palace that MemPalace wrote: what it mined from files, and what an agent filed."""

from __future__ import annotations

import json
from pathlib import Path

from recollect.importing.foreign import OTHER_PROJECT
from recollect.importing.mempalace import SOURCE
from tests.importing.readings import read, reading_in, shop
from tests.importing.rivals import MEMPALACE, unpacked
from tests.sandbox import Sandbox

STORE = f"mempalace-{MEMPALACE}.sqlite3.gz"


def test_a_palace_of_the_program(sandbox: Sandbox, tmp_path: Path) -> None:
    """What an agent filed ranks above what was mined; another wing is another project."""
    path = unpacked(STORE, tmp_path / "chroma.sqlite3")
    items, left = read(SOURCE, reading_in(sandbox, shop(sandbox), tmp_path), path)
    best = max(items, key=lambda item: item.score)

    assert best.summary == "Amounts are integers in cents, never floats."
    assert best.fields["tags"][0] == "money"
    assert len(items) == 2
    assert [one.reason for one in left] == [OTHER_PROJECT]


def test_the_palace_that_the_configuration_names(sandbox: Sandbox, tmp_path: Path) -> None:
    """It is found if it has a wing for this project."""
    unpacked(STORE, tmp_path / "there" / "chroma.sqlite3")
    config = tmp_path / ".config" / "mempalace" / "config.json"
    config.parent.mkdir(parents=True)
    config.write_text(json.dumps({"palace_path": "~/there"}))

    found = SOURCE.find(reading_in(sandbox, shop(sandbox), tmp_path))
    assert [place.about for place in found] == ["2 drawers of this project"]
    assert not SOURCE.find(reading_in(sandbox, sandbox.init("unrelated"), tmp_path))
