"""What an export holds, and that an import of it gives back the same memories."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.errors import ParseError, ValidationError
from recollect.importing.claude_memory import CREATED, INVALID, KNOWN, PURGED, UPDATED
from recollect.importing.export_format import KEPT
from tests.importing.readings import shop
from tests.sandbox import Sandbox

# An export proves neither who wrote a record nor where.
NEW = ("uid", "id", "author", "provenance")
ODD = '--> a text\n\n### with a title\n<!-- recollect {"x": 1} -->\n```\n\n and its end\n'


def filled(sandbox: Sandbox) -> Recollect:
    """A store with every kind of field and status."""
    store = sandbox.open(shop(sandbox))
    first = store.capture(
        "decisions",
        "Use PostgreSQL for persistence",
        ODD,
        tags=["database"],
        spec="storage",
        phase="planning",
        files_modified=["src/money.py"],
        files_read=["src/db.py"],
        concepts=["trade-off"],
        asked_as=["Which database do we use?"],
        observation_type="decision",
        importance=0.9,
        confidence=0.8,
        session="s-1",
    )
    second = store.capture("learnings", "Floats lose cents", relates_to=[first.uid], ttl=900)
    store.update(second.uid, body="In sums.", tags=["money"])
    retired = store.capture("notes", "The port is 1")
    store.set_status(retired.uid, "retired", "it has changed")
    store.create_document(
        "decision",
        {
            "title": "Use uv",
            "tags": ["tools"],
            "content": {
                "status": "accepted",
                "context": "Slow",
                "decision": "uv",
                "rationale": ["fast"],
            },
        },
    )
    store.capture("notes", "My own note", "only here", sensitivity="private")
    store.capture("notes", "A password", "hunter2 is it", sensitivity="secret")
    store.capture("notes", "Perhaps", status="unconfirmed")
    return store


def kept(path: Path) -> dict[str, dict[str, Any]]:
    """The memories of an export by title, without what an import cannot keep."""
    found = json.loads(path.read_text())["memories"]
    links = {entry["uid"]: entry["summary"] for entry in found}
    for entry in found:
        if "relates_to" in entry:
            entry["relates_to"] = [links[uid] for uid in entry["relates_to"]]
    return {
        entry["summary"]: {name: value for name, value in entry.items() if name not in NEW}
        for entry in found
    }


@pytest.mark.parametrize("form", ["json", "markdown"])
@pytest.mark.parametrize("private", [False, True])
def test_back_without_loss(sandbox: Sandbox, tmp_path: Path, form: str, private: bool) -> None:
    """Another clone has the same memories after the import, and a second one adds nothing."""
    store = filled(sandbox)
    done = store.export(tmp_path / "first", format=form, private=private)
    store.export(tmp_path / "first.json", private=private)
    sandbox.git(tmp_path, "clone", "-q", str(tmp_path / "shop"), str(tmp_path / "copy"))
    copy = sandbox.open(tmp_path / "copy")
    results = {one.result for one in copy.import_export(tmp_path / "first")}
    again = {one.result for one in copy.import_export(tmp_path / "first")}
    copy.export(tmp_path / "second.json", private=private)

    assert (done.memories, done.left_out) == ((7, 0) if private else (4, 3))
    assert (results, again) == ({CREATED}, {KNOWN})
    assert kept(tmp_path / "second.json") == kept(tmp_path / "first.json")
    provenance = copy.memories(kind="learnings")[0].provenance
    assert provenance["via"] == "import:recollect"
    assert provenance["first_author"].startswith("Ada")


def test_an_export_has_every_field(sandbox: Sandbox, tmp_path: Path) -> None:
    """A field that a memory gets later must not be forgotten here."""
    store = filled(sandbox)
    store.export(tmp_path / "x.json", private=True)

    # These follow from the records, which the repository of the import writes anew.
    own = {"project", "version", "nonce", "altered", "was_unconfirmed"}
    assert set(Memory._fields) - own == set(KEPT)
    entry = kept(tmp_path / "x.json")["Use PostgreSQL for persistence"]
    assert entry["asked_as"] == ["Which database do we use?"]


def test_private_memories_only_if_asked_for(sandbox: Sandbox, tmp_path: Path) -> None:
    """Neither form of an export has them, and only its owner can read it."""
    store = filled(sandbox)
    for form in ("json", "markdown", "claude-memory"):
        path = tmp_path / form
        store.export(path, format=form)
        files = [file for file in (path, *path.rglob("*")) if file.is_file()]
        said = "".join(file.read_text() for file in files)
        assert "Use PostgreSQL" in said
        assert not any(text in said for text in ("My own note", "hunter2", "Perhaps"))
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}


def test_a_store_of_the_plugin(sandbox: Sandbox, tmp_path: Path) -> None:
    """The folder is one that `import claude-memory` reads."""
    store = filled(sandbox)
    store.export(tmp_path / "memory", format="claude-memory")
    other = sandbox.open(sandbox.init("other"))
    results = [one.result for one in other.import_claude_memory(tmp_path / "memory")]

    assert results == [CREATED] * 4
    titles = {memory.summary for memory in other.memories(status="all")}
    assert titles == {
        "Use PostgreSQL for persistence",
        "Floats lose cents",
        "The port is 1",
        "Use uv",
    }
    assert (tmp_path / "memory" / "index.md").is_file()


def test_a_newer_export_updates(sandbox: Sandbox, tmp_path: Path) -> None:
    """What changed in the repository of the export changes here, too."""
    store = filled(sandbox)
    store.export(tmp_path / "x.json")
    other = sandbox.open(sandbox.init("other"))
    other.import_export(tmp_path / "x.json")
    found = json.loads((tmp_path / "x.json").read_text())
    for entry in found["memories"]:
        if entry["summary"] == "Floats lose cents":
            entry |= {"summary": "Floats lose money", "updated": "2999-01-01T00:00:00Z"}
    (tmp_path / "x.json").write_text(json.dumps(found))
    results = {one.result for one in other.import_export(tmp_path / "x.json")}

    assert results == {KNOWN, UPDATED}
    assert other.memories(kind="learnings")[0].summary == "Floats lose money"


def test_an_import_can_be_undone(sandbox: Sandbox, tmp_path: Path) -> None:
    """As a whole."""
    filled(sandbox).export(tmp_path / "x.json")
    other = sandbox.open(sandbox.init("other"))
    assert {one.result for one in other.import_export(tmp_path / "x.json", dry_run=True)} == {
        CREATED
    }
    assert not other.memories(status="all")
    other.import_export(tmp_path / "x.json")
    other.undo("--last")

    assert {memory.status for memory in other.memories(status="all")} == {"retired"}


def test_what_was_purged_stays_away(sandbox: Sandbox, tmp_path: Path) -> None:
    """In the repository of the export, and where it was imported."""
    store = filled(sandbox)
    store.export(tmp_path / "x.json")
    other = sandbox.open(sandbox.init("other"))
    other.import_export(tmp_path / "x.json")
    for one in (store, other):
        one.purge(one.memories(kind="learnings")[0].uid)
        results = {out.summary: out.result for out in one.import_export(tmp_path / "x.json")}
        assert results["Floats lose cents"] == PURGED
    # also after its text has changed
    found = json.loads((tmp_path / "x.json").read_text())
    for entry in found["memories"]:
        entry["body"] = "another text"
    (tmp_path / "x.json").write_text(json.dumps(found))
    results = {out.summary: out.result for out in other.import_export(tmp_path / "x.json")}
    assert results["Floats lose cents"] == PURGED


def test_files_that_are_no_export(sandbox: Sandbox, tmp_path: Path) -> None:
    """Each gives a clear error, and nothing is written."""
    store = filled(sandbox)
    store.export(tmp_path / "x.json")
    store.export(tmp_path / "x.md", format="markdown")
    whole = (tmp_path / "x.json").read_text()
    page = (tmp_path / "x.md").read_text()
    other = sandbox.open(sandbox.init("other"))
    broken = [
        whole[:-30],
        "{}",
        "[]",
        "",
        whole.replace('"version": 1', '"version": 99'),
        page[:-200],
        page.replace('"lines": 0', '"lines": 10000', 1),
        "# Memories\n",
        page.replace("recollect-export", "other", 1),
    ]
    for number, text in enumerate(broken):
        path = tmp_path / f"broken-{number}"
        path.write_text(text)
        with pytest.raises(ParseError):
            other.import_export(path)
    assert not other.memories(status="all")


def test_memories_that_are_not_valid(sandbox: Sandbox, tmp_path: Path) -> None:
    """They are named, and the others come in."""
    filled(sandbox).export(tmp_path / "x.json")
    found = json.loads((tmp_path / "x.json").read_text())
    odd: list[dict[str, Any]] = [
        {"uid": "no"},
        {"kind": "nonsense"},
        {"summary": ""},
        {"status": "odd"},
        {"tags": 5},
        {"body": "x" * 200_000},
        {"files_read": ["../../etc/passwd"]},
    ]
    first = found["memories"][0]
    for number, change in enumerate(odd):
        uid = first["uid"][:-2] + f"A{number}"
        found["memories"].append({**first, "uid": uid, **change})
    (tmp_path / "x.json").write_text(json.dumps(found))
    other = sandbox.open(sandbox.init("other"))
    results = [one.result for one in other.import_export(tmp_path / "x.json")]

    assert results.count(INVALID) == len(odd)
    assert results.count(CREATED) == 4


def test_an_export_replaces_only_an_export(sandbox: Sandbox, tmp_path: Path) -> None:
    """A file that is something else stays, and so does a folder with files."""
    store = filled(sandbox)
    (tmp_path / "mine.txt").write_text("my text")
    with pytest.raises(ValidationError, match="not an export"):
        store.export(tmp_path / "mine.txt")
    with pytest.raises(ValidationError, match="not empty"):
        store.export(tmp_path, format="claude-memory")
    store.export(tmp_path / "x.json")
    store.export(tmp_path / "x.json")

    assert (tmp_path / "mine.txt").read_text() == "my text"
    with pytest.raises(ValidationError, match="no format"):
        store.export(format="xml")
    with pytest.raises(ValidationError, match="is a folder"):
        store.export(format="claude-memory")
