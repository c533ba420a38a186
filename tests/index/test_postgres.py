"""The PostgreSQL index keeps the contract, agrees with SQLite, and survives what servers suffer."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from recollect.core.note import Note
from recollect.core.places import Place
from recollect.core.record import PURGE, Record
from recollect.core.uid import make_uid
from recollect.errors import MemoryIndexError
from recollect.index.postgres import vectors as postgres_vectors
from recollect.index.postgres.connection import Connection, SingleConnection, leading, open_pool
from recollect.index.postgres.index import PostgresIndex
from recollect.index.postgres.migrations import SCHEMA, SETTING, TABLES
from recollect.index.postgres.vectors import build_index
from recollect.index.protocol import Index, Match
from recollect.index.sqlite.index import SqliteIndex
from recollect.search.search import Question, search
from tests.index.contract import (
    EVERYTHING,
    PLACE,
    IndexContract,
    creation,
    fill,
    note_of,
    uids,
    update,
    vector,
    writer,
)
from tests.support.postgres import NAMED, Server, new_database, revive, running_server

ROOT = Path(__file__).parents[2]
Open = Callable[..., PostgresIndex]


class TestPostgres(IndexContract):
    """An index in a database, in a repository of its own."""

    @pytest.fixture
    def make(self, team_url: str) -> Iterator[Callable[[], Index]]:
        """Each one in a repository of its own."""
        connection, numbers, name = SingleConnection(team_url), count(), uuid4().hex
        yield lambda: PostgresIndex(connection, [f"{name}-{next(numbers)}"])
        connection.close()


@pytest.fixture
def opened(team_url: str) -> Iterator[Open]:
    """How to open repositories; those of one test are no others'."""
    connections, own = [], uuid4().hex

    def opening(*names: str) -> PostgresIndex:
        connections.append(SingleConnection(team_url))
        return PostgresIndex(connections[-1], [f"{own}/{name}" for name in names])

    yield opening
    for connection in connections:
        connection.close()


# The same answers as SQLite


def memories_of(name: str) -> Note:
    """The memories of a question set, as one note."""
    (path,) = (ROOT / "benchmarks" / "questions").glob(f"*/{name}.memories.jsonl")
    records = []
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        said = json.loads(line)
        fields = {key: said[key] for key in ("summary", "tags", "asked_as") if key in said}
        born = creation(number, salt=number, body=said.get("body", ""), **fields)
        records.append(born._replace(timestamp=f"{said['date']}T00:00:00Z"))
    return note_of(*records)


def questions_of(name: str) -> list[str]:
    """The questions of a set."""
    (path,) = (ROOT / "benchmarks" / "questions").glob(f"*/{name}.questions.jsonl")
    return [json.loads(line)["text"] for line in path.read_text("utf-8").splitlines()]


def random_vector(rng: random.Random, size: int = 16) -> bytes:
    """A vector of some direction."""
    return vector(*(rng.gauss(0.1, 1) for _ in range(size)))


def assert_alike(found: Sequence[Match], expected: Sequence[Match]) -> None:
    """The same memories with the same numbers, as far as two ways of adding agree."""
    ours, theirs = ({match.uid: match[1:] for match in some} for some in (found, expected))
    assert ours.keys() == theirs.keys()
    for uid, numbers in ours.items():
        assert numbers == pytest.approx(theirs[uid], abs=1e-5)


def _always(vector: bytes, text: str) -> bytes:
    """A model that finds the same meaning in every text."""
    return vector


