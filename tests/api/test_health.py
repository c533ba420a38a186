"""Health that tells the truth: what `verify`, `doctor`, `repair` and `status` say."""

from __future__ import annotations

import json
import shutil
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import Any

import apsw
import pytest

from recollect.api.recollect import Recollect
from recollect.index.sqlite.connection import load_vectors
from recollect.ledger.health import OK, PROBLEM, Finding
from recollect.store.indexing import INDEX_FILE
from tests.cli.running import gives, run, says
from tests.sandbox import Sandbox


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with one commit and a few memories that fill every table."""
    path = sandbox.init("work")
    sandbox.commit(path)
    store = sandbox.open(path)
    first = store.capture("decisions", "Use PostgreSQL", tags=["database"], files_read=["a.py"])
    store.capture(
        "learnings", "See src/pool.py for the pool", concepts=["gotcha"], relates_to=[first.uid]
    )
    store.close()
    return path


def _change(repo: Path, sql: str) -> None:
    """Change the index as a broken program would."""
    db = apsw.Connection(str(repo / ".git" / "recollect" / INDEX_FILE))
    load_vectors(db)
    db.execute(sql)
    assert db.total_changes()
    db.close()


def _problems(findings: list[Finding]) -> list[str]:
    return [finding.message for finding in findings if finding.level == PROBLEM]


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("DELETE FROM memory WHERE key = 1", "The fields of 1 memory differ"),
        ("UPDATE memory SET status = 'retired', visible = 0", "The fields of 2 memories differ"),
        ("UPDATE memory SET importance = 1 WHERE key = 2", "The fields of 1 memory differ"),
        ("INSERT INTO memory SELECT 99, '0' || uid, local, kind, anchor, number, status, visible,"
         " sensitivity, spec, session, project, observation_type, created, updated, expires,"
         " importance, trust, moved, pace, sources, voice, sketch, embedded, crowding, measured"
         " FROM memory WHERE key = 1", "The fields of 1 memory differ"),
        ("DELETE FROM words WHERE rowid = 1", "The words of 1 memory differ"),
        ("INSERT INTO words (rowid, summary) VALUES (7, 'ghost')", "The words of 1 memory"),
        ("DELETE FROM tag", "The tags of 1 memory differ"),
        ("UPDATE tag SET tag = 'other'", "The tags of 1 memory differ"),
        ("DELETE FROM file", "The files of 1 memory differ"),
        ("DELETE FROM named", "The files that the text names of 1 memory differ"),
        ("DELETE FROM concept", "The concepts of 1 memory differ"),
        ("DELETE FROM relation", "The relations of 1 memory differ"),
        ("UPDATE name SET number = 7", "The ids of 2 memories differ"),
    ],
)  # fmt: skip
def test_verify_finds_and_repair_repairs_every_row_that_answers_come_from(
    sandbox: Sandbox, repo: Path, sql: str, said: str
) -> None:
    """A row that was deleted, changed or added, in any table."""
    store = sandbox.open(repo)
    store.refresh()
    store.close()
    _change(repo, sql)

    found = _problems(store.verify())
    assert any(message.startswith(said) for message in found), found
    assert run(repo, "verify").exit_code == 1
    assert _problems(store.repair()) == []
    assert _problems(sandbox.open(repo).verify()) == []


def test_verify_names_what_differs_and_repair_counts_it(sandbox: Sandbox, repo: Path) -> None:
    """The uids in JSON; a repair of nothing claims nothing."""
    store = sandbox.open(repo)
    store.refresh()
    assert not any(finding.check == "repair" for finding in store.repair())
    (uid,) = [one.uid for one in store.memories() if one.kind == "decisions"]
    store.close()
    _change(repo, "DELETE FROM tag")

    found = json.loads(run(repo, "verify", "--json").stdout)
    assert [one["ids"] for one in found if one["level"] == PROBLEM] == [[uid]]
    (done,) = [one for one in store.repair() if one.check == "repair"]
    assert done.ids == (uid,)
    assert done.message.endswith("right again: 1")
    assert "right again" not in run(repo, "repair").stdout


def test_verify_names_at_most_a_hundred(sandbox: Sandbox, repo: Path) -> None:
    """The message has the number."""
    store = sandbox.open(repo)
    store.capture_many([{"kind": "notes", "summary": f"Note {n}"} for n in range(120)])
    store.refresh()
    store.close()
    _change(repo, "UPDATE memory SET importance = 1")

    found = json.loads(run(repo, "verify", "--json").stdout)
    (problem,) = [one for one in found if one["level"] == PROBLEM]
    assert problem["message"].startswith("The fields of 122 memories differ")
    assert len(problem["ids"]) == 100


@pytest.mark.parametrize(
    ("sql", "count"),
    [
        ("DELETE FROM vector WHERE rowid = 1", 1),
        ("UPDATE vector SET embedding = zeroblob(4 * 384)", 2),
        ("DELETE FROM chunk WHERE key = 1", 2),
    ],
)
def test_verify_finds_and_repair_repairs_vectors(
    sandbox: Sandbox, repo: Path, sql: str, count: int
) -> None:
    """A vector that is missing, changed or left over; a repair computes all again."""
    store = sandbox.open(repo)
    store.reindex()
    assert _problems(store.verify()) == []
    store.close()
    _change(repo, sql)

    memories = "1 memory" if count == 1 else f"{count} memories"
    assert _problems(store.verify()) == [f"The vectors of {memories} are missing or changed."]
    assert _problems(store.repair()) == []
    assert store.status()["without_vectors"] == 0


@pytest.mark.parametrize(
    ("note", "reason"),
    [
        ("---\ntype: decisions\nsummary: It has no end\n", "front matter has no end"),
        ("---\ntype: decisions\nsummary: Undated\n---\nIt says why.\n", "has no timestamp"),
        ("---\ntype: decisions\ntimestamp: 2026-01-01T00:00:00Z\n---\nIt.\n", "no summary"),
        ("---\ntimestamp: 2026-01-01T00:00:00Z\nsummary: It\n---\nIt.\n", "has no type"),
        (
            "---\ntype: decisions\ntimestamp: 2026-01-01T00:00:00Z\nsummary:\n---\nIt.\n",
            "no summary",
        ),
    ],
)
def test_a_note_with_broken_front_matter_is_reported_with_its_commit(
    sandbox: Sandbox, repo: Path, note: str, reason: str
) -> None:
    """By `verify` and `doctor`; it is kept, and it does not become a memory."""
    commit = sandbox.commit(repo)
    sandbox.git(
        repo, "notes", "--ref=refs/notes/mem/decisions", "add", "-F", "-", stdin=note.encode()
    )
    store = sandbox.open(repo)
    assert [memory.summary for memory in store.memories(kind="decisions")] == ["Use PostgreSQL"]
    for command in ("verify", "doctor"):
        (said,) = [one for one in gives(repo, command) if one["check"] == "quarantine"]
        assert commit[:7] in said["message"]
        assert reason in said["message"]
    kept = sandbox.git(repo, "notes", "--ref=refs/notes/mem/decisions", "show")
    assert note.splitlines()[1] in kept


def test_plain_text_that_begins_with_a_rule_is_a_memory(sandbox: Sandbox, repo: Path) -> None:
    """Only the keys of the older systems make front matter of it."""
    sandbox.commit(repo)
    text = b"---\ncolour: blue\n---\nPaint it.\n"
    sandbox.git(repo, "notes", "--ref=refs/notes/mem/notes", "add", "-F", "-", stdin=text)
    assert len(sandbox.open(repo).memories(kind="notes")) == 1


def test_status_counts_by_kind_and_status_in_one_table(sandbox: Sandbox, repo: Path) -> None:
    """With what is often updated, retired lately and unsent, the size and the model."""
    store = sandbox.open(repo)
    often = store.capture("learnings", "Changes all the time")
    for number in range(6):
        store.update(often.uid, body=f"Version {number}")
    store.set_status(store.capture("notes", "Wrong after all").uid, "retired", "wrong")
    store.reindex()

    found = gives(repo, "status")
    assert found["kinds_and_statuses"] == {
        "decisions": {"active": 1},
        "learnings": {"active": 2},
        "notes": {"retired": 1},
    }
    assert [one["summary"] for one in found["often_updated"]] == ["Changes all the time"]
    assert [one["summary"] for one in found["retired_lately"]] == ["Wrong after all"]
    assert found["unconfirmed"] == 0
    assert found["bytes"] > 50
    assert found["index_bytes"] > 0
    assert found["unsent_notes"] is None
    lines = says(repo, "status").splitlines()
    assert lines[1].split() == ["active", "retired"]
    assert [line.split() for line in lines[2:6]] == [
        ["decisions", "1"],
        ["learnings", "2"],
        ["notes", "1"],
        ["all", "3", "1"],
    ]
    assert any(line.startswith("updated more than 5 times: 1") for line in lines)
    assert any(line.startswith("retired in the last 7 days: 1") for line in lines)
    assert any(line.startswith("size: ") for line in lines)
    assert any(line.startswith("vectors: granite-embedding-30m") for line in lines)


def test_status_and_doctor_say_what_is_not_synced(sandbox: Sandbox, hub: Path) -> None:
    """How many notes the remote does not have; after a sync, none."""
    repo = sandbox.clone("work")
    store = sandbox.open(repo)
    assert "never synced with origin" in _check(store, "sync").message
    store.capture("notes", "Not there yet")
    store.capture("decisions", "Not there either")

    assert store.status()["unsent_notes"] == 2
    assert "notes that are not synced yet: 2; run: recollect sync" in says(repo, "status")
    assert _check(store, "sync") == Finding(
        OK, "sync", "2 notes are not on origin yet.", "To send them, run: recollect sync"
    )
    store.sync()
    assert store.status()["unsent_notes"] == 0
    assert "every shared note" in _check(store, "sync").message


def _check(store: Recollect, name: str) -> Finding:
    return next(finding for finding in store.doctor() if finding.check == name)


def test_doctor_checks_plugin_hooks_mcp_and_model_and_says_what_to_do(
    sandbox: Sandbox, repo: Path, isolated: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each check is there, and one that finds something says how to go on."""
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(isolated / "claude"))
    git = shutil.which("git")
    assert git is not None
    monkeypatch.setenv("PATH", str(Path(git).parent))  # no agent's program, whoever runs this
    store = sandbox.open(repo)
    store.reindex()
    assert _check(store, "plugin").message == "No agent is set up on this machine."
    assert "No hook has run here yet" in _check(store, "hooks").message
    assert "can start" in _check(store, "mcp").message
    assert _check(store, "model").message.startswith("granite-embedding-30m")

    settings = isolated / "claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text("{}")
    assert _check(store, "plugin").hint == "Run: recollect install claude-code"
    settings.write_text(json.dumps({"enabledPlugins": {"recollect@recollect": True}}))
    assert _check(store, "plugin").message == "Recollect is installed in Claude Code."
    local = repo / ".claude" / "settings.local.json"
    local.parent.mkdir()
    local.write_text(json.dumps({"enabledPlugins": {"recollect@recollect": False}}))
    assert "not installed in Claude Code" in _check(store, "plugin").message
    settings.unlink()
    settings.parent.rmdir()
    store.capture_many([{"kind": "notes", "summary": f"Note {n}"} for n in range(70)])
    assert _check(store, "model").hint == "To compute them, run: recollect reindex"


