"""A ref that is no notes ref, here or at the remote: it is skipped and told, the others sync."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.core import limits
from recollect.ledger.health import PROBLEM
from tests.attack.commands import run, summaries
from tests.sandbox import Sandbox


@pytest.fixture
def repo(sandbox: Sandbox, hub: Path) -> Path:
    """A clone of the hub with a decision and a learning, shared with the hub."""
    path = sandbox.clone("ada")
    store = sandbox.open(path)
    store.capture("decisions", "a decision")
    store.capture("learnings", "a learning")
    store.sync()
    return path


def bad_object(sandbox: Sandbox, repo: Path, kind: str) -> str:
    """An object of some type that is no notes commit."""
    if kind == "blob":
        return sandbox.git(repo, "hash-object", "-w", "--stdin", stdin=b"no notes")
    if kind == "tree":
        return sandbox.git(repo, "mktree", stdin=b"")
    target = sandbox.git(repo, "for-each-ref", "--format=%(objectname)", "refs/heads/main")
    text = f"object {target}\ntype commit\ntag v\ntagger A <a@example.com> 1700000000 +0000\n\nx\n"
    return sandbox.git(repo, "mktag", stdin=text.encode())


@pytest.mark.parametrize("kind", ["blob", "tree", "tag"])
def test_a_bad_object_at_the_remote(sandbox: Sandbox, hub: Path, repo: Path, kind: str) -> None:
    """That kind is skipped and told; the other one arrives."""
    sandbox.git(hub, "update-ref", "refs/notes/mem/decisions", bad_object(sandbox, hub, kind))
    bob = sandbox.clone("bob")
    store = sandbox.open(bob)
    store.capture("decisions", "of bob")
    store.capture("runbooks", "a runbook")

    report = store.sync().report

    assert any("refs/notes/mem/decisions" in text and kind in text for text in report.warnings)
    assert summaries(sandbox, bob) == ["a learning", "a runbook", "of bob"]
    assert sandbox.git(hub, "cat-file", "-t", "refs/notes/mem/runbooks") == "commit"
    assert sandbox.git(hub, "cat-file", "-t", "refs/notes/mem/decisions") == kind
    sandbox.git(bob, "push", "--quiet", "origin", ":refs/notes/mem/decisions")
    sandbox.open(bob).sync()
    sandbox.open(repo).sync()
    assert summaries(sandbox, repo) == ["a decision", "a learning", "a runbook", "of bob"]


@pytest.mark.parametrize("name", ["runbooks/x", "decisions/evil", "learnings/a/b"])
def test_a_slash_after_the_kind_at_the_remote(
    sandbox: Sandbox, hub: Path, repo: Path, name: str
) -> None:
    """A ref below a kind's name keeps that kind from the remote, and no other."""
    kind = name.partition("/")[0]
    commit = sandbox.git(hub, "rev-parse", "refs/notes/mem/decisions")
    sandbox.run(hub, "update-ref", "-d", f"refs/notes/mem/{kind}")
    sandbox.git(hub, "update-ref", f"refs/notes/mem/{name}", commit)
    store = sandbox.open(repo)
    for one in ("decisions", "learnings", "runbooks", "patterns"):
        store.capture(one, f"new in {one}")

    report = store.sync().report

    assert any(f"refs/notes/mem/{name}" in text for text in report.warnings)
    assert report.rounds == 1
    bob = sandbox.clone("bob")
    sandbox.open(bob).sync()
    others = [one for one in ("decisions", "learnings", "runbooks", "patterns") if one != kind]
    assert {f"new in {one}" for one in others} <= set(summaries(sandbox, bob))


@pytest.mark.parametrize("kind", ["blob", "tree", "tag"])
def test_a_bad_object_here(sandbox: Sandbox, hub: Path, repo: Path, kind: str) -> None:
    """What was last seen comes back; what stood there is kept under a ref of its own."""
    oid = bad_object(sandbox, repo, kind)
    sandbox.git(repo, "update-ref", "refs/notes/mem/decisions", oid)

    assert summaries(sandbox, repo) == ["a decision", "a learning"]
    sandbox.open(repo).sync()

    assert sandbox.git(repo, "cat-file", "-t", "refs/notes/mem/decisions") == "commit"
    assert oid in sandbox.refs(repo, "refs/mem/replaced").values()


