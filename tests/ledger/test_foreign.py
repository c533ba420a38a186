"""Plain git meets the ledger: what `git notes` adds is read, what it removes comes back."""

from __future__ import annotations

import sys
from pathlib import Path
from unittest import mock

import pytest

from tests.sandbox import Sandbox, interpose, interposed

GONE = b"text-that-must-go"
LEGACY = """\
---
type: decisions
summary: An old decision
timestamp: 2024-05-01T10:00:00Z
spec: storage
---

Written by an older system: text-that-must-go
"""


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with two commits."""
    path = sandbox.init("repo")
    sandbox.commit(path)
    sandbox.commit(path)
    return path


def summaries(sandbox: Sandbox, repo: Path) -> list[str]:
    """What a new process remembers, in alphabetical order."""
    return sorted(memory.summary for memory in sandbox.open(repo).memories(status="all"))


def test_plain_git_shows_what_we_wrote(sandbox: Sandbox, repo: Path) -> None:
    """A memory can be read with `git notes show` and `git log --notes`."""
    sandbox.open(repo).capture("decisions", "Use PostgreSQL", "Why: concurrent writes")

    shown = sandbox.git(repo, "notes", "--ref=mem/decisions", "show", "HEAD")
    logged = sandbox.git(repo, "log", "-1", "--notes=mem/decisions")

    for text in (shown, logged):
        assert "summary: Use PostgreSQL" in text
        assert "Why: concurrent writes" in text


@pytest.mark.parametrize(
    "command",
    [
        ("append", "-m", "by hand"),
        ("add", "-f", "-m", "by hand"),
    ],
    ids=["append", "add -f"],
)
def test_a_capture_right_after_a_foreign_write(
    sandbox: Sandbox, repo: Path, command: tuple[str, ...]
) -> None:
    """A capture that finds a note changed by plain git keeps what was there before and after."""
    first = sandbox.open(repo).capture("decisions", "first", "body")
    sandbox.git(repo, "notes", "--ref=mem/decisions", *command)

    second = sandbox.open(repo).capture("decisions", "second")

    assert summaries(sandbox, repo) == ["by hand", "first", "second"]
    assert second.id != first.id


def test_a_change_right_after_a_foreign_write(sandbox: Sandbox, repo: Path) -> None:
    """An edit by a process that has read before plain git changed the note is kept with it."""
    store = sandbox.open(repo)
    memory = store.capture("decisions", "first", "body")
    sandbox.git(repo, "notes", "--ref=mem/decisions", "remove")

    store.set_status(memory.uid, "resolved")

    found = sandbox.open(repo).get(memory.uid)
    assert (found.body, found.status) == ("body", "resolved")


def test_a_purge_right_after_a_foreign_write(sandbox: Sandbox, repo: Path) -> None:
    """A purge that finds the note changed by plain git erases the one memory and keeps the rest."""
    store = sandbox.open(repo)
    memory = store.capture("decisions", "first", GONE.decode())
    store.capture("decisions", "second")
    sandbox.git(repo, "notes", "--ref=mem/decisions", "append", "-m", "by hand")

    assert store.purge(memory.uid) == []

    assert summaries(sandbox, repo) == ["by hand", "second"]
    assert GONE not in sandbox.all_bytes(repo) + sandbox.state_bytes(repo)


def test_removed_notes_come_back(sandbox: Sandbox, repo: Path) -> None:
    """After `git notes remove`, and after deleting the ref, every memory is there again."""
    store = sandbox.open(repo)
    store.capture("decisions", "first")
    store.capture("decisions", "second", at=None)
    sandbox.git(repo, "notes", "--ref=mem/decisions", "remove", "HEAD")
    assert summaries(sandbox, repo) == ["first", "second"]

    sandbox.git(repo, "update-ref", "-d", "refs/notes/mem/decisions")
    assert summaries(sandbox, repo) == ["first", "second"]


def test_a_no_op_edit_keeps_headings(sandbox: Sandbox, repo: Path) -> None:
    """A `git notes edit` that changes nothing drops Markdown headings; we give them back."""
    body = "# Context\n\nIt  hurts.\n\n\n## Decision\n\n  indented  \n"
    memory = sandbox.open(repo).capture("decisions", "first", body)
    sandbox.git(repo, "notes", "--ref=mem/decisions", "edit", "HEAD")

    assert sandbox.open(repo).get(memory.uid).body == body


def test_a_sorted_merge_loses_nothing(sandbox: Sandbox, repo: Path) -> None:
    """After `git notes merge -s cat_sort_uniq`, which sorts all lines, every memory is intact."""
    store = sandbox.open(repo)
    memories = [store.capture("decisions", f"memory {n}", f"body\n---\n{n}") for n in range(3)]
    sandbox.git(repo, "update-ref", "refs/notes/stale", "refs/notes/mem/decisions")
    memories.append(store.capture("decisions", "memory 3", "body 3"))
    sandbox.git(repo, "notes", "--ref=mem/decisions", "merge", "-s", "cat_sort_uniq", "stale")

    fresh = sandbox.open(repo)

    for memory in memories:
        assert fresh.get(memory.id) == memory


def test_the_name_of_plain_text_stays(sandbox: Sandbox, repo: Path) -> None:
    """A name once shown for plain text still means it after rewrites that copied its note."""
    sandbox.git(repo, "config", "notes.rewriteRef", "refs/notes/mem/*")
    sandbox.git(repo, "notes", "--ref=mem/decisions", "append", "-m", "by hand")
    names, uid = set(), ""
    for number in range(6):
        (memory,) = sandbox.open(repo).memories()
        names.add(memory.id)
        uid = memory.uid
        sandbox.git(repo, "commit", "--quiet", "--amend", "-m", f"Message {number}")

    store = sandbox.open(repo)

    assert {store.get(name).uid for name in names} == {uid}


def test_the_same_text_in_two_kinds(sandbox: Sandbox, repo: Path) -> None:
    """Plain text that stands in two kinds alike is erased in both by one purge."""
    for kind in ("decisions", "learnings"):
        sandbox.git(repo, "notes", f"--ref=mem/{kind}", "append", "-m", GONE.decode())
    store = sandbox.open(repo)
    (memory,) = store.memories()

    assert store.purge(memory.uid) == []

    assert summaries(sandbox, repo) == []
    assert GONE not in sandbox.all_bytes(repo) + sandbox.state_bytes(repo)


@pytest.mark.parametrize("packed", [False, True], ids=["loose", "packed"])
@pytest.mark.parametrize("text", [GONE.decode(), LEGACY], ids=["plain", "legacy"])
def test_a_purge_of_what_others_wrote(
    sandbox: Sandbox, repo: Path, text: str, packed: bool
) -> None:
    """Plain text and legacy notes can be purged like memories of our own, without a gc."""
    blob = sandbox.git(repo, "hash-object", "-w", "--stdin", stdin=text.encode())
    sandbox.git(repo, "notes", "--ref=mem/decisions", "add", "-C", blob)
    store = sandbox.open(repo)
    (memory,) = store.memories()
    store.update(memory.uid, body=f"{GONE.decode()} changed")
    if packed:
        sandbox.git(repo, "gc", "--quiet")

    assert store.purge(memory.uid) == []

    assert summaries(sandbox, repo) == []
    assert GONE not in sandbox.all_bytes(repo) + sandbox.state_bytes(repo)


def test_legacy_notes_are_not_rewritten(sandbox: Sandbox, repo: Path) -> None:
    """A note of an older system is read, and stays byte for byte until somebody edits it."""
    blob = sandbox.git(repo, "hash-object", "-w", "--stdin", stdin=LEGACY.encode())
    sandbox.git(repo, "notes", "--ref=mem/decisions", "add", "-C", blob)
    store = sandbox.open(repo)
    (memory,) = store.memories()
    assert (memory.summary, memory.spec) == ("An old decision", "storage")
    store.capture("decisions", "elsewhere", at="HEAD~1")

    found = sandbox.git(repo, "notes", "--ref=mem/decisions", "list", "HEAD")

    assert found == blob


@pytest.mark.parametrize(
    "housekeeping",
    [
        ("repack", "-q", "-a"),
        ("repack", "-q", "-a", "-d"),
        ("gc", "--quiet", "--cruft"),
        ("gc", "--quiet", "--no-prune"),
        ("maintenance", "run", "--task=loose-objects", "--quiet"),
        ("multi-pack-index", "write"),
    ],
    ids=" ".join,
)
def test_a_purge_reaches_into_packs(
    sandbox: Sandbox, repo: Path, housekeeping: tuple[str, ...]
) -> None:
    """A purge erases wherever housekeeping has put the objects: loose, packed, or both."""
    store = sandbox.open(repo)
    memory = store.capture("decisions", "first", GONE.decode())
    store.capture("decisions", "second")
    if housekeeping[0] == "multi-pack-index":
        sandbox.git(repo, "repack", "-q", "-d")
    sandbox.git(repo, *housekeeping)
    store.update(memory.uid, body=f"{GONE.decode()} changed")

    assert store.purge(memory.uid) == []

    assert GONE not in sandbox.all_bytes(repo) + sandbox.state_bytes(repo)
    assert summaries(sandbox, repo) == ["second"]
    assert sandbox.run(repo, "fsck", "--strict").returncode == 0


def test_a_purge_erases_what_a_crash_left(sandbox: Sandbox, repo: Path) -> None:
    """Objects of a change that never came in are erased with the memory they are about."""
    store = sandbox.open(repo)
    memory = store.capture("decisions", "first", GONE.decode())
    with (
        mock.patch("recollect.ledger.ledger.swap_refs", side_effect=KeyboardInterrupt),
        pytest.raises(KeyboardInterrupt),
    ):
        store.update(memory.uid, body=f"{GONE.decode()} that crashed")
    assert b"that crashed" in sandbox.all_bytes(repo)

    assert sandbox.open(repo).purge(memory.uid) == []

    assert GONE not in sandbox.all_bytes(repo) + sandbox.state_bytes(repo)


def test_a_purge_says_what_it_cannot_erase(sandbox: Sandbox, repo: Path) -> None:
    """Where a ref of the user still leads to the text, a purge does not claim that it is gone."""
    store = sandbox.open(repo)
    memory = store.capture("decisions", "first", GONE.decode())
    sandbox.git(repo, "update-ref", "refs/notes/backup", "refs/notes/mem/decisions")

    left = store.purge(memory.uid)

    assert left
    assert summaries(sandbox, repo) == []
    sandbox.git(repo, "fsck", "--strict")


def test_a_purge_looks_at_old_copies_of_the_notes(sandbox: Sandbox, hub: Path) -> None:
    """A purge also speaks of a copy of the notes that is part of no history of ours any more."""
    ada, bob = (sandbox.open(sandbox.clone(name)) for name in ("ada", "bob"))
    memory = ada.capture("decisions", "first", GONE.decode())
    bob.capture("decisions", "second")
    bob.sync()
    repo = sandbox.root / "ada"
    sandbox.git(repo, "update-ref", "refs/notes/backup", "refs/notes/mem/decisions")
    ada.sync()
    sandbox.collect_garbage(repo)

    left = ada.purge(memory.uid)

    assert left or GONE not in sandbox.all_bytes(repo)


@pytest.mark.parametrize("how", ["no reflogs", "expired", "kept by the user's reflog"])
def test_a_purge_finds_packed_leftovers(sandbox: Sandbox, hub: Path, how: str) -> None:
    """A purge erases what is in packs only, and in no history of ours since a sync took another."""
    ada, bob = (sandbox.open(sandbox.clone(name)) for name in ("ada", "bob"))
    repo = sandbox.root / "ada"
    if how == "no reflogs":
        sandbox.git(repo, "config", "core.logAllRefUpdates", "false")
    bob.capture("decisions", "second")
    bob.sync()
    memory = ada.capture("decisions", "first", GONE.decode())
    sandbox.git(repo, "gc", "--quiet")
    ada.sync()
    if how == "expired":
        sandbox.git(repo, "reflog", "expire", "--expire=now", "--all")

    assert ada.purge(memory.uid) == []

    assert GONE not in sandbox.all_bytes(repo)


def test_a_purge_spares_the_neighbours(sandbox: Sandbox, repo: Path) -> None:
    """Memories in the same note, with everything they were, survive the purge of one of them."""
    store = sandbox.open(repo)
    kept = [store.capture("decisions", f"kept {n}", f"---\nuid: {n}\n...\n") for n in range(3)]
    doomed = store.capture("decisions", "doomed", GONE.decode())
    kept.append(store.capture("decisions", "kept 3"))
    before = [store.set_status(memory.uid, "resolved", "done") for memory in kept]

    store.purge(doomed.uid)

    fresh = sandbox.open(repo)
    assert [fresh.get(memory.id) for memory in kept] == before
    assert fresh.capture("decisions", "next").id.endswith(":5")


def test_a_purged_name_is_not_given_again(sandbox: Sandbox, repo: Path) -> None:
    """After a purge the number stays empty: the old name never means another memory."""
    store = sandbox.open(repo)
    doomed = store.capture("decisions", "doomed")
    store.purge(doomed.id)

    after = sandbox.open(repo).capture("decisions", "after")

    assert after.id != doomed.id
    assert sandbox.open(repo).candidates(doomed.id) == []


def test_neighbours_with_crlf(sandbox: Sandbox, repo: Path) -> None:
    """A body that looks like a note with CRLF line ends harms neither itself nor its neighbours."""
    store = sandbox.open(repo)
    neighbour = store.capture("decisions", "neighbour", "keep\r\nme\r\n")
    nasty = "x\r\n---\r\nuid: 01M7GBJJDY86YZZDQ8VQJ7NATA\r\nop: create\r\n...\r\n"
    memory = store.capture("decisions", "nasty", nasty)
    store.capture("decisions", "later")

    fresh = sandbox.open(repo)

    assert fresh.get(neighbour.uid).body == "keep\r\nme\r\n"
    assert fresh.get(memory.uid).body == nasty
    assert len(fresh.memories()) == 3


MEDDLING = {
    "append": "notes --ref=mem/decisions append -m foreign HEAD",
    "replace": "notes --ref=mem/decisions add -f -m foreign HEAD",
    "remove": "notes --ref=mem/decisions remove HEAD",
    "delete": "update-ref -d refs/notes/mem/decisions",
    "collect": "gc -q --prune=now",
}


@pytest.mark.parametrize("moment", ["cat-file --batch", "index-pack", "update-ref"])
@pytest.mark.parametrize("meddling", MEDDLING)
def test_plain_git_gets_in_between_a_capture(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch, moment: str, meddling: str
) -> None:
    """What plain git does to a note while a capture writes to it costs neither of them anything."""
    sandbox.open(repo).capture("decisions", "before", "body")
    interpose(sandbox, monkeypatch, moment, f"git -C {repo} {MEDDLING[meddling]}")
    store = sandbox.open(repo)
    store.capture("decisions", "while", "body")

    assert interposed(sandbox)
    foreign = ["foreign"] * (meddling in ("append", "replace"))
    assert summaries(sandbox, repo) == sorted(["before", *foreign, "while"])


WHILE_LOCKED = ("cat-file --batch", "grep", "update-ref")
AFTERWARDS = ("reflog", "fsck", "repack")


@pytest.mark.parametrize(
    ("moment", "meddling"),
    [
        *((moment, act) for moment in WHILE_LOCKED + AFTERWARDS for act in ("append", "back")),
        *((moment, "capture") for moment in AFTERWARDS),
        ("update-ref", "remove"),
    ],
)
def test_plain_git_gets_in_between_a_purge(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch, moment: str, meddling: str
) -> None:
    """Whatever happens to the notes while a purge runs, the memory is gone and the others stay."""
    store = sandbox.open(repo)
    secret = store.capture("decisions", "hush", GONE.decode())
    store.capture("decisions", "kept", "body")
    sandbox.git(repo, "gc", "--quiet")
    old = sandbox.git(repo, "rev-parse", "refs/notes/mem/decisions")
    store.update(secret.uid, summary="hush, hush")
    acts = {
        **{name: f"git -C {repo} {act}" for name, act in MEDDLING.items()},
        "back": f"git -C {repo} update-ref refs/notes/mem/decisions {old}",
        "capture": f"{sys.executable} -m recollect -C {repo} capture decisions foreign",
    }
    interpose(sandbox, monkeypatch, moment, acts[meddling])

    sandbox.open(repo).purge(secret.uid)

    assert interposed(sandbox)
    monkeypatch.undo()
    foreign = ["foreign"] * (meddling in ("append", "capture"))
    assert summaries(sandbox, repo) == [*foreign, "kept"]
    sandbox.collect_garbage(repo)
    assert GONE not in sandbox.all_bytes(repo) + sandbox.state_bytes(repo)
    assert summaries(sandbox, repo) == [*foreign, "kept"]
