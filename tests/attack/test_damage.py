"""Damaged objects harm one kind, repair brings it back, and no `git gc` makes new ones."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from recollect.errors import StorageError
from recollect.ledger.health import PROBLEM
from tests.attack.commands import run, summaries
from tests.sandbox import Sandbox

ALL = ["a learning", "first", "second", "third"]


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with three decisions and a learning, as loose objects."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    store = sandbox.open(path)
    store.capture("learnings", "a learning")
    for summary in ("first", "second", "third"):
        store.capture("decisions", summary, f"body of {summary}")
    store.close()
    make_loose(sandbox, path)
    return path


def make_loose(sandbox: Sandbox, repo: Path) -> None:
    """Take the packs apart, so that single objects can be damaged."""
    folder = repo / ".git" / "objects" / "pack"
    packs = [path.read_bytes() for path in sorted(folder.glob("*.pack"))]
    for path in folder.iterdir():
        path.unlink()
    for pack in packs:
        sandbox.git(repo, "unpack-objects", "-q", stdin=pack)


def victim(sandbox: Sandbox, repo: Path, what: str) -> str:
    """The id of an object of the decisions."""
    ref = "refs/notes/mem/decisions"
    head = sandbox.git(repo, "rev-parse", "HEAD")
    path = f"{head[:2]}/{head[2:4]}/{head[4:]}"
    names = {"commit": ref, "tree": f"{ref}^{{tree}}", "subtree": f"{ref}:{head[:2]}"}
    return sandbox.git(repo, "rev-parse", names.get(what, f"{ref}:{path}"))


def spoil(repo: Path, oid: str, how: str) -> None:
    """Remove an object, or fill it with nonsense, or empty it as a power cut does."""
    path = repo / ".git" / "objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    if how == "gone":
        path.unlink()
    else:
        path.write_bytes(b"nonsense" if how == "garbage" else b"")


@pytest.mark.parametrize("how", ["gone", "garbage", "empty"])
@pytest.mark.parametrize("what", ["commit", "tree", "subtree", "note"])
@pytest.mark.parametrize("indexed", [True, False], ids=["indexed", "no index"])
def test_a_damaged_object(sandbox: Sandbox, repo: Path, what: str, how: str, indexed: bool) -> None:
    """The other kinds go on, doctor tells, and repair brings back what the clone still has."""
    assert summaries(sandbox, repo) == ALL
    if not indexed:
        sandbox.drop_derived_files(repo)
    spoil(repo, victim(sandbox, repo, what), how)

    assert "a learning" in summaries(sandbox, repo)
    assert sandbox.open(repo).capture("learnings", "another").summary == "another"
    told = run(repo, "doctor")
    assert told.returncode in (0, 1)
    assert "decisions" in told.stdout

    done = run(repo, "repair")

    assert done.returncode == 0, done.stdout + done.stderr
    found = summaries(sandbox, repo)
    # Without an index the reflog has all but the last change.
    assert set(found) >= {"a learning", "another", "first", "second"}
    assert "third" in found or not indexed
    assert [f for f in sandbox.open(repo).doctor() if f.level == PROBLEM] == []
    sandbox.open(repo).capture("decisions", "afterwards")
    assert "afterwards" in summaries(sandbox, repo)


def test_a_capture_into_a_damaged_kind_says_what_to_do(sandbox: Sandbox, repo: Path) -> None:
    """It is refused rather than stored over what may still be saved."""
    spoil(repo, victim(sandbox, repo, "commit"), "gone")

    with pytest.raises(StorageError) as caught:
        sandbox.open(repo).capture("decisions", "new")

    assert "recollect repair" in caught.value.hint


@pytest.mark.parametrize("what", ["commit", "tree", "note"])
def test_a_rebuild_keeps_what_only_the_index_knows(sandbox: Sandbox, repo: Path, what: str) -> None:
    """A reindex between the damage and the repair loses nothing."""
    assert summaries(sandbox, repo) == ALL
    spoil(repo, victim(sandbox, repo, what), "gone")

    assert run(repo, "reindex", "--full").returncode == 0
    assert summaries(sandbox, repo) == ALL
    assert run(repo, "repair").returncode == 0
    assert summaries(sandbox, repo) == ALL


def test_repair_brings_no_purged_memory_back(sandbox: Sandbox, repo: Path) -> None:
    """What the index or a reflog may know of it does not count."""
    store = sandbox.open(repo)
    (second,) = [m for m in store.memories() if m.summary == "second"]
    store.purge(second.uid)
    store.close()
    make_loose(sandbox, repo)
    spoil(repo, victim(sandbox, repo, "note"), "gone")

    assert run(repo, "repair").returncode == 0

    assert summaries(sandbox, repo) == ["a learning", "first", "third"]


def test_a_broken_ref_file(sandbox: Sandbox, repo: Path) -> None:
    """An empty ref file, which a power cut leaves, is told and mended."""
    for ref in ("refs/notes/mem/decisions", "refs/mem/seen/decisions"):
        (repo / ".git" / ref).write_bytes(b"")

    assert "a learning" in summaries(sandbox, repo)
    assert run(repo, "doctor").returncode == 1
    assert run(repo, "repair").returncode == 0
    assert summaries(sandbox, repo) == ALL


@pytest.mark.parametrize("what", ["commit", "tree", "note"])
def test_a_damaged_kind_does_not_stop_a_sync(sandbox: Sandbox, hub: Path, what: str) -> None:
    """The other kinds are exchanged; the damaged one is told, and comes back after a repair."""
    ada = sandbox.clone("ada")
    store = sandbox.open(ada)
    store.capture("decisions", "first")
    store.capture("learnings", "a learning")
    store.sync()
    store.capture("learnings", "another")
    store.close()
    make_loose(sandbox, ada)
    spoil(ada, victim(sandbox, ada, what), "gone")

    done = run(ada, "sync")
    assert done.returncode == 0, done.stderr
    bob = sandbox.clone("bob")
    sandbox.open(bob).sync()
    assert "another" in summaries(sandbox, bob)
    assert run(ada, "repair").returncode == 0
    assert run(ada, "sync").returncode == 0
    carol = sandbox.clone("carol")
    sandbox.open(carol).sync()
    assert summaries(sandbox, carol) == ["a learning", "another", "first"]


def test_captures_beside_a_looping_gc(sandbox: Sandbox) -> None:
    """Sixty captures are acknowledged while git prunes all the time, and all are there."""
    repo = sandbox.init("busy")
    sandbox.commit(repo)
    stop = sandbox.root / "stop"
    loop = f"while [ ! -e '{stop}' ]; do git gc --quiet --prune=now; done"
    with subprocess.Popen(
        ["sh", "-c", loop], cwd=repo, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as gc:
        try:
            code = (
                "import recollect, sys\n"
                "for n in range(20):\n"
                "    with recollect.open(sys.argv[1]) as store:\n"
                "        print(store.capture('decisions', f'{sys.argv[2]} {n}', 'x' * 200).uid,"
                " flush=True)\n"
            )
            writers = [
                subprocess.Popen(
                    [sys.executable, "-c", code, str(repo), name],
                    env={**os.environ, "RECOLLECT_LOCK_TIMEOUT": "120"},
                    stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE,
                    text=True,
                )
                for name in ("ada", "bob", "carol")
            ]
            said = [writer.communicate() for writer in writers]
        finally:
            stop.touch()
            gc.wait()
    assert [writer.returncode for writer in writers] == [0, 0, 0], [err for _, err in said]
    uids = [uid for out, _ in said for uid in out.split()]
    assert len(uids) == 60
    assert {memory.uid for memory in sandbox.open(repo).memories()} == set(uids)
    fsck = sandbox.run(repo, "fsck", "--strict", "--connectivity-only")
    assert fsck.returncode == 0, fsck.stderr
    assert [f for f in sandbox.open(repo).doctor() if f.level == PROBLEM] == []


def test_our_packs_stay_few(sandbox: Sandbox) -> None:
    """Many captures do not leave many packs, nor a file that keeps one for ever."""
    repo = sandbox.init("many")
    sandbox.commit(repo)
    store = sandbox.open(repo)
    for number in range(40):
        store.capture("decisions", f"memory {number}")

    folder = repo / ".git" / "objects" / "pack"
    assert len(list(folder.glob("*.pack"))) <= 17
    assert list(folder.glob("*.keep")) == []
    assert sandbox.run(repo, "fsck", "--strict").returncode == 0
    assert len(sandbox.open(repo).memories()) == 40


def test_a_pack_of_a_killed_fetch_does_not_keep_purged_text(sandbox: Sandbox) -> None:
    """A fetch that is killed leaves a `.keep` file; what it protects is erased all the same."""
    sandbox.make_hub()
    ada, bob = sandbox.open(sandbox.clone("ada")), sandbox.open(sandbox.clone("bob"))
    memory = bob.capture("decisions", "Secret plan", "text-to-go")
    bob.sync()
    ada.sync()
    repo = ada.ledger.repository.common_dir
    gone = subprocess.Popen(["true"])
    gone.wait()
    for pack in (repo / "objects" / "pack").glob("pack-*.pack"):
        keep = pack.with_suffix(".keep")
        keep.write_text(f"fetch-pack {gone.pid} on {socket.gethostname()}\n")
    for mark in ada.ledger.repository.state_dir.glob("*.pack"):
        mark.unlink()  # killed before it could say that the pack is ours

    assert ada.purge(memory.uid) == []

    sandbox.collect_garbage(repo)
    assert b"text-to-go" not in sandbox.all_bytes(repo)
