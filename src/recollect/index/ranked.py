"""What ranking needs to know about memories: from their rows, kept until the next write.

Each search ranks hundreds of memories, and those of a session search for the same ones.
"""

from __future__ import annotations

from collections.abc import Sequence

from recollect.core.crowding import Traits
from recollect.index.memories import Memories
from recollect.index.protocol import Ranked
from recollect.index.tables import Tables

_MOST_KEPT = 8_000  # rows, each of less than a kilobyte


class RankedRows:
    """The rows of a database, by uid; without `keeps`, they are read each time."""

    def __init__(self, tables: Tables, memories: Memories, *, keeps: bool) -> None:
        self._tables = tables
        self._memories = memories
        self._keeps = keeps
        self._kept: dict[str, Ranked] = {}
        self._version: object = None

    def of(self, uids: Sequence[str]) -> list[Ranked]:
        """Return the rows of the memories that exist, in any order."""
        if not self._keeps:
            return self._read(uids)
        now = self._tables.version()  # also of writes that leave the text alone
        if now != self._version or len(self._kept) > _MOST_KEPT:
            self._kept, self._version = {}, now
        kept = self._kept
        missing = [uid for uid in uids if uid not in kept]
        if missing:
            kept.update((row.uid, row) for row in self._read(missing))
        return [kept[uid] for uid in uids if uid in kept]

    def _read(self, uids: Sequence[str]) -> list[Ranked]:
        which, values = self._tables.among("uid", uids)
        rows = self._tables.rows(
            "SELECT uid, created, importance, trust, moved, pace, sources, voice, sketch, status,"
            f" kind, session, crowding, local FROM memory WHERE {which}",
            values,
        )
        sources = {row[0]: tuple(row[6].split()) for row in rows}
        outside = [row[0] for row in rows if not row[-1]]
        private = self._memories.private_among({u for uid in outside for u in sources[uid]})
        for uid in outside if private else ():
            sources[uid] = tuple(u for u in sources[uid] if u not in private)
        return [  # by position: there are hundreds, and somebody waits
            Ranked(uid, created, importance, trust, moved, pace, sources[uid], *more)
            for uid, created, importance, trust, moved, pace, _, voice, sketch, *rest in rows
            for more in [(Traits(voice, sketch), *rest[:4])]
        ]
