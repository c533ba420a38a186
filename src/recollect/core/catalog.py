"""The catalog: every memory that a set of notes holds, by uid, by name, with its history.

Notes come and go one by one (`apply`), so that a refresh touches only what changed; memories are
folded when they are asked for. The result depends on the notes applied, not on their order.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from recollect.core.legacy import is_legacy
from recollect.core.memory import Memory, fold, order_updates
from recollect.core.names import SHORT_ANCHOR, Name, as_uid_prefix, parse_name
from recollect.core.note import Note, join, purged_uids, read_stored
from recollect.core.record import CREATE, PURGE, Record
from recollect.core.uid import LENGTH

SHARED = "shared"
LOCAL = "local"
FOREIGN = "foreign"
_OP_LINE = len("---\nuid: \n") + LENGTH


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where a note is: the space (shared, local, foreign), the kind, and the anchor it is on."""

    space: str
    kind: str
    anchor: str


class Catalog:
    """All memories of a ledger."""

    def __init__(self) -> None:
        self._notes: dict[Place, Note] = {}
        self._places: dict[str, tuple[Place, ...]] = {}
        self._records: dict[str, Record] = {}
        self._members: dict[str, set[str]] = defaultdict(set)
        self._memories: dict[str, Memory] = {}
        self._dirty: set[str] = set()
        self._by_number: Mapping[tuple[str, int], list[tuple[str, str]]] | None = None

    def apply(self, place: Place, note: Note | None) -> None:
        """Put the note of a place in the stead of the one known, or forget it."""
        old: Mapping[str, str] = self._notes.get(place, {})
        new: Mapping[str, str] = note or {}
        for uid in old.keys() - new.keys():
            self._leave(uid, place)
        if note:
            self._notes[place] = note
        else:
            self._notes.pop(place, None)
        for uid, text in new.items():
            if old.get(uid) != text:
                self._enter(uid, text, place)

    def _enter(self, uid: str, text: str, place: Place) -> None:
        places = self._places.get(uid)
        if places is None:
            self._places[uid] = (place,)
        elif place not in places:
            self._places[uid] = tuple(sorted((*places, place)))
        self._records.pop(uid, None)
        # A creation says so in its third line: no need to read the rest before it is asked for.
        owner = uid if text.startswith("op: create\n", _OP_LINE) else read_stored(text).memory_uid
        self._members[owner].add(uid)
        self._dirty.add(owner)

    def _leave(self, uid: str, place: Place) -> None:
        owner = self._record(uid).memory_uid
        del self._records[uid]
        self._dirty.add(owner)
        places = tuple(p for p in self._places[uid] if p != place)
        if places:
            self._places[uid] = places
        else:
            del self._places[uid]
            self._members[owner].discard(uid)

    def _record(self, uid: str) -> Record:
        """A record, read when it is first asked for; copies in several notes are joined."""
        record = self._records.get(uid)
        if record is None:
            texts = [self._notes[place][uid] for place in self._places[uid]]
            text = texts[0] if len(texts) == 1 else join(*({uid: text} for text in texts))[uid]
            record = self._records[uid] = read_stored(text)
        return record

    @property
    def memories(self) -> Mapping[str, Memory]:
        """Every memory by uid."""
        if self._dirty:
            for uid in self._dirty:
                memory = self._fold(uid)
                if memory is None:
                    self._memories.pop(uid, None)
                else:
                    self._memories[uid] = memory
            self._dirty.clear()
            self._by_number = None
        return self._memories

    def _fold(self, uid: str) -> Memory | None:
        create = self._record(uid) if uid in self._places else None
        if create is None or create.op != CREATE:
            return None
        updates = []
        for member in self._members[uid]:
            record = self._record(member)
            if record.op == PURGE:
                return None
            if member != uid:
                updates.append(record)
        place = self._places[uid][0]
        return fold(create, updates, kind=place.kind, name=self._birth_name(create, place))

    def _birth_name(self, create: Record, place: Place) -> str:
        """The name written at birth; a text that came without one is named after its text.

        A legacy record is named by its position, as the system that wrote it did. For other text
        the number is drawn from its hash, because two clones may adopt the same text apart.
        """
        if create.id is not None:
            return create.id
        note = self._notes[place]
        text = note[create.uid]
        if is_legacy(text):
            number = sorted(uid for uid, t in note.items() if is_legacy(t)).index(create.uid)
        else:
            number = int(hashlib.sha256(create.uid.encode()).hexdigest()[:5], 16)
        return str(Name(place.kind, place.anchor, number))

    @property
    def _births(self) -> Mapping[tuple[str, int], list[tuple[str, str]]]:
        """For each kind and number the anchors, in order, and the uids that were born there."""
        memories = self.memories
        if self._by_number is None:
            births: dict[tuple[str, int], list[tuple[str, str]]] = defaultdict(list)
            for memory in memories.values():
                name = parse_name(memory.id)
                if name is not None:
                    births[name.kind, name.number].append((name.anchor, memory.uid))
            for anchors in births.values():
                anchors.sort()
            self._by_number = births
        return self._by_number

    def resolve(self, text: str) -> list[Memory]:
        """The memories that a typed id can mean: none, one, or several."""
        name = parse_name(text)
        memories = self.memories
        if name is None:
            prefix = as_uid_prefix(text)
            if prefix is None:
                return []
            found = [uid for uid in memories if uid.startswith(prefix)]
        else:
            found = [uid for uid in self._born_as(name) if uid.endswith(name.tail)]
        return sorted((self.named(memories[uid]) for uid in found), key=lambda memory: memory.uid)

    def _born_as(self, name: Name) -> list[str]:
        """The uids whose name of birth begins with the anchor of this one."""
        births = self._births.get((name.kind, name.number), [])
        start = bisect_left(births, (name.anchor, ""))
        end = start
        while end < len(births) and births[end][0].startswith(name.anchor):
            end += 1
        return [uid for _, uid in births[start:end]]

    def named(self, memory: Memory) -> Memory:
        """The memory under a name that no other one has."""
        name = parse_name(memory.id)
        if name is None or len(self._born_as(name)) == 1:
            return memory
        return replace(memory, id=f"{memory.id}~{memory.uid[-4:]}")

    def short_name(self, memory: Memory) -> str:
        """The shortest name of at least seven anchor characters that means this memory only."""
        name = parse_name(memory.id)
        if name is None:
            return memory.id
        births = self._births[name.kind, name.number]
        before = bisect_left(births, (name.anchor, "")) - 1
        after = bisect_left(births, (name.anchor + "g", ""))
        length = SHORT_ANCHOR
        for at in (before, after):
            if 0 <= at < len(births):
                length = max(length, _common_length(births[at][0], name.anchor) + 1)
        return str(replace(name, anchor=name.anchor[:length]))

    def history(self, uid: str) -> list[Record]:
        """The records of a memory: its creation, then its updates in the order they count."""
        records = [self._record(member) for member in self._members.get(uid, ())]
        created = [record for record in records if record.uid == uid]
        return created + order_updates(record for record in records if record.uid != uid)

    def places(self, uid: str) -> tuple[Place, ...]:
        """Every place that holds a record."""
        return self._places.get(uid, ())

    def journal(self) -> Iterable[tuple[Record, Place]]:
        """Every record of the ledger, oldest first."""
        for uid in sorted(self._places):
            yield self._record(uid), self._places[uid][0]

    def waiting(self) -> list[Record]:
        """Updates whose creation has not arrived yet."""
        return [
            record
            for record in map(self._record, self._places)
            if record.op not in (CREATE, PURGE)
            and record.memory_uid not in self.memories
            and not self._is_purged(record.memory_uid)
        ]

    def _is_purged(self, uid: str) -> bool:
        return any(self._record(m).op == PURGE for m in self._members.get(uid, ()))

    def purged(self) -> frozenset[str]:
        """The memories that purge records erase."""
        return frozenset().union(*(purged_uids(note) for note in self._notes.values()))


def _common_length(one: str, other: str) -> int:
    length = 0
    for a, b in zip(one, other, strict=False):
        if a != b:
            break
        length += 1
    return length
