"""What an index knows of memories, kept until the next write: memories, and what ranking needs.

One event reads the same few memories several times, and a long-lived process even more often. A
memory is folded from its records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from recollect.core.authority import depends_on_owner
from recollect.core.crowding import Traits
from recollect.core.memory import Memory, fold
from recollect.core.names import Name
from recollect.core.note import add_record, read_stored
from recollect.core.places import LOCAL
from recollect.core.record import PURGE
from recollect.core.spaces import in_its_space, uid_of, without_references
from recollect.index.protocol import Ranked
from recollect.index.tables import Tables, decode

_BATCH = 500
_OVERHEAD = 2000  # approximate size of a memory besides its body
_MOST_KEPT = 4_000_000  # characters
_MOST_ROWS = 8_000  # for ranking, each of less than a kilobyte


class Memories:
    """The memories of a database, by uid."""

    def __init__(self, tables: Tables, owner: Callable[[], str | None]) -> None:
        self._tables = tables
        self._owner = owner
        self._kept: dict[str, Memory] = {}
        self._size = 0
        self._version: object = None

    def get_many(self, uids: Sequence[str]) -> list[Memory]:
        """Return the existing memories, in the given order."""
        now = self._tables.text_version()
        if now != self._version:
            self._kept, self._size, self._version = {}, 0, now
        found = {uid: self._kept[uid] for uid in uids if uid in self._kept}
        missing = [uid for uid in uids if uid not in found]
        for start in range(0, len(missing), _BATCH):
            folded = self._fold(missing[start : start + _BATCH])
            found.update(folded)
            if len(missing) <= _BATCH:  # a caller that reads everything does not ask again
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
        rows = self._tables.rows
        which, values = self._tables.among("uid", uids)
        names = {
            uid: (Name(kind, anchor, number), f"~{uid[-4:]}" if shared else "", bool(local))
            for uid, kind, anchor, number, local, shared in rows(
                "SELECT uid, kind, anchor, number, local, EXISTS ("
                " SELECT 1 FROM name AS other WHERE other.kind = memory.kind"
                " AND other.number = memory.number AND other.anchor = memory.anchor"
                f" AND other.uid <> memory.uid) FROM memory WHERE {which}",
                values,
            )
        }
        records: dict[str, dict[str, str]] = {uid: {} for uid in names}
        digests: dict[str, str] = {}
        which, values = self._tables.among("owner", uids)
        for owner, uid, data, digest in rows(
            f"SELECT owner, uid, text, digest FROM record WHERE {which}", values
        ):
            if owner in records:
                text = decode(data)
                add_record(records[owner], uid, text)
                if digest:
                    digests[text] = digest
        memories = {}
        for uid, (name, tail, is_local) in names.items():
            read = {}
            for member, text in records[uid].items():
                read[member] = record = read_stored(text)
                if text in digests:
                    read[member] = record._replace(digest=digests[text])
            create = read.pop(uid_of(uid))
            updates = [record for record in read.values() if record.op != PURGE]
            owner = self._owner() if depends_on_owner(create, updates) else None
            memory = fold(create, updates, kind=name.kind, name=f"{name}{tail}", owner=owner)
            memories[uid] = in_its_space(memory, uid, (create, *updates), is_local=is_local)
        outside = [memory for uid, memory in memories.items() if not names[uid][2]]
        named = {uid for memory in outside for uid in (*memory.relates_to, *memory.sources)}
        private = self.private_among(named)
        if private:
            memories |= {m.uid: without_references(m, private) for m in outside}
        return memories

    def private_among(self, uids: Iterable[str]) -> set[str]:
        """Return the uids that belong to the private space."""
        wanted = list(uids)
        if not wanted:
            return set()
        which, values = self._tables.among("owner", wanted)
        rows = self._tables.rows(
            f"SELECT DISTINCT owner FROM record WHERE {which}"
            " AND place IN (SELECT id FROM place WHERE space = ?)",
            (*values, LOCAL),
        )
        return {uid for (uid,) in rows}


class RankedRows:
    """What ranking needs to know about memories, by uid; without `keeps`, it is read each time.

    Each search ranks hundreds, and those of a session are for the same ones.
    """

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
        if now != self._version or len(self._kept) > _MOST_ROWS:
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
