"""A clock that jumps archives nothing; what a sleep, an import or an edit did is taken back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import recollect.errors as errors
from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.importing.claude_memory import import_folder
from recollect.sleep.clock import check_clock, jumped_from
from recollect.sleep.run import sleep, sleep_if_due
from tests.sandbox import Sandbox

DAY = 86_400.0
NOTICED = {"said_by": "tool", "via": "tool", "hook": "tool-post"}
START = datetime.now(UTC)


def at(store: Recollect, days: float) -> Recollect:
    """A store for which so many days have passed."""
    moment = START + timedelta(days=days)
    store.ledger.clock = lambda: moment
    return store


def states(store: Recollect) -> dict[str, tuple[Any, ...]]:
    """What every memory says and is."""
    return {
        m.uid: (m.summary, m.body, m.status, m.tags, m.relates_to, m.importance)
        for m in store.memories(status="all")
    }


@pytest.fixture
def store(sandbox: Sandbox, hub: Path) -> Recollect:
    """A clone that has slept today, with memories that may fade and some that say the same."""
    found = at(sandbox.open(sandbox.clone("ada")), 0)
    drafts = [
        {"kind": "learnings", "summary": f"Lesson {word}", "provenance": NOTICED}
        for word in ("about caches", "about queues", "about locks")
    ]
    drafts += [
        {
            "kind": "learnings",
            "summary": f"The checkout test times out because the {word} port is shared",
            "body": "The fixture starts the server on a fixed port.",
        }
        for word in ("first", "second", "third")
    ]
    found.capture_many(drafts)
    sleep(found)
    found.local.sessions.end("one", START.timestamp() + 60)
    return found


# The clock


def test_a_start_with_a_clock_a_year_ahead_archives_nothing(store: Recollect) -> None:
    """The automatic run does not run over the jump, and runs again when the clock is right."""
    before = states(store)
    ahead = at(store, 365)
    ahead.local.sessions.begin("two", ahead.ledger.clock().timestamp())

    assert sleep_if_due(ahead) is None
    assert states(ahead) == before
    assert any(finding.check == "clock" for finding in ahead.doctor())

    back = at(store, 1.5)
    assert sleep_if_due(back) is not None
    assert states(back) == before


def test_a_forced_run_is_taken_back_whole(store: Recollect) -> None:
    """Somebody says that the clock is right; undo brings everything back nevertheless."""
    before = states(store)
    ahead = at(store, 365)
    with pytest.raises(errors.ClockJumped):
        check_clock(ahead)
    check_clock(ahead, force=True)
    done = sleep(ahead)
    assert done.steps or done.merges
    assert states(ahead) != before

    back = at(store, 1)
    undone = back.undo("--last")
    assert undone.kept == ()
    merged = {merge.uid for merge in done.merges}
    after = states(back)
    assert {uid: state for uid, state in after.items() if uid not in merged} == before
    assert all(after[uid][2] == "retired" for uid in merged)
    check_clock(back)  # the times of the wrong clock are forgotten
    assert sleep_if_due(at(store, 2)) is not None
    after = states(store)
    assert {uid: state for uid, state in after.items() if uid not in merged} == before


def test_a_clock_that_was_confirmed_goes_on(store: Recollect) -> None:
    """Each look at the clock is later than the confirmation, also after a long break."""
    ahead = at(store, 200)
    looks = count()
    ahead.ledger.clock = lambda: START + timedelta(days=200, milliseconds=next(looks))
    with pytest.raises(errors.ClockJumped):
        check_clock(ahead)
    check_clock(ahead, force=True)
    sleep(ahead)
    check_clock(ahead)


def test_a_clock_behind_the_last_sleep_is_refused(store: Recollect) -> None:
    """Set back by more than a correction, the clock is not believed."""
    with pytest.raises(errors.ClockJumped, match="before the last sleep"):
        check_clock(at(store, -2))
    assert sleep_if_due(at(store, -2)) is None
    check_clock(at(store, -2), force=True)
    assert sleep_if_due(store) is not None or states(store)


@pytest.mark.parametrize(
    ("moments", "now", "confirmed", "jumped"),
    [
        ([], 400, None, None),
        ([0], 44, None, None),
        ([0], 46, None, 0),
        ([0, 46], 46, None, 0),  # the start that saw the jump does not prove it
        ([0, 46, 47], 50, None, None),  # the clock has stayed there for days
        ([0], 365, 365, None),
        ([0], 365, 364.99, None),  # the clock goes on after the confirmation
        ([0, 364.995], 365, 364.99, None),
        ([0, 365], 365, 300, 300),  # a confirmation says nothing about a later jump
        ([0, 20, 60, 90], 91, None, None),
        ([0, 365], 1, None, None),  # what is still to come says nothing
    ],
)
def test_jumps(moments: list[float], now: float, confirmed: float | None, jumped: Any) -> None:
    """A gap of more than 45 days is a jump until it has settled or somebody confirms it."""
    found = jumped_from(
        [moment * DAY for moment in moments],
        now * DAY,
        None if confirmed is None else confirmed * DAY,
    )
    assert found == (None if jumped is None else jumped * DAY)


def test_captures_by_hand_prove_that_time_passed(sandbox: Sandbox, hub: Path) -> None:
    """Who never starts a session still has reflogs, by this machine's clock."""
    store = at(sandbox.open(sandbox.clone("ada")), -60)
    store.local.make_folder()
    store.local.maintenance.record_sleep(store.ledger.clock().timestamp())
    at(store, 0).capture("notes", "Written today")
    check_clock(at(store, 10))
    with pytest.raises(errors.ClockJumped):
        check_clock(at(store, 60))


