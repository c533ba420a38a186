"""The SQLite index keeps the contract, and survives what happens to files."""

from __future__ import annotations

import gc
import random
import subprocess
import sys
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path

import pytest

from recollect.core.age import seconds_of
from recollect.core.strength import Uses
from recollect.errors import MemoryIndexError
from recollect.index import memories as rows_kept
from recollect.index.protocol import Filters, Index, Match
from recollect.index.sqlite import filling
from recollect.index.sqlite import words as sqlite_words
from recollect.index.sqlite.index import SqliteIndex
from recollect.state.database import open_state
from recollect.state.usage import Usage
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


class TestFile(IndexContract):
    """An index in a file."""

    @pytest.fixture
    def make(self, tmp_path: Path) -> Callable[[], Index]:
        """Each one in a file of its own."""
        numbers = count()
        return lambda: SqliteIndex(tmp_path / f"{next(numbers)}.db")


class Keeping(SqliteIndex):
    """An index that has its vectors in memory at every query."""

    def nearest(
        self, vector: bytes, filters: Filters, limit: int, including: Sequence[str] = ()
    ) -> list[Match]:
        """As a process that answers many queries."""
        self.keep_vectors()
        return super().nearest(vector, filters, limit, including)


class TestKeepingVectors(IndexContract):
    """An index whose vectors are in memory."""

    @pytest.fixture
    def make(self) -> Callable[[], Index]:
        """Each one for itself."""
        return lambda: Keeping(None)


def test_vectors_in_memory_find_what_the_file_finds(tmp_path: Path) -> None:
    """Whatever comes, changes and goes, also in another process."""
    rng = random.Random(4)
    born = [creation(number) for number in range(60)]
    writer, keeps, reads = (SqliteIndex(tmp_path / "index.db") for _ in range(3))
    fill(writer, (PLACE, note_of(*born)))

    def some_vector() -> bytes:
        return vector(*(rng.gauss(0.2, 1) for _ in range(8)))

    def changed() -> None:
        some = rng.sample(born, 12)
        writer.store_vectors(
            "m", {one.uid: [some_vector() for _ in range(rng.randrange(1, 4))] for one in some}
        )

    for number in range(12):
        changed()
        if number % 3 != 2:  # else it has what was there before
            keeps.keep_vectors()
        asked, limit = some_vector(), rng.choice((1, 5, 40, 100))
        including = [one.uid for one in rng.sample(born, 5)]
        found, expected = (
            index.nearest(asked, EVERYTHING, limit, including) for index in (keeps, reads)
        )
        assert {m.uid: pytest.approx(m.score, abs=1e-5) for m in expected} == {
            m.uid: m.score for m in found
        }
        assert keeps.spread(asked) == pytest.approx(reads.spread(asked), abs=1e-5)


class TestMemory(IndexContract):
    """An index without a file."""

    @pytest.fixture
    def make(self) -> Callable[[], Index]:
        """Each one for itself."""
        return lambda: SqliteIndex(None)


def test_another_process_sees_what_was_committed(tmp_path: Path) -> None:
    """Two connections to one file agree."""
    path = tmp_path / "index.db"
    fill(SqliteIndex(path), (PLACE, note_of(creation())))

    assert uids(SqliteIndex(path)) == {creation().uid}


def test_what_a_connection_keeps_is_as_new_as_the_file(tmp_path: Path) -> None:
    """Memories are kept while nobody writes; whoever writes, the next reader sees it."""
    path = tmp_path / "index.db"
    born = creation()
    mine, other = SqliteIndex(path), SqliteIndex(path)
    fill(mine, (PLACE, note_of(born)))
    assert [memory.body for memory in mine.get_many([born.uid])] == ["body"]

    changed = update(born, 1, body="changed elsewhere")
    fill(other, (PLACE, note_of(born, changed)))
    assert [memory.body for memory in mine.get_many([born.uid])] == ["changed elsewhere"]
    fill(mine, (PLACE, note_of(born, changed, update(born, 2, body="changed here"))))
    assert [memory.body for memory in mine.get_many([born.uid])] == ["changed here"]
    fill(other, (PLACE, None))
    assert mine.get_many([born.uid]) == []


