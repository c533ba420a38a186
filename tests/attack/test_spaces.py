"""Private stays private: records of one space never change a memory of another.

The attack: somebody with push rights learns the uid of a private memory and pushes records with
that uid to the shared refs. Everything runs on real clones of a real hub.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from recollect.api.recollect import Recollect
from recollect.config.trust import trust_config
from recollect.core.memory import Memory
from recollect.core.record import CREATE, PURGE, UPDATE, Record, render_record
from recollect.core.uid import make_uid
from recollect.errors import Ambiguous, RecollectError, ValidationError
from tests.sandbox import Sandbox
from tests.support.agent import Agent

EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
MIRRORED = "[mirror]\nenabled = true\n"
SECRET = "zanzibar"


class Team(NamedTuple):
    """Ada, who has a private memory, and Mallory, who may push."""

    sandbox: Sandbox
    ada: Path
    mallory: Path
    private: Memory

    def open(self) -> Recollect:
        """Ada's memory, as a new process opens it."""
        return self.sandbox.open(self.ada)

    def push(self, *records: Record, kind: str = "decisions", anchor: str = "HEAD") -> None:
        """Let Mallory push records with plain git."""
        git = self.sandbox.git
        self.sandbox.run(self.mallory, "fetch", "-f", "origin", "refs/notes/*:refs/notes/*")
        if anchor == EMPTY_TREE:
            git(self.mallory, "hash-object", "-t", "tree", "-w", "--stdin")
        text = "\n".join(map(render_record, records)).encode()
        git(self.mallory, "notes", f"--ref=mem/{kind}", "append", "-F", "-", anchor, stdin=text)
        git(self.mallory, "push", "--quiet", "origin", f"refs/notes/mem/{kind}")

    def records(self, **fields: object) -> dict[str, Record]:
        """What Mallory can make of a uid: a creation, a change, a purge."""
        uid = self.private.uid
        time = "2026-01-01T00:00:00Z"
        return {
            CREATE: Record(
                uid,
                CREATE,
                {"summary": "Owned by Mallory", "type": "decisions", **fields},
                id=self.private.id,
                timestamp=time,
                body="Mallory's text " * 50,
            ),
            UPDATE: Record(
                make_uid(9_999, 1), UPDATE, dict(fields), of=uid, rev=99, timestamp=time
            ),
            PURGE: Record(
                make_uid(9_999, 2),
                PURGE,
                {"type": "decisions"},
                id=self.private.id,
                of=uid,
                timestamp=time,
            ),
        }

    def hub_text(self) -> bytes:
        """Every byte that the hub holds, reachable or not."""
        return self.sandbox.all_bytes(self.sandbox.hub)


@pytest.fixture
def team(sandbox: Sandbox) -> Team:
    """Two clones of one hub; Ada has a private decision and a shared one."""
    sandbox.make_hub()
    ada, mallory = sandbox.clone("ada"), sandbox.clone("mallory")
    store = sandbox.open(ada)
    store.capture("decisions", "Shared by Ada")
    private = store.capture(
        "decisions", f"The {SECRET} plan", f"We buy {SECRET} in May.", sensitivity="private"
    )
    store.sync()
    store.close()
    return Team(sandbox, ada, mallory, private)


def assert_private(team: Team, *, summary: str | None = None) -> None:
    """The private memory is Ada's, unchanged, and nowhere but in her clone."""
    store = team.open()
    memory = store.get(team.private.uid)
    assert memory.summary == (summary or team.private.summary)
    assert (memory.sensitivity, memory.status) == ("private", "active")
    assert SECRET in memory.body
    assert {place.space for place in store.indexing.fresh().places(memory.uid)} == {"local"}
    hub = team.hub_text()
    assert SECRET.encode() not in hub
    store.close()