_find_spec = PathFinder.find_spec


def _without_sqlite_vec(name: str, *places: Any) -> ModuleSpec | None:
    return None if name == "sqlite_vec" else _find_spec(name, *places)


def test_a_missing_sqlite_vec_degrades_to_words_with_the_right_hint(
    sandbox: Sandbox, repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if the index has vectors already, and while memories are written."""
    sandbox.open(repo).reindex()
    sandbox.close()
    monkeypatch.setattr(PathFinder, "find_spec", _without_sqlite_vec)
    store = sandbox.open(repo)

    assert [hit.memory.summary for hit in store.search("postgresql")] == ["Use PostgreSQL"]
    assert any(
        "sqlite-vec" in text and "keywords only" in text and "pip install" in text
        for text in store.warnings
    )
    store.update(store.memories()[0].uid, body="Because of the workers.")
    assert [hit.memory.summary for hit in store.search("workers")] == ["Use PostgreSQL"]
    assert store.reindex().model is None
    assert "by meaning does not work" in _check(store, "model").message
    store.close()
    monkeypatch.undo()
    again = sandbox.open(repo)
    assert again.reindex().embedded == 2
    assert _problems(again.verify()) == []


@pytest.mark.parametrize(
    "command",
    ["list", "show POSTGRES", "timeline", "log", "status", "strength POSTGRES", "verify"],
)
def test_a_rebuilt_index_is_said_by_every_command(
    sandbox: Sandbox, repo: Path, command: str
) -> None:
    """Once, on standard error."""
    name = sandbox.open(repo).memories()[0].uid
    index = repo / ".git" / "recollect" / INDEX_FILE
    for path in index.parent.glob(f"{INDEX_FILE}*"):
        path.unlink()
    index.write_bytes(b"This is no database. " * 500)

    result = run(repo, *command.replace("POSTGRES", name).split())
    assert result.exit_code == 0, result.output
    assert result.stderr.count("Rebuilt the index") == 1
    assert "Rebuilt the index" not in run(repo, "list").stderr