def test_a_large_file_is_filled_as_a_small_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With many rows at once and the indexes after them, every table is the same."""
    made = [
        creation(n, salt=n, body=f"see src/f{n}.py", tags=["a", f"t{n}"], session="s")
        for n in range(12)
    ]
    notes = [
        (PLACE._replace(anchor=f"{n:040x}"), note_of(born, update(born, 1, body="newer")))
        for n, born in enumerate(made)
    ]

    def dump(name: str) -> tuple[object, ...]:
        index = SqliteIndex(tmp_path / name)
        fill(index, *notes)
        rows = index._db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index'")
        found = {match.uid for match in index.lexical("newer", EVERYTHING, 50).matches}
        return sorted(rows, key=str), index.fingerprints(), found

    small = dump("small.db")
    monkeypatch.setattr(filling, "_AT_ONCE", 3)
    monkeypatch.setattr(filling, "_AT_ONCE_SORTED", 5)

    assert dump("large.db") == small
    with pytest.raises(ZeroDivisionError):
        SqliteIndex(tmp_path / "failed.db").apply(
            (notes[n % (5 - n)] for n in range(9)), since={}, cursor={"r": "1"}
        )
    assert dump("failed.db") == small


@pytest.mark.parametrize("was_looking", [True, False])
def test_filling_a_file_changes_nothing_for_others(tmp_path: Path, was_looking: bool) -> None:
    """Afterwards, also after an error, garbage is looked for and pages are kept as before."""
    index = SqliteIndex(tmp_path / "index.db")
    pages = list(index._db.execute("PRAGMA cache_size"))
    before = gc.isenabled()
    (gc.enable if was_looking else gc.disable)()
    try:
        with pytest.raises(ZeroDivisionError):
            index.apply(((PLACE, {}) for _ in [1 // 0]), since={}, cursor={"r": "1"})
        assert gc.isenabled() == was_looking
        fill(index, (PLACE, note_of(creation())))
        assert gc.isenabled() == was_looking
    finally:
        (gc.enable if before else gc.disable)()

    assert list(index._db.execute("PRAGMA cache_size")) == pages


def test_what_was_found_is_as_new_as_the_file(tmp_path: Path) -> None:
    """The same search again is answered from what is kept, and sees what anybody writes."""
    path = tmp_path / "index.db"
    mine, other = SqliteIndex(path), SqliteIndex(path)
    one, two = creation(1, salt=1, body="apple"), creation(2, salt=2, body="apple pie")

    def found() -> set[str]:
        return {match.uid for match in mine.lexical("apple", EVERYTHING, 5).matches}

    fill(mine, (PLACE, note_of(one)))
    assert found() == {one.uid}
    fill(other, (PLACE, note_of(one, two)))
    assert found() == {one.uid, two.uid}
    other.store_vectors("m", {one.uid: [vector(1, 0)]})
    assert mine.lexical("apple", EVERYTHING, 5) is mine.lexical("apple", EVERYTHING, 5)
    since = other.cursor()
    other.apply([(PLACE, note_of(one))], since=since, cursor=since)  # notes that were carried over
    assert found() == {one.uid}
    fill(mine, (PLACE, None))
    assert found() == set()


def test_what_ranking_knows_is_as_new_as_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is kept while nobody writes, and up to a number of rows; new vectors change it, too."""
    path = tmp_path / "index.db"
    mine, other = SqliteIndex(path), SqliteIndex(path)
    one, two = creation(1, salt=1), creation(2, salt=2)
    both = [one.uid, two.uid]

    def ranked() -> list[tuple[str, float]]:
        return sorted((row.uid, row.crowding) for row in mine.ranking(both))

    fill(mine, (PLACE, note_of(one, two)))
    first = ranked()
    assert first == [(uid, 0.0) for uid in sorted(both)]
    monkeypatch.setattr(mine._tables, "among", None)
    assert ranked() == first  # nothing is read
    monkeypatch.undo()

    other.store_vectors("m", {uid: [vector(1, 0)] for uid in both})
    other.measure_crowding(10)
    assert [crowding for _, crowding in ranked()] == [1.0, 1.0]
    fill(other, (PLACE, note_of(one)))
    assert ranked() == [(one.uid, 1.0)]
    fill(mine, (PLACE, note_of(one, two)))
    monkeypatch.setattr(rows_kept, "_MOST_ROWS", 1)
    assert [len(ranked()), len(ranked())] == [2, 2]


