"""How near vectors are to each other in general: what makes a similarity remarkable or not.

A cosine of 0.5 means much for one query and little for another, and some memories are near to every
query. Both are measured against a sample, so that they cost the same in a store of any size.
"""

from __future__ import annotations

import math

import apsw

from recollect.index.protocol import Spread

# Vectors to compare a query with, and to compare a memory with.
_SAMPLE = 200
_OTHERS = 1_000
# A memory's nearest others.
_NEAREST = 10
# A memory is measured again when there are so many times more vectors than at the last time.
_GROWTH = 2
# What the similarities of a query are like in general, with the default model; it counts like so
# many memories, because few memories say little about it.
_USUAL_MEAN, _USUAL_DEVIATION, _USUAL_COUNT = 0.01, 0.09, 20


def spread(db: apsw.Connection, vector: bytes) -> Spread:
    """Return mean and deviation of the similarities between a vector and a sample of all."""
    last = int(next(iter(db.execute("SELECT max(key) FROM chunk")))[0] or 0)
    sample = range(1, last + 1, _step(last, _SAMPLE))
    rows = db.execute(
        "SELECT 1 - vec_distance_cosine(vector.embedding, ?) FROM chunk"
        " JOIN vector ON vector.rowid = chunk.key"
        f" WHERE chunk.key IN ({','.join(map(str, sample))})",
        (vector,),
    )
    cosines = [cosine for (cosine,) in rows if cosine is not None]
    count = len(cosines) + _USUAL_COUNT
    mean = (math.fsum(cosines) + _USUAL_COUNT * _USUAL_MEAN) / count
    squares = math.fsum((cosine - mean) ** 2 for cosine in cosines)
    return Spread(mean, math.sqrt((squares + _USUAL_COUNT * _USUAL_DEVIATION**2) / count))


def measure(db: apsw.Connection, most: int) -> int:
    """Measure memories that are new, or were measured among far fewer; return how many."""
    total = _count(db)
    keys = [
        key
        for (key,) in db.execute(
            "SELECT key FROM memory WHERE embedded = 1 AND ? * measured < ? LIMIT ?",
            (_GROWTH, total, most),
        )
    ]
    step = _step(total, _OTHERS)
    for key in keys:
        rows = db.execute(
            "SELECT 1 - near.distance FROM (SELECT rowid, distance FROM vector WHERE"
            " embedding MATCH (SELECT embedding FROM vector WHERE rowid ="
            " (SELECT min(key) FROM chunk WHERE memory = ?1)) AND k = ?2"
            " AND rowid IN (SELECT key FROM chunk WHERE key % ?3 = 0)) AS near"
            " JOIN chunk ON chunk.key = near.rowid WHERE chunk.memory <> ?1"
            " ORDER BY near.distance LIMIT ?4",
            (key, 4 * _NEAREST, step, _NEAREST),
        )
        cosines = [cosine for (cosine,) in rows]
        near = math.fsum(cosines) / len(cosines) if cosines else 0.0
        db.execute("UPDATE memory SET crowding = ?, measured = ? WHERE key = ?", (near, total, key))
    return len(keys)


def _count(db: apsw.Connection) -> int:
    return int(next(iter(db.execute("SELECT count(*) FROM chunk")))[0])


def _step(total: int, sample: int) -> int:
    """Return the distance between the keys of a sample, as far as keys are without gaps."""
    return max(1, total // sample)
