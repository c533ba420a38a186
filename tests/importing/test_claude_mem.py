"""Databases that claude-mem wrote, and what is in them about this project."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from recollect.importing.claude_mem import SOURCE
from recollect.importing.foreign import OTHER_PROJECT
from tests.importing.readings import read, reading_in, shop
from tests.importing.rivals import CLAUDE_MEM, unpacked
from tests.sandbox import Sandbox


@pytest.mark.parametrize("version", CLAUDE_MEM)
def test_a_database_of_the_program(sandbox: Sandbox, tmp_path: Path, version: str) -> None:
    """Observations keep their type, files, session and date; summaries are sessions."""
    path = unpacked(f"claude-mem-{version}.db.gz", tmp_path / "claude-mem.db")
    items, left = read(SOURCE, reading_in(sandbox, shop(sandbox), tmp_path), path)
    by_title = {item.summary: item for item in items}

    assert set(by_title) == {
        "Use PostgreSQL for persistence",
        "Invoice totals were off by a cent",
        "Fix the rounding bug",
    }
    saved = by_title["Use PostgreSQL for persistence"]
    assert saved.body == "We decided to use PostgreSQL 16 because two workers write at once."
    fixed = by_title["Invoice totals were off by a cent"]
    assert (fixed.kind, fixed.created) == ("solutions", "2026-03-02T09:20:00Z")
    assert fixed.fields["files_modified"] == ["src/money.py"]
    assert fixed.fields["files_read"] == ["src/invoice.py"]
    assert fixed.fields["concepts"] == ["problem-solution"]
    assert fixed.fields["tags"] == ["rounding"]
    assert fixed.fields["session"] == "c-1"
    assert "- Amounts are integers in cents" in fixed.body
    summary = by_title["Fix the rounding bug"]
    assert summary.kind == "sessions"
    assert "Next steps: Migrate old invoices" in summary.body
    assert [one.reason for one in left] == [OTHER_PROJECT]
    assert not any(item.is_rule for item in items)


def test_it_is_found_where_the_program_keeps_it(sandbox: Sandbox, tmp_path: Path) -> None:
    """In the home or where the variable says, but only if it knows this project."""
    repository = shop(sandbox)
    unpacked(f"claude-mem-{CLAUDE_MEM[-1]}.db.gz", tmp_path / ".claude-mem" / "claude-mem.db")
    reading = reading_in(sandbox, repository, tmp_path)
    elsewhere = reading_in(
        sandbox, repository, tmp_path / "none", {"CLAUDE_MEM_DATA_DIR": f"{tmp_path}/.claude-mem"}
    )
    other = sandbox.init("unrelated")

    assert [place.about for place in SOURCE.find(reading)] == ["2 observations about this project"]
    assert len(SOURCE.find(elsewhere)) == 1
    assert not SOURCE.find(reading_in(sandbox, other, tmp_path))
    assert not SOURCE.find(reading_in(sandbox, repository, tmp_path / "none"))


def test_what_the_running_program_has_not_checkpointed(sandbox: Sandbox, tmp_path: Path) -> None:
    """The worker leaves its last writes in the WAL; reading changes no file beside it."""
    path = unpacked(f"claude-mem-{CLAUDE_MEM[-1]}.db.gz", tmp_path / "claude-mem.db")
    running = sqlite3.connect(path)
    running.execute("PRAGMA journal_mode = WAL")
    running.execute("UPDATE observations SET title = 'From the WAL' WHERE title LIKE 'Use%'")
    running.commit()
    before = {file.name: file.read_bytes() for file in tmp_path.glob("claude-mem.db*")}
    items, _ = read(SOURCE, reading_in(sandbox, shop(sandbox), tmp_path), path)
    after = {file.name: file.read_bytes() for file in tmp_path.glob("claude-mem.db*")}
    running.close()

    assert "From the WAL" in {item.summary for item in items}
    assert len(before) == 3
    assert after == before