@pytest.mark.parametrize("kind", ["blob", "tree", "tag"])
def test_a_bad_object_here_that_nothing_was_seen_of(
    sandbox: Sandbox, hub: Path, repo: Path, kind: str
) -> None:
    """It is told by doctor, the others work, and deleting it helps."""
    oid = bad_object(sandbox, repo, kind)
    for ref in ("refs/notes/mem/runbooks", "refs/mem/seen/runbooks"):
        sandbox.git(repo, "update-ref", ref, oid)

    assert summaries(sandbox, repo) == ["a decision", "a learning"]
    assert any("runbooks" in text for text in sandbox.open(repo).sync().report.warnings)
    found = [f for f in sandbox.open(repo).doctor() if f.level == PROBLEM]
    assert {f.check for f in found} == {"refs"}
    for ref in ("refs/notes/mem/runbooks", "refs/mem/seen/runbooks"):
        sandbox.git(repo, "update-ref", "-d", ref)
    assert [f for f in sandbox.open(repo).doctor() if f.level == PROBLEM] == []
    sandbox.open(repo).capture("runbooks", "a runbook")
    assert "a runbook" in summaries(sandbox, repo)


def test_a_slash_after_the_kind_here(sandbox: Sandbox, hub: Path, repo: Path) -> None:
    """It is told, the remote's kind of that name waits, and everything else works."""
    bob = sandbox.clone("bob")
    store = sandbox.open(bob)
    store.capture("runbooks", "a runbook")
    store.sync()
    commit = sandbox.git(repo, "rev-parse", "refs/notes/mem/decisions")
    sandbox.git(repo, "update-ref", "refs/notes/mem/runbooks/x", commit)
    sandbox.open(repo).capture("patterns", "a pattern")

    report = sandbox.open(repo).sync().report

    assert any("runbooks/x" in text for text in report.warnings)
    assert summaries(sandbox, repo) == ["a decision", "a learning", "a pattern"]
    assert run(repo, "doctor").returncode == 1
    assert "refs/notes/mem/runbooks/x" in run(repo, "doctor").stdout
    sandbox.git(repo, "update-ref", "-d", "refs/notes/mem/runbooks/x")
    sandbox.open(repo).sync()
    assert "a runbook" in summaries(sandbox, repo)


def big_note(sandbox: Sandbox, hub: Path, size: int) -> None:
    """Add a note of some size to the decisions of the hub."""
    ref = "refs/notes/mem/decisions"
    blob = sandbox.git(hub, "hash-object", "-w", "--stdin", stdin=b"x" * size)
    head = sandbox.git(hub, "rev-parse", "main~1")
    rows = sandbox.git(hub, "ls-tree", "-r", ref) + f"\n100644 blob {blob}\t{head}\n"
    index = {"GIT_INDEX_FILE": str(hub / "big-index")}
    sandbox.git(hub, "update-index", "--add", "--index-info", stdin=rows.encode(), env=index)
    tree = sandbox.git(hub, "write-tree", env=index)
    commit = sandbox.git(hub, "commit-tree", tree, "-p", ref, "-m", "big")
    sandbox.git(hub, "update-ref", ref, commit)


def test_a_note_that_is_too_large_is_refused(sandbox: Sandbox, hub: Path, repo: Path) -> None:
    """It is refused by its size, told, and everything else arrives."""
    big_note(sandbox, hub, limits.NOTE_BYTES + 1)
    bob = sandbox.clone("bob")
    store = sandbox.open(bob)
    store.capture("decisions", "of bob")

    report = store.sync().report

    assert any("refused" in text and "decisions" in text for text in report.warnings)
    assert summaries(sandbox, bob) == ["a decision", "a learning", "of bob"]
    carol = sandbox.clone("carol")
    assert sandbox.open(carol).sync().report.cases["decisions"] == "S2"
    assert summaries(sandbox, carol) == ["a decision", "a learning", "of bob"]


def test_a_clone_without_notes_takes_nothing_too_large(
    sandbox: Sandbox, hub: Path, repo: Path
) -> None:
    """Where there is nothing to join with, the size is looked at all the same."""
    big_note(sandbox, hub, limits.NOTE_BYTES + 1)
    carol = sandbox.clone("carol")

    report = sandbox.open(carol).sync().report

    assert any("refused" in text for text in report.warnings)
    assert report.cases["decisions"] == "S4"
    assert summaries(sandbox, carol) == ["a decision", "a learning"]
    assert run(carol, "list").returncode == 0
