"""The contents of every table that answers come from, as numbers that can be compared.

`verify` compares them with those of an index that was built anew. Row numbers do not count: they
depend on the order in which the notes arrived.
"""

from __future__ import annotations

import zlib

import apsw

from recollect.index.sqlite.schema import FACETS

# Everything in `memory` that follows from the notes. The rest belongs to vectors.
_FIELDS = (
    "kind, anchor, number, local, status, visible, sensitivity, spec, session, project,"
    " observation_type, created, updated, expires, importance, trust, moved, pace, sources, voice,"
    " sketch"
)
_NOBODY = ""  # for a row whose memory does not exist


def fingerprints(db: apsw.Connection) -> dict[tuple[str, str], int]:
    """Return a number for the rows of each memory in each table; only this process can use it."""
    found: dict[tuple[str, str], int] = {}

    def add(table: str, uid: str, *values: object) -> None:
        found[table, uid] = found.get((table, uid), 0) + hash(values)

    uids: dict[int, str] = {}
    for key, uid, *row in db.execute(f"SELECT key, uid, {_FIELDS} FROM memory"):
        uids[key] = uid
        add("memory", uid, *row)
    for table, column in FACETS:
        for value, key in db.execute(f"SELECT {column}, memory FROM {table}"):
            add(table, uids.get(key, _NOBODY), value)
    for uid, *row in db.execute("SELECT uid, kind, number, anchor FROM name"):
        add("name", uid, *row)
    for (uid,) in db.execute("SELECT uid FROM contested"):
        add("contested", uid)
    for owner, *row in db.execute("SELECT owner, uid, digest FROM record"):
        add("record", owner, *row)
    db.execute("CREATE VIRTUAL TABLE temp.every_word USING fts5vocab (main, words, instance)")
    try:
        words: dict[int, int] = {}
        for key, term, column, offset in db.execute(
            "SELECT doc, term, col, offset FROM temp.every_word"
        ):
            words[key] = words.get(key, 0) + hash((term, column, offset))
        for key, number in words.items():
            add("words", uids.get(key, _NOBODY), number)
    finally:
        db.execute("DROP TABLE temp.every_word")
    return found


def damaged_vectors(db: apsw.Connection) -> list[str]:
    """Return the uids of memories whose vectors are missing or changed; empty if left over."""
    if not list(db.execute("SELECT 1 FROM meta WHERE key = 'model'")):
        return []
    stored = dict(db.execute("SELECT rowid, embedding FROM vector"))
    uids = dict(db.execute("SELECT key, uid FROM memory"))
    known = {key for (key,) in db.execute("SELECT key FROM memory WHERE embedded = 1")}
    complete: set[int] = set()
    damaged: set[int] = set()
    for key, memory, checksum in db.execute("SELECT key, memory, checksum FROM chunk"):
        vector = stored.pop(key, None)
        is_right = vector is not None and zlib.crc32(vector) == checksum
        (complete if is_right else damaged).add(memory)
    wrong = [uids.get(key, _NOBODY) for key in damaged | (known ^ complete)]
    return sorted(wrong) + [_NOBODY] * len(stored)
