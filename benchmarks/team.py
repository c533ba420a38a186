"""How the index in PostgreSQL grows: many memories in 500 repositories, and somebody who sees 20.

python -m benchmarks.team --sizes 10000,100000

Every search is measured beside the bare SQL for the same question in the same run: the keyword
statement and the vector statement, for the same repositories, without row-level security.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import psycopg

from benchmarks.corpus import KINDS, make_record, some_words
from benchmarks.index import QUERIES, quantiles, timed
from recollect.core.note import Note
from recollect.core.places import SHARED, Place
from recollect.core.record import render_record
from recollect.index.postgres.connection import open_pool, vacuum
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
_OPTIONS = "shared_buffers = 2GB\nmax_wal_size = 8GB\ncheckpoint_timeout = 30min\n"
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


def ask(size: int, url: str) -> dict[str, Any]:
    """Measure the searches of somebody who sees a few of the repositories."""
    rng, numbers = random.Random(12), np.random.default_rng(12)
    pool = open_pool(url, max_size=2)
    names = [f"team/{number}" for number in rng.sample(range(REPOSITORIES), SEEN)]
    queries = [some_words(rng, 5) for _ in range(QUERIES)]
    asked = random_vectors(numbers, QUERIES)
    seen = PostgresIndex(pool, names)
    ids = [one.id for one in _repositories(seen)]
    stems = {query: seen._tables.stem(query) for query in queries}

    def ours(query: str, vector: bytes, filters: Filters) -> Callable[[], Any]:
        def run() -> None:
            with seen.reading():
                search(seen, Question(query, filters=filters), now=0.0, embed=lambda _: vector)

        return run

    with pool.connection() as connection:
        connection.execute(f"SET search_path = {connection.path}".encode())

        def bare(query: str, vector: bytes, filter_: str = "") -> list[Any]:
            more = [ids] if filter_ else []
            words = _BARE_WORDS.replace("GROUP BY", f"{filter_} GROUP BY")
            vectors = _BARE_VECTORS.replace("ORDER BY", f"{filter_} ORDER BY")
            found = connection.execute(words.encode(), (stems[query], ids, *more)).fetchall()
            asked_for = (Embedding(vector), ids, *more)
            return [*found, *connection.execute(vectors.encode(), asked_for).fetchall()]

        pairs = list(zip(queries, asked, strict=True))
        for query, vector in pairs[:5]:
            ours(query, vector, Filters())(), bare(query, vector)
        p50, p95 = quantiles([ours(q, v, Filters()) for q, v in pairs])
        kind50, kind95 = quantiles([ours(q, v, Filters(kind="decisions")) for q, v in pairs])
        bare50, bare95 = quantiles([partial(bare, q, v) for q, v in pairs])
        of_kind50, of_kind95 = quantiles([partial(bare, q, v, _OF_KIND) for q, v in pairs])
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
    pool.close()
    assert row is not None
    return {
        "search_p50_ms": p50,
        "search_p95_ms": p95,
        "by_kind_p50_ms": kind50,
        "by_kind_p95_ms": kind95,
        "bare_p50_ms": bare50,
        "bare_p95_ms": bare95,
        "bare_by_kind_p50_ms": of_kind50,
        "bare_by_kind_p95_ms": of_kind95,
        "by_kind_p50_ratio": kind50 / of_kind50,
        "by_kind_p95_ratio": kind95 / of_kind95,
        "p50_ratio": p50 / bare50,
        "p95_ratio": p95 / bare95,
        "bytes_per_memory": row[0] / size,
        "client_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


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
                rows.append({"memories": int(size), **built, **ask(int(size), url)})
                print("  ".join(f"{k} {v:,.2f}" for k, v in rows[-1].items()), flush=True)
        with psycopg.connect(server.url) as connection:
            row = connection.execute("SELECT version()").fetchone()
            print(row and row[0])
    if args.json:
        print(json.dumps(rows, indent=2))


if __name__ == "__main__":
    main()
