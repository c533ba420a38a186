"""Notes of the systems that this one grew out of."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.errors import ParseError
from recollect.importing.git_notes import SOURCE
from tests.importing.readings import read, reading_in, shop
from tests.sandbox import Sandbox

NOTE = """---
type: decisions
timestamp: 2024-01-15T10:30:00+00:00
summary: Use PostgreSQL for persistence
spec: my-project
phase: planning
tags:
  - database
status: active
---

## Context

Two workers write at once.

---

A rule inside the text.

---
type: learnings
timestamp: 2024-01-15T11:00:00Z
summary: Floats lose cents
---
"""


def noted(sandbox: Sandbox, repository: Path, ref: str) -> str:
    """Add the note to the only commit; the commit."""
    sandbox.git(repository, "notes", "--ref", ref, "add", "-F", "-", "HEAD", stdin=NOTE.encode())
    return sandbox.git(repository, "rev-parse", "HEAD")


def test_notes_in_this_repository(sandbox: Sandbox, tmp_path: Path) -> None:
    """They stay on their commit, and a rule in a text does not split it."""
    repository = shop(sandbox)
    commit = noted(sandbox, repository, "refs/notes/cs/decisions")
    reading = reading_in(sandbox, repository, tmp_path)
    items, left = read(SOURCE, reading, repository)

    assert [place.about for place in SOURCE.find(reading)] == ["1 ref below refs/notes/cs/"]
    assert [(i.kind, i.summary, i.commit, i.created) for i in items] == [
        ("decisions", "Use PostgreSQL for persistence", commit, "2024-01-15T10:30:00Z"),
        ("learnings", "Floats lose cents", commit, "2024-01-15T11:00:00Z"),
    ]
    assert "A rule inside the text." in items[0].body
    assert items[0].fields["tags"] == ["database"]
    assert (items[0].fields["spec"], items[0].fields["phase"]) == ("my-project", "planning")
    assert all(item.is_rule for item in items)
    assert not left


def test_what_is_read_in_place_is_not_imported(sandbox: Sandbox, tmp_path: Path) -> None:
    """Notes under `refs/notes/mem` of this repository are memories without an import."""
    repository = shop(sandbox)
    noted(sandbox, repository, "refs/notes/mem/decisions")
    reading = reading_in(sandbox, repository, tmp_path)

    assert not SOURCE.find(reading)
    assert read(SOURCE, reading, repository) == ([], [])
    titles = {one.memory.summary for one in sandbox.open(repository).browse()}
    assert titles == {"Use PostgreSQL for persistence", "Floats lose cents"}


def test_notes_of_another_repository(sandbox: Sandbox, tmp_path: Path) -> None:
    """Both systems count there, and nothing is noted on a commit that is not here."""
    other = shop(sandbox)
    noted(sandbox, other, "refs/notes/mem/decisions")
    sandbox.git(other, "notes", "--ref", "refs/notes/cs/x", "add", "-m", "no front matter", "HEAD")
    items, left = read(SOURCE, reading_in(sandbox, sandbox.init("here"), tmp_path), other)

    assert [(item.kind, item.commit) for item in items] == [
        ("decisions", None),
        ("learnings", None),
    ]
    assert len(left) == 1


def test_a_folder_that_is_no_repository(sandbox: Sandbox, tmp_path: Path) -> None:
    """An error names it."""
    (tmp_path / "plain").mkdir()
    with pytest.raises(ParseError, match="not a git repository"):
        read(SOURCE, reading_in(sandbox, shop(sandbox), tmp_path), tmp_path / "plain")
