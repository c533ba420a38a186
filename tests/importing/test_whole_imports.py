"""Stores of other programs through the whole import: once, twice, undone, and without secrets."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path

import pytest

from tests.importing import rivals
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