@pytest.mark.parametrize("ops", [(CREATE,), (UPDATE,), (CREATE, UPDATE), (CREATE, UPDATE, PURGE)])
@pytest.mark.parametrize("without_index", [False, True])
def test_the_whole_attack(team: Team, ops: tuple[str, ...], without_index: bool) -> None:
    """Hostile records with a private uid change nothing of it, and no edit leaves the clone."""
    made = team.records(sensitivity="public", status="active")
    team.push(*(made[op] for op in ops if op != PURGE))
    if PURGE in ops:
        team.push(made[PURGE], anchor=EMPTY_TREE)
    store = team.open()
    store.sync()
    assert_private(team)

    if without_index:
        store.close()
        team.sandbox.drop_derived_files(team.ada)
        store = team.open()
    store.update(team.private.uid, summary=f"The new {SECRET} plan")
    store.set_status(team.private.uid, "resolved")
    store.set_status(team.private.uid, "active")
    store.sync()

    assert_private(team, summary=f"The new {SECRET} plan")
    store.sync()
    assert_private(team, summary=f"The new {SECRET} plan")


def test_a_shared_purge_erases_nothing_private(team: Team) -> None:
    """Neither the record nor its objects, nor what is known of its use."""
    store = team.open()
    store.used([store.get(team.private.uid)])
    uses = store.local.usage.uses()[team.private.uid]
    team.push(team.records()[PURGE], anchor=EMPTY_TREE)

    result = store.sync()

    assert result.purged == []
    assert not [w for w in result.report.warnings if "still contains" in w]
    assert_private(team)
    assert store.local.usage.uses()[team.private.uid] == uses
    team.sandbox.git(team.ada, "fsck", "--strict")


def test_a_foreign_memory_with_a_private_uid_is_a_memory_of_its_own(team: Team) -> None:
    """It is shown under its own id, a tail tells them apart, and doctor reports it."""
    team.push(team.records()[CREATE])
    store = team.open()
    store.sync()

    found = {memory.summary: memory for memory in store.memories()}
    mine, other = found[team.private.summary], found["Owned by Mallory"]
    assert mine.uid == team.private.uid
    assert mine.uid != other.uid
    assert store.get(mine.id) == mine
    assert store.get(other.id) == other
    assert store.get(other.uid) == other
    assert mine.id != other.id
    with pytest.raises(Ambiguous):
        store.get(team.private.id)
    findings = [f.message for f in store.doctor() if f.level != "ok"]
    assert any("private memory" in message and mine.uid in message for message in findings)
    # It cannot be changed, since a change would carry the private uid; it can be erased.
    with pytest.raises(ValidationError, match="private"):
        store.update(other.uid, summary="mine now")
    with pytest.raises(ValidationError, match="private"):
        store.set_status(other.uid, "retired")
    assert store.purge(other.uid) == []
    store.sync()
    assert [m.summary for m in store.memories()] == ["Shared by Ada", team.private.summary]
    assert b"Owned by Mallory" not in team.sandbox.reachable_bytes(team.sandbox.hub)
    assert_private(team)


def test_no_hook_injects_it_and_no_file_mirrors_it(team: Team) -> None:
    """Whatever sensitivity the shared records claim."""
    (team.ada / ".recollect.toml").write_text(MIRRORED)
    trust_config(team.ada, os.environ)
    made = team.records(sensitivity="public", importance=1.0)
    team.push(made[CREATE], made[UPDATE])
    store = team.open()
    store.sync()
    store.mirror()
    store.close()

    agent = Agent(team.ada)
    started = agent.context("session-start", source="startup")
    asked = agent.context("prompt", prompt=f"What is the {SECRET} plan, what do we buy in May?")

    assert SECRET not in started + asked
    mirrored = [path for path in (team.ada / ".claude").rglob("*") if path.is_file()]
    assert mirrored
    assert not any(SECRET in path.read_text("utf-8") for path in mirrored)
    assert not any("Mallory" in path.read_text("utf-8") for path in mirrored)
    before = len(store.memories(status="all"))
    store.mirror()  # nothing in the files is taken for something new
    assert len(store.memories(status="all")) == before


