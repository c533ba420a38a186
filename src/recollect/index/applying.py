"""Applying changes from the ledger to the tables of an index.

Everything here runs inside one transaction of the caller. The result depends only on the notes: an
incremental refresh ends where a full rebuild ends.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext

from recollect.core.age import seconds_of
from recollect.core.authority import depends_on_owner, person_of
from recollect.core.crowding import author_key_of
from recollect.core.disposition import dispose
from recollect.core.legacy import was_legacy
from recollect.core.memory import Memory, expires, fold
from recollect.core.names import name_at_creation, parse_name
from recollect.core.note import Note, join, read_stored, read_with_digest, with_digest
from recollect.core.places import LOCAL, Place
from recollect.core.record import CREATE, PURGE, Record, is_legacy
from recollect.core.spaces import in_its_space, is_marked, marked, owner_of, uid_of
from recollect.core.status import HIDDEN
from recollect.core.strength import pace_of
from recollect.index.paths import named_paths
from recollect.index.protocol import Cursor, Progress
from recollect.index.tables import FACETS, NOBODY, WritableTables, clean, decode
from recollect.index.text import indexable
from recollect.index.traits import date_words, questions_text, sketch, trust_of

# A longer tag, path or name does not become a filter: nobody types it, and an index of PostgreSQL
# cannot hold it. In characters.
_LONGEST_FACET = 600
_FIELDS = (
    "kind", "anchor", "number", "status", "visible", "sensitivity", "spec", "session", "project",
    "observation_type", "created", "updated", "expires", "importance", "trust", "moved", "pace",
    "sources", "voice", "sketch", "uid", "local",
)  # fmt: skip

_Stored = tuple[Place, Record, str]


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
            owners |= self._take_in(key, place, note or {})
            if progress is not None and number % 200 == 0:
                progress(number)
        for key in untouched:
            owners |= self._take_in(key, None, {})
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

    def _take_in(self, place: int, where: Place | None, note: Note) -> set[str]:
        """Replace the known records of a note; return the affected memories."""
        tables = self._tables
        known: dict[str, tuple[str, bytes]] = {}
        if self._new is None:
            for uid, owner, text in tables.rows(
                "SELECT uid, owner, text FROM record WHERE place = ?", (place,)
            ):
                known[uid] = (owner, text)
        owners = set()
        shifted = False
        for uid in known.keys() - note.keys():
            tables.run("DELETE FROM record WHERE uid = ? AND place = ?", (uid, place))
            owners.add(uid_of(known[uid][0]))
            shifted = True
        for uid, text in note.items():
            data = text.encode("utf-8", "surrogateescape")
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
            if self._new is not None and where is not None:
                self._new.setdefault(owner, []).append((where, record, text))
            elif record.op == PURGE:  # in a file that is not new, purged text remains
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
        own = uid_of(owner)
        places: list[Place] = []
        purged: set[tuple[str, str]] = set()
        records: dict[str, Record] = {}
        texts: dict[str, str] = {}
        for place, record, text in self._records_of(owner):
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
        purges = [record for record in records.values() if record.op == PURGE]
        # A purge erases only its own space and kind, not the same memory in another.
        places = [place for place in places if (place.space, place.kind) not in purged]
        if create is None or create.op != CREATE or not places:
            self._forget(owner)
            # The name stays taken, so that it never means another memory. An outside purge of a
            # private memory takes no name.
            names = [] if is_marked(owner) else [purge.id for purge in purges if purge.id]
            self._write_names(owner, names)
            return
        updates = [record for record in records.values() if record.op != PURGE]
        names = [create.id] if create.id else [self._derived_name(create, p) for p in places]
        memory = fold(
            create,
            updates,
            kind=places[0].kind,
            name=names[0],
            owner=self._owner_for(create, updates),
        )
        is_local = places[0].space == LOCAL
        memory = in_its_space(memory, owner, (create, *updates), is_local=is_local)
        self._write(memory, is_local=is_local)
        self._write_names(owner, names)

    def _owner_for(self, create: Record, updates: Iterable[Record]) -> str | None:
        """Return the owner of this clone if the memory depends on it, and remember that it does."""
        tables, key = self._tables, (create.uid,)
        is_contested = depends_on_owner(create, updates)
        if is_contested or self._new is None:
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
            return sorted(self._new.get(owner, ()), key=lambda stored: stored[0])
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
            found.append((Place(space, kind, anchor), record, text))
        return found

    def _derived_name(self, create: Record, place: Place) -> str:
        return name_at_creation(create, place, self._legacy_uids(place))

    def _write_names(self, uid: str, names: Iterable[str]) -> None:
        parsed = [n for n in map(parse_name, names) if n and len(n.kind) <= _LONGEST_FACET]
        if self._new is None:
            self._tables.run("DELETE FROM name WHERE uid = ?", (uid,))
        rows = dict.fromkeys((name.kind, name.number, name.anchor, uid) for name in parsed)
        self._tables.insert("name", ("kind", "number", "anchor", "uid"), list(rows))

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

    def _write(self, memory: Memory, *, is_local: bool) -> None:
        name = parse_name(memory.id)
        kind, anchor, number = (memory.kind, "", 0)
        if name is not None:
            kind, anchor, number = name.kind, name.anchor, name.number
        row = (
            kind,
            anchor,
            number,
            clean(memory.status),
            int(memory.status not in HIDDEN),
            clean(memory.sensitivity),
            clean(memory.spec),
            clean(memory.session),
            clean(memory.project),
            clean(memory.observation_type),
            seconds_of(memory.created),
            seconds_of(memory.updated),
            expires(memory),
            memory.importance,
            trust_of(memory),
            seconds_of(memory.status_changed),
            pace_of(memory.kind, memory.observation_type),
            clean(" ".join(memory.sources)),
            clean(author_key_of(memory.author)),
            sketch(memory),
            memory.uid,
            int(is_local),
        )
        keys = self._keys(memory.uid)
        if not keys:
            key = self._tables.add_memory(_FIELDS, row)
        else:
            (key,) = keys
            self._clear(key)
            fields = ", ".join(f"{field} = ?" for field in _FIELDS)
            self._tables.run(
                f"UPDATE memory SET {fields}, embedded = 0, measured = 0 WHERE key = ?",
                (*row, key),
            )
        self._write_facets(key, memory)

    def _write_facets(self, key: int, memory: Memory) -> None:
        facets: dict[str, Sequence[str]] = {
            "tag": memory.tags,
            "file": (*memory.files_modified, *memory.files_read),
            "named": named_paths(f"{memory.summary}\n{memory.text}"),
            "concept": memory.concepts,
            "relation": (*memory.relates_to, *memory.sources),
            "slug": memory.slugs,
        }
        for table, column in FACETS:
            values = dict.fromkeys(map(clean, facets[table]))
            rows = [
                (value, key)
                for value in values
                if value is not None and len(value) <= _LONGEST_FACET
            ]
            self._tables.insert(table, (column, "memory"), rows)
        files = " ".join(facets["file"])
        tags = f"{' '.join(memory.tags)} {files}"
        dates, asked = date_words(seconds_of(memory.created)), questions_text(memory)
        words = (memory.summary, tags, dates, memory.text, asked)
        self._tables.put_words(key, [indexable(clean(text) or "") for text in words])

    def store_vectors(self, vectors: Mapping[str, Sequence[bytes]]) -> None:
        """Store the vectors of some memories."""
        tables = self._tables
        which, values = tables.among("uid", list(vectors))
        rows = tables.rows(f"SELECT key, uid FROM memory WHERE {which} ORDER BY key", values)
        if rows:
            keys = [key for key, _ in rows]
            tables.drop_vectors(keys)
            for key, uid in rows:
                tables.put_vectors(key, vectors[uid])
            # More numbers than a statement may have parameters.
            named = ",".join(map(str, keys))
            tables.run(f"UPDATE memory SET embedded = 1 WHERE key IN ({named})")
