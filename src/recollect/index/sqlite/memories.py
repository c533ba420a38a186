"""Memories out of the SQLite index: folded from their records, and kept while nobody writes.

One event asks for the same few memories again and again, and a process that stays asks more often.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

from recollect.core.memory import Memory, fold
from recollect.core.names import Name
from recollect.core.note import add_record, read_stored
from recollect.index.sqlite.connection import Version, version

_BATCH = 500
_OVERHEAD = 2000  # what a memory takes besides its body, about
_MOST_KEPT = 4_000_000  # characters


class Memories:
    """The memories of a database, by uid."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        self._kept: dict[str, Memory] = {}
        self._size = 0
        self._version: Version = (0, 0)

    def get_many(self, uids: Sequence[str]) -> list[Memory]:
        """Those that are there, in the order asked for."""
        now = version(self._db)
        if now != self._version:
            self._kept, self._size, self._version = {}, 0, now
        found = {uid: self._kept[uid] for uid in uids if uid in self._kept}
        missing = [uid for uid in uids if uid not in found]
        for start in range(0, len(missing), _BATCH):
            folded = self._fold(missing[start : start + _BATCH])
            found.update(folded)
            if len(missing) <= _BATCH:  # whoever reads everything does not ask again
                self._keep(folded)
        return [found[uid] for uid in uids if uid in found]

    def _keep(self, memories: dict[str, Memory]) -> None:
        size = sum(len(memory.body) + _OVERHEAD for memory in memories.values())
        if self._size + size > _MOST_KEPT:
            self._kept, self._size = {}, 0
        if size <= _MOST_KEPT:
            self._kept.update(memories)
            self._size += size

    def _fold(self, uids: Sequence[str]) -> dict[str, Memory]:
        marks = ",".join("?" * len(uids))
        names = {
            uid: (Name(kind, anchor, number), f"~{uid[-4:]}" if shared else "")
            for uid, kind, anchor, number, shared in self._rows(
                "SELECT uid, kind, anchor, number, EXISTS ("
                " SELECT 1 FROM name AS other WHERE other.kind = memory.kind"
                " AND other.number = memory.number AND other.anchor = memory.anchor"
                f" AND other.uid <> memory.uid) FROM memory WHERE uid IN ({marks})",
                uids,
            )
        }
        records: dict[str, dict[str, str]] = {uid: {} for uid in names}
        for owner, uid, text in self._rows(
            f"SELECT owner, uid, text FROM record WHERE owner IN ({marks})", uids
        ):
            if owner in records:
                add_record(records[owner], uid, decode(text))
        memories = {}
        for uid, (name, tail) in names.items():
            read = {member: read_stored(text) for member, text in records[uid].items()}
            create = read.pop(uid)
            memories[uid] = fold(create, read.values(), kind=name.kind, name=f"{name}{tail}")
        return memories

    def _rows(self, sql: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        return list(self._db.execute(sql, tuple(parameters)))


def decode(text: bytes) -> str:
    """A record as it is in the ledger."""
    return text.decode("utf-8", "surrogateescape")
