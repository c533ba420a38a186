"""The history and an export of Mem0."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.importing.mem0 import SOURCE
from tests.importing.readings import read, reading_in, shop
from tests.importing.rivals import MEM0, unpacked
from tests.sandbox import Sandbox


@pytest.mark.parametrize(
    ("store", "name", "deleted"),
    [
        (f"mem0-{MEM0}-history.db.gz", "history.db", 1),
        (f"mem0-{MEM0}-export.json", "export.json", 0),
    ],
)
def test_a_store_of_the_program(
    sandbox: Sandbox, tmp_path: Path, store: str, name: str, deleted: int
) -> None:
    """The last text of each memory counts, and what was deleted there does not."""
    path = unpacked(store, tmp_path / name)
    items, left = read(SOURCE, reading_in(sandbox, shop(sandbox), tmp_path), path)

    assert {(item.kind, item.summary) for item in items} == {
        ("decisions", "We decided to use PostgreSQL 16 because two workers write at once."),
        ("preferences", "Amounts are integers in cents, never floats"),
    }
    assert all((item.created or "").startswith("2026-") for item in items)
    assert len(left) == deleted


def test_no_store_is_found_by_itself(sandbox: Sandbox, tmp_path: Path) -> None:
    """It does not say which project it is about."""
    assert not SOURCE.find(reading_in(sandbox, shop(sandbox), tmp_path))
