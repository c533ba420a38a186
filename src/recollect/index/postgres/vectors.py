"""Search by vectors with pgvector: exact for as many as a search can compare, else by HNSW.

An HNSW index finds most of the nearest vectors of all repositories. Rights and filters may leave
few of them, so the scan goes on until enough pass (`hnsw.iterative_scan`). The search is exact if
that would take longer than comparing every vector that the person sees, or turns out to.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from recollect.index.postgres.connection import Connections, failing
from recollect.index.postgres.embeddings import Embedding
from recollect.index.postgres.migrations import SCHEMA
from recollect.index.postgres.tables import PostgresTables
from recollect.index.protocol import Match
from recollect.index.similarity import SAMPLE, keep_nearest, step

# Comparing a query with so many vectors takes about as long as all else in a search.
MOST_EXACT = 50_000
# Fetch this many times more from HNSW: a memory has several chunks, and some are only nearly right.
_WIDEN = 3
_EFFORT = (("hnsw.ef_search", "500"), ("hnsw.iterative_scan", "relaxed_order"))
# Taking one more vector from HNSW takes as long as comparing so many (benchmarks/README.md).
COMPARED_MEANWHILE = 50
# Without these, PostgreSQL may sort every vector instead of using the index.
_NO_SORTING = ("enable_sort", "enable_hashjoin", "enable_mergejoin", "enable_seqscan")


def nearest_to(
    tables: PostgresTables,
    vector: bytes,
    condition: str,
    parameters: Sequence[Any],
    limit: int,
    including: Sequence[str],
) -> list[Match]:
    """Return the memories nearest to a vector that match a condition, and some others."""
    dimensions = len(vector) // 4
    ids = _with_dimensions(tables, dimensions)
    if not ids:
        return []
    asked = Embedding(vector)
    best: dict[str, float] = {}
    seen = sum(one.chunks for one in tables.repositories if one.id in ids)
    wanted = limit * _WIDEN
    most = seen // COMPARED_MEANWHILE
    # Of what the index gives, only the share that the person sees counts.
    if seen > MOST_EXACT and wanted * _indexed(tables, dimensions) <= most * seen:
        best = _by_index(tables, asked, condition, parameters, wanted, most)
    if len(best) < limit:
        best = _exactly(tables, asked, ids, condition, parameters, limit)
    ranked = sorted(best.items(), key=lambda item: (-item[1], item[0]))[:limit]
    known = {uid for uid, _ in ranked}
    also: dict[str, float] = {}
    missing = [uid for uid in including if uid not in known]
    if missing:
        rows = tables.rows(
            "SELECT uid, 1 - (embedding <=> ?)"
            " FROM (SELECT uid, key FROM memory WHERE uid = ANY (?) OFFSET 0) AS named"
            " JOIN chunk ON chunk.memory = named.key WHERE chunk.repository = ANY (?)",
            (asked, missing, ids),
        )
        keep_nearest(also, ((uid, cosine) for uid, cosine in rows))
    return [Match(uid, cosine) for uid, cosine in (*ranked, *also.items())]


def _exactly(
    tables: PostgresTables,
    asked: Embedding,
    ids: Sequence[int],
    condition: str,
    parameters: Sequence[Any],
    limit: int,
) -> dict[str, float]:
    """Return the nearest memories that match a condition.

    Every chunk is compared once. The memories are then looked at in this order, until enough of
    them match.
    """
    most = limit * _WIDEN
    rows = tables.rows(
        "SELECT uid, 1 - distance FROM"
        # The offset keeps the two apart: vectors would be sorted, and they are large.
        " (SELECT memory AS near, embedding <=> ? AS distance FROM chunk"
        " WHERE repository = ANY (?) ORDER BY distance OFFSET 0) AS nearest"
        f" JOIN memory ON memory.key = near WHERE {condition} ORDER BY distance LIMIT ?",
        (asked, list(ids), *parameters, most),
    )
    best: dict[str, float] = {}
    keep_nearest(best, ((uid, cosine) for uid, cosine in rows))
    if len(best) >= limit or len(rows) < most:
        return best
    # A few memories have all of these chunks.
    rows = tables.rows(
        "SELECT uid, max(cosine) AS nearest FROM"
        " (SELECT uid, 1 - (embedding <=> ?) AS cosine FROM chunk"
        " JOIN memory ON memory.key = chunk.memory"
        f" WHERE chunk.repository = ANY (?) AND {condition} OFFSET 0) AS every"
        " GROUP BY uid ORDER BY nearest DESC, uid LIMIT ?",
        (asked, list(ids), *parameters, limit),
    )
    return dict(rows)


def sample_cosines(tables: PostgresTables, vector: bytes) -> list[float] | None:
    """Return the cosines of a vector with a sample of all; None if no vector has its size."""
    ids = _with_dimensions(tables, len(vector) // 4)
    if not ids:
        return None
    chunks = sum(one.chunks for one in tables.repositories if one.id in ids)
    rows = tables.rows(
        # An index alone finds the keys; a vector is read for each of the sample.
        "SELECT 1 - (embedding <=> ?) FROM chunk WHERE key = ANY (ARRAY("
        "SELECT key FROM chunk WHERE key % ? = 0 AND repository = ANY (?)))",
        (Embedding(vector), step(chunks, SAMPLE), ids),
    )
    return [cosine for (cosine,) in rows]


def _with_dimensions(tables: PostgresTables, dimensions: int) -> list[int]:
    """Return the repositories whose vectors have a number of dimensions."""
    return [one.id for one in tables.repositories if one.dimensions == dimensions]


def _by_index(
    tables: PostgresTables,
    asked: Embedding,
    condition: str,
    parameters: Sequence[Any],
    limit: int,
    most: int,
) -> dict[str, float]:
    dimensions = len(asked) // 4
    settings = [*_EFFORT, ("hnsw.max_scan_tuples", str(most))]
    settings += [(name, "off") for name in _NO_SORTING]
    for name, value in settings:
        tables.rows("SELECT set_config(?, ?, true)", (name, value))
    rows = tables.rows(
        "SELECT uid, 1 - (embedding <=> ?) FROM chunk JOIN memory ON memory.key = chunk.memory"
        f" WHERE vector_dims(embedding) = {dimensions} AND {condition}"
        f" ORDER BY embedding::halfvec({dimensions}) <=> (?::vector)::halfvec({dimensions})"
        " LIMIT ?",
        (asked, *parameters, asked, limit),
    )
    for name in _NO_SORTING:
        tables.rows("SELECT set_config(?, 'on', true)", (name,))
    best: dict[str, float] = {}
    keep_nearest(best, ((uid, cosine) for uid, cosine in rows))
    return best


def _index_name(dimensions: int) -> str:
    return f"chunk_nearest_{dimensions}"


def _indexed(tables: PostgresTables, dimensions: int) -> float:
    """Return how many vectors the complete HNSW index of a size has; infinite without one."""
    rows = tables.rows(
        "SELECT reltuples FROM pg_class JOIN pg_index ON indexrelid = oid"
        " WHERE oid = to_regclass(?) AND indisvalid",
        (f"{SCHEMA}.{_index_name(dimensions)}",),
    )
    return max(0.0, rows[0][0]) if rows else math.inf


def build_index(connections: Connections, dimensions: int) -> bool:
    """Build the HNSW index for vectors of a size if there are many; return whether it did.

    Readers and writers go on meanwhile. An index that was left half built is built again.
    """
    name = _index_name(dimensions)
    with connections.connection() as connection, failing():
        row = connection.execute(
            "SELECT reltuples, (SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s))"
            " FROM pg_class WHERE oid = to_regclass(%s)",
            (f"{SCHEMA}.{name}", f"{SCHEMA}.chunk"),
        ).fetchone()
        if row is None or row[0] <= MOST_EXACT or row[1]:
            return False
        connection.execute(f"DROP INDEX IF EXISTS {SCHEMA}.{name}".encode())
        path = connection.path.partition(", ")[2]
        connection.execute(
            f"CREATE INDEX CONCURRENTLY {name} ON {SCHEMA}.chunk USING hnsw"
            f" ((embedding::{path}.halfvec({dimensions})) {path}.halfvec_cosine_ops)"
            f" WHERE {path}.vector_dims(embedding) = {dimensions}".encode()
        )
        return True
