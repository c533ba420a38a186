"""The spool keeps a draft whole or not at all, until the ledger has it."""

from __future__ import annotations

from pathlib import Path

import pytest

from recollect.api.recollect import Recollect
from recollect.capture.spool_flush import drain, keep, spool_of
from recollect.errors import NotWritable, ValidationError
from recollect.ledger.lock import exclusive
from recollect.state.spool import SPOOL_FOLDER, STASH_FOLDER, SUGGESTIONS_FOLDER, Spool, is_waiting
from tests.sandbox import Sandbox


@pytest.fixture
def store(sandbox: Sandbox) -> Recollect:
    """A repository's memory."""
    sandbox.make_hub()
    return sandbox.open(sandbox.clone("ada"))


def test_what_was_put_waits_until_it_is_dropped(tmp_path: Path) -> None:
    """Drafts come back as they were, oldest first; half-written ones do not."""
    spool = Spool(tmp_path / "spool")
    spool.put("01B", {"kind": "notes", "summary": "zweitens ü"})
    spool.put("01A", {"kind": "notes", "summary": "first"})
    (tmp_path / "spool" / "01C.json").write_text("{broken")
    (tmp_path / "spool" / "01D.77.part").write_text("{}")

    assert list(spool.waiting()) == ["01A", "01B"]
    assert spool.waiting()["01B"]["summary"] == "zweitens ü"
    spool.drop("01A")
    assert list(spool.waiting()) == ["01B"]


@pytest.mark.parametrize("folder", [SPOOL_FOLDER, STASH_FOLDER, SUGGESTIONS_FOLDER])
def test_whatever_waits_is_seen_without_reading_it(tmp_path: Path, folder: str) -> None:
    """So that a search loads nothing for drafts if there are none."""
    assert not is_waiting(tmp_path)
    Spool(tmp_path / folder).put("a", {"summary": "s"})
    assert is_waiting(tmp_path)
    Spool(tmp_path / folder).drop("a")
    assert not is_waiting(tmp_path)


def test_where_nothing_can_be_written_somebody_is_told(tmp_path: Path) -> None:
    """A file in the place of the folder."""
    (tmp_path / "spool").write_text("")

    with pytest.raises(NotWritable):
        Spool(tmp_path / "spool").put("01A", {})


def test_keep_brings_it_to_the_ledger(store: Recollect) -> None:
    """Kept, written, and nothing waits."""
    (memory,) = keep(store, [{"kind": "notes", "summary": "One thing"}])

    assert store.get(memory.id).summary == "One thing"
    assert spool_of(store).waiting() == {}


def test_a_busy_ledger_gets_it_later(store: Recollect, monkeypatch: pytest.MonkeyPatch) -> None:
    """While somebody else holds the lock it waits in the spool; the next one brings it, once."""
    monkeypatch.setenv("RECOLLECT_LOCK_TIMEOUT", "0.05")
    folder = store.ledger.repository.state_dir
    store.ledger.lock_timeout = 0.05
    with exclusive(folder / "ledger.lock", 1):
        assert keep(store, [{"kind": "notes", "summary": "Later"}]) == []
    assert len(spool_of(store).waiting()) == 1

    assert [memory.summary for memory in drain(store)] == ["Later"]
    assert drain(store) == []
    assert [m.summary for m in store.memories()] == ["Later"]


def test_what_was_asked_for_twice_at_once_is_written_once(store: Recollect) -> None:
    """Two sessions that did not see each other; what nobody asked for may say the same."""
    asked = {
        "kind": "notes",
        "summary": "Only one of us",
        "provenance": {"said_by": "user", "via": "marker"},
    }

    one, other = keep(store, [asked, {**asked, "summary": "Only one of us."}])
    (later,) = keep(store, [asked])

    assert one.uid == other.uid == later.uid
    assert len(store.memories()) == 1
    elsewhere = keep(store, [{**asked, "project": "/a"}, {**asked, "project": "/b"}])
    assert [memory.project for memory in elsewhere] == ["/a", "/b"]
    noticed = {**asked, "provenance": {"said_by": "tool", "via": "tool"}}
    assert keep(store, [noticed])[0].uid != one.uid
    assert spool_of(store).names() == []


def test_a_draft_that_was_written_already_is_not_written_again(store: Recollect) -> None:
    """Killed between the ledger and the spool: the nonce tells that it is there."""
    (memory,) = keep(store, [{"kind": "notes", "summary": "Once"}])
    spool_of(store).put(memory.nonce, {"kind": "notes", "summary": "Once"})

    drain(store)

    assert [m.id for m in store.memories()] == [memory.id]
    assert spool_of(store).waiting() == {}


def test_what_is_not_acceptable_is_refused_before_it_is_kept(store: Recollect) -> None:
    """All or none of it."""
    with pytest.raises(ValidationError):
        keep(store, [{"kind": "notes", "summary": "Good"}, {"kind": "notes", "summary": ""}])

    assert spool_of(store).waiting() == {}


def test_what_waits_keeps_the_commit_it_belongs_to(store: Recollect, sandbox: Sandbox) -> None:
    """Whoever brings it to the ledger may be on another commit by then."""
    repo = store.ledger.repository.common_dir.parent
    head = sandbox.git(repo, "rev-parse", "HEAD")
    store.ledger.lock_timeout = 0.05
    with exclusive(store.ledger.repository.state_dir / "ledger.lock", 1):
        assert keep(store, [{"kind": "notes", "summary": "Then"}]) == []
    sandbox.git(repo, "commit", "--quiet", "--allow-empty", "-m", "Later")

    (memory,) = drain(store)

    assert head in memory.id
