"""How the index in PostgreSQL grows: many memories in 500 repositories, and somebody who sees 20.

python -m benchmarks.team --sizes 10000,100000

Every search is measured beside the bare SQL for the same question in the same run: the keyword
statement and the vector statement, for the same repositories, without row-level security.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import psycopg

from benchmarks.corpus import KINDS, make_record, some_words
from benchmarks.index import QUERIES, quantiles_of, timed
from recollect.core.note import Note
from recollect.core.places import SHARED, Place
from recollect.core.record import render_record
from recollect.index.postgres import vectors as vectors_module
from recollect.index.postgres.connection import Connections, open_pool, vacuum
from recollect.index.postgres.embeddings import Embedding
from recollect.index.postgres.index import PostgresIndex
from recollect.index.postgres.migrations import SCHEMA
from recollect.index.postgres.vectors import build_index
from recollect.index.protocol import Filters
from recollect.search.search import Question, search
from tests.support.postgres import any_server, new_database

REPOSITORIES = 500
SEEN = 20
DIMENSIONS = 384
_PER_NOTE = 10
_WARM_UP = 5  # queries that are not counted

_BARE_WORDS = f"""
SELECT memory, sum(weight * 2.2 / (weight + 1.2 * (0.25 + 0.75 * length / 80))) AS score
FROM {SCHEMA}.posting WHERE term = ANY (%s) AND repository = ANY (%s)
GROUP BY memory ORDER BY score DESC LIMIT 50
"""
_BARE_VECTORS = f"""
SELECT memory, embedding <=> %s AS distance FROM {SCHEMA}.chunk WHERE repository = ANY (%s)
ORDER BY distance LIMIT 50
"""
# What a server with many memories is given; the tests make do with 64 MB.
_OPTIONS = (
    "shared_buffers = 2GB\nmax_wal_size = 8GB\ncheckpoint_timeout = 30min\n"
    "maintenance_work_mem = 2GB\n"
)
# The same for memories of one kind that are not hidden.
_OF_KIND = f"""
AND memory IN (SELECT key FROM {SCHEMA}.memory
WHERE repository = ANY (%s) AND kind = 'decisions' AND visible = 1)
"""


def notes_of(first: int, count: int, rng: random.Random) -> dict[Place, Note]:
    """The notes of one repository: its memories from a number on, ten at a commit."""
    notes: dict[Place, Note] = {}
    for number in range(first, first + count):
        kind, anchor = KINDS[number % len(KINDS)], f"{number // _PER_NOTE:040x}"
        record = make_record(number, kind, anchor, rng)
        notes.setdefault(Place(SHARED, kind, anchor), {})[record.uid] = render_record(record)
    return notes


def random_vectors(rng: np.random.Generator, count: int) -> list[bytes]:
    """Unit vectors around some topics, as texts have them."""
    topics = rng.normal(size=(40, DIMENSIONS))
    rows = topics[rng.integers(0, 40, count)] + 1.5 * rng.normal(size=(count, DIMENSIONS))
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return [row.astype("<f4").tobytes() for row in rows]


def build(size: int, url: str, *, with_hnsw: bool = True) -> dict[str, Any]:
    """Fill a database, and measure how long that takes, and how long one more memory takes."""
    rng, numbers = random.Random(11), np.random.default_rng(11)
    pool = open_pool(url, max_size=2)
    each = size // REPOSITORIES
    start = time.perf_counter()
    for repository in range(REPOSITORIES):
        index = PostgresIndex(pool, [f"team/{repository}"])
        notes = notes_of(repository * each, each, rng)
        assert index.apply(notes.items(), since={}, cursor={"r": "1"})
        uids = [uid for note in notes.values() for uid in note]
        vectors = zip(uids, random_vectors(numbers, len(uids)), strict=True)
        index.store_vectors("bench", {uid: [vector] for uid, vector in vectors})
        if repository % 50 == 49:
            print(f"{(repository + 1) * each} memories, {time.perf_counter() - start:.0f} s")
    taken = time.perf_counter() - start
    vacuum(pool)
    hnsw = timed(lambda: with_hnsw and build_index(pool, DIMENSIONS)) / 1000
    changed = PostgresIndex(pool, ["team/0"])
    refreshes = [
        timed(lambda at=at: _one_more(changed, size + at, rng))  # type: ignore[misc]
        for at in range(20)
    ]
    pool.close()
    return {
        "build_s": taken,
        "hnsw_s": hnsw,
        "refresh_one_ms": sorted(refreshes)[len(refreshes) // 2],
    }


def ask(url: str, repositories: int = REPOSITORIES, seen_: int = SEEN) -> dict[str, Any]:
    """Measure the searches of somebody who sees a few of the repositories.

    For each query, each of ours runs beside its bare SQL, so that both meet the same load.
    """
    rng, numbers = random.Random(12), np.random.default_rng(12)
    pool = open_pool(url, max_size=2)
    names = [f"team/{number}" for number in rng.sample(range(repositories), seen_)]
    queries = [some_words(rng, 5) for _ in range(QUERIES)]
    asked = random_vectors(numbers, QUERIES)
    seen = PostgresIndex(pool, names)
    ids = [one.id for one in _repositories(seen)]
    stems = {query: seen._tables.stem(query) for query in queries}

    def ours(query: str, vector: bytes, filters: Filters) -> None:
        with seen.reading():
            search(seen, Question(query, filters=filters), now=0.0, embed=lambda _: vector)

    with pool.connection() as connection:
        connection.execute(f"SET search_path = {connection.path}".encode())
        connection.execute("SET jit = off")  # as in ours

        def bare(query: str, vector: bytes, filter_: str = "") -> None:
            more = [ids] if filter_ else []
            words = _BARE_WORDS.replace("GROUP BY", f"{filter_} GROUP BY")
            vectors = _BARE_VECTORS.replace("ORDER BY", f"{filter_} ORDER BY")
            connection.execute(words.encode(), (stems[query], ids, *more)).fetchall()
            connection.execute(vectors.encode(), (Embedding(vector), ids, *more)).fetchall()

        jobs: dict[str, Callable[[str, bytes], None]] = {
            "search": lambda query, vector: ours(query, vector, Filters()),
            "bare": bare,
            "by_kind": lambda query, vector: ours(query, vector, Filters(kind="decisions")),
            "bare_by_kind": lambda query, vector: bare(query, vector, _OF_KIND),
        }
        taken: dict[str, list[float]] = {name: [] for name in jobs}
        for number, (query, vector) in enumerate(zip(queries, asked, strict=True)):
            for name, job in jobs.items():
                milliseconds = timed(partial(job, query, vector))
                if number >= _WARM_UP:
                    taken[name].append(milliseconds)
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    pool.close()
    assert row is not None
    found = {name: quantiles_of(values) for name, values in taken.items()}
    return {
        **{f"{name}_p50_ms": p50 for name, (p50, _) in found.items()},
        **{f"{name}_p95_ms": p95 for name, (_, p95) in found.items()},
        "p50_ratio": found["search"][0] / found["bare"][0],
        "p95_ratio": found["search"][1] / found["bare"][1],
        "by_kind_p50_ratio": found["by_kind"][0] / found["bare_by_kind"][0],
        "by_kind_p95_ratio": found["by_kind"][1] / found["bare_by_kind"][1],
        "database_bytes": row[0],
        "client_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def memory_of(server: int) -> float:
    """The megabytes of a server's processes, those that they share counted once; needs root."""
    found = 0
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            parent = (folder / "stat").read_text().rpartition(")")[2].split()[1]
            if str(server) in (folder.name, parent):
                rollup = (folder / "smaps_rollup").read_text().partition("\nPss:")[2]
                found += int(rollup.split()[0])
    return found / 1024