@pytest.mark.parametrize("name", ["redis", "vite"])
def test_both_backends_answer_the_same(opened: Open, name: str) -> None:
    """Keywords, parts of words, vectors and the search above them: number by number."""
    ours, theirs = SqliteIndex(None), opened(name)
    rng = random.Random(7)
    note = memories_of(name)
    pieces = {uid: [random_vector(rng) for _ in range(rng.randrange(1, 3))] for uid in note}
    for index in (ours, theirs):
        fill(index, (PLACE, note))
        index.store_vectors("m", pieces)
        index.measure_crowding(100)

    assert ours.fingerprints() == theirs.fingerprints()
    assert ours.select(EVERYTHING) == theirs.select(EVERYTHING)
    asked = questions_of(name)
    for text in asked[::7]:
        for parts in (False, True):
            expected, found = (i.lexical(text, EVERYTHING, 15, parts=parts) for i in (ours, theirs))
            assert_alike(found.matches, expected.matches)
            assert found[1:4] == pytest.approx(expected[1:4])
            assert found.worth == pytest.approx(expected.worth)
        assert ours.distinctive(text) == theirs.distinctive(text)
        query = random_vector(rng)
        near = [i.nearest(query, EVERYTHING, 20, list(note)[:3]) for i in (ours, theirs)]
        assert_alike(near[1], near[0])
        assert theirs.spread(query) == pytest.approx(ours.spread(query), abs=1e-6)
        embed = partial(_always, query)
        hits = [
            search(index, Question(text), now=1_800_000_000.0, embed=embed)
            for index in (ours, theirs)
        ]
        assert [h.memory.uid for h in hits[1]] == [h.memory.uid for h in hits[0]]
        assert [h.score for h in hits[1]] == pytest.approx([h.score for h in hits[0]], abs=1e-6)


def test_hostile_text_is_stored_and_found(opened: Open) -> None:
    """No text of somebody else's note makes a refresh fail, nor a query."""
    rng = random.Random(3)
    noise = "".join(chr(rng.randrange(0x4E00, 0x9FFF)) for _ in range(6000))
    letters = "".join(rng.choice("abcdefghijklmnop") for _ in range(40_000))
    hostile = creation(
        0,
        summary="a%b",
        body=f"{noise} {letters} zebra %s ? $1",
        tags=["x%y", letters, noise],
        files_modified=[noise, f"src/{letters}"],
        session=noise * 3,
        spec="a?b",
        slugs=[letters],
        relates_to=[letters],
    )._replace(id=f"{letters[:9000]}:{'a' * 40}:1")
    index = opened("a")
    fill(index, (PLACE, note_of(hostile)))

    assert [m.uid for m in index.lexical("zebra", EVERYTHING, 5).matches] == [hostile.uid]
    assert index.select(EVERYTHING._replace(spec="a?b"))[0].uid == hostile.uid
    assert index.select(EVERYTHING._replace(tags=("x%y",)))[0].uid == hostile.uid
    for text in ("\0", "\udcff", letters, noise, "%s", "a%b", letters[:3000]):
        index.lexical(text, EVERYTHING, 5, parts=True)
        index.resolve(text)
        index.select(EVERYTHING._replace(session=text, file=text))
    assert index.get_many(["\0", hostile.uid])[0].uid == hostile.uid


# Many repositories


def test_each_sees_what_they_may(opened: Open) -> None:
    """A reader of two repositories finds what is in them, with its home, and nothing else."""
    for number, name in enumerate(("api", "web", "secret")):
        index = opened(name)
        born = creation(number, salt=number, body=f"zebra stripes of {name}")
        fill(index, (PLACE, note_of(born)))
        index.store_vectors("m", {born.uid: [vector(1, number / 10)]})
    both, nobody = opened("api", "web"), opened("elsewhere")
    seen = {creation(n, salt=n).uid for n in (0, 1)}

    assert {m.uid for m in both.lexical("zebra", EVERYTHING, 9).matches} == seen
    assert {m.uid for m in both.nearest(vector(1, 0), EVERYTHING, 9)} == seen
    assert uids(both) == {m.uid for m in both.newest(EVERYTHING, 9, 2e9)} == seen
    assert both.count(EVERYTHING) == both.lexical("zebra", EVERYTHING, 9).total == 2
    homes = {
        uid: [n.split("/")[1] for n in ns] for uid, ns in both.repositories_of([*seen]).items()
    }
    assert sorted(homes.values()) == [["api"], ["web"]]
    hidden = creation(2, salt=2).uid
    assert both.get_many([hidden]) == both.resolve(hidden) == []
    assert both.history(hidden) == []
    assert (uids(nobody), nobody.cursor(), nobody.model()) == (set(), {}, None)


