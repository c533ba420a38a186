"""Memories work wherever git does, and where it does not."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings

from recollect.errors import Ambiguous, NotFound, StorageError, UnsafeName, ValidationError
from recollect.ledger.writes import SHARD_RECORDS
from tests.core.strategies import BODIES
from tests.sandbox import Sandbox

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
LEGACY = """\
---
type: decisions
timestamp: 2024-01-15T10:30:00+00:00
summary: Use PostgreSQL for persistence
tags:
  - database
status: active
---

## Context

---

Strong ACID compliance.
"""


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with one commit."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    return path


def test_a_repository_without_commits(sandbox: Sandbox) -> None:
    """The first capture needs no commit: the memory is on the project's anchor."""
    repo = sandbox.init("empty")
    store = sandbox.open(repo)

    memory = store.capture("decisions", "Before the first commit", "body")

    assert memory.id == f"decisions:{EMPTY_TREE}:0"
    assert sandbox.open(repo).get("decisions:4b825dc:0").body == "body"
    sandbox.git(repo, "gc", "--quiet", "--prune=now")
    sandbox.git(repo, "notes", "--ref=mem/decisions", "prune")
    assert sandbox.open(repo).get(memory.uid).summary == "Before the first commit"


def test_worktrees_share_one_ledger(sandbox: Sandbox, repo: Path) -> None:
    """A memory made in one worktree is there in the other, on the commit of its own HEAD."""
    sandbox.git(repo, "worktree", "add", "--quiet", "-b", "side", "../side")
    side = sandbox.root / "side"
    commit = sandbox.commit(side)

    memory = sandbox.open(side).capture("notes", "From the side")

    assert memory.id == f"notes:{commit}:0"
    assert memory.branch == "side"
    assert sandbox.open(repo).get(memory.id).uid == memory.uid
    assert not (repo / ".git" / "worktrees" / "side" / "recollect").exists()


def test_a_detached_head(sandbox: Sandbox, repo: Path) -> None:
    """Without a branch there is still a commit."""
    commit = sandbox.git(repo, "rev-parse", "HEAD")
    sandbox.git(repo, "checkout", "--quiet", "--detach")

    memory = sandbox.open(repo).capture("notes", "Detached")

    assert (memory.id, memory.branch) == (f"notes:{commit}:0", None)


def test_a_bare_repository(sandbox: Sandbox, repo: Path) -> None:
    """A server's repository can remember, too."""
    sandbox.git(sandbox.root, "clone", "--quiet", "--bare", str(repo), "bare.git")
    bare = sandbox.root / "bare.git"

    memory = sandbox.open(bare).capture("notes", "In the bare one")

    assert sandbox.open(bare).get(memory.id).summary == "In the bare one"


def test_a_shallow_clone(sandbox: Sandbox, repo: Path) -> None:
    """Memories on commits that a shallow clone does not have are read, and synced."""
    first = sandbox.git(repo, "rev-parse", "HEAD")
    sandbox.open(repo).capture("notes", "On the first commit")
    sandbox.commit(repo)
    sandbox.git(sandbox.root, "clone", "--quiet", "--depth=1", repo.as_uri(), "shallow")
    store = sandbox.open(sandbox.root / "shallow")

    store.sync()

    assert store.get(f"notes:{first}:0").summary == "On the first commit"


def test_a_sha256_repository(sandbox: Sandbox) -> None:
    """Names and anchors are as long as the repository's ids."""
    repo = sandbox.init("sha256", "--object-format=sha256")
    commit = sandbox.commit(repo)
    store = sandbox.open(repo)
    on_commit = store.capture("notes", "On a long id")
    on_project = store.capture("notes", "On the project", at=None)

    assert on_commit.id == f"notes:{commit}:0"
    assert len(commit) == 64
    assert {m.uid for m in sandbox.open(repo).memories()} == {on_commit.uid, on_project.uid}
    store.purge(on_commit.id)
    assert [m.uid for m in store.memories()] == [on_project.uid]
    assert sandbox.git(repo, "notes", "--ref=mem/notes", "show", on_project.id.split(":")[1])