def test_a_local_record_is_never_public(team: Team) -> None:
    """Whatever a record in the local refs says: its place decides."""
    text = render_record(
        Record(
            make_uid(9_999, 3),
            UPDATE,
            {"sensitivity": "public"},
            of=team.private.uid,
            rev=7,
            timestamp="2026-01-01T00:00:00Z",
        )
    )
    team.sandbox.git(
        team.ada, "notes", "--ref=mem-local/decisions", "append", "-F", "-", stdin=text.encode()
    )
    team.sandbox.git(team.ada, "notes", "--ref=mem-local/notes", "append", "-m", f"{SECRET} note")

    store = team.open()

    assert store.get(team.private.uid).sensitivity == "private"
    assert {m.sensitivity for m in store.memories() if SECRET in m.summary} == {"private"}
    assert not [hit for hit in store.search(SECRET) if SECRET in hit.memory.summary]


def test_a_shared_record_that_claims_to_be_private_is_treated_so(team: Team) -> None:
    """The more careful value counts, also where a later update says public."""
    create = Record(
        make_uid(9_999, 4),
        CREATE,
        {"summary": "Wrongly shared", "sensitivity": "secret"},
        id=f"decisions:{EMPTY_TREE}:7",
        timestamp="2026-01-01T00:00:00Z",
    )
    change = Record(make_uid(9_999, 5), UPDATE, {"sensitivity": "public"}, of=create.uid, rev=1)
    team.push(create, change)
    store = team.open()
    store.sync()

    assert store.get(create.uid).sensitivity == "secret"
    assert create.uid not in {hit.memory.uid for hit in store.search("wrongly shared")}


