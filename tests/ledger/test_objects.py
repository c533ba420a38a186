"""Objects that are read together are what git gives one by one."""

from __future__ import annotations

from pathlib import Path

import pytest

import recollect
from recollect.ledger.objects import Objects
from tests.sandbox import Sandbox

NAMES = ["HEAD^{commit}", "HEAD^{tree}", "0" * 40, "no such name", "HEAD:", "HEAD^{commit}"]


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with commits."""
    sandbox.make_hub()
    return sandbox.clone("ada")


def test_fetched_objects_are_what_git_gives_one_by_one(repo: Path) -> None:
    """A missing one is missing, and a name in two lines is not asked together with others."""
    names = [*NAMES, "two\nlines"]
    with recollect.open(repo) as store:
        repository = store.ledger.repository
        with repository.git.objects() as reader, repository.git.objects() as another:
            one_by_one = [Objects(repository, another).find(name) for name in NAMES]
            objects = Objects(repository, reader)
            objects.fetch(names * 30)

            assert [objects.find(name) for name in NAMES] == one_by_one
            assert one_by_one[0] is not None
            assert one_by_one[2] is one_by_one[3] is None


def test_many_captures_are_what_one_capture_after_the_other_is(repo: Path) -> None:
    """They are prepared together: on commits with and without memories, and on the project."""
    drafts = [
        {"kind": kind, "summary": f"{kind} {number}", "at": at}
        for number, at in enumerate(["HEAD", "HEAD~1", "HEAD", None])
        for kind in ("decisions", "learnings")
    ]
    with recollect.open(repo) as store:
        store.capture("decisions", "There before", at="HEAD")

        captured = store.capture_many(drafts)

        names = {memory.summary: memory.id for memory in store.memories()}
    assert len(names) == 9
    assert {memory.id for memory in captured} < set(names.values())
    by_anchor = [names[f"decisions {number}"].split(":") for number in range(4)]
    assert [number for *_, number in by_anchor] == ["1", "0", "2", "0"]
    assert len({anchor for _, anchor, _ in by_anchor}) == 3