def test_what_was_found_may_expire(tmp_path: Path) -> None:
    """A search a moment later leaves out what expired meanwhile, and an earlier one has it."""
    index = SqliteIndex(tmp_path / "index.db")
    day = EVERYTHING._replace(alive_at=seconds_of("2026-01-02T00:00:00Z"))
    later = EVERYTHING._replace(alive_at=seconds_of("2026-01-03T12:00:00Z"))
    born = creation(body="apple", ttl=2)
    fill(index, (PLACE, note_of(born)))

    counts = [len(index.lexical("apple", one, 5).matches) for one in (day, later, day, EVERYTHING)]

    assert counts == [1, 0, 1, 1]


def test_a_common_word_counts_although_rarer_ones_would_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best answer may hold all words of a question but the rarest one."""
    monkeypatch.setattr(sqlite_words, "_MANY", 20)
    rng = random.Random(5)
    words = {"payment": 0.2, "service": 0.2, "timeout": 0.2, "retry": 0.2, "gateway": 0.12}
    noise = [f"noise{n}" for n in range(300)]
    texts = [
        " ".join([w for w, share in words.items() if rng.random() < share] + rng.sample(noise, 8))
        for _ in range(600)
    ]
    index = SqliteIndex(tmp_path / "index.db")
    answer = creation(600, salt=600, body="payment service timeout retry")
    made = [creation(n, salt=n, body=text) for n, text in enumerate(texts)]
    fill(index, (PLACE, note_of(*made, answer)))

    found = index.lexical(" ".join(words), EVERYTHING, 5)
    monkeypatch.setattr(sqlite_words, "_MANY", 10_000)

    assert answer.uid in {match.uid for match in found.matches}
    assert found == SqliteIndex(index.path).lexical(" ".join(words), EVERYTHING, 5)


@pytest.mark.parametrize("damage", ["garbage", "truncated", "version"])
def test_a_damaged_file_is_an_index_error(tmp_path: Path, damage: str) -> None:
    """Whatever happened to the file, the error says that it can be rebuilt."""
    path = tmp_path / "index.db"
    index = SqliteIndex(path)
    fill(index, (PLACE, note_of(*(creation(n, body="word " * 500) for n in range(50)))))
    if damage == "version":
        index._db.execute("PRAGMA user_version = 999")
    index._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    index.close()
    if damage == "garbage":
        path.write_bytes(b"this is not a database" * 1000)
    if damage == "truncated":
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])

    with pytest.raises(MemoryIndexError):
        SqliteIndex(path).select(EVERYTHING)


_OPENING = """
from pathlib import Path
from recollect.index.sqlite.index import SqliteIndex
index = SqliteIndex(Path(sys.argv[1]))
"""


def test_ten_processes_read_and_write_at_once(tmp_path: Path) -> None:
    """Nobody ever sees "database is locked", and every write is there in the end."""
    path = tmp_path / "index.db"
    root = Path(__file__).parents[2]
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", writer(_OPENING), str(path), str(me)],
            cwd=root,
            stderr=subprocess.PIPE,
        )
        for me in range(10)
    ]
    said = [process.communicate()[1].decode() for process in processes]

    assert [process.returncode for process in processes] == [0] * 10, "\n".join(said)
    index = SqliteIndex(path)
    assert index.cursor() == {"r": "100"}
    assert len(uids(index)) == 100


def test_usage_counts_what_was_given_to_readers(tmp_path: Path) -> None:
    """The log survives a rebuild of the index, because it is another file."""
    path = tmp_path / "usage.db"
    db = open_state(path)
    usage = Usage(db)
    usage.record(["a", "b"], "shown", 1.0)
    usage.record(["a"], "fetched", 2.0)
    db.close()
    usage = Usage(open_state(path))

    usage.record(["b"], "cited", 3.0)
    usage.record(["b"], "standing", 4.0)
    assert usage.uses(["a", "b", "c"]) == usage.uses() == {"a": Uses(1, 2.0), "b": Uses(1, 3.0)}
    assert usage.shown() == {"a": 1.0, "b": 1.0}
    assert usage.moments("b") == [3.0]
    usage.forget(["a"])
    assert usage.uses(["a"]) == {}
