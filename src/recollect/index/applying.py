"""Applying changes from the ledger to the tables of an index.

Everything here runs inside one transaction of the caller. The result depends only on the notes: an
incremental refresh ends where a full rebuild ends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from operator import itemgetter

from recollect.core.authority import depends_on_owner, person_of
from recollect.core.disposition import dispose
from recollect.core.legacy import was_legacy
from recollect.core.memory import Memory, fold
from recollect.core.names import Name, name_at_creation, parse_name
from recollect.core.note import Note, join, read_stored, read_with_digest, with_digest
from recollect.core.places import LOCAL, Place
from recollect.core.record import CREATE, PURGE, Record, is_legacy
from recollect.core.spaces import in_its_space, is_marked, marked, owner_of, uid_of
from recollect.index.memory_rows import COLUMNS, LONGEST_FACET, facets_of, memory_row, words_of
from recollect.index.protocol import Cursor, Progress
from recollect.index.tables import FACETS, NOBODY, WritableTables, decode, encode

_NAME = ("kind", "number", "anchor", "uid")
# The columns of each facet.
_FACETS = {table: (column, "memory") for table, column in FACETS}
# A record, its text, and where it is; in a new file also by the key of the place.
_Stored = tuple[Place, Record, str, int]


class Applier:
    """Writes notes into the tables."""

    def __init__(self, tables: WritableTables, owner: Callable[[], str | None]) -> None:
        self._tables = tables
        self._owner = owner
        # While building a new file: the records by memory, so that none is queried again.
        self._new: dict[str, list[_Stored]] | None = None

    def apply(
        self,
        notes: Iterable[tuple[Place, Note | None]],
        cursor: Cursor,
        *,
        complete: bool,
        progress: Progress | None,
        whole: Collection[tuple[str, str]] = (),
    ) -> None:
        """Apply notes, then fold every affected memory again."""
        tables = self._tables
        empty = not tables.rows("SELECT 1 FROM cursor LIMIT 1")
        self._new = {} if empty else None
        untouched = {
            key
            for key, space, kind in tables.rows("SELECT id, space, kind FROM place")
            if complete or (space, kind) in whole
        }
        with tables.filling() if empty else nullcontext():
            self._apply(notes, untouched, progress)
            self._new = None
        tables.run("DELETE FROM cursor")
        tables.insert("cursor", ("ref", "tree"), list(cursor.items()))
        # Whoever keeps what was read knows by it that notes changed, also with the same cursor.
        tables.put_setting("applied", os.urandom(8).hex())

    def _apply(
        self,
        notes: Iterable[tuple[Place, Note | None]],
        untouched: set[int],
        progress: Progress | None,
    ) -> None:
        """Apply notes; what is `untouched` after them is gone."""
        owners: set[str] = set()
        for number, (place, note) in enumerate(notes, 1):
            key = self._place(place)
            untouched.discard(key)
            if self._new is None:
                owners |= self._take_in(key, note or {})
            elif note:
                self._take_new(key, place, note, self._new)
            if progress is not None and number % 200 == 0:
                progress(number)
        if self._new is None:
            for key in untouched:
                owners |= self._take_in(key, {})
        else:
            self._put_new(self._new)
            owners.update(self._new)
        for number, owner in enumerate(sorted(self._kept_apart(owners - {NOBODY})), 1):
            self._fold(owner)
            if progress is not None and number % 200 == 0:
                progress(number)

    def _place(self, place: Place) -> int:
        key = (place.space, place.kind, place.anchor)
        if self._new is None:
            for (found,) in self._tables.rows(
                "SELECT id FROM place WHERE space = ? AND kind = ? AND anchor = ?", key
            ):
                return int(found)
        return self._tables.add_place(key)

    def _take_new(self, key: int, place: Place, note: Note, new: dict[str, list[_Stored]]) -> None:
        """Take the records of a note into a new file."""
        for uid, text in note.items():
            record, quarantined = dispose(text)
            if quarantined:
                self._tables.put_record((uid, key, NOBODY, encode(text), ""))
                continue
            record = with_digest(record, uid, text)
            owner = owner_of(record)
            stored = (place, record, text, key)
            if owner in new:
                new[owner].append(stored)
            else:
                new[owner] = [stored]

    def _put_new(self, new: Mapping[str, Sequence[_Stored]]) -> None:
        """Write the records of a new file in the order of their table: it takes a third as long."""
        for owner in sorted(new):
            for _, record, text, key in new[owner]:
                self._tables.put_record((record.uid, key, owner, encode(text), record.digest))

    def _take_in(self, place: int, note: Note) -> set[str]:
        """Replace the known records of a note; return the affected memories."""
        tables = self._tables
        known: dict[str, tuple[str, bytes]] = {}
        for uid, owner, data in tables.rows(
            "SELECT uid, owner, text FROM record WHERE place = ?", (place,)
        ):
            known[uid] = (owner, data)
        owners = set()
        shifted = False
        for uid in known.keys() - note.keys():
            tables.run("DELETE FROM record WHERE uid = ? AND place = ?", (uid, place))
            owners.add(uid_of(known[uid][0]))
            shifted = True
        for uid, text in note.items():
            data = encode(text)
            if uid in known and known[uid][1] == data:
                continue
            record, quarantined = dispose(text)
            if uid in known:  # the record may have moved to another memory
                owners.add(uid_of(known[uid][0]))
            shifted |= is_legacy(text)
            if quarantined:
                tables.put_record((uid, place, NOBODY, data, ""))
                continue
            record = with_digest(record, uid, text)
            owner = owner_of(record)
            owners.add(owner)
            if record.op == PURGE:  # in a file that is not new, purged text remains
                tables.put_setting("purged", "1")
            tables.put_record((uid, place, owner, data, record.digest))
        if shifted:  # legacy records are named by their position
            owners |= {uid for uid, text in note.items() if is_legacy(text)}
        return owners

    def _kept_apart(self, uids: Iterable[str]) -> set[str]:
        """Return the memories for some uids, after giving records of two spaces two owners."""
        found = set(uids)
        if not self._tables.rows("SELECT 1 FROM place WHERE space = ? LIMIT 1", (LOCAL,)):
            return found
        return {owner for uid in found for owner in self._owners(uid)}

    def _owners(self, uid: str) -> tuple[str, ...]:
        """Return the memories with a uid: a private one, and what others wrote under that uid."""
        other = marked(uid)
        if self._new is not None:
            stored = self._new.get(uid, [])
            inside = [one for one in stored if one[0].space == LOCAL]
            if len(inside) in (0, len(stored)):
                return (uid,)
            self._new[uid] = inside
            self._new[other] = [one for one in stored if one[0].space != LOCAL]
        rows = self._tables.rows(
            "SELECT DISTINCT owner, space = ? FROM record JOIN place ON place.id = record.place"
            " WHERE owner IN (?, ?)",
            (LOCAL, uid, other),
        )
        known = set(rows)
        if known == {(uid, 0)}:
            return (uid,)
        if (uid, 1) in known:
            self._tables.run(
                "UPDATE record SET owner = ? WHERE owner = ?"
                " AND place NOT IN (SELECT id FROM place WHERE space = ?)",
                (other, uid, LOCAL),
            )
        else:
            self._tables.run("UPDATE record SET owner = ? WHERE owner = ?", (uid, other))
        return uid, other

    def _fold(self, owner: str) -> None:
        """Fold one memory from its records and write what search needs."""
        create, others, places = self._gathered(owner)
        if create is None or create.op != CREATE or not places:
            self._forget(owner)
            # The name stays taken, so that it never means another memory. An outside purge of a
            # private memory takes no name.
            purges = [] if is_marked(owner) else [one for one in others if one.op == PURGE]
            self._write_names(owner, [parse_name(purge.id) for purge in purges if purge.id])
            return
        updates = [record for record in others if record.op != PURGE]
        names = [create.id] if create.id else [self._derived_name(create, p) for p in places]
        memory = fold(
            create,
            updates,
            kind=places[0].kind,
            name=names[0],
            owner=self._owner_for(owner, create, updates),
        )
        is_local = places[0].space == LOCAL
        memory = in_its_space(memory, owner, (create, *updates), is_local=is_local)
        parsed = [parse_name(name) for name in names]
        self._write(memory, parsed[0], is_local=is_local)
        self._write_names(owner, parsed)

    def _gathered(self, owner: str) -> tuple[Record | None, Sequence[Record], Sequence[Place]]:
        """Return the creation of a memory, its other records, and where the creation is."""
        stored = self._records_of(owner)
        if len(stored) == 1 and stored[0][1].op == CREATE:  # most memories
            return stored[0][1], (), (stored[0][0],)
        own = uid_of(owner)
        places: list[Place] = []
        purged: set[tuple[str, str]] = set()
        records: dict[str, Record] = {}
        texts: dict[str, str] = {}
        for place, record, text, _ in stored:
            uid = record.uid
            if uid == own:
                places.append(place)
            if record.op == PURGE:
                purged.add((place.space, place.kind))
            if uid in texts and texts[uid] != text:  # two copies differ: the stronger one counts
                text = join({uid: texts[uid]}, {uid: text})[uid]
                record = read_with_digest(uid, text)
            records[uid], texts[uid] = record, text
        create = records.pop(own, None)
        # A purge erases only its own space and kind, not the same memory in another.
        places = [place for place in places if (place.space, place.kind) not in purged]
        return create, list(records.values()), places

    def _owner_for(self, memory: str, create: Record, updates: Sequence[Record]) -> str | None:
        """Return the owner of this clone if the memory depends on it, and remember that it does."""
        tables, key = self._tables, (memory,)
        is_contested = bool(updates) and depends_on_owner(create, updates)
        if self._new is None:
            tables.run("DELETE FROM contested WHERE uid = ?", key)
        if not is_contested:
            return None
        owner = self._owner()
        tables.insert("contested", ("uid",), [key])
        tables.put_setting("owner", person_of(owner))
        return owner

    def _records_of(self, owner: str) -> list[_Stored]:
        """Return the records of a memory, ordered by place."""
        if self._new is not None:
            stored = self._new.get(owner, [])
            return stored if len(stored) == 1 else sorted(stored, key=itemgetter(0))
        rows = self._tables.rows(
            "SELECT space, kind, anchor, text, digest FROM record"
            " JOIN place ON place.id = record.place"
            " WHERE owner = ? ORDER BY space, kind, anchor",
            (owner,),
        )
        found = []
        for space, kind, anchor, data, digest in rows:
            text = decode(data)
            record = read_stored(text)._replace(digest=digest)
            found.append((Place(space, kind, anchor), record, text, 0))
        return found

    def _derived_name(self, create: Record, place: Place) -> str:
        return name_at_creation(create, place, self._legacy_uids(place))

    def _write_names(self, uid: str, names: Iterable[Name | None]) -> None:
        if self._new is None:
            self._tables.run("DELETE FROM name WHERE uid = ?", (uid,))
        rows = [
            (name.kind, name.number, name.anchor, uid)
            for name in names
            if name is not None and len(name.kind) <= LONGEST_FACET
        ]
        self._tables.insert("name", _NAME, list(dict.fromkeys(rows)))

    def _legacy_uids(self, place: Place) -> list[str]:
        rows = self._tables.rows(
            "SELECT uid, text FROM record JOIN place ON place.id = record.place"
            " WHERE space = ? AND kind = ? AND anchor = ? ORDER BY uid",
            (place.space, place.kind, place.anchor),
        )
        return [uid for uid, data in rows if was_legacy(decode(data))]

    def _keys(self, uid: str) -> list[int]:
        """Return the row key of a memory, if it has one."""
        if self._new is not None:
            return []
        return [key for (key,) in self._tables.rows("SELECT key FROM memory WHERE uid = ?", (uid,))]

    def _forget(self, uid: str) -> None:
        for key in self._keys(uid):
            self._clear(key)
            self._tables.drop_memory(key)
            self._tables.run("DELETE FROM name WHERE uid = ?", (uid,))
            self._tables.run("DELETE FROM contested WHERE uid = ?", (uid,))

    def _clear(self, key: int) -> None:
        for table, _ in FACETS:
            self._tables.run(f"DELETE FROM {table} WHERE memory = ?", (key,))
        self._tables.drop_words(key)
        self._tables.drop_vectors([key])

    def _write(self, memory: Memory, name: Name | None, *, is_local: bool) -> None:
        text = memory.text  # of typed content, it is made at each use
        row = memory_row(memory, name, text, is_local=is_local)
        keys = self._keys(memory.uid)
        if not keys:
            key = self._tables.add_memory(COLUMNS, row)
        else:
            (key,) = keys
            self._clear(key)
            fields = ", ".join(f"{field} = ?" for field in COLUMNS)
            self._tables.run(
                f"UPDATE memory SET {fields}, embedded = 0, measured = 0 WHERE key = ?",
                (*row, key),
            )
        for table, values in facets_of(memory, text).items():
            self._tables.insert(table, _FACETS[table], [(value, key) for value in values])
        self._tables.put_words(key, words_of(memory, text))

    def store_vectors(self, vectors: Mapping[str, Sequence[bytes]]) -> None:
        """Store the vectors of some memories."""
        tables = self._tables
        which, values = tables.among("uid", list(vectors))
        rows = tables.rows(f"SELECT key, uid FROM memory WHERE {which} ORDER BY key", values)
        if rows:
            keys = [key for key, _ in rows]
            tables.drop_vectors(keys)
            tables.put_vectors([(key, vectors[uid]) for key, uid in rows])
            # More numbers than a statement may have parameters.
            named = ",".join(map(str, keys))
            tables.run(f"UPDATE memory SET embedded = 1 WHERE key IN ({named})")