def test_a_repository_never_changes_a_memory_of_another(opened: Open) -> None:
    """A fork has the same memory; what somebody writes about it there stays there."""
    born = creation(0, body="the original")
    fill(opened("home"), (PLACE, note_of(born)))
    fill(opened("fork"), (PLACE, note_of(born, update(born, 1, body="taken over"))))
    both = opened("home", "fork")

    assert [m.body for m in both.get_many([born.uid])] == ["the original"]
    assert [m.uid for m in both.lexical("memory", EVERYTHING, 9).matches] == [born.uid]
    assert [m.body for m in opened("fork").get_many([born.uid])] == ["taken over"]


def test_a_search_is_few_round_trips(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    """With few memories, they take most of its time: one for each statement, and two around."""
    for number, name in enumerate(("one", "two")):
        records = [creation(n, salt=number * 10 + n, body="apple") for n in range(5)]
        index = opened(name)
        fill(index, (PLACE, note_of(*records)))
        index.store_vectors("m", {record.uid: [vector(1, number)] for record in records})
    seen, sent = opened("one", "two"), 0
    run = Connection.execute

    def counting(*args: Any, **kwargs: Any) -> Any:
        nonlocal sent
        sent += 1
        return run(*args, **kwargs)

    assert seen.count(EVERYTHING) == 10  # it is connected
    monkeypatch.setattr(Connection, "execute", counting)
    with seen.reading():
        found = search(seen, Question("apple"), now=0.0, embed=partial(_always, vector(1, 0)))

    assert len(found) == 10
    assert sent <= 11


def test_no_table_shows_rows_without_the_setting(opened: Open, team_url: str) -> None:
    """Whatever a statement asks for: every table has its policy, and nothing escapes it."""
    index = opened("api")
    born = creation(0, tags=["t"], files_read=["f"], session="s", body="see a/b.py", concepts=["c"])
    fill(index, (PLACE, note_of(born)))
    index.store_vectors("m", {born.uid: [vector(1, 0)]})
    with psycopg.connect(team_url, autocommit=True) as connection:
        tables = connection.execute(
            "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class"
            " WHERE relkind = 'r' AND relnamespace = %s::regnamespace",
            (SCHEMA,),
        ).fetchall()
        assert {name for name, _ in tables} == {*TABLES, "repository", "migration"}
        assert {name for name, is_forced in tables if not is_forced} == {"migration"}
        for setting in ("", "[]", json.dumps(["somebody else's"])):
            with connection.transaction():
                connection.execute("SET LOCAL ROLE recollect_rows")
                connection.execute("SELECT set_config(%s, %s, true)", (SETTING, setting))
                for table in (*TABLES, "repository"):
                    row = connection.execute(
                        f"SELECT count(*) FROM {SCHEMA}.{table}".encode()
                    ).fetchone()
                    assert row == (0,), table
        with (
            connection.transaction(force_rollback=True),
        ):
            connection.execute("SET LOCAL ROLE recollect_rows")
            connection.execute("SELECT set_config(%s, %s, true)", (SETTING, '["mine"]'))
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"INSERT INTO {SCHEMA}.repository (name) VALUES ('b')".encode())


