"""Stores of other programs that are broken, foreign or hostile: a clear error, or nothing of it."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recollect.database import MOST_VALUE
from recollect.errors import ParseError
from recollect.importing.registry import source_named
from recollect.importing.source import Item, Place, Reading
from tests.importing.readings import read, reading_in, shop
from tests.importing.rivals import (
    AGENTMEMORY,
    BASIC_MEMORY,
    CLAUDE_MEM,
    MEM0,
    MEMPALACE,
    SERVER_MEMORY,
    unpacked,
)
from tests.sandbox import Sandbox

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
DATABASES = {
    "claude-mem": f"claude-mem-{CLAUDE_MEM[-1]}.db.gz",
    "mem0": f"mem0-{MEM0}-history.db.gz",
    "mempalace": f"mempalace-{MEMPALACE}.sqlite3.gz",
}
TEXTS = {
    "mcp-memory": f"server-memory-{SERVER_MEMORY}.jsonl",
    "agentmemory": f"agentmemory-{AGENTMEMORY}.json",
    "mem0": f"mem0-{MEM0}-export.json",
}
# A column of each database that holds the text of a memory.
COLUMNS = {
    "claude-mem": ("observations", "narrative"),
    "mem0": ("history", "new_memory"),
    "mempalace": ("embedding_metadata", "string_value"),
}
LETSGO = "CREATE TABLE memories (id TEXT, content TEXT, created_at TEXT, title TEXT)"


@pytest.fixture
def reading(sandbox: Sandbox, tmp_path: Path) -> Reading:
    """A reading in a repository named `shop`."""
    return reading_in(sandbox, shop(sandbox), tmp_path)


def refused(name: str, reading: Reading, path: Path) -> str:
    """The message of the error, before which nothing may come out."""
    found: list[object] = []
    with pytest.raises(ParseError) as error:
        found.extend(source_named(name).read(reading, Place(str(path), "")))
    assert not found
    assert error.value.hint
    return error.value.message


@pytest.mark.parametrize("name", DATABASES)
@pytest.mark.parametrize("share", [0.02, 0.5, 0.9])
def test_a_truncated_database(reading: Reading, tmp_path: Path, name: str, share: float) -> None:
    """It is refused as a whole, and stays as it is."""
    path = unpacked(DATABASES[name], tmp_path / "x.db")
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])

    assert str(path) in refused(name, reading, path)
    assert path.read_bytes() == data[: int(len(data) * share)]
    assert [file.name for file in tmp_path.glob("x.db*")] == ["x.db"]


@pytest.mark.parametrize("name", DATABASES)
def test_a_damaged_page(reading: Reading, tmp_path: Path, name: str) -> None:
    """Pages full of other bytes are found before anything is read."""
    path = unpacked(DATABASES[name], tmp_path / "x.db")
    data = bytearray(path.read_bytes())
    data[4096 : len(data) // 2] = os.urandom(len(data) // 2 - 4096)
    path.write_bytes(data)

    refused(name, reading, path)


@pytest.mark.parametrize("name", [*DATABASES, "letsgo"])
@pytest.mark.parametrize(
    "make",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"not a database " * 500),
        Path.mkdir,
        os.mkfifo,
        lambda path: path.symlink_to("/etc/passwd"),
        lambda path: path.symlink_to(path),
        lambda path: None,
        lambda path: sqlite3.connect(path).executescript("CREATE TABLE t (x); VACUUM"),
    ],
    ids=["empty", "text", "folder", "pipe", "link", "cycle", "missing", "other"],
)
def test_something_that_is_no_store(
    reading: Reading, tmp_path: Path, name: str, make: Callable[[Path], Any]
) -> None:
    """The error names the path."""
    path = tmp_path / "store.db"
    make(path)

    assert str(path) in refused(name, reading, path)


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text[:-20],
        lambda text: text + "\n{",
        lambda text: "[" * 100_000,
        lambda text: "[1, 2]",
        lambda text: '"text"',
        lambda text: "\0" * 100,
        lambda text: '{"type": "other"}',
    ],
    ids=["truncated", "more", "deep", "list", "string", "nul", "other"],
)
def test_json_that_is_broken(
    reading: Reading, tmp_path: Path, name: str, change: Callable[[str], str]
) -> None:
    """It is refused as a whole, or nothing of it is usable."""
    path = unpacked(TEXTS[name], tmp_path / "store.json")
    path.write_text(change(path.read_text()))
    items: list[Item] = []
    message = str(path)
    try:
        items, _ = read(source_named(name), reading, path)
    except ParseError as error:
        message = error.message

    assert str(path) in message
    assert not items


def test_bytes_that_are_no_text(reading: Reading, tmp_path: Path) -> None:
    """A JSON file must be text, and a value of a database becomes one."""
    path = tmp_path / "memory.jsonl"
    path.write_bytes(b'{"type": "entity", "name": "\xff\xfe"}')

    assert "is not text" in refused("mcp-memory", reading, path)
    database = tmp_path / "memory.db"
    db = sqlite3.connect(database)
    db.execute(LETSGO)
    db.execute("INSERT INTO memories VALUES ('a', CAST(X'ff00fe41' AS TEXT), '2026', 'Title')")
    db.commit()
    items, _ = read(source_named("letsgo"), reading, database)
    assert "\0" not in items[0].body
    assert items[0].body.encode().decode() == items[0].body


@pytest.mark.parametrize("name", DATABASES)
def test_values_without_an_end(reading: Reading, tmp_path: Path, name: str) -> None:
    """A value that is too large is left out, and the others still count."""
    path = unpacked(DATABASES[name], tmp_path / "x.db")
    table, column = COLUMNS[name]
    before, _ = read(source_named(name), reading, path)
    db = sqlite3.connect(path)
    db.execute(
        f"UPDATE {table} SET {column} = hex(zeroblob(?)) WHERE rowid ="
        f" (SELECT rowid FROM {table} WHERE length({column}) > 30 LIMIT 1)",
        (MOST_VALUE,),
    )
    db.commit()
    db.close()
    after, _ = read(source_named(name), reading, path)

    assert all(len(item.body) < MOST_VALUE for item in after)
    assert len(before) - 1 <= len(after) <= len(before)


def test_a_view_in_place_of_a_table(reading: Reading, tmp_path: Path) -> None:
    """A view could compute without an end, so it does not count."""
    path = tmp_path / "memory.db"
    db = sqlite3.connect(path)
    db.execute(
        "CREATE VIEW memories AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n)"
        " SELECT x AS id, 'text' AS content, '2026' AS created_at FROM n"
    )
    db.commit()
    db.close()

    assert "is not a store of letsgo" in refused("letsgo", reading, path)


def test_wrong_types_in_every_field(reading: Reading, tmp_path: Path) -> None:
    """Numbers, lists and nothing where a text should be are no texts."""
    path = tmp_path / "x.json"
    odd: list[Any] = [None, 1, 1e400, [], {}, True, ["x"], {"a": 1}, "\ud800", "x" * 200_000]
    keys = ("id", "content", "type", "title", "concepts", "files", "createdAt", "strength")
    entries: list[Any] = [
        {"id": "a", "content": "Use cents", key: value} for key in keys for value in odd
    ]
    path.write_text(json.dumps({"memories": [*odd, *entries]}))
    found = list(source_named("agentmemory").read(reading, Place(str(path), "")))

    assert len(found) == len(entries) + sum(isinstance(one, dict) for one in odd)
    for item in found:
        if isinstance(item, Item):
            json.dumps(item._asdict(), ensure_ascii=False).encode("utf-8")


def test_files_outside_of_the_repository(reading: Reading, tmp_path: Path) -> None:
    """Paths that lead out of it are dropped, however they are written."""
    path = tmp_path / "x.json"
    names = ["../secret", "/etc/passwd", "~/.ssh/id", "-rf", "C:\\x", "a\0b", "a\nb", "src/ok.py"]
    names += [f"{reading.repository}/src/money.py", f"{reading.repository}/../x"]
    path.write_text(json.dumps({"memories": [{"id": "a", "content": "x y z", "files": names}]}))
    items, _ = read(source_named("agentmemory"), reading, path)

    assert items[0].fields["files_modified"] == ["ab", "src/ok.py", "src/money.py"]


def test_links_among_notes(reading: Reading, tmp_path: Path) -> None:
    """A link in a folder of notes is not followed: neither to a file nor in a circle."""
    (tmp_path / "secret.md").write_text("- [decision] The secret plan of the company\n")
    folder = unpacked(f"basic-memory-{BASIC_MEMORY}", tmp_path / "notes")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    (folder / "circle").symlink_to(folder)
    items, _ = read(source_named("basic-memory"), reading, folder)

    assert len(items) == 3
    assert not any("secret" in item.summary for item in items)


@pytest.mark.parametrize("name", ["basic-memory", "claude-native"])
def test_a_secret_at_the_border_of_a_summary(
    sandbox: Sandbox, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Text is redacted before it is cut, so half a secret is nowhere."""
    monkeypatch.delenv("RECOLLECT_REDACT_STRATEGY")
    folder = tmp_path / "notes"
    folder.mkdir()
    text = "word " * 16 + f"token={TOKEN} and more words follow here"
    (folder / "note.md").write_text(f"# Notes\n\n- [decision] {text}\n- {text}\n")
    items, _ = read(source_named(name), reading_in(sandbox, shop(sandbox), tmp_path), folder)
    said = json.dumps([item._asdict() for item in items])

    assert items
    assert TOKEN[4:14] not in said


def test_a_wal_without_its_shared_memory(reading: Reading, tmp_path: Path) -> None:
    """Half of a copied store is refused, because its last changes would be lost."""
    path = unpacked(DATABASES["claude-mem"], tmp_path / "x.db")
    db = sqlite3.connect(path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("UPDATE observations SET title = 'x'")
    db.commit()
    for end in ("", "-wal"):
        (tmp_path / f"copy.db{end}").write_bytes((tmp_path / f"x.db{end}").read_bytes())
    db.close()

    assert "is not complete" in refused("claude-mem", reading, tmp_path / "copy.db")
    assert not (tmp_path / "copy.db-shm").exists()
