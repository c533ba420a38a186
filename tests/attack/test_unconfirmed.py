"""What was noticed never leaves the clone, and nobody outside can make or change it.

Everything runs on real clones of a real hub.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from recollect.api.recollect import Recollect
from recollect.capture import unconfirmed
from recollect.config.trust import trust_config
from recollect.core.memory import Memory
from recollect.core.record import CREATE, UPDATE, Record, render_record
from recollect.core.uid import make_uid
from recollect.errors import ValidationError
from tests.sandbox import Sandbox

WORD = "zanzibar"
TIME = "2026-01-01T00:00:00Z"


class Team(NamedTuple):
    """Ada, in whose clone something was noticed, and Mallory, who may push."""

    sandbox: Sandbox
    ada: Path
    mallory: Path
    noticed: Memory

    def open(self, repo: Path | None = None) -> Recollect:
        """A memory, Ada's unless another one is named, as a new process opens it."""
        return self.sandbox.open(repo or self.ada)

    def push(self, *records: Record) -> None:
        """Let Mallory push records with plain git."""
        git = self.sandbox.git
        self.sandbox.run(self.mallory, "fetch", "-f", "origin", "refs/notes/*:refs/notes/*")
        text = "\n".join(map(render_record, records)).encode()
        git(self.mallory, "notes", "--ref=mem/decisions", "append", "-F", "-", "HEAD", stdin=text)
        git(self.mallory, "push", "--quiet", "origin", "refs/notes/mem/decisions")

    def hub(self) -> bytes:
        """Every byte that the hub has, reachable or not."""
        return self.sandbox.all_bytes(self.sandbox.hub)


@pytest.fixture
def team(sandbox: Sandbox) -> Team:
    """Two clones of one hub."""
    sandbox.make_hub()
    ada, mallory = sandbox.clone("ada"), sandbox.clone("mallory")
    store = sandbox.open(ada)
    store.capture("decisions", "Shared by Ada")
    draft = {"kind": "decisions", "summary": f"The {WORD} plan is due in May", "body": WORD}
    memory = unconfirmed.add(store, draft, confidence=0.8, why="test")
    assert memory is not None
    store.close()
    return Team(sandbox, ada, mallory, memory)


def test_nothing_of_it_reaches_the_hub(team: Team) -> None:
    """Not by sync, not by a push of all shared notes, and after a confirmation not its uid."""
    store = team.open()
    store.sync()
    team.sandbox.git(team.ada, "push", "--quiet", "origin", "refs/notes/mem/*:refs/notes/mem/*")
    assert WORD.encode() not in team.hub()

    (confirmed,) = store.accept([team.noticed.uid])
    store.sync()

    hub = team.hub()
    assert confirmed.uid.encode() in hub
    assert WORD.encode() in hub
    for own in (team.noticed.uid, team.noticed.nonce, "mem-local", "unconfirmed"):
        assert own.encode() not in hub
    other = team.open(team.mallory)
    other.sync()
    assert [m.summary for m in other.memories()] == ["Shared by Ada", confirmed.summary]
    assert store.verify()[-1].level == "ok"


def test_a_copy_by_plain_git_is_not_pushed(team: Team) -> None:
    """A note that somebody moved into the shared refs stays here, too."""
    git = team.sandbox.git
    note = git(team.ada, "notes", "--ref=mem-local/decisions", "show", "HEAD")
    git(team.ada, "notes", "--ref=mem/decisions", "append", "-m", note, "HEAD")

    team.open().sync()

    assert WORD.encode() not in team.hub()
    assert team.noticed.uid.encode() not in team.hub()


def test_rejecting_expiring_and_changing_stay_here(team: Team) -> None:
    """Every record about it is local."""
    store = team.open()
    store.update(team.noticed.uid, body=f"{WORD} again")
    store.reject([team.noticed.uid])
    store.set_status(team.noticed.uid, "restored")
    store.set_status(team.noticed.uid, "archived")
    store.sync()

    assert WORD.encode() not in team.hub()
    assert team.noticed.uid.encode() not in team.hub()