# Undo


def test_undo_takes_back_the_last_change_of_a_memory(store: Recollect) -> None:
    """An edit, then a change of status: each undo goes one step further back."""
    memory = store.capture("decisions", "Use tabs", "Because of Go.", tags=["style"])
    store.update(memory.uid, summary="Use spaces", body="Because of Python.", tags=["python"])
    store.set_status(memory.uid, "archived", "over")

    store.undo(memory.uid)
    found = store.get(memory.uid)
    assert (found.status, found.summary) == ("active", "Use spaces")
    store.undo(memory.uid)
    found = store.get(memory.uid)
    assert (found.summary, found.body, found.tags) == ("Use tabs", "Because of Go.", ("style",))
    assert found.extra == {}
    with pytest.raises(errors.NothingToUndo):
        store.undo(memory.uid)
    assert len(store.history(memory.uid)) == 5  # nothing was removed


def test_undo_takes_back_typed_content_and_an_emptied_body(store: Recollect) -> None:
    """Content is a patch and an empty body a null: both come back as they were."""
    memory = store.capture("notes", "Say", "Something", spec="a")
    store.update(memory.uid, body="", spec=None)
    assert (store.get(memory.uid).body, store.get(memory.uid).spec) == ("", None)
    store.undo(memory.uid)
    assert (store.get(memory.uid).body, store.get(memory.uid).spec) == ("Something", "a")


def test_undo_of_a_sleep_takes_back_merges_and_steps(store: Recollect) -> None:
    """Sources come back, what was merged is retired, and the next sleep does not repeat it."""
    before = states(store)
    later = at(store, 30)
    later.local.usage.record([next(iter(before))], "fetched", later.ledger.clock().timestamp())
    plan = sleep(later)
    assert plan.merges
    (run,) = later.runs()
    planned = later.undo(run.name, dry_run=True)
    assert planned.is_dry_run
    assert states(later) != before
    later.indexing.rebuild()

    later.undo(run.name)

    merged = {merge.uid for merge in plan.merges}
    after = states(later)
    assert {uid: state for uid, state in after.items() if uid not in merged} == before
    with pytest.raises(errors.NothingToUndo):
        later.undo(run.name)
    sleep(at(store, 31))
    for uid in before:
        hidden = store.get(uid).status == "archived"
        holders = [m for m in store.memories() if uid in m.sources]
        assert not hidden or holders


def test_undo_leaves_alone_what_was_changed_since(store: Recollect) -> None:
    """A person's later word counts more than the undo of a run."""
    later = at(store, 30)
    plan = sleep(later)
    source = plan.merges[0].sources[0]
    later.set_status(source.uid, "active")
    later.set_status(source.uid, "resolved", "done")
    undone = later.undo("--last")
    assert source.uid in [kept.memory.uid for kept in undone.kept]
    assert later.get(source.uid).status == "resolved"


