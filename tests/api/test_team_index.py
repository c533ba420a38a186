"""`index.url`: the index of a repository in a team's database, and what happens without it."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from recollect.api.recollect import Recollect
from recollect.config.database_url import check_database_url, secrets_of, shown_url
from recollect.core.places import SHARED
from recollect.errors import BadConfig
from recollect.index.postgres.migrations import SCHEMA
from tests.sandbox import Sandbox
from tests.support.postgres import Server, new_database

VARIABLE = "RECOLLECT_INDEX_URL"


@pytest.fixture
def repo(sandbox: Sandbox) -> Path:
    """A repository with commits."""
    sandbox.make_hub()
    return sandbox.clone("ada")


@pytest.fixture
def database(postgres: Server, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A database of its own, which every process uses from now on."""
    with new_database(postgres) as url:
        monkeypatch.setenv(VARIABLE, url)
        yield url


@pytest.fixture
def deaf(monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """A host that accepts connections and never says anything."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        monkeypatch.setenv(VARIABLE, f"postgresql://u:hunter2@127.0.0.1:{port}/db")
        yield server


def fill(store: Recollect) -> None:
    """Remember a few things."""
    store.capture("decisions", "Use PostgreSQL for persistence", "Why: concurrent writes")
    store.capture("notes", "The cache holds tax tables", tags=["cache"])
    store.capture("runbooks", "Release on Tuesdays", "Run the release script, then tag it")


def answers(store: Recollect) -> list[list[tuple[str, object]]]:
    """What a person finds. Scores fade by the second, so they are equal up to a little."""
    asked = ("why postgresql", "tax tables in a cache", "when do we release")
    return [
        [(h.memory.uid, pytest.approx(h.score, abs=1e-4)) for h in store.search(text)]
        for text in asked
    ]


def rows(url: str, sql: str) -> list[tuple[object, ...]]:
    """Rows of the database, of all repositories."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"SET search_path = {SCHEMA}, public".encode())
        return connection.execute(sql.encode()).fetchall()


def say(repo: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run the program as a person does."""
    command = [sys.executable, "-m", "recollect", *args]
    return subprocess.run(command, cwd=repo, capture_output=True, text=True, check=False)


def test_the_database_answers_as_the_file_does(
    sandbox: Sandbox, repo: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Words and vectors; and losing the database loses nothing."""
    store = sandbox.open(repo)
    fill(store)
    found = answers(store)

    assert store.status()["database"] == shown_url(database)
    assert store.status()["database_problem"] is None
    assert rows(database, "SELECT count(*), sum(embedded) FROM memory")[0] == (3, 3)
    assert all(finding.level == "ok" for finding in store.verify())
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(f"DROP SCHEMA {SCHEMA} CASCADE".encode())
    assert answers(sandbox.open(repo)) == found
    assert rows(database, "SELECT count(*) FROM memory") == [(3,)]
    monkeypatch.delenv(VARIABLE)
    assert answers(sandbox.open(repo)) == found


def test_the_file_stays_up_to_date(sandbox: Sandbox, repo: Path, database: str) -> None:
    """Hooks search it, so it has every memory and every vector."""
    store = sandbox.open(repo)
    fill(store)
    answers(store)
    file = store.indexing.without_refresh()

    assert file.count_pending(file.model() or "") == 0
    assert len(list(file.texts())) == 3


def test_two_clones_do_not_disturb_each_other(sandbox: Sandbox, repo: Path, database: str) -> None:
    """Each has its own rows, since one may have what the other has not synced."""
    one, two = sandbox.open(repo), sandbox.open(sandbox.clone("bob"))
    fill(one)
    two.capture("notes", "Only Bob knows")

    assert len(one.memories()) == 3
    assert [memory.summary for memory in two.memories()] == ["Only Bob knows"]
    assert rows(database, "SELECT memories FROM repository ORDER BY 1") == [(1,), (3,)]


def test_private_memories_never_reach_the_database(
    sandbox: Sandbox, repo: Path, database: str
) -> None:
    """Then the file answers, which has them, and status says so."""
    store = sandbox.open(repo)
    fill(store)
    answers(store)
    store.capture("notes", "A private xylophone", sensitivity="private")
    again = sandbox.open(repo)

    assert "A private xylophone" in [m.summary for m in again.memories()]
    assert "private or unconfirmed" in str(again.status()["database_problem"])
    assert rows(database, "SELECT DISTINCT space FROM place") == [(SHARED,)]
    assert rows(database, "SELECT count(*) FROM posting WHERE term LIKE 'xylo%'") == [(0,)]
    assert all("local" not in str(ref) for (ref,) in rows(database, "SELECT ref FROM cursor"))


def test_a_purge_reaches_the_database(sandbox: Sandbox, repo: Path, database: str) -> None:
    """Rows, words and vectors, at the next refresh."""
    store = sandbox.open(repo)
    fill(store)
    answers(store)
    (memory,) = store.memories(kind="notes")
    store.purge(memory.id)
    sandbox.open(repo).refresh()

    for sql in (
        f"SELECT count(*) FROM memory WHERE uid = '{memory.uid}'",
        "SELECT count(*) FROM posting WHERE term = 'tax'",
        "SELECT count(*) FROM term WHERE term = 'tax'",
        "SELECT count(*) FROM chunk WHERE memory NOT IN (SELECT key FROM memory)",
        "SELECT count(*) FROM record WHERE position('tax tables'::bytea in text) > 0",
        "SELECT count(*) FROM meta WHERE key = 'purged'",
    ):
        assert rows(database, sql) == [(0,)], sql


@pytest.mark.parametrize("problem", ["nobody", "deaf", "no database", "full"])
def test_without_the_database_the_file_answers(
    sandbox: Sandbox, repo: Path, postgres: Server, monkeypatch: pytest.MonkeyPatch, problem: str
) -> None:
    """Down, slow or full: the same answers, one warning without a password, and no second wait."""
    store = sandbox.open(repo)
    fill(store)
    expected = answers(store)
    with socket.create_server(("127.0.0.1", 0)) as server, new_database(postgres) as url:
        port = server.getsockname()[1]
        if problem == "nobody":
            server.close()
        address = f"postgresql://u:hunter2@127.0.0.1:{port}/db?connect_timeout=2"
        if problem == "no database":
            address = url.replace("/test_", "/no_", 1)
        if problem == "full":
            address = url
            _fill_up(url)
        monkeypatch.setenv(VARIABLE, address)
        other = sandbox.open(repo)
        found = answers(other)
        said = other.warnings
        later = sandbox.open(repo)
        later.refresh()

    assert found == expected
    assert len([text for text in said if "PostgreSQL" in text]) == 1
    assert "hunter2" not in f"{said}{other.status()}{other.doctor()}{other.settings()}"
    assert any(f.check == "database" and f.level == "warning" for f in other.doctor())
    assert any("tried again in a minute" in text for text in later.warnings)


def _fill_up(url: str) -> None:
    """Make every write fail, as on a full disk."""
    with psycopg.connect(url, autocommit=True) as connection:
        name = connection.execute("SELECT current_database()").fetchone()
        assert name is not None
        connection.execute(
            f"ALTER DATABASE {name[0]} SET default_transaction_read_only = on".encode()
        )


def test_a_hook_never_talks_to_the_database(
    sandbox: Sandbox, repo: Path, deaf: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It neither connects nor loads the client, whatever the address is."""
    url = os.environ[VARIABLE]
    monkeypatch.delenv(VARIABLE)
    fill(sandbox.open(repo))
    monkeypatch.setenv(VARIABLE, url)
    for event in ("session-start", "prompt", "tool-post", "stop", "session-end"):
        given = {"session_id": "s", "cwd": str(repo), "prompt": "Which database, and why?"}
        said = subprocess.run(
            [sys.executable, "-X", "importtime", "-m", "recollect", "hook", event],
            input=json.dumps(given),
            cwd=repo,
            capture_output=True,
            text=True,
            check=True,
        ).stderr
        loaded = set(re.findall(r"^import time:[^|]*\|[^|]*\|\s*(\S+)$", said, re.MULTILINE))
        assert "recollect.hooks.pipelines" in loaded
        assert not {name for name in loaded if "psycopg" in name or "postgres" in name}, event
    deaf.setblocking(False)
    with pytest.raises(BlockingIOError):
        deaf.accept()


# The address


def test_a_password_is_neither_stored_nor_shown(repo: Path) -> None:
    """A file may not contain it; a variable may, and nothing prints it."""
    for user in ((), ("--user",)):
        refused = say(
            repo, "config", "set", "index.url", "postgresql://u:hunter2@localhost/db", *user
        )
        assert refused.returncode == BadConfig.exit_code
        assert "hunter2" not in refused.stdout + refused.stderr
        assert ".pgpass" in refused.stderr
    assert "hunter2" not in "".join(
        path.read_text("utf-8", "replace") for path in repo.parent.rglob("*.toml")
    )


def test_no_command_prints_a_password(repo: Path, deaf: socket.socket) -> None:
    """Also not an error of the database, which names the address."""
    deaf.close()  # nobody there: the error comes at once
    for command in (
        ("config", "list"),
        ("config", "list", "--json"),
        ("config", "explain", "index.url"),
        ("config", "explain", "index.url", "--json"),
        ("status",),
        ("status", "--json"),
        ("doctor",),
    ):
        said = say(repo, *command)
        assert "hunter2" not in said.stdout + said.stderr, command
    assert "postgresql://u:***@127.0.0.1" in say(repo, "config", "explain", "index.url").stdout


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("", ""),
        ("postgresql://h/d", "postgresql://h/d"),
        ("postgres://u@h:5432/d?sslmode=require", "postgres://u@h:5432/d?sslmode=require"),
        ("postgresql://u:a%40b@h/d", "postgresql://u:***@h/d"),
        ("postgresql://u:a@b@h/d", "postgresql://u:***@h/d"),
        ("postgresql://:pw@h/d", "postgresql://:***@h/d"),
        ("postgresql://h/d?password=pw&host=x", "postgresql://h/d?password=***&host=x"),
        ("postgresql://h/d?%70assword=pw", "postgresql://h/d?%70assword=***"),
        ("mysql://u:pw@h/d", "***"),
        ("pw", "***"),
    ],
)
def test_an_address_is_shown_without_secrets(url: str, shown: str) -> None:
    """In any of the places where libpq accepts one."""
    assert shown_url(url) == shown
    if "***" in shown and shown != "***":
        assert secrets_of(url)
        with pytest.raises(BadConfig):
            check_database_url(url, "file", is_stored=True)


@pytest.mark.parametrize("url", ["mysql://h/d", "h", "postgresql:/h", "postgresql://h/d x", "\0"])
def test_what_is_no_address_is_refused(url: str) -> None:
    """With what to write instead."""
    with pytest.raises(BadConfig, match="not an address"):
        check_database_url(url, "RECOLLECT_INDEX_URL", is_stored=False)