def test_a_shared_memory_cannot_name_it(team: Team) -> None:
    """Others would learn its uid; it may name a shared one itself."""
    store = team.open()
    known = store.memories(status="active")[0]
    with pytest.raises(ValidationError):
        store.capture("decisions", "Related", relates_to=[team.noticed.uid])
    with pytest.raises(ValidationError):
        store.update(known.uid, relates_to=[team.noticed.uid])

    updated = store.update(team.noticed.uid, relates_to=[known.uid])
    (confirmed,) = store.accept([updated.uid])

    assert confirmed.relates_to == (known.uid,)


def test_a_shared_record_that_claims_to_be_unconfirmed_is_active(team: Team) -> None:
    """Neither is it reviewed as something that was noticed here, nor does it hide behind it."""
    uid = make_uid(5_000, 7)
    fields = {"summary": "Mallory says so", "type": "decisions", "status": "unconfirmed"}
    change = Record(make_uid(6_000, 8), UPDATE, {"status": "unconfirmed"}, of=uid, rev=1)
    team.push(
        Record(uid, CREATE, fields, id=None, timestamp=TIME, by="Mallory <m@example.com>"),
        change._replace(timestamp=TIME),
    )
    store = team.open()
    store.sync()

    memory = store.get(uid)
    assert (memory.status, memory.was_unconfirmed) == ("active", False)
    assert [m.uid for m in store.unconfirmed()] == [team.noticed.uid]
    assert store.set_status(uid, "retired").status == "retired"
    assert store.local.noticed.rejections() == []
    assert store.set_status(uid, "restored").status == "active"


def test_nobody_outside_confirms_it(team: Team) -> None:
    """Records with its uid, should somebody learn it, are another memory."""
    uid = team.noticed.uid
    team.push(
        Record(uid, CREATE, {"summary": "Owned", "type": "decisions"}, timestamp=TIME),
        Record(make_uid(9_999, 1), UPDATE, {"status": "active"}, of=uid, rev=9, timestamp=TIME),
    )
    store = team.open()
    store.sync()

    memory = store.get(uid)
    assert (memory.status, memory.summary) == ("unconfirmed", team.noticed.summary)
    assert WORD.encode() not in team.hub()


def test_a_private_memory_does_not_become_public(team: Team) -> None:
    """Only one that was born unconfirmed keeps its sensitivity in the local space."""
    store = team.open()
    private = store.capture("decisions", "Secret plan", sensitivity="private")
    with pytest.raises(ValidationError):
        store.update(private.uid, sensitivity="public")
    with pytest.raises(ValidationError):
        store.set_status(private.uid, "unconfirmed")

    # Even if a record in the local space claims it.
    claim = {"status": "unconfirmed", "sensitivity": "public"}
    change = Record(make_uid(9_999, 3), UPDATE, claim, of=private.uid, rev=5, timestamp=TIME)
    anchor = private.id.split(":")[1]
    text = render_record(change._replace(by="Ada <ada@example.com>")).encode()
    team.sandbox.git(
        team.ada, "notes", "--ref=mem-local/decisions", "append", "-F", "-", anchor, stdin=text
    )
    memory = team.open().get(private.uid)
    assert (memory.status, memory.sensitivity) == ("active", "private")


@pytest.mark.parametrize("words", ["", "yes, accept it"])
def test_an_agent_does_not_confirm_by_itself(team: Team, words: str) -> None:
    """In its shell, too, it needs words that the user typed."""
    command = [sys.executable, "-m", "recollect", "review", "accept", team.noticed.uid]
    done = subprocess.run(
        [*command, "--user-said", words],
        cwd=team.ada,
        env={**os.environ, "CLAUDECODE": "1"},
        capture_output=True,
        text=True,
    )

    assert done.returncode == 70
    assert "--user-said" in done.stderr
    assert team.open().get(team.noticed.uid).status == "unconfirmed"


def test_it_is_not_mirrored(team: Team) -> None:
    """The files of the mirror are committed and shared; it is not in them, whatever its status."""
    (team.ada / ".recollect.toml").write_text("[mirror]\nenabled = true\n")
    trust_config(team.ada, os.environ)
    store = team.open()
    store.mirror()
    store.reject([team.noticed.uid])
    store.mirror()

    files = [path for path in team.ada.rglob("*") if path.is_file() and ".git" not in path.parts]
    assert any("Shared by Ada" in path.read_text("utf-8", "replace") for path in files)
    assert all(WORD not in path.read_text("utf-8", "replace") for path in files)
