"""One hostile record, one hostile ref, one damaged object: everything else works."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from recollect.core.uid import make_uid
from recollect.errors import ValidationError
from tests.attack.commands import run, summaries
from tests.attack.hostile_records import HOSTILE, UID, legacy, record
from tests.sandbox import Sandbox

SOUND = "Keep the ledger in git notes"


@pytest.fixture
def repo(sandbox: Sandbox, hub: Path) -> Path:
    """A clone of the hub with one memory."""
    path = sandbox.clone("ada")
    sandbox.open(path).capture("decisions", SOUND, "because it merges")
    return path


def append(sandbox: Sandbox, repo: Path, text: str, kind: str = "decisions") -> None:
    """Put a text behind the note of HEAD, byte for byte, as plumbing can."""
    ref = f"refs/notes/mem/{kind}"
    old = sandbox.run(repo, "notes", f"--ref=mem/{kind}", "show", "HEAD").stdout
    data = old + b"\n" + text.encode("utf-8", "surrogateescape")
    blob = sandbox.git(repo, "hash-object", "-w", "--stdin", stdin=data)
    head = sandbox.git(repo, "rev-parse", "HEAD")
    row = f"100644 blob {blob}\t{head}\n"
    tree = sandbox.git(repo, "mktree", stdin=row.encode())
    commit = sandbox.git(repo, "commit-tree", tree, "-m", "hostile")
    sandbox.git(repo, "update-ref", ref, commit)


def hostile_note() -> tuple[str, list[str]]:
    """Every hostile record in one note, each with a uid of its own; and those uids."""
    texts, uids = [], []
    for number, text in enumerate(HOSTILE.values()):
        uid = make_uid(1_700_000_000_000 + number, number)
        texts.append(text.replace(UID, uid))
        uids += [uid] if text.startswith("---\nuid: ") else []
    return "\n".join(texts), uids


def test_every_command_works_beside_every_hostile_record(sandbox: Sandbox, repo: Path) -> None:
    """List, search, log, sync, doctor, verify, repair, reindex, hooks: none ends in a traceback."""
    text, uids = hostile_note()
    append(sandbox, repo, text)

    assert summaries(sandbox, repo) == [SOUND]
    for command in ("list", "log", "status", "verify", "reindex --full", "repair", "sync"):
        done = run(repo, *command.split())
        assert done.returncode == 0, (command, done.stderr)
    assert SOUND in run(repo, "search", "ledger").stdout
    event = {"hook_event_name": "SessionStart", "session_id": "s", "cwd": str(repo)}
    hook = run(repo, "hook", "session-start", stdin=json.dumps({**event, "source": "startup"}))
    assert hook.returncode == 0
    assert SOUND in hook.stdout
    found = json.loads(run(repo, "doctor", "--json").stdout)
    told = [f["message"] for f in found if f["check"] == "quarantine"]
    assert len(told) == len(HOSTILE)
    assert all(any(uid in message for message in told) for uid in uids)
    assert summaries(sandbox, repo) == [SOUND]


def test_a_quarantined_record_travels_and_is_purged_everywhere(
    sandbox: Sandbox, repo: Path
) -> None:
    """It stays byte for byte through absorb, capture and sync, until somebody purges it."""
    bob = sandbox.clone("bob")
    hostile = HOSTILE["late"]
    append(sandbox, repo, hostile)
    sandbox.open(repo).capture("decisions", "second")
    sandbox.open(repo).sync()
    store = sandbox.open(bob)
    store.capture("decisions", "of bob")
    store.sync()

    for clone in (repo, bob):
        sandbox.open(clone).sync()
        shown = sandbox.git(clone, "notes", "--ref=mem/decisions", "show", "HEAD")
        assert hostile.strip() in shown
        assert summaries(sandbox, clone) == sorted([SOUND, "of bob", "second"])

    done = run(bob, "purge", UID, "--yes")
    assert done.returncode == 0, done.stderr
    assert sandbox.open(bob).indexing.fresh().quarantined() == []
    for clone in (bob, repo):
        sandbox.open(clone).sync()
        assert UID not in sandbox.git(clone, "notes", "--ref=mem/decisions", "show", "HEAD")
        assert summaries(sandbox, clone) == sorted([SOUND, "of bob", "second"])
        assert b"9999-12-31" not in sandbox.all_bytes(clone) + sandbox.state_bytes(clone)


def test_a_quarantined_legacy_record_is_purged(sandbox: Sandbox, repo: Path) -> None:
    """Its uid derives from its text; doctor prints it."""
    append(sandbox, repo, legacy(summary='"\\U00110000"'), "learnings")
    ((_, uid, _),) = sandbox.open(repo).indexing.fresh().quarantined()

    assert sandbox.open(repo).purge(uid) == []

    assert sandbox.open(repo).indexing.fresh().quarantined() == []
    assert b"U00110000" not in sandbox.all_bytes(repo)


@pytest.mark.parametrize("anchor", ["same note", "other note"])
@pytest.mark.parametrize("target", ["itself", "another"])
def test_an_update_under_the_uid_of_a_memory(
    sandbox: Sandbox, repo: Path, anchor: str, target: str
) -> None:
    """It neither replaces the memory nor hides it, and no reader stumbles over it."""
    store = sandbox.open(repo)
    (memory,) = store.memories()
    other = store.capture("learnings", "another", at=None)
    of = memory.uid if target == "itself" else other.uid
    hostile = record("op: update", f"of: {of}", "rev: 7", "status: " + "x" * 300, uid=memory.uid)
    if anchor == "other note":
        sandbox.commit(repo)
    append(sandbox, repo, hostile)

    assert SOUND in summaries(sandbox, repo)
    assert sandbox.open(repo).get(memory.uid).summary == SOUND
    sandbox.open(repo).indexing.rebuild()
    assert SOUND in summaries(sandbox, repo)
    assert run(repo, "doctor").returncode == 0


def test_deleting_the_ref_is_not_needed(sandbox: Sandbox, repo: Path) -> None:
    """What was seen comes back, the hostile record with it, and harms nobody."""
    append(sandbox, repo, HOSTILE["digits-rev"])
    assert summaries(sandbox, repo) == [SOUND]
    sandbox.git(repo, "update-ref", "-d", "refs/notes/mem/decisions")

    assert summaries(sandbox, repo) == [SOUND]


def nested(levels: int) -> object:
    """A list in a list in a list."""
    value: object = 1
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    "fields",
    [
        {"created": "9999-12-31T00:00:00Z"},
        {"created": "1950-01-01T00:00:00Z"},
        {"provenance": {"n": 10**30}},
        {"provenance": {"n": float("inf")}},
        {"provenance": {"n": nested(40)}},
        {"provenance": {"n": nested(100_000)}},
    ],
    ids=["late", "early", "digits", "infinite", "deep", "very deep"],
)
def test_a_capture_beyond_the_limits_is_refused(
    sandbox: Sandbox, repo: Path, fields: dict[str, Any]
) -> None:
    """The error is clear and nothing has changed."""
    before = sandbox.refs(repo, "refs")

    with pytest.raises(ValidationError):
        sandbox.open(repo).capture("decisions", "too far", **fields)

    assert sandbox.refs(repo, "refs") == before


def test_a_highest_number_and_revision_stop_nobody(sandbox: Sandbox, repo: Path) -> None:
    """An id or a revision at the limit leaves room for the next memory and the next change."""
    store = sandbox.open(repo)
    (memory,) = store.memories()
    head = sandbox.git(repo, "rev-parse", "HEAD")
    rev = "rev: " + "9" * 18
    create = ("op: create", f"id: decisions:{head}:999999999", "summary: high")
    change = record("op: update", f"of: {memory.uid}", rev, "spec: high", uid=make_uid(5, 5))
    append(sandbox, repo, record(*create) + "\n" + change)

    new = sandbox.open(repo).capture("decisions", "new")
    changed = sandbox.open(repo).update(memory.uid, spec="mine")

    assert sandbox.open(repo).get(new.id).summary == "new"
    assert changed.spec == "mine"
