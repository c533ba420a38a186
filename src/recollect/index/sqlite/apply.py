"""The index in one SQLite file: applying changes from the ledger.

Everything here runs inside one transaction of the caller. The result depends only on the notes: an
incremental refresh ends where a full rebuild ends.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

import apsw

from recollect.core.age import seconds_of
from recollect.core.authority import depends_on_owner, person_of
from recollect.core.crowding import author_key_of
from recollect.core.disposition import dispose
from recollect.core.legacy import is_legacy, was_legacy
from recollect.core.memory import Memory, expires, fold
from recollect.core.names import name_at_creation, parse_name
from recollect.core.note import Note, join, read_stored, read_with_digest, with_digest
from recollect.core.places import LOCAL, Place
from recollect.core.record import CREATE, PURGE, Record
from recollect.core.spaces import in_its_space, is_marked, marked, owner_of, uid_of
from recollect.core.status import HIDDEN
from recollect.core.strength import pace_of
from recollect.index.paths import named_paths
from recollect.index.protocol import Cursor, Progress
from recollect.index.sqlite.schema import FACETS, NOBODY
from recollect.index.sqlite.traits import date_words, questions_text, sketch, trust_of
from recollect.index.text import indexable

seconds = seconds_of


_Stored = tuple[Place, Record, str]


class Applier:
    """Writes notes into the tables."""

    def __init__(self, db: apsw.Connection, owner: Callable[[], str | None]) -> None:
        self._db = db
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
        db = self._db
        owners: set[str] = set()
        empty = not list(db.execute("SELECT 1 FROM cursor LIMIT 1"))
        self._new = {} if empty else None
        untouched = {
            key
            for key, space, kind in db.execute("SELECT id, space, kind FROM place")
            if complete or (space, kind) in whole
        }
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
        self._new = None
        db.execute("DELETE FROM cursor")
        db.executemany("INSERT INTO cursor VALUES (?, ?)", list(cursor.items()))

    def _place(self, place: Place) -> int:
        key = (place.space, place.kind, place.anchor)
        if self._new is None:
            for (found,) in self._db.execute(
                "SELECT id FROM place WHERE space = ? AND kind = ? AND anchor = ?", key
            ):
                return int(found)
        self._db.execute("INSERT INTO place (space, kind, anchor) VALUES (?, ?, ?)", key)
        return self._db.last_insert_rowid()

    def _take_in(self, place: int, where: Place | None, note: Note) -> set[str]:
        """Replace the known records of a note; return the affected memories."""
        db = self._db
        known: dict[str, tuple[str, bytes]] = {}
        if self._new is None:
            for uid, owner, text in db.execute(
                "SELECT uid, owner, text FROM record WHERE place = ?", (place,)
            ):
                known[uid] = (owner, text)
        owners = set()
        shifted = False
        for uid in known.keys() - note.keys():
            db.execute("DELETE FROM record WHERE uid = ? AND place = ?", (uid, place))
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
                db.execute(
                    "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, '')",
                    (uid, place, NOBODY, data),
                )
                continue
            record = with_digest(record, uid, text)
            owner = owner_of(record)
            owners.add(owner)
            if self._new is not None and where is not None:
                self._new.setdefault(owner, []).append((where, record, text))
            elif record.op == PURGE:  # in a file that is not new, purged text remains
                db.execute("INSERT OR REPLACE INTO meta VALUES ('purged', '1')")
            db.execute(
                "INSERT OR REPLACE INTO record VALUES (?, ?, ?, ?, ?)",
                (uid, place, owner, data, record.digest),
            )
        if shifted:  # legacy records are named by their position
            owners |= {uid for uid, text in note.items() if is_legacy(text)}
        return owners

    def _kept_apart(self, uids: Iterable[str]) -> set[str]:
        """Return the memories for some uids, after giving records of two spaces two owners."""
        found = set(uids)
        if not list(self._db.execute("SELECT 1 FROM place WHERE space = ? LIMIT 1", (LOCAL,))):
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
        rows = self._db.execute(
            "SELECT DISTINCT owner, space = ? FROM record JOIN place ON place.id = place"
            " WHERE owner IN (?, ?)",
            (LOCAL, uid, other),
        )
        known = set(rows)
        if known == {(uid, 0)}:
            return (uid,)
        if (uid, 1) in known:
            self._db.execute(
                "UPDATE record SET owner = ? WHERE owner = ?"
                " AND place NOT IN (SELECT id FROM place WHERE space = ?)",
                (other, uid, LOCAL),
            )
        else:
            self._db.execute("UPDATE record SET owner = ? WHERE owner = ?", (uid, other))
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
        db, key = self._db, (create.uid,)
        if not depends_on_owner(create, updates):
            if self._new is None:
                db.execute("DELETE FROM contested WHERE uid = ?", key)
            return None
        owner = self._owner()
        db.execute("INSERT OR IGNORE INTO contested VALUES (?)", key)
        db.execute("INSERT OR REPLACE INTO meta VALUES ('owner', ?)", (person_of(owner),))
        return owner

    def _records_of(self, owner: str) -> list[_Stored]:
        """Return the records of a memory, ordered by place."""
        if self._new is not None:
            return sorted(self._new.get(owner, ()), key=lambda stored: stored[0])
        rows = self._db.execute(
            "SELECT space, kind, anchor, text, digest FROM record JOIN place ON place.id = place"
            " WHERE owner = ? ORDER BY space, kind, anchor",
            (owner,),
        )
        found = []
        for space, kind, anchor, data, digest in rows:
            text = data.decode("utf-8", "surrogateescape")
            record = read_stored(text)._replace(digest=digest)
            found.append((Place(space, kind, anchor), record, text))
        return found

    def _derived_name(self, create: Record, place: Place) -> str:
        return name_at_creation(create, place, self._legacy_uids(place))

    def _write_names(self, uid: str, names: Iterable[str]) -> None:
        parsed = [name for name in map(parse_name, names) if name is not None]
        if self._new is None:
            self._db.execute("DELETE FROM name WHERE uid = ?", (uid,))
        self._db.executemany(
            "INSERT OR IGNORE INTO name VALUES (?, ?, ?, ?)",
            [(name.kind, name.number, name.anchor, uid) for name in parsed],
        )

    def _legacy_uids(self, place: Place) -> list[str]:
        rows = self._db.execute(
            "SELECT uid, text FROM record JOIN place ON place.id = place"
            " WHERE space = ? AND kind = ? AND anchor = ? ORDER BY uid",
            (place.space, place.kind, place.anchor),
        )
        return [uid for uid, data in rows if was_legacy(data.decode("utf-8", "surrogateescape"))]

    def _keys(self, uid: str) -> list[int]:
        """Return the row key of a memory, if it has one."""
        if self._new is not None:
            return []
        return [key for (key,) in self._db.execute("SELECT key FROM memory WHERE uid = ?", (uid,))]

    def _forget(self, uid: str) -> None:
        for key in self._keys(uid):
            self._clear(key)
            self._drop_vectors(key)
            self._db.execute("DELETE FROM memory WHERE key = ?", (key,))
            self._db.execute("DELETE FROM name WHERE uid = ?", (uid,))
            self._db.execute("DELETE FROM contested WHERE uid = ?", (uid,))

    def _clear(self, key: int) -> None:
        for table, _ in FACETS:
            self._db.execute(f"DELETE FROM {table} WHERE memory = ?", (key,))
        self._db.execute("DELETE FROM words WHERE rowid = ?", (key,))

    def _write(self, memory: Memory, *, is_local: bool) -> None:
        db = self._db
        name = parse_name(memory.id)
        kind, anchor, number = (memory.kind, "", 0)
        if name is not None:
            kind, anchor, number = name.kind, name.anchor, name.number
        row = (
            kind,
            anchor,
            number,
            _clean(memory.status),
            memory.status not in HIDDEN,
            _clean(memory.sensitivity),
            _clean(memory.spec),
            _clean(memory.session),
            _clean(memory.project),
            _clean(memory.observation_type),
            seconds(memory.created),
            seconds(memory.updated),
            expires(memory),
            memory.importance,
            trust_of(memory),
            seconds(memory.status_changed),
            pace_of(memory.kind, memory.observation_type),
            _clean(" ".join(memory.sources)),
            _clean(author_key_of(memory.author)),
            sketch(memory),
        )
        keys = self._keys(memory.uid)
        if not keys:
            db.execute(
                "INSERT INTO memory (kind, anchor, number, status, visible, sensitivity, spec,"
                " session, project, observation_type, created, updated, expires, importance, trust,"
                " moved, pace, sources, voice, sketch, uid, local)"
                f" VALUES ({','.join('?' * (len(row) + 2))})",
                (*row, memory.uid, is_local),
            )
            key = db.last_insert_rowid()
        else:
            (key,) = keys
            self._clear(key)
            self._drop_vectors(key)
            db.execute(
                "UPDATE memory SET kind = ?, anchor = ?, number = ?, status = ?, visible = ?,"
                " sensitivity = ?, spec = ?, session = ?, project = ?, observation_type = ?,"
                " created = ?, updated = ?, expires = ?, importance = ?, trust = ?, moved = ?,"
                " pace = ?, sources = ?, voice = ?, sketch = ?, local = ?, embedded = 0,"
                " measured = 0 WHERE key = ?",
                (*row, is_local, key),
            )
        self._write_facets(key, memory)

    def _write_facets(self, key: int, memory: Memory) -> None:
        db = self._db
        facets = {
            "tag": memory.tags,
            "file": (*memory.files_modified, *memory.files_read),
            "named": named_paths(f"{memory.summary}\n{memory.text}"),
            "concept": memory.concepts,
            "relation": (*memory.relates_to, *memory.sources),
            "slug": memory.slugs,
        }
        for table, values in facets.items():
            if values:
                rows = [(_clean(value), key) for value in dict.fromkeys(values)]
                db.executemany(f"INSERT OR IGNORE INTO {table} VALUES (?, ?)", rows)
        files = " ".join(facets["file"])
        tags = f"{' '.join(memory.tags)} {files}"
        dates, asked = date_words(seconds(memory.created)), questions_text(memory)
        words = (memory.summary, tags, dates, memory.text, asked)
        db.execute(
            "INSERT INTO words (rowid, summary, tags, dates, body, asked)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (key, *(indexable(_clean(text) or "") for text in words)),
        )

    def _drop_vectors(self, key: int) -> None:
        chunks = [c for (c,) in self._db.execute("SELECT key FROM chunk WHERE memory = ?", (key,))]
        for chunk in chunks:
            self._db.execute("DELETE FROM vector WHERE rowid = ?", (chunk,))
        if chunks:
            self._db.execute("DELETE FROM chunk WHERE memory = ?", (key,))

    def store_vectors(self, vectors: Mapping[str, Sequence[bytes]]) -> None:
        """Store the vectors of some memories."""
        db = self._db
        for uid, pieces in vectors.items():
            for key in self._keys(uid):
                self._drop_vectors(key)
                for piece in pieces:
                    db.execute(
                        "INSERT INTO chunk (memory, checksum) VALUES (?, ?)",
                        (key, zlib.crc32(piece)),
                    )
                    db.execute(
                        "INSERT INTO vector (rowid, embedding) VALUES (?, ?)",
                        (db.last_insert_rowid(), piece),
                    )
                db.execute("UPDATE memory SET embedded = 1 WHERE key = ?", (key,))


def _clean(text: str | None) -> str | None:
    """Make a text valid for the database: bytes that were never UTF-8 become question marks."""
    return None if text is None else text.encode("utf-8", "replace").decode()
