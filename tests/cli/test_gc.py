"""`recollect gc` asks before it erases."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from recollect.api.recollect import Recollect
from recollect.cli import root
from tests.sandbox import Sandbox


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with commits."""
    sandbox.make_hub()
    return sandbox.clone("ada")


@pytest.fixture
def store(sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch) -> Recollect:
    """Its memory, with something that was retired long enough ago."""
    store = sandbox.open(repo)
    store.set_status(store.capture("notes", "Looked at the dashboards").id, "retired")
    monkeypatch.setenv("RECOLLECT_DELETE_GRACE_PERIOD_DAYS", "1e-9")
    return store


def gc(repo: Path, *options: str) -> Result:
    """The command, without a terminal."""
    return CliRunner().invoke(root, ["-C", str(repo), "gc", *options])


def test_gc_asks_like_purge(repo: Path, store: Recollect) -> None:
    """Without a terminal, `--yes` is the answer."""
    said = gc(repo)
    assert said.exit_code != 0
    assert "add --yes" in str(said.exception)
    assert len(store.memories(status="all")) == 1

    assert gc(repo, "--dry-run").exit_code == 0
    assert len(store.memories(status="all")) == 1

    assert gc(repo, "--yes").exit_code == 0
    assert store.memories(status="all") == []
    assert gc(repo).exit_code == 0  # nothing to erase, nothing to ask


def test_gc_does_not_ask_where_it_archives(
    repo: Path, store: Recollect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That can be undone."""
    monkeypatch.setenv("RECOLLECT_DELETE_ARCHIVE_RETIRED", "true")

    assert gc(repo).exit_code == 0
    assert [memory.status for memory in store.memories(status="all")] == ["archived"]
