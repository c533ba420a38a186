"""How fast the index is, as ratios to the bare engines doing the same work in the same run.

python -m benchmarks.index --sizes 1000,10000,100000
"""

from __future__ import annotations

import argparse
import json
import random
import statistics
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import apsw

import recollect
from benchmarks.corpus import build_repository, some_words
from recollect.index.protocol import Filters
from recollect.index.sqlite.connection import load_vectors
from recollect.index.sqlite.index import SqliteIndex
from recollect.index.sqlite.schema import vector_table
from recollect.search.search import Question, search

DIMENSIONS = 384
QUERIES = 60


def timed(job: Callable[[], Any]) -> float:
    """Milliseconds that a job takes."""
    start = time.perf_counter()
    job()
    return (time.perf_counter() - start) * 1000


def quantiles(jobs: list[Callable[[], Any]]) -> tuple[float, float]:
    """The median and the 95th percentile of some jobs, in milliseconds."""
    return quantiles_of(map(timed, jobs))


def quantiles_of(milliseconds: Iterable[float]) -> tuple[float, float]:
    """The median and the 95th percentile."""
    taken = sorted(milliseconds)
    return statistics.median(taken), taken[int(len(taken) * 0.95)]


def random_vector(rng: random.Random) -> bytes:
    """A unit vector."""
    values = [rng.gauss(0, 1) for _ in range(DIMENSIONS)]
    length = sum(value * value for value in values) ** 0.5
    return struct.pack(f"<{DIMENSIONS}f", *(value / length for value in values))


def bare_engines(path: Path, texts: list[tuple[str, str]], vectors: list[bytes]) -> apsw.Connection:
    """FTS5 and a vector table, and nothing else."""
    db = apsw.Connection(str(path))
    load_vectors(db)
    db.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    db.execute("CREATE VIRTUAL TABLE words USING fts5 (summary, body, tokenize='porter unicode61')")
    db.execute(vector_table(DIMENSIONS))
    with db:
        db.executemany("INSERT INTO words (summary, body) VALUES (?, ?)", texts)
    with db:
        db.executemany("INSERT INTO vector (rowid, embedding) VALUES (?, ?)", enumerate(vectors, 1))
    return db


def bare_search(db: apsw.Connection, query: str, vector: bytes) -> None:
    """The ten best by words, and the ten best by vectors."""
    terms = " OR ".join(f'"{word}"' for word in query.split())
    list(
        db.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY bm25(words) LIMIT 10", (terms,)
        )
    )
    list(db.execute("SELECT rowid FROM vector WHERE embedding MATCH ? AND k = 10", (vector,)))


def fresh_process(code: str) -> float:
    """Milliseconds of a new Python process, the best of five."""
    command = [sys.executable, "-c", code]
    return min(timed(lambda: subprocess.run(command, check=True)) for _ in range(5))


def bytes_on_disk(path: Path) -> int:
    """The database and what has been written to its log so far."""
    files = (path, path.with_name(path.name + "-wal"))
    return sum(file.stat().st_size for file in files if file.exists())


def measure(size: int, folder: Path) -> dict[str, Any]:
    """One row: our index beside the bare engines."""
    rng = random.Random(11)
    repo = folder / f"repo-{size}"
    build_repository(repo, size)
    queries = [some_words(rng, 5) for _ in range(QUERIES)]
    questions = [random_vector(rng) for _ in range(QUERIES)]
    vectors = [random_vector(rng) for _ in range(min(size, 2000))]
    vectors = [vectors[n % len(vectors)] for n in range(size)]
    store = recollect.open(repo)
    build = timed(store.refresh)
    index = store.indexing.without_refresh()
    assert isinstance(index, SqliteIndex)
    memories = index.select(Filters(statuses=frozenset({"all"})))
    texts = [(memory.summary, memory.body) for memory in memories]
    pieces = {m.uid: [v] for m, v in zip(memories, vectors, strict=True)}
    vector_build = timed(lambda: index.store_vectors("bench", pieces))
    bare: list[apsw.Connection] = []
    bare_build = timed(lambda: bare.append(bare_engines(folder / f"{size}.db", texts, vectors)))
    store.capture("notes", "One more memory")
    refresh = timed(store.refresh)

    def ours(query: str, vector: bytes) -> Callable[[], Any]:
        return lambda: search(index, Question(query), now=0.0, embed=lambda _: vector)

    def plain(query: str, vector: bytes) -> Callable[[], Any]:
        return lambda: bare_search(bare[0], query, vector)

    pairs = list(zip(queries, questions, strict=True))
    ours(*pairs[0])(), plain(*pairs[0])()
    p50, p95 = quantiles([ours(*pair) for pair in pairs])
    bare_p50, bare_p95 = quantiles([plain(*pair) for pair in pairs])
    start = fresh_process("import recollect.api.opening")
    cold = fresh_process(
        f"import recollect; recollect.open({str(repo)!r}).search({queries[0]!r}, mode='text')"
    )
    path = store.indexing.path
    return {
        "memories": size,
        "build_ms": build + vector_build,
        "build_ratio": (build + vector_build) / bare_build,
        "refresh_one_ms": refresh,
        "search_p50_ms": p50,
        "search_p95_ms": p95,
        "search_p50_ratio": p50 / bare_p50,
        "search_p95_ratio": p95 / bare_p95,
        "cold_text_search_ms": cold,
        "cold_ratio": cold / start,
        "bytes_per_memory": bytes_on_disk(path) / size,
    }


def measure_meaning(folder: Path) -> dict[str, Any]:
    """A fresh process that searches by words and meaning, beside the imports it cannot avoid."""
    repo = folder / "meaning"
    build_repository(repo, 200)
    store = recollect.open(repo)
    if store.indexing.embedder is None:
        return {"cold_hybrid": "no model is installed"}
    store.indexing.embed_pending(store.indexing.fresh())
    store.close()
    start = fresh_process("import recollect.api.opening, numpy")
    cold = fresh_process(f"import recollect; recollect.open({str(repo)!r}).search('a lost token')")
    return {"memories": 200, "cold_hybrid_ms": cold, "cold_hybrid_ratio": cold / start}


def main() -> None:
    """Measure each size and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="1000,10000,100000")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rows = [measure(int(size), Path(folder)) for size in args.sizes.split(",")]
        rows.append(measure_meaning(Path(folder)))
    if args.json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        print("  ".join(f"{k} {v:,.2f}" if v != str(v) else f"{k} {v}" for k, v in row.items()))


if __name__ == "__main__":
    main()
