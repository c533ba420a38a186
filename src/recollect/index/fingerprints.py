"""The contents of every table that answers come from, as numbers that can be compared.

`verify` compares them with those of an index that was built anew. Row numbers do not count: they
depend on the order in which the notes arrived.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Mapping

from recollect.index.tables import FACETS, LONGEST_TERM, Tables

# Everything in `memory` that follows from the notes. The rest belongs to vectors.
_FIELDS = (
    "kind, anchor, number, local, status, visible, sensitivity, spec, session, project,"
    " observation_type, created, updated, expires, importance, trust, moved, pace, sources, voice,"
    " sketch"
)
_NOBODY = ""  # for a row whose memory does not exist


def fingerprints(
    tables: Tables, every_word: Iterable[tuple[int, str, str, int]]
) -> dict[tuple[str, str], int]:
    """Return a number for the rows of each memory in each table; only this process can use it."""
    found: dict[tuple[str, str], int] = {}

    def add(table: str, uid: str, *values: object) -> None:
        found[table, uid] = found.get((table, uid), 0) + hash(values)

    uids: dict[int, str] = {}
    for key, uid, *row in tables.rows(f"SELECT key, uid, {_FIELDS} FROM memory"):
        uids[key] = uid
        add("memory", uid, *row)
    for table, column in FACETS:
        for value, key in tables.rows(f"SELECT {column}, memory FROM {table}"):
            add(table, uids.get(key, _NOBODY), value)
    for uid, *row in tables.rows("SELECT uid, kind, number, anchor FROM name"):
        add("name", uid, *row)
    for (uid,) in tables.rows("SELECT uid FROM contested"):
        add("contested", uid)
    for owner, *row in tables.rows("SELECT owner, uid, digest FROM record"):
        add("record", owner, *row)
    words: dict[int, int] = {}
    for key, term, column, offset in every_word:
        words[key] = words.get(key, 0) + hash((term[:LONGEST_TERM], column, offset))
    for key, number in words.items():
        add("words", uids.get(key, _NOBODY), number)
    return found


def damaged_vectors(tables: Tables, stored_vectors: Callable[[], Mapping[int, bytes]]) -> list[str]:
    """Return the uids of memories whose vectors are missing or changed; empty if left over."""
    if not tables.rows("SELECT 1 FROM meta WHERE key = 'model'"):
        return []
    stored = dict(stored_vectors())
    uids: dict[int, str] = dict(tables.rows("SELECT key, uid FROM memory"))
    known = {key for (key,) in tables.rows("SELECT key FROM memory WHERE embedded = 1")}
    complete: set[int] = set()
    damaged: set[int] = set()
    for key, memory, checksum in tables.rows("SELECT key, memory, checksum FROM chunk"):
        vector = stored.pop(key, None)
        is_right = vector is not None and zlib.crc32(vector) == checksum
        (complete if is_right else damaged).add(memory)
    wrong = [uids.get(key, _NOBODY) for key in damaged | (known ^ complete)]
    return sorted(wrong) + [_NOBODY] * len(stored)
