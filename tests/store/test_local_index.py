"""An index that looks at the ledger once is answered from one state, until its process writes."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import recollect
from recollect.api.recollect import Recollect
from recollect.hooks.session import HookSession
from recollect.hosts.protocol import PROMPT, Event
from recollect.index.protocol import Filters
from tests.sandbox import Sandbox


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with commits."""
    sandbox.make_hub()
    return sandbox.clone("ada")


@pytest.fixture
def store(repo: Path) -> Iterator[Recollect]:
    """A store that has looked once, before somebody else added a note."""
    with recollect.open(repo) as store:
        store.capture("decisions", "The tax tables are cached")
        store.indexing.look(once=True)
        assert count(store) == 1
        subprocess.run(
            ["git", "notes", "--ref=mem/learnings", "add", "-m", "The hub is slow at night"],
            cwd=repo,
            check=True,
        )
        yield store


def count(store: Recollect) -> int:
    """How many memories the index has."""
    return store.indexing.fresh().count(Filters())


def test_it_looks_once_until_somebody_wants_it_to_look_again(store: Recollect) -> None:
    """The next event looks again."""
    assert count(store) == 1

    store.indexing.look(once=True)

    assert count(store) == 2


def test_it_looks_again_after_a_write_of_its_own(store: Recollect) -> None:
    """What an event captures, its later stages find, with all that came by then."""
    store.capture("decisions", "The queue is emptied before a deploy")

    assert count(store) == 3


def test_without_once_it_looks_at_each_use(store: Recollect) -> None:
    """That is how a store begins."""
    store.indexing.look(once=False)

    assert count(store) == 2


def test_who_has_the_lock_to_capture_looks_again(store: Recollect, repo: Path) -> None:
    """Another session may have captured the same while this one waited."""
    session = HookSession(store, None, Event(PROMPT, directory=str(repo)))

    with session.locked():
        assert count(store) == 2


def test_another_file_is_looked_at_again(store: Recollect) -> None:
    """Whoever deletes the file takes away what it had read."""
    store.indexing.look(once=True)
    assert count(store) == 2

    store.indexing.close()
    store.indexing.path.unlink()
    store.indexing.without_refresh()

    assert count(store) == 2