def test_outside_of_any_repository(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The user ledger keeps what was captured there, for that directory and those below it."""
    monkeypatch.setenv("RECOLLECT_DATA_DIR", str(sandbox.root / "data"))
    for name in ("here/below", "elsewhere"):
        (sandbox.root / name).mkdir(parents=True)
    memory = sandbox.open(sandbox.root / "here").capture("notes", "No repository around")

    def seen(name: str) -> list[str]:
        return [m.uid for m in sandbox.open(sandbox.root / name).memories()]

    assert seen("here") == seen("here/below") == [memory.uid]
    assert seen("elsewhere") == []
    assert (sandbox.root / "data").stat().st_mode & 0o077 == 0


def test_a_directory_that_is_not_there(sandbox: Sandbox) -> None:
    """A path that does not exist is a clear error."""
    with pytest.raises(ValidationError):
        sandbox.open(sandbox.root / "nowhere")


def test_git_dir_of_a_git_hook_does_not_mislead(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """GIT_DIR and friends, set while git runs a hook, do not lead a named path astray."""
    other = sandbox.init("other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git" / "index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other / ".git" / "objects"))

    memory = sandbox.open(repo).capture("notes", "Here, not there")

    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_OBJECT_DIRECTORY")
    assert sandbox.open(repo).get(memory.id).uid == memory.uid
    assert not (other / ".git" / "refs" / "notes").exists()


def test_the_project_note_is_sharded(sandbox: Sandbox, repo: Path) -> None:
    """When the project's note is full the next memory opens a shard that no prune drops."""
    store = sandbox.open(repo)
    drafts = [{"kind": "notes", "summary": f"n {n}", "at": None} for n in range(SHARD_RECORDS + 2)]
    memories = store.capture_many(drafts[:-1])
    memories.append(store.capture("notes", "the last", at=None))

    anchors = [m.id.split(":")[1] for m in memories]
    assert len({m.id for m in memories}) == len(memories)
    assert anchors[0] == EMPTY_TREE
    assert anchors[-2:] == [anchors[-1]] * 2 != [EMPTY_TREE] * 2
    assert sandbox.git(repo, "cat-file", "-p", anchors[-1]) == "mem project 1"
    sandbox.git(repo, "notes", "--ref=mem/notes", "prune")
    sandbox.git(repo, "gc", "--quiet", "--prune=now")
    assert len(sandbox.open(repo).memories()) == len(memories)


def test_a_flush_of_many_is_one_commit(sandbox: Sandbox, repo: Path) -> None:
    """A hundred captures at once are one commit of the notes ref; a bad one stores none."""
    store = sandbox.open(repo)
    store.capture_many({"kind": "notes", "summary": f"n {n}"} for n in range(100))

    assert sandbox.git(repo, "rev-list", "--count", "refs/notes/mem/notes") == "1"
    with pytest.raises(ValidationError):
        store.capture_many([{"kind": "notes", "summary": "fine"}, {"kind": "notes", "summary": ""}])
    assert len(store.memories()) == 100


def test_numbers_are_never_given_twice(sandbox: Sandbox, repo: Path) -> None:
    """A purged memory's name never comes to mean another one, nor does a private one's."""
    store = sandbox.open(repo)
    names = [store.capture("notes", "a").id, store.capture("notes", "b").id]
    names.append(store.capture("notes", "c", sensitivity="private").id)
    store.purge(names[1])
    names.append(store.capture("notes", "d").id)

    assert len(set(names)) == 4
    with pytest.raises(NotFound):
        store.get(names[1])


def test_a_revision_that_is_not_there(sandbox: Sandbox, repo: Path) -> None:
    """A memory can be put on any commit; a name that is none is refused and nothing is stored."""
    store = sandbox.open(repo)
    with pytest.raises(UnsafeName):
        store.capture("notes", "x", at="no-such-branch")
    with pytest.raises(UnsafeName):
        store.capture("notes", "x", at="--all")

    assert store.memories() == []


def test_legacy_notes_are_read_and_left_alone(sandbox: Sandbox, repo: Path) -> None:
    """The older system's notes read as memories; writing beside them does not change them."""
    second = LEGACY.replace("10:30", "11:30").replace("PostgreSQL", "Redis")
    sandbox.git(repo, "notes", "--ref=mem/decisions", "add", "-F", "-", stdin=LEGACY.encode())
    sandbox.git(repo, "notes", "--ref=mem/decisions", "append", "-F", "-", stdin=second.encode())
    text = sandbox.git(repo, "notes", "--ref=mem/decisions", "show")
    commit = sandbox.git(repo, "rev-parse", "HEAD")
    store = sandbox.open(repo)

    assert [m.summary for m in store.memories()] == [
        "Use PostgreSQL for persistence",
        "Use Redis for persistence",
    ]
    assert store.get(f"decisions:{commit[:7]}:1").tags == ("database",)
    assert store.get(f"decisions:{commit}:0").body.endswith("Strong ACID compliance.")
    store.capture("learnings", "Another kind")
    assert sandbox.git(repo, "notes", "--ref=mem/decisions", "show") == text
    new = store.capture("decisions", "Beside them")
    assert new.id == f"decisions:{commit}:2"
    assert text in sandbox.git(repo, "notes", "--ref=mem/decisions", "show")


def test_editing_a_legacy_memory_keeps_its_identity(sandbox: Sandbox, repo: Path) -> None:
    """An edit frames the record under the uid it had; its neighbours stay as they were."""
    sandbox.git(repo, "notes", "--ref=mem/decisions", "add", "-F", "-", stdin=LEGACY.encode())
    store = sandbox.open(repo)
    (before,) = store.memories()

    after = store.update(before.id, summary="Use PostgreSQL 17")
    store.set_status(after.id, "archived", "old")

    (stored,) = sandbox.open(repo).memories(status="all")
    assert (stored.uid, stored.id, stored.body) == (before.uid, before.id, before.body)
    assert (stored.summary, stored.status) == ("Use PostgreSQL 17", "archived")


def test_notes_of_the_cs_system_are_read_and_never_written(sandbox: Sandbox, repo: Path) -> None:
    """`refs/notes/cs/*` belongs to another tool; an edit brings the memory over to ours."""
    sandbox.git(repo, "notes", "--ref=cs/decisions", "add", "-F", "-", stdin=LEGACY.encode())
    tip = sandbox.git(repo, "rev-parse", "refs/notes/cs/decisions")
    store = sandbox.open(repo)
    (memory,) = store.memories()

    changed = store.update(memory.id, tags=["sql"])

    assert (changed.uid, changed.tags, changed.body) == (memory.uid, ("sql",), memory.body)
    assert len(sandbox.open(repo).memories()) == 1
    assert sandbox.git(repo, "rev-parse", "refs/notes/cs/decisions") == tip
    with pytest.raises(ValidationError):
        store.purge(memory.id)


@settings(max_examples=25)
@given(body=BODIES)
def test_bodies_round_trip_through_git(tmp_path_factory: pytest.TempPathFactory, body: str) -> None:
    """Any body comes back byte for byte, also with neighbours in its note, also after a gc."""
    sandbox = Sandbox(tmp_path_factory.mktemp("bodies"))
    repo = sandbox.init("repo")
    memories = sandbox.open(repo).capture_many(
        {"kind": "notes", "summary": "s", "body": text} for text in (body, "plain", body * 2)
    )

    found = sandbox.open(repo)

    assert [found.get(m.uid).body for m in memories] == [body, "plain", body * 2]


def test_a_large_body_and_a_binary_looking_one(sandbox: Sandbox, repo: Path) -> None:
    """100 KB, and every character from 1 to 0x2fff, come back as they were."""
    odd = "".join(map(chr, range(1, 0x3000)))
    store = sandbox.open(repo)
    large, binary = store.capture("notes", "l", "é" * 51_200), store.capture("notes", "b", odd)

    found = sandbox.open(repo)

    assert found.get(large.id).body == "é" * 51_200
    assert found.get(binary.id).body == odd


def test_plain_text_added_with_git_becomes_a_memory(sandbox: Sandbox, repo: Path) -> None:
    """`git notes append` adds a memory; appending again adds another, and names stay."""
    store = sandbox.open(repo)
    mine = store.capture("notes", "mine")
    sandbox.git(repo, "notes", "--ref=mem/notes", "append", "-m", "remember the milk")
    first = {m.summary: m.id for m in store.memories()}
    sandbox.git(repo, "notes", "--ref=mem/notes", "append", "-m", "Title", "-m", "and the reason")

    found = {m.summary: m for m in sandbox.open(repo).memories()}

    assert set(found) == {"mine", "remember the milk", "Title"}
    assert found["remember the milk"].id == first["remember the milk"]
    assert found["Title"].body == "Title\n\nand the reason"
    assert found["mine"].uid == mine.uid


def test_a_write_right_after_a_foreign_one_loses_nothing(sandbox: Sandbox, repo: Path) -> None:
    """The joined note that a write adds to is the one it made a moment ago, not yet in git."""
    store = sandbox.open(repo)
    one = store.capture("notes", "one")
    sandbox.git(repo, "notes", "--ref=mem/notes", "append", "-m", "foreign")

    two = store.capture("notes", "two")

    assert {m.summary for m in sandbox.open(repo).memories()} == {"one", "foreign", "two"}
    assert one.id != two.id


def test_the_same_text_in_two_kinds_is_purged_from_both(sandbox: Sandbox, repo: Path) -> None:
    """One text under two kinds is one memory in two places; a purge finds both."""
    for kind in ("notes", "learnings"):
        sandbox.git(repo, "notes", f"--ref=mem/{kind}", "append", "-m", "token-8831")
    store = sandbox.open(repo)
    (memory,) = store.memories()

    assert store.purge(memory.uid) == []
    assert b"token-8831" not in sandbox.all_bytes(repo)


def test_a_purge_reaches_objects_that_are_loose_and_packed(sandbox: Sandbox, repo: Path) -> None:
    """Git's maintenance packs objects before it drops the loose ones; both copies go."""
    store = sandbox.open(repo)
    memory = store.capture("notes", "one", "token-8831")
    sandbox.git(repo, "repack", "--quiet", "-a")

    assert store.purge(memory.id) == []
    assert b"token-8831" not in sandbox.all_bytes(repo)


def test_a_ref_that_stands_in_the_way(sandbox: Sandbox, repo: Path) -> None:
    """`git notes --ref=mem add` leaves a ref where ours have to be: the error says what to do."""
    sandbox.git(repo, "notes", "--ref=mem", "add", "-m", "in the way")
    store = sandbox.open(repo)

    with pytest.raises(StorageError) as caught:
        store.capture("notes", "x")

    assert "git update-ref" in caught.value.hint
    assert any(finding.level == "problem" for finding in store.doctor())


def test_a_note_that_git_edited_is_healed(sandbox: Sandbox, repo: Path) -> None:
    """`git notes edit` strips headings; what we had seen comes back."""
    store = sandbox.open(repo)
    memory = store.capture("notes", "one", "# Heading\n\ntext\n")
    sandbox.git(repo, "notes", "--ref=mem/notes", "edit")
    assert "# Heading" not in sandbox.git(repo, "notes", "--ref=mem/notes", "show")

    assert sandbox.open(repo).get(memory.id).body == "# Heading\n\ntext\n"
    assert "# Heading" in sandbox.git(repo, "notes", "--ref=mem/notes", "show")


def test_reading_is_incremental(sandbox: Sandbox, repo: Path) -> None:
    """A refresh with nothing new is one git command; with something new it reads only that."""
    store = sandbox.open(repo)
    store.capture_many({"kind": "notes", "summary": f"n {n}", "at": None} for n in range(30))
    store.refresh()
    git = store.ledger.repository.git
    before = git.spawns

    store.refresh()
    assert git.spawns - before <= 3
    sandbox.open(repo).capture("notes", "new")
    assert len(list(store.ledger.changes(store.indexing.fresh().cursor()).notes)) == 0
    assert len(store.memories()) == 31


def test_a_cursor_that_git_collected_means_a_full_read(sandbox: Sandbox, repo: Path) -> None:
    """When the tree of the last read is gone, everything is read anew, and what is gone is gone."""
    store = sandbox.open(repo)
    doomed = store.capture("notes", "doomed")
    kept = store.capture("notes", "kept", at=None)
    store.refresh()
    sandbox.open(repo).purge(doomed.uid)
    sandbox.collect_garbage(repo)

    assert [m.uid for m in store.memories()] == [kept.uid]


def test_everything_survives_the_loss_of_derived_files(sandbox: Sandbox, repo: Path) -> None:
    """Statuses, edits and links are records: the notes alone bring it all back in a new clone."""
    store = sandbox.open(repo)
    one = store.capture("blockers", "one", tags=["x"])
    two = store.capture("solutions", "two", relates_to=[one.id])
    store.set_status(one.id, "resolved", "by two")
    store.update(two.id, body="how")
    sandbox.git(sandbox.root, "init", "--quiet", "--bare", "copy.git")
    sandbox.git(repo, "push", "--quiet", "../copy.git", "refs/notes/mem/*:refs/notes/mem/*")

    copy = sandbox.open(sandbox.root / "copy.git")

    assert copy.memories() == store.memories()
    assert copy.get(two.uid).relates_to == (one.uid,)
    assert copy.get(one.uid).status_reason == "by two"


def test_the_border_between_private_and_shared(sandbox: Sandbox, repo: Path) -> None:
    """An edit cannot move a text that is in shared history into the private space, or back."""
    store = sandbox.open(repo)
    public = store.capture("notes", "p")
    private = store.capture("notes", "q", sensitivity="private")

    for memory, target in ((public, "secret"), (private, "public")):
        with pytest.raises(ValidationError):
            store.update(memory.id, sensitivity=target)
    assert store.update(private.id, sensitivity="secret").sensitivity == "secret"


def test_names_resolve_short_and_refuse_to_guess(sandbox: Sandbox, repo: Path) -> None:
    """A short name works while it is unique; an ambiguous one lists what it can mean."""
    other = sandbox.root / "other"
    sandbox.git(sandbox.root, "clone", "--quiet", str(repo), "other")
    here, there = sandbox.open(repo), sandbox.open(other)
    one, two = here.capture("notes", "one"), there.capture("notes", "two")
    there.sync()

    assert one.id == two.id
    with pytest.raises(Ambiguous) as caught:
        here.update(one.id, summary="x")
    assert len(caught.value.candidates) == 2
    for name in caught.value.candidates:
        assert here.get(name).id == name


@pytest.mark.parametrize("verb", [["list"], ["list", "--json"], ["doctor"], ["log"]])
def test_reading_commands_leave_no_trace_in_an_empty_repository(
    sandbox: Sandbox, verb: list[str]
) -> None:
    """Looking into a repository that remembers nothing writes nothing."""
    repo = sandbox.init("untouched")
    before = sorted(str(p) for p in repo.rglob("*"))

    subprocess.run(
        ["recollect", *verb], cwd=repo, env=_with_scripts(), check=True, capture_output=True
    )

    assert sorted(str(p) for p in repo.rglob("*")) == before


def _with_scripts() -> dict[str, str]:
    return {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