def test_a_plain_role_that_owns_the_tables_is_limited_too(postgres: Server) -> None:
    """Not only a superuser: whoever migrates owns the tables, and sees as little."""
    with new_database(postgres) as url, psycopg.connect(url, autocommit=True) as connection:
        role = f"plain_{uuid4().hex[:8]}"
        connection.execute("CREATE EXTENSION vector")  # which a plain role may not
        connection.execute(f"CREATE ROLE {role} LOGIN".encode())
        try:
            row = connection.execute("SELECT current_database()").fetchone()
            assert row is not None
            connection.execute(f"GRANT CREATE ON DATABASE {row[0]} TO {role}".encode())
            own = url.replace("postgres@", f"{role}@", 1)
            if NAMED:
                pytest.skip("the named server may want a password for a new role")
            one, other = (PostgresIndex(SingleConnection(own), [n]) for n in ("one", "other"))
            fill(one, (PLACE, note_of(creation())))
            assert (len(uids(one)), uids(other)) == (1, set())
            one.close()
            other.close()
        finally:
            connection.execute(f"DROP OWNED BY {role} CASCADE".encode())
            connection.execute(f"DROP ROLE {role}".encode())


def test_a_filtered_search_keeps_its_recall_with_an_index(
    postgres: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With HNSW, a reader of a few repositories, or of one kind of memory, misses nothing.

    Whoever sees few enough, for whom the index would return mostly what they may not see, is
    answered without it.
    """
    monkeypatch.setattr(postgres_vectors, "MOST_EXACT", 100)
    monkeypatch.setattr(postgres_vectors, "COMPARED_MEANWHILE", 1)
    rng = random.Random(11)
    with new_database(postgres) as url:
        pool = open_pool(url, max_size=1)  # each process counts its scans for itself at first
        for repository in range(24):
            name = f"r{repository}"
            records = [
                creation(n, salt=repository * 100 + n, spec="rare" if n == 7 else "usual")
                for n in range(30)
            ]
            index = PostgresIndex(pool, [name])
            fill(index, (PLACE, note_of(*records)))
            index.store_vectors("m", {r.uid: [random_vector(rng)] for r in records})
        few, some, every = ([f"r{n}" for n in range(count)] for count in (3, 4, 24))
        queries = [random_vector(rng) for _ in range(15)]

        def found(names: Sequence[str], query: bytes, spec: str | None) -> list[str]:
            wanted = EVERYTHING._replace(spec=spec)
            return [m.uid for m in PostgresIndex(pool, names).nearest(query, wanted, 10)]

        def scans() -> int:
            with pool.connection() as connection:
                connection.execute("SELECT pg_stat_force_next_flush()")
                row = connection.execute(
                    "SELECT sum(idx_scan)::int FROM pg_stat_all_indexes"
                    " WHERE indexrelname LIKE 'chunk_nearest_%%'"
                ).fetchone()
            return (row and row[0]) or 0

        cases = [(few, None), (some, None), (every, None), (every, "rare")]
        exact = [[found(names, query, spec) for query in queries] for names, spec in cases]
        PostgresIndex(pool, ["r1"]).erase_deleted()  # it also counts the rows
        assert build_index(pool, 16)
        assert not build_index(pool, 16)
        again, used = [], []
        for names, spec in cases:
            before = scans()
            again.append([found(names, query, spec) for query in queries])
            used.append(scans() - before)
        pool.close()

    assert used[:2] == [0, 0]
    assert min(used[2:]) >= len(queries)
    for one, other in zip(exact, again, strict=True):
        assert all(len(own) == 10 for own in other)
        kept = [len(set(a) & set(b)) / 10 for a, b in zip(one, other, strict=True)]
        assert sum(kept) / len(kept) >= 0.95


# What happens to servers


def test_losing_the_database_loses_nothing(postgres: Server) -> None:
    """Another database, the same notes: the same answers."""
    note = memories_of("redis")
    answers = []
    for _ in range(2):
        with new_database(postgres) as url:
            index = PostgresIndex(SingleConnection(url), ["api"])
            fill(index, (PLACE, note))
            asked = questions_of("redis")[:20]
            answers.append(
                ([index.lexical(text, EVERYTHING, 5) for text in asked], index.fingerprints())
            )
            index.close()

    assert answers[0] == answers[1]


def test_a_purge_leaves_nothing_in_the_tables(opened: Open, team_url: str) -> None:
    """Rows, words, counts and vectors go with the refresh; dead rows with the next vacuum."""
    index = opened("api")
    born, other = creation(0, body="xylophone", tags=["t"]), creation(1, salt=1)
    purge = Record(make_uid(9, 9), PURGE, {}, of=born.uid, id=born.id)
    fill(index, (PLACE, note_of(born, other)))
    index.store_vectors("m", {r.uid: [vector(1, 0)] for r in (born, other)})
    fill(index, (PLACE, note_of(purge, other)))

    assert index.needs_rebuild()
    index.erase_deleted()
    assert not index.needs_rebuild()
    assert index.damaged_vectors() == []
    with psycopg.connect(team_url, autocommit=True) as connection:
        for sql in ("term WHERE term LIKE 'xylophon%'", "posting WHERE term LIKE 'xylophon%'"):
            row = connection.execute(f"SELECT count(*) FROM {SCHEMA}.{sql}".encode()).fetchone()
            assert row == (0,)
        row = connection.execute(
            f"SELECT count(*) FROM {SCHEMA}.chunk WHERE memory NOT IN"
            f" (SELECT key FROM {SCHEMA}.memory)".encode()
        ).fetchone()
        assert row == (0,)
    whole = fill(opened("again"), (PLACE, note_of(purge, other)))
    assert index.fingerprints() == whole.fingerprints()
    assert index.lexical("memory", EVERYTHING, 5) == whole.lexical("memory", EVERYTHING, 5)


def test_what_an_open_transaction_still_sees_is_erased_later(opened: Open, team_url: str) -> None:
    """Vacuum leaves it, so the index says that something is left until the next one."""
    index = opened("api")
    born, other = creation(0, body="xylophone"), creation(1, salt=1)
    purge = Record(make_uid(9, 9), PURGE, {}, of=born.uid, id=born.id)
    fill(index, (PLACE, note_of(born, other)))
    with psycopg.connect(team_url) as reader:
        reader.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        reader.execute(f"SELECT count(*) FROM {SCHEMA}.posting".encode())
        fill(index, (PLACE, note_of(purge, other)))
        index.erase_deleted()

        assert not index.needs_rebuild()
        assert index.has_unerased()

    for _ in range(200):  # other tests have transactions, too
        index.erase_deleted()
        if not index.has_unerased():
            break
        time.sleep(0.05)
    assert not index.has_unerased()


def test_counts_are_as_after_a_rebuild(opened: Open) -> None:
    """Whatever came and went, BM25 has the numbers of a new index."""
    rng = random.Random(5)
    words = ["apple", "banana", "cherry", "date", "elder", "fig", "grape"]
    changing, records = opened("changing"), [creation(n, salt=n) for n in range(12)]
    notes: dict[Place, Note] = {}
    for turn in range(12):
        place = PLACE._replace(anchor=f"{turn % 4}" * 40)
        some = rng.sample(records, rng.randrange(0, 5))
        bodies = [update(r, turn + 1, body=" ".join(rng.choices(words, k=6))) for r in some]
        notes[place] = note_of(*some, *bodies)
        fill(changing, (place, notes[place]))
    rebuilt = opened("rebuilt")
    fill(rebuilt, *notes.items())
    changing._rows("SELECT 1")
    rebuilt._rows("SELECT 1")

    counted = [index._tables.repositories[0][3:] for index in (changing, rebuilt)]
    assert counted[0] == counted[1]
    terms = "SELECT term, doc FROM term ORDER BY term"
    assert changing._rows(terms) == rebuilt._rows(terms)
    changing.clear()
    changing._rows("SELECT 1")
    assert changing._tables.repositories[0][3:6] == (0, 0, 0)


_OPENING = """
from recollect.index.postgres.connection import SingleConnection
from recollect.index.postgres.index import PostgresIndex
index = PostgresIndex(SingleConnection(sys.argv[1]), [sys.argv[2]])
"""


def test_several_processes_refresh_one_repository(team_url: str) -> None:
    """Every write is there in the end, once, although all of them start from the same cursor."""
    name = uuid4().hex
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", writer(_OPENING), team_url, name, str(me)],
            cwd=ROOT,
            stderr=subprocess.PIPE,
        )
        for me in range(4)
    ]
    said = [process.communicate()[1].decode() for process in processes]

    assert [process.returncode for process in processes] == [0] * 4, "\n".join(said)
    index = PostgresIndex(SingleConnection(team_url), [name])
    assert index.cursor() == {"r": "40"}
    assert len(uids(index)) == index.lexical("memory", EVERYTHING, 5).total == 40
    index.close()


def test_one_process_leads(team_url: str) -> None:
    """A second one does not, until the first has ended, and names do not meet."""
    first, second = SingleConnection(team_url), SingleConnection(team_url)
    name = uuid4().hex
    with (
        leading(first, name) as is_first,
        leading(second, name) as is_second,
        leading(first, name + "x") as is_other,
    ):
        assert (is_first, is_second, is_other) == (True, False, True)
    with leading(second, name) as is_second:
        assert is_second
        second.close()  # as if the process had died
    for _ in range(200):  # the server takes a moment to notice
        with leading(first, name) as is_first:
            if is_first:
                break
        time.sleep(0.05)
    assert is_first
    first.close()


def test_many_programs_find_an_empty_database_at_once(postgres: Server) -> None:
    """One of them creates the tables, and all of them can use them."""
    with new_database(postgres) as url, ThreadPoolExecutor(6) as pool:

        def use(number: int) -> int:
            index = PostgresIndex(SingleConnection(url), [f"r{number}"])
            fill(index, (PLACE, note_of(creation())))
            found = len(uids(index))
            index.close()
            return found

        assert list(pool.map(use, range(6))) == [1] * 6


def test_a_database_of_a_newer_program_is_left_alone(postgres: Server) -> None:
    """It is refused with what to do, and its tables stay as they are."""
    with new_database(postgres) as url:
        index = PostgresIndex(SingleConnection(url), ["api"])
        fill(index, (PLACE, note_of(creation())))
        index.close()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(f"INSERT INTO {SCHEMA}.migration VALUES (99)".encode())

            with pytest.raises(MemoryIndexError, match="Update Recollect"):
                index.cursor()
            kept = connection.execute(f"SELECT count(*) FROM {SCHEMA}.memory".encode()).fetchone()
    assert kept == (1,)


@pytest.mark.skipif(bool(NAMED), reason="the named server is not ours to kill")
def test_a_server_that_is_killed_has_all_of_a_refresh_or_nothing() -> None:
    """Kill -9 in the middle of an apply: the index is as before, and the next refresh works."""
    with running_server() as server:
        index = PostgresIndex(SingleConnection(server.url), ["api"])
        before = [creation(n, salt=n) for n in range(5)]
        fill(index, (PLACE, note_of(*before)))

        def changes() -> Iterator[tuple[Place, Note]]:
            for number in range(10):
                place = PLACE._replace(anchor=f"{number}" * 40)
                yield place, note_of(creation(100 + number, place.anchor, salt=number))
                index.select(EVERYTHING)  # what was written so far is on the server
            os.kill(server.pid, signal.SIGKILL)
            yield PLACE._replace(anchor="e" * 40), note_of(creation(200, "e" * 40))

        with pytest.raises(MemoryIndexError):
            index.apply(changes(), since=index.cursor(), cursor={"r": "2"})
        revive(server)

        assert uids(index) == {record.uid for record in before}
        assert index.cursor() == {"refs/notes/mem/x": "1"}
        fill(index, (PLACE._replace(anchor="e" * 40), note_of(creation(200, "e" * 40, salt=9))))
        assert len(uids(index)) == 6
        index.close()