def recall(url: str, repositories: int = REPOSITORIES) -> dict[str, Any]:
    """Compare the HNSW index with an exact search, for somebody who sees everything.

    Vectors only. Exact is what the same code does without the index. A query has a cosine
    of about 0.55 to some memory: nobody asks for what no memory is about.
    """
    pool = open_pool(url, max_size=2)
    index = PostgresIndex(pool, [f"team/{number}" for number in range(repositories)])
    kept: dict[str, list[float]] = {}
    taken: dict[str, list[float]] = {}
    for vector in _near_some(pool, QUERIES):
        for name, filters in (("all", Filters()), ("by_kind", Filters(kind="decisions"))):
            near: dict[str, list[str]] = {}

            def look(how: str, filters: Filters = filters, vector: bytes = vector) -> None:
                near[how] = [one.uid for one in index.nearest(vector, filters, 50)]  # noqa: B023

            taken.setdefault(f"hnsw_{name}", []).append(timed(partial(look, "hnsw")))
            most, vectors_module.MOST_EXACT = vectors_module.MOST_EXACT, 1 << 40
            taken.setdefault(f"exact_{name}", []).append(timed(partial(look, "exact")))
            vectors_module.MOST_EXACT = most
            for first in (10, 50):
                both = set(near["hnsw"][:first]) & set(near["exact"][:first])
                kept.setdefault(f"recall_{name}_{first}", []).append(len(both) / first)
    pool.close()
    return {
        **{f"{name}_p50_ms": quantiles_of(values)[0] for name, values in taken.items()},
        **{name: sum(values) / len(values) for name, values in kept.items()},
    }


def _near_some(pool: Connections, count: int) -> list[bytes]:
    """Unit vectors, each with a cosine of about 0.55 to a vector that is in the database."""
    with pool.connection() as connection:
        rows = connection.execute(
            f"SELECT embedding::real[] FROM {SCHEMA}.chunk ORDER BY key %% 997, key LIMIT %s",
            (count,),
        ).fetchall()
    found = np.array([row[0] for row in rows])
    noise = np.random.default_rng(13).normal(size=found.shape)
    found += 1.5 * noise / np.linalg.norm(noise, axis=1, keepdims=True)
    found /= np.linalg.norm(found, axis=1, keepdims=True)
    return [row.astype("<f4").tobytes() for row in found]


def _repositories(index: PostgresIndex) -> list[Any]:
    index.count(Filters())
    return index._tables.repositories


def _one_more(index: PostgresIndex, number: int, rng: random.Random) -> None:
    since = index.cursor()
    cursor = {"r": str(int(since["r"]) + 1)}
    assert index.apply(notes_of(number * 10_000_000, 1, rng).items(), since=since, cursor=cursor)


def main() -> None:
    """Measure each size, in a database of its own, and print the rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", default="10000,100000")
    parser.add_argument("--without-hnsw", action="store_true", help="don't build that index")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    rows = []
    with any_server(_OPTIONS) as server:
        for size in args.sizes.split(","):
            with new_database(server) as url:
                built = build(int(size), url, with_hnsw=not args.without_hnsw)
                found = {"memories": int(size), **built, **ask(url)}
                if server.pid:  # else somebody else runs it
                    found["server_mb"] = memory_of(server.pid)
                found["load"] = os.getloadavg()[0]
                if int(size) > vectors_module.MOST_EXACT and not args.without_hnsw:
                    found |= recall(url)
                rows.append(found)
                print("  ".join(f"{k} {v:,.2f}" for k, v in rows[-1].items()), flush=True)
        with psycopg.connect(server.url) as connection:
            row = connection.execute("SELECT version()").fetchone()
            print(row and row[0])
    if args.json:
        print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