def test_a_reference_to_a_private_memory_is_not_written_into_a_shared_record(team: Team) -> None:
    """A person is told what to do; nothing is stored."""
    store = team.open()
    before = team.sandbox.refs(team.ada)
    shared = next(m for m in store.memories() if m.summary == "Shared by Ada")
    attempts: list[Callable[[], object]] = [
        lambda: store.capture("decisions", "Y", relates_to=[team.private.id]),
        lambda: store.update(shared.uid, relates_to=[team.private.uid]),
        lambda: store.capture("notes", "Y", provenance={"said_by": "user", "of": team.private.uid}),
        lambda: store.capture("notes", "Y", provenance={"from": [team.private.id]}),
    ]
    for attempt in attempts:
        with pytest.raises(ValidationError, match="private") as refused:
            attempt()
        assert "--sensitivity private" in refused.value.hint
    assert team.sandbox.refs(team.ada) == before

    words = f"-m recollect capture decisions X --relates-to {team.private.uid}"
    done = subprocess.run(
        [sys.executable, *words.split()],
        cwd=team.ada,
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "private" in done.stderr
    assert "--sensitivity private" in done.stderr

    linked = store.capture("notes", "Mine", sensitivity="private", relates_to=[team.private.uid])
    back = store.update(team.private.uid, relates_to=[shared.uid])
    assert store.get(linked.uid).relates_to == (team.private.uid,)
    assert back.relates_to == (shared.uid,)


def test_a_fact_cannot_name_a_private_source(team: Team) -> None:
    """The source of a fact is a reference, too."""
    store = team.open()
    with pytest.raises(ValidationError, match="private"):
        store.store_fact("Ada", "buys", "May", source=team.private.uid)
    assert store.memories(kind="facts") == []


def test_a_reference_from_outside_leads_nowhere(team: Team) -> None:
    """A shared memory that names a private one does not show, move or hide it."""
    hostile = Record(
        make_uid(9_999, 6),
        CREATE,
        {
            "summary": "Merged by Mallory",
            "relates_to": [team.private.uid],
            "provenance": {"via": "sleep", "sources": [team.private.uid]},
        },
        id=f"decisions:{EMPTY_TREE}:8",
        timestamp="2026-01-01T00:00:00Z",
    )
    team.push(hostile)
    store = team.open()
    store.sync()

    index = store.indexing.fresh()
    found = store.get(hostile.uid)
    assert found.relates_to == ()
    assert found.sources == ()
    assert index.relating([team.private.uid]) == []
    assert index.ranking([hostile.uid])[0].sources == ()
    store.set_status(hostile.uid, "retired")
    store.purge(hostile.uid)
    store.sync()
    assert_private(team)


def _update_ref(team: Team) -> None:
    tip = team.sandbox.git(team.ada, "rev-parse", "refs/notes/mem-local/decisions")
    team.sandbox.git(team.ada, "update-ref", "refs/notes/mem/secrets", tip)


def _append(team: Team) -> None:
    git = team.sandbox.git
    text = git(team.ada, "notes", "--ref=mem-local/decisions", "show", "HEAD")
    git(team.ada, "notes", "--ref=mem/decisions", "append", "-F", "-", stdin=text.encode())


def _new_kind(team: Team) -> None:
    git = team.sandbox.git
    text = git(team.ada, "notes", "--ref=mem-local/decisions", "show", "HEAD")
    git(team.ada, "notes", "--ref=mem/research", "add", "-F", "-", stdin=text.encode())


def _copied_and_removed(team: Team) -> None:
    _new_kind(team)
    git = team.sandbox.git
    git(team.ada, "notes", "--ref=mem/research", "remove", "HEAD")
    git(team.ada, "notes", "--ref=mem/research", "add", "-m", "Harmless research")


def _reworded(team: Team) -> None:
    git = team.sandbox.git
    text = git(team.ada, "notes", "--ref=mem-local/decisions", "show", "HEAD")
    text = text.replace("sensitivity: private", "sensitivity: public") + "\nmore and more words"
    git(team.ada, "notes", "--ref=mem/decisions", "append", "-F", "-", stdin=text.encode())


@pytest.mark.parametrize(
    "copy",
    [_update_ref, _append, _new_kind, _copied_and_removed, _reworded],
    ids=lambda c: c.__name__,
)
@pytest.mark.parametrize("seen_before", [False, True])
def test_what_plain_git_copied_to_a_shared_ref_is_not_pushed(
    team: Team, copy: Callable[[Team], None], seen_before: bool
) -> None:
    """Not the text, not in the tree and not in its history; other memories go out."""
    copy(team)
    store = team.open()
    if seen_before:
        store.refresh()
    store.capture("decisions", "Captured later")
    store.capture("research", "Research of Ada")

    result = store.sync()

    hub = team.hub_text()
    assert SECRET.encode() not in hub
    assert b"Captured later" in hub
    assert b"Research of Ada" in hub
    if copy not in (_copied_and_removed,):
        assert any("private" in warning for warning in result.report.warnings + store.warnings)
    assert_private(team)
    # The next sync has nothing to do, and both sides hold the same.
    again = store.sync()
    cases = again.report.cases
    assert set(cases.pop("secrets", "S0")) <= set("S01")  # it has nothing to send
    assert set(cases.values()) == {"S0"}
    assert "refs/notes/mem/secrets" not in team.sandbox.refs(team.sandbox.hub)


def test_a_reference_that_an_older_version_wrote_is_not_pushed(team: Team) -> None:
    """It is taken out of the record before that goes out."""
    record = Record(
        make_uid(1_800_000_000_000, 9),
        CREATE,
        {"summary": "Linked by an older version", "relates_to": [team.private.uid]},
        id=f"learnings:{EMPTY_TREE}:3",
        timestamp="2026-01-01T00:00:00Z",
    )
    git = team.sandbox.git
    text = render_record(record).encode()
    git(team.ada, "notes", "--ref=mem/learnings", "add", "-F", "-", stdin=text)
    store = team.open()
    store.refresh()

    store.sync()

    hub = team.hub_text()
    assert b"Linked by an older version" in hub
    assert team.private.uid.encode() not in hub
    assert store.get(record.uid).relates_to == ()
    assert set(store.sync().report.cases.values()) == {"S0"}


def test_a_copy_that_comes_in_while_a_sync_runs_is_not_pushed(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The last look is at the very commits that go out."""
    from tests.sandbox import interpose, interposed

    team.open().capture("decisions", "Captured later")
    run = f"cd {team.ada} && git notes --ref=mem-local/decisions show HEAD > ../text"
    run += " && git notes --ref=mem/decisions append -F ../text HEAD"
    run += f" && {sys.executable} -m recollect list"
    interpose(team.sandbox, monkeypatch, "for-each-ref", run, after="update-ref")

    team.open().sync()

    assert interposed(team.sandbox)
    assert SECRET.encode() not in team.hub_text()
    assert b"Captured later" in team.hub_text()


def test_a_text_without_a_uid_that_is_in_both_spaces(team: Team) -> None:
    """Its uid is its text, so anybody can make the same: the private one stays private."""
    git = team.sandbox.git
    git(team.ada, "notes", "--ref=mem-local/notes", "add", "-m", f"Plain {SECRET}")
    store = team.open()
    (mine,) = (m for m in store.memories(kind="notes"))
    for ref in ("cs/notes", "mem/notes"):
        git(team.ada, "notes", f"--ref={ref}", "add", "-m", f"Plain {SECRET}")
    again = team.open()

    assert again.get(mine.uid).sensitivity == "private"
    again.update(mine.uid, body=f"More of {SECRET}")
    assert {p.space for p in again.indexing.fresh().places(mine.uid)} == {"local"}
    others = [m for m in again.memories(kind="notes") if m.uid != mine.uid]
    assert [m.sensitivity for m in others] == ["public"]
    for other in others:
        with pytest.raises(ValidationError, match="private"):
            again.update(other.uid, body="adopted")
    again.sync()
    assert SECRET.encode() not in team.hub_text()


def test_sleep_keeps_the_spaces_apart(team: Team) -> None:
    """What claims to be private in a shared ref is not merged with what is."""
    from recollect.sleep.run import changeable

    claimed = Record(
        make_uid(9_999, 8),
        CREATE,
        {"summary": "Claims to be private", "sensitivity": "private"},
        id=f"decisions:{EMPTY_TREE}:9",
        timestamp="2026-01-01T00:00:00Z",
    )
    team.push(claimed, team.records()[CREATE])
    store = team.open()
    store.sync()
    index = store.indexing.fresh()

    summaries = {m.summary for m in changeable(index, store.memories())}

    assert summaries == {"Shared by Ada", team.private.summary}


def test_an_agent_gets_nothing_through_mcp(team: Team) -> None:
    """The tools search what is public, and the private memory is not, whatever was pushed."""
    made = team.records(sensitivity="public")
    team.push(made[CREATE], made[UPDATE])
    team.open().sync()
    asked = [
        {"name": "search_memories", "arguments": {"query": SECRET}},
        {"name": "search_memories", "arguments": {"query": "Mallory"}},
    ]
    lines: list[dict[str, object]] = [
        {
            "method": "initialize",
            "id": 0,
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "test", "version": "1"},
            },
        },
        {"method": "notifications/initialized"},
        *({"method": "tools/call", "id": n, "params": p} for n, p in enumerate(asked, 1)),
    ]
    given = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)
    done = subprocess.run(
        [sys.executable, "-m", "recollect", "mcp"],
        input=given,
        cwd=team.ada,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert f"We buy {SECRET}" not in done.stdout
    assert team.private.summary not in done.stdout


def test_an_unexpected_error_is_none_of_ours(team: Team) -> None:
    """Every command of a person works beside the hostile records."""
    made = team.records(sensitivity="public", relates_to=[team.private.uid])
    team.push(made[CREATE], made[UPDATE])
    team.push(made[PURGE], anchor=EMPTY_TREE)
    team.open().sync()
    for words in ("list --status all", "log", "doctor", "verify", "repair", "reindex", "sleep"):
        done = subprocess.run(
            [sys.executable, "-m", "recollect", *words.split()],
            cwd=team.ada,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert "Traceback" not in done.stderr, words
    assert_private(team)
    with pytest.raises(RecollectError):
        team.open().get("decisions:0000000:0")
