"""The agent's own memory folder, as its client lays it out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from recollect.errors import ParseError
from recollect.importing.claude_native import SOURCE
from tests.importing.readings import read, reading_in, shop
from tests.sandbox import Sandbox

INDEX = """# Memory

- [Testing policy](feedback_testing.md) — integration tests hit a real database

## Conventions
- Amounts are **integers** in cents, never floats
- short one
```
- not an entry of a list
```
"""
TOPIC = """---
name: testing-policy
description: Integration tests must hit a real database, not mocks
type: feedback
---

Mocked tests passed and the migration failed.
"""
PERSON = """---
name: user-role
description: Ada is new to Rust
metadata:
  type: user
---
Explain borrowing when it matters.
"""


def folder(repository: Path, home: Path) -> Path:
    """The folder of a project in a home: its path with dashes."""
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(repository.resolve()))
    path = home / ".claude" / "projects" / slug / "memory"
    path.mkdir(parents=True)
    (path / "MEMORY.md").write_text(INDEX)
    (path / "feedback_testing.md").write_text(TOPIC)
    (path / "user.md").write_text(PERSON)
    return path


def test_topics_and_the_index(sandbox: Sandbox, tmp_path: Path) -> None:
    """A topic is one memory, a list several; a link is neither, and a person stays private."""
    repository = shop(sandbox)
    path = folder(repository, tmp_path)
    reading = reading_in(sandbox, repository, tmp_path)
    items, _ = read(SOURCE, reading, path)
    by_title = {item.summary: item for item in items}

    assert [(place.path, place.about) for place in SOURCE.find(reading)] == [(str(path), "3 files")]
    assert set(by_title) == {
        "Amounts are integers in cents, never floats",
        "Integration tests must hit a real database, not mocks",
        "Ada is new to Rust",
    }
    topic = by_title["Integration tests must hit a real database, not mocks"]
    assert topic.kind == "preferences"
    assert topic.body == "Mocked tests passed and the migration failed."
    assert by_title["Ada is new to Rust"].fields["sensitivity"] == "private"
    entry = by_title["Amounts are integers in cents, never floats"]
    assert entry.body == "From “Conventions” in MEMORY.md"


def test_two_working_trees(sandbox: Sandbox, tmp_path: Path) -> None:
    """Files of the same name are two items, so that none replaces the other."""
    repository = shop(sandbox)
    sandbox.git(repository, "worktree", "add", "-q", str(tmp_path / "side"), "-b", "side")
    main, side = folder(repository, tmp_path), folder(tmp_path / "side", tmp_path)
    (side / "feedback_testing.md").write_text(TOPIC.replace("a real database", "SQLite in memory"))
    reading = reading_in(sandbox, repository, tmp_path)
    assert [place.path for place in SOURCE.find(reading)] == [str(main), str(side)]
    identities = [
        {item.identity for item in read(SOURCE, reading, path)[0]} for path in (main, side)
    ]
    assert len(set.union(*identities)) == 6
    assert "feedback_testing.md" in identities[0]


def test_a_folder_without_files(sandbox: Sandbox, tmp_path: Path) -> None:
    """An error says what is missing."""
    with pytest.raises(ParseError, match="no Markdown files"):
        read(SOURCE, reading_in(sandbox, shop(sandbox), tmp_path), tmp_path / "none")
