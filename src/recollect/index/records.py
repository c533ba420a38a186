"""Reading records from an index: histories, places, purges, quarantine, checks."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from recollect.core.memory import order_updates
from recollect.core.names import Name
from recollect.core.note import Note, add_record, read_stored
from recollect.core.places import Place
from recollect.core.record import PURGE, Record
from recollect.core.spaces import uid_of
from recollect.index.tables import BIRTH, NOBODY, Tables, at_one_moment, decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class RecordReading:
    """The part of the index that reads records."""

    _tables: Tables

    def _rows(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        return self._tables.rows(sql, parameters)

    def _one(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        return next((row[0] for row in self._rows(sql, parameters)), None)

    def history(self, uid: str) -> list[Record]:
        """Return the records of a memory: its creation, then its updates in fold order."""
        texts: Note = {}
        digests: dict[str, str] = {}
        for member, text, digest in self._rows(
            "SELECT uid, text, digest FROM record WHERE owner = ?", (uid,)
        ):
            add_record(texts, member, decode(text))
            digests[decode(text)] = digest
        records = [read_stored(text)._replace(digest=digests[text]) for text in texts.values()]
        own = uid_of(uid)
        created = [record for record in records if record.uid == own]
        updates = order_updates(record for record in records if record.uid != own)
        if self._one("SELECT 1 FROM memory WHERE uid = ?", (uid,)):  # a purge does not reach it
            updates = [record for record in updates if record.op != PURGE]
        return created + updates

    def contested(self) -> list[str]:
        """Return the memories with changes that count only if this clone's owner made them."""
        return [uid for (uid,) in self._rows("SELECT uid FROM contested ORDER BY uid")]

    def purges(self, uid: str) -> list[Record]:
        """Return the purge records of a memory."""
        rows = self._rows("SELECT DISTINCT text FROM record WHERE owner = ?", (uid,))
        records = [read_stored(decode(text)) for (text,) in rows]
        return [record for record in records if record.op == PURGE]

    def places(self, uid: str) -> tuple[Place, ...]:
        """Return every place that holds the creation of a memory."""
        rows = self._rows(
            "SELECT space, kind, anchor FROM record JOIN place ON place.id = record.place"
            " WHERE uid = ? AND owner = ? ORDER BY space, kind, anchor",
            (uid_of(uid), uid),
        )
        return tuple(Place(*row) for row in rows)

    def purges_with_prefix(self, prefix: str) -> list[Record]:
        """Return the purge records of memories whose uid starts with a prefix."""
        rows = self._rows(
            "SELECT text FROM record WHERE owner >= ? AND owner < ? AND owner <> uid",
            (prefix, prefix + "~"),
        )
        records = [read_stored(decode(text)) for (text,) in rows]
        return [record for record in records if record.op == PURGE]

    def outside(self, spaces: Collection[str]) -> list[str]:
        """Return the memories that have records in spaces other than these."""
        inside, values = self._tables.among("space", sorted(spaces))
        rows = self._rows(
            "SELECT DISTINCT owner FROM record WHERE place IN"
            f" (SELECT id FROM place WHERE NOT ({inside})) ORDER BY owner",
            values,
        )
        return [uid for (uid,) in rows]

    def journal(self) -> Iterator[tuple[Record, Place]]:
        """Return every record, oldest first."""
        last: tuple[str, ...] = ()
        for uid, owner, text, space, kind, anchor in self._rows(
            "SELECT uid, owner, text, space, kind, anchor FROM record"
            " JOIN place ON place.id = record.place WHERE owner <> ?"
            f" ORDER BY {BIRTH}, uid, owner, space, kind, anchor",
            (NOBODY,),
        ):
            if (uid, owner) != last:
                yield read_stored(decode(text)), Place(space, kind, anchor)
            last = (uid, owner)

    def texts(self) -> Iterator[tuple[Place, str, str]]:
        """Return every record as it was applied: its place, its uid, its text."""
        for uid, text, space, kind, anchor in self._rows(
            "SELECT uid, text, space, kind, anchor FROM record"
            " JOIN place ON place.id = record.place"
        ):
            yield Place(space, kind, anchor), uid, decode(text)

    def quarantined(self) -> list[tuple[Place, str, str]]:
        """Return every quarantined record: its place, its uid, its text."""
        rows = self._rows(
            "SELECT space, kind, anchor, uid, text FROM record"
            " JOIN place ON place.id = record.place WHERE owner = ?"
            " ORDER BY uid, space, kind, anchor",
            (NOBODY,),
        )
        return [(Place(*row[:3]), row[3], decode(row[4])) for row in rows]

    def waiting(self) -> list[Record]:
        """Return the updates whose creation has not arrived yet."""
        rows = self._rows(
            "SELECT text FROM record WHERE owner <> uid AND owner <> ? AND length(owner) <> 27"
            " AND NOT EXISTS (SELECT 1 FROM memory WHERE memory.uid = owner)",
            (NOBODY,),
        )
        records = [read_stored(decode(text)) for (text,) in rows]
        purged = {record.of for record in records if record.op == PURGE}
        return [r for r in records if r.op != PURGE and r.of not in purged]

    @at_one_moment
    def fingerprints(self) -> Mapping[tuple[str, str], int]:
        """Return a number for the rows of each memory in each table."""
        from recollect.index.fingerprints import fingerprints

        return fingerprints(self._tables, self._every_word())

    def _every_word(self) -> Iterable[tuple[int, str, str, int]]:
        """Return every word: the key of its memory, the word, its column and its place there."""
        raise NotImplementedError

    @at_one_moment
    def damaged_vectors(self) -> list[str]:
        """Return the uids of memories whose vectors are missing or changed; empty if left over."""
        from recollect.index.fingerprints import damaged_vectors

        return damaged_vectors(self._tables, self._every_vector)

    def _every_vector(self) -> dict[int, bytes]:
        """Return every stored vector, by the key of its chunk."""
        raise NotImplementedError

    def shared_names(self) -> list[str]:
        """Return the names that more than one memory was created with."""
        rows = self._rows(
            "SELECT kind, anchor, number FROM name GROUP BY kind, number, anchor"
            " HAVING count(*) > 1 ORDER BY kind, anchor, number"
        )
        return [str(Name(*row)) for row in rows]