def test_undo_takes_back_an_import(store: Recollect, tmp_path: Path) -> None:
    """What an import made is retired; what was there stays."""
    folder = tmp_path / "memory"
    (folder / "decisions").mkdir(parents=True)
    document = {
        "schema_version": "1.0",
        "category": "decision",
        "id": "use-tabs",
        "title": "Use tabs",
        "record_status": "active",
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "tags": ["style"],
        "related_files": [],
        "confidence": 0.9,
        "changes": [],
        "times_updated": 0,
        "content": {
            "status": "accepted",
            "context": "Go",
            "decision": "Use tabs",
            "alternatives": [],
            "rationale": ["gofmt"],
            "consequences": [],
        },
    }
    (folder / "decisions" / "use-tabs.json").write_text(json.dumps(document))
    before = states(store)
    outcomes = import_folder(store, folder)
    assert [outcome.result for outcome in outcomes] == ["created"], outcomes
    (run, *_) = store.runs()
    assert run.kind == "import"

    store.undo("--last")

    new = [m for m in store.memories(status="all") if m.uid not in before]
    assert [memory.status for memory in new] == ["retired"]


def test_a_purge_cannot_be_undone(store: Recollect) -> None:
    """And undo says so."""
    memory = store.capture("notes", "Gone")
    store.purge(memory.uid)
    for name in (memory.uid, memory.id):
        with pytest.raises(errors.NothingToUndo, match="cannot be undone"):
            store.undo(name)


# The command line


def run(repo: Path, *args: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    """Run the command line in a repository."""
    done = subprocess.run(
        [sys.executable, "-m", "recollect", *args],
        cwd=repo,
        capture_output=True,
        text=True,
        env=dict(os.environ),
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == code, done.stderr
    return done


def test_the_commands(sandbox: Sandbox, hub: Path) -> None:
    """Undo, history, conflicts and purges by others, as people see them."""
    ada, bob = sandbox.clone("ada"), sandbox.clone("bob")
    sandbox.git(bob, "config", "user.name", "Bob")
    sandbox.git(bob, "config", "user.email", "bob@example.com")
    memory = json.loads(run(ada, "capture", "decisions", "Use tabs", "-m", "Go", "--json").stdout)
    uid = memory["uid"]
    run(ada, "sync")
    run(bob, "sync")
    run(bob, "edit", uid, "--summary", "Use two spaces", "--importance", "0.9")
    run(bob, "sync")
    run(ada, "edit", uid, "--summary", "Use four spaces")

    told = run(ada, "sync").stdout
    assert "CONFLICT" in told
    assert "Use two spaces" in told
    assert "Use four spaces" in told
    history = run(ada, "show", uid, "--history").stdout
    assert all(text in history for text in ("Use tabs", "Use two spaces", "suggested by Bob"))
    shown = json.loads(run(ada, "show", uid, "--history", "--json").stdout)
    assert shown["importance"] == 0.5
    assert shown["history"][0]["text"]["summary"] == "Use tabs"
    (waiting,) = json.loads(run(ada, "review", "--json").stdout)
    assert waiting["fields"] == {"importance": 0.9}
    run(ada, "review", "accept", waiting["id"])
    assert json.loads(run(ada, "show", uid, "--json").stdout)["importance"] == 0.9
    assert "Would undo" in run(ada, "undo", uid, "--dry-run").stdout
    run(ada, "undo", uid)
    assert json.loads(run(ada, "show", uid, "--json").stdout)["importance"] == 0.5

    run(ada, "sync")
    run(bob, "sync")
    run(bob, "purge", uid, "--yes")
    run(bob, "sync")
    result = json.loads(run(ada, "sync", "--json").stdout)
    assert [pending["uid"] for pending in result["pending_purges"]] == [uid]
    assert json.loads(run(ada, "status", "--json").stdout)["pending_purges"] == 1
    assert "purged by Bob" in run(ada, "sync").stderr
    assert json.loads(run(ada, "sync", "--accept-purges", "--json").stdout)["pending_purges"] == []
    run(ada, "show", uid, code=61)
    assert "cannot be undone" in run(ada, "undo", uid, code=79).stderr
    assert json.loads(run(ada, "undo", "--json").stdout) == []


def test_every_memory_is_a_memory(store: Recollect) -> None:
    """The fixture holds what the tests above rely on."""
    assert all(isinstance(memory, Memory) for memory in store.memories())
    assert len(store.memories()) == 6
