"""Stores of other programs through the whole import: once, twice, undone, and without secrets."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.importing import rivals
from tests.importing.letsgo_store import database
from tests.importing.readings import shop
from tests.sandbox import Sandbox

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
STORES = {
    "claude-mem": (f"claude-mem-{rivals.CLAUDE_MEM[-1]}.db.gz", "claude-mem.db", 3),
    "mcp-memory": (f"server-memory-{rivals.SERVER_MEMORY}.jsonl", "memory.jsonl", 4),
    "basic-memory": (f"basic-memory-{rivals.BASIC_MEMORY}", "notes", 3),
    "mem0": (f"mem0-{rivals.MEM0}-history.db.gz", "history.db", 2),
    "mempalace": (f"mempalace-{rivals.MEMPALACE}.sqlite3.gz", "chroma.sqlite3", 2),
    "agentmemory": (f"agentmemory-{rivals.AGENTMEMORY}.json", "standalone.json", 2),
}


@pytest.mark.parametrize("name", STORES)
def test_once_twice_and_undone(sandbox: Sandbox, tmp_path: Path, name: str) -> None:
    """Everything comes in unconfirmed, says where from, and goes again as a whole."""
    file, target, count = STORES[name]
    path = rivals.unpacked(file, tmp_path / "store" / target)
    store = sandbox.open(shop(sandbox))
    store.run_import(store.plan_import([name], path))
    first = store.memories(status="all")
    again = store.plan_import([name], path)
    store.undo("--last")

    assert len(first) == count
    assert {memory.provenance["via"] for memory in first} == {f"import:{name}"}
    assert {memory.status for memory in first} == {"unconfirmed"}
    assert not again.kept
    assert {memory.status for memory in store.memories(status="all")} == {"retired"}


# No rule finds the half of such an address that a title has room for.
PASSWORD = "kX9" + "qT7vB2mZ" * 12
HALVED = f"Connect with postgres://admin:{PASSWORD}@db.example.com/shop"
KEY = "AKIA" + "QZ7WX3RT9KLM2VBN"  # no rule finds it in lower case, as in a tag


def put_into(name: str, path: Path) -> None:
    """Put the secrets into every text of a store."""
    if path.suffix in (".json", ".jsonl"):
        texts: dict[str, list[Any]] = {
            "mcp-memory": [
                {
                    "type": "entity",
                    "name": f"{KEY} {HALVED}",
                    "entityType": KEY,
                    "observations": [HALVED],
                },
                {"type": "relation", "from": "a", "to": HALVED, "relationType": TOKEN},
            ],
            "agentmemory": [
                {"memories": [{"id": "1", "content": HALVED, "title": HALVED, "concepts": [KEY]}]}
            ],
            "mem0": [{"results": [{"id": "1", "memory": HALVED, "categories": [KEY]}]}],
        }
        path.write_text("\n".join(map(json.dumps, texts[name])))
        return
    db = sqlite3.connect(path)
    columns: dict[str, dict[str, tuple[str, ...]]] = {
        "claude-mem": {
            "observations": ("title", "subtitle", "narrative", "text"),
            "session_summaries": ("request", "completed", "notes"),
        },
        "mem0": {"history": ("new_memory",)},
        "mempalace": {"embedding_metadata": ()},
        "letsgo": {
            "memories": ("title", "subtitle", "content"),
            "facts": ("subject", "predicate", "object"),
        },
    }
    for table, names in columns[name].items():
        for column in names:
            db.execute(f"UPDATE {table} SET {column} = ?", (HALVED,))
    if name == "mempalace":
        said = "UPDATE embedding_metadata SET string_value = ? WHERE key = ?"
        db.execute(said, (HALVED, "chroma:document"))
        db.execute(said, (KEY, "room"))
    elif name != "mem0":
        table = "observations" if name == "claude-mem" else "memories"
        db.execute(f"UPDATE {table} SET concepts = ?", (json.dumps([KEY]),))
    db.commit()
    db.close()


@pytest.mark.parametrize("name", [*STORES, "letsgo", "mem0 export"])
def test_no_part_of_a_secret_reaches_a_disk(sandbox: Sandbox, tmp_path: Path, name: str) -> None:
    """What a title cuts, or a tag writes in small letters, is redacted before."""
    name, _, is_export = name.partition(" ")
    if name == "letsgo":
        path = database(tmp_path / "memory.db")
    elif is_export:
        path = tmp_path / "export.json"
    else:
        file, target, _ = STORES[name]
        path = rivals.unpacked(file, tmp_path / "store" / target)
    if name == "basic-memory":
        (path / "new.md").write_text(f"---\ntitle: {HALVED}\ntags: [{KEY}]\n---\n{HALVED}\n")
    else:
        put_into(name, path)
    repository = shop(sandbox)
    store = sandbox.open(repository)
    plan = store.plan_import([name], path)
    store.run_import(plan)

    written = sandbox.all_bytes(repository) + sandbox.state_bytes(repository)
    for text in (json.dumps(plan.as_json()).encode(), written):
        assert b"Connect with" in text
        for part in (PASSWORD[:20], KEY[4:], TOKEN[4:24]):
            assert part.lower().encode() not in text.lower()


@pytest.mark.parametrize("name", ["claude-mem", "mem0", "mempalace"])
def test_a_secret_in_a_database_reaches_no_disk(
    sandbox: Sandbox, tmp_path: Path, name: str
) -> None:
    """Neither the ledger nor the local state has it, after a dry run and after the import."""
    table, column = {
        "claude-mem": ("observations", "title"),
        "mem0": ("history", "new_memory"),
        "mempalace": ("embedding_metadata", "string_value"),
    }[name]
    file, target, _ = STORES[name]
    path = rivals.unpacked(file, tmp_path / "store" / target)
    db = sqlite3.connect(path)
    text = "The deploy " + "really " * 11 + f"uses {TOKEN} for everything"
    keyed = "AND key = 'chroma:document'" if name == "mempalace" else ""
    db.execute(f"UPDATE {table} SET {column} = ? WHERE {column} <> '' {keyed}", (text,))
    db.commit()
    db.close()
    repository = shop(sandbox)
    store = sandbox.open(repository)
    plan = store.plan_import([name], path)
    assert TOKEN[4:20] not in json.dumps(plan.as_json())
    store.run_import(plan)

    assert any("really" in memory.summary for memory in store.memories(status="all"))
    assert TOKEN[4:20].encode() not in sandbox.all_bytes(repository)
    assert TOKEN[4:20].encode() not in sandbox.state_bytes(repository)
