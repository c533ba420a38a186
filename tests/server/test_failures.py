"""What a team does not notice: a database that goes away or is lost, workers that are killed."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

import recollect
from tests.server.place import REPOSITORIES, TeamPlace
from tests.support.postgres import NAMED, Server, new_database, revive, running_server

needs_proc = pytest.mark.skipif(not Path("/proc/self").exists(), reason="finds workers in /proc")


def _answers(place: TeamPlace, token: str) -> list[tuple[str, str, float]]:
    found = place.search(token, "which data need PostgreSQL", all=True)
    return [(hit["uid"], hit["repository"], hit["score"]) for hit in found]


def test_losing_the_database_loses_nothing(place: TeamPlace, postgres: Server) -> None:
    """An empty one, no mirrors, and the server gives the same answers: they come from git."""
    place.start()
    before = _answers(place, place.token("Ada", *REPOSITORIES))
    place.close()
    shutil.rmtree(place.root / "data")

    with new_database(postgres) as url:
        place.database = url
        place.write_config()
        place.start()
        after = _answers(place, place.token("Ada", *REPOSITORIES))
        place.close()

    # Younger memories score a little higher.
    assert [one[:2] for one in before] == [one[:2] for one in after]
    assert [one[2] for one in before] == pytest.approx([one[2] for one in after], abs=0.01)
    assert {one[1] for one in before} == set(REPOSITORIES)


def _allow(place: TeamPlace, server: Server, *, allowed: bool) -> None:
    """Open or close the database, and end every connection to it."""
    name = urlsplit(place.database).path.removeprefix("/")
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(f"alter database {name} allow_connections {allowed}".encode())
        connection.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,)
        )


def test_a_database_that_goes_away_comes_back(place: TeamPlace, postgres: Server) -> None:
    """Meanwhile the server says so, and afterwards it goes on without a person."""
    place.start()
    token = place.token("Ada", *REPOSITORIES)
    assert place.search(token, "PostgreSQL")

    _allow(place, postgres, allowed=False)
    try:
        answer = place.ask("POST", "/search", token=token, body=b'{"query": "PostgreSQL"}')
        assert answer.status == 503
        assert answer.json()["error"] == "DatabaseDown"
        assert place.ask("GET", "/readyz").status == 503
        assert place.ask("GET", "/healthz").status == 200
        assert "Use PostgreSQL" not in answer.text
    finally:
        _allow(place, postgres, allowed=True)

    place.remember("web", "notes", "Quorvex comes after the outage")
    place.wait(lambda: place.ask("GET", "/readyz").status == 200)
    place.wait(lambda: place.search(token, "Quorvex"))


@needs_proc
def test_nothing_is_lost_or_twice_while_workers_are_killed(place: TeamPlace) -> None:
    """Clients write at once, and workers die by force: what was confirmed is there, once."""
    place.write_config(top="workers = 3\nwrite = true\nrequests_per_minute = 0")
    place.start()
    token = place.token("Eve", *REPOSITORIES, can_write=True)
    confirmed: list[str] = []
    done = threading.Event()

    def write(client: int) -> None:
        for number in range(2):
            name = REPOSITORIES[client % 3]
            summary = f"Client {client} says {number} of {name}"
            given = {"repository": name, "kind": "notes", "summary": summary}
            for _ in range(20):  # as an agent does: again, until it is confirmed
                if _stored(place, token, given):
                    confirmed.append(summary)
                    break

    clients = [threading.Thread(target=write, args=(client,)) for client in range(9)]
    for client in clients:
        client.start()
    killer = threading.Thread(target=_kill_workers, args=(place, done))
    killer.start()
    for client in clients:
        client.join()
    done.set()
    killer.join()

    assert len(confirmed) == 18
    with psycopg.connect(place.database) as connection:
        waiting = connection.execute(
            "select count(*) from pg_locks where locktype = 'advisory' and not granted"
        ).fetchone()
    assert waiting == (0,)
    place.wait(lambda: _all_there(place, token, confirmed))
    for name in REPOSITORIES:
        with recollect.open(place.clone(name)) as store:
            store.sync()
            kept = [memory.summary for memory in store.memories(kind="notes")]
        assert sorted(kept) == sorted(text for text in confirmed if text.endswith(f" of {name}"))


@needs_proc
@pytest.mark.skipif(bool(NAMED), reason="the named server is not ours to kill")
def test_ten_workers_fifty_clients_and_every_kind_of_death(isolated: Path, tmp_path: Path) -> None:
    """All workers die at once, so whoever leads does, too; then PostgreSQL dies by force.

    What was confirmed is there, once, and nobody has to do anything.
    """
    with running_server("max_connections = 250\n") as server:
        place = TeamPlace(tmp_path, server.url)
        place.make_repositories()
        place.write_config(top="workers = 10\nwrite = true\nrequests_per_minute = 0")
        try:
            place.start()
            place.wait(lambda: len(place.workers()) == 10)
            token = place.token("Eve", *REPOSITORIES, can_write=True)
            confirmed: list[str] = []

            def write(client: int) -> None:
                name = REPOSITORIES[client % 3]
                summary = f"Client {client} writes of {name}"
                given = {"repository": name, "kind": "notes", "summary": summary}
                for _ in range(200):  # as an agent does: again, until it is confirmed
                    if _stored(place, token, given):
                        confirmed.append(summary)
                        return
                    time.sleep(0.1)

            clients = [threading.Thread(target=write, args=(client,)) for client in range(50)]
            for client in clients:
                client.start()
            place.wait(lambda: len(confirmed) >= 5)
            before = place.workers()
            for worker in before:
                os.kill(worker, signal.SIGKILL)
            place.wait(lambda: len(confirmed) >= 15)
            os.kill(server.pid, signal.SIGKILL)
            revive(server)
            for client in clients:
                client.join()

            assert len(confirmed) == 50
            assert not set(before) & set(place.workers())
            place.wait(lambda: _all_there(place, token, confirmed))
            for name in REPOSITORIES:
                with recollect.open(place.clone(name)) as store:
                    store.sync()
                    kept = [memory.summary for memory in store.memories(kind="notes")]
                own = [text for text in confirmed if text.endswith(f" of {name}")]
                assert sorted(kept) == sorted(own)
        finally:
            place.close()


def _stored(place: TeamPlace, token: str, given: dict[str, str]) -> bool:
    """Store a memory over MCP, without the patience of the official client."""
    call = {"name": "store_memory", "arguments": given}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-protocol-version": "2025-06-18",
    }
    try:
        answer = place.ask(
            "POST", "/mcp", token=token, body=json.dumps(body).encode(), headers=headers
        )
        result = answer.json()["result"]
    except (OSError, http.client.HTTPException, KeyError, ValueError):
        return False
    return not result.get("isError")


def _kill_workers(place: TeamPlace, done: threading.Event) -> None:
    for _ in range(4):
        if done.wait(2):
            return
        for worker in place.workers()[:1]:
            os.kill(worker, signal.SIGKILL)


def _all_there(place: TeamPlace, token: str, summaries: list[str]) -> bool:
    try:
        listed, is_error = place.call(token, "list_memories", kind="notes", limit=50)
    except Exception:  # its worker has just died, which the client says in many ways
        return False
    found = sorted(one["summary"] for one in listed["memories"]) if not is_error else []
    return found == sorted(summaries)


@needs_proc
def test_several_workers_count_together_and_end_together(place: TeamPlace) -> None:
    """Any of them shows the numbers of all; a signal ends all of them."""
    place.write_config(top="workers = 2")
    place.start()
    workers = place.wait(lambda: place.workers() if len(place.workers()) == 2 else [])
    for _ in range(20):
        assert place.ask("GET", "/healthz").status == 200
    counted = 'recollect_requests_total{route="/healthz",status="200"} 20.0'
    assert all(counted in place.ask("GET", "/metrics").text for _ in range(5))
    place.close()

    assert not [worker for worker in workers if Path(f"/proc/{worker}").exists()]
