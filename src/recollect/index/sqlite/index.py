"""The index in one SQLite file: reading it.

The binding is apsw, which brings a current SQLite with FTS5 and loads the vector extension on every
Python build. Readers never wait for a writer (WAL); a killed writer leaves nothing half done.
Writing is in `apply`, reading records in `records`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from os.path import commonprefix
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

import apsw

from recollect.core.authority import person_of
from recollect.core.crowding import Traits
from recollect.core.kinds import find_kind
from recollect.core.memory import Memory
from recollect.core.names import SHORT_ANCHOR, Name, as_uid_prefix, parse_name
from recollect.index.protocol import (
    ChangedNotes,
    Cursor,
    Filters,
    LexicalMatches,
    Match,
    Pending,
    Ranked,
    Spread,
    Step,
)
from recollect.index.sqlite.connection import (
    Immediate,
    at_one_moment,
    connect,
    failing,
    failure,
)
from recollect.index.sqlite.filters import FILE_COUNTS, where
from recollect.index.sqlite.memories import Memories
from recollect.index.sqlite.newest import newest_uids
from recollect.index.sqlite.records import RecordReading
from recollect.index.sqlite.schema import BIRTH, vector_table
from recollect.index.sqlite.words import Words
from recollect.index.text import query_terms

if TYPE_CHECKING:
    from recollect.index.sqlite.apply import Applier
    from recollect.index.sqlite.vectors import Vectors

# A word in more memories than this says nothing about what a short question means: names in a talk,
# for example (nDCG of vectors +12 on turns of LoCoMo). A longer text means what all of it says.
_COMMON_SHARE = 0.3
_SHORT = 20  # words
_MEASURED_AT_ONCE = 100
_LATELY = 2 * 60 * 60  # seconds


class SqliteIndex(RecordReading):
    """An index in a file, or in memory if the path is None."""

    def __init__(
        self,
        path: Path | None,
        owner: Callable[[], str | None] = lambda: None,
        *,
        copy_of: Path | None = None,
    ) -> None:
        self.path = path
        self._owner = owner
        try:
            self._db = connect(path, copy_of)
        except apsw.Error as error:
            raise failure(error) from None
        self._words = Words(self._db)
        self._memories = Memories(self._db, owner)
        self._vectors: Vectors | None = None

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    # Ledger

    def cursor(self) -> Cursor:
        """Return what has been read of the ledger."""
        return dict(self._rows("SELECT ref, tree FROM cursor"))

    def apply(self, notes: ChangedNotes, **step: Unpack[Step]) -> bool:
        """Apply changed notes, all or none; False if another process moved the cursor first."""
        try:
            with Immediate(self._db):
                if self.cursor() != step["since"]:
                    return False
                self._applier().apply(
                    notes,
                    step["cursor"],
                    complete=step.get("complete", False),
                    whole=step.get("whole", ()),
                    progress=step.get("progress"),
                )
                return True
        except (apsw.Error, UnicodeError) as error:
            raise failure(error) from None

    def _applier(self) -> Applier:
        # Imported here: most hooks only read.
        from recollect.index.sqlite.apply import Applier

        return Applier(self._db, self._owner)

    def needs_rebuild(self) -> bool:
        """Whether purged text remains in the file, or the clone has a new owner."""
        if self._one("SELECT value FROM meta WHERE key = 'purged'") is not None:
            return True
        owner = self._one("SELECT value FROM meta WHERE key = 'owner'")
        return owner is not None and owner != person_of(self._owner())

    # Memories

    @at_one_moment
    def get_many(self, uids: Sequence[str]) -> list[Memory]:
        """Return memories by uid, in the given order; missing ones are left out."""
        with failing():
            return self._memories.get_many(uids)

    @at_one_moment
    def resolve(self, name: str) -> list[Memory]:
        """Return the memories that a typed id can mean: none, one or several."""
        parsed = parse_name(name)
        if parsed is None:
            return self._by_uid(name) or self._by_slug(name)
        rows = self._rows(
            "SELECT DISTINCT uid FROM name WHERE kind = ? AND number = ? AND anchor >= ?"
            " AND anchor < ? ORDER BY uid",
            (parsed.kind, parsed.number, parsed.anchor, parsed.anchor + "g"),
        )
        return self.get_many([uid for (uid,) in rows if uid.endswith(parsed.tail)])

    def _by_uid(self, beginning: str) -> list[Memory]:
        prefix = as_uid_prefix(beginning)
        if prefix is None:
            return []
        rows = self._rows(
            "SELECT uid FROM memory WHERE uid >= ? AND uid < ? ORDER BY uid",
            (prefix, prefix + "~"),
        )
        found = [uid for (uid,) in rows]
        return self.get_many([prefix] if prefix in found else found)

    def _by_slug(self, name: str) -> list[Memory]:
        """Return the memories with a slug, with or without the kind before it."""
        kind, _, slug = name.strip().lower().rpartition("/")
        rows = self._rows(
            "SELECT uid FROM slug JOIN memory ON memory.key = slug.memory WHERE slug = ?"
            " ORDER BY uid",
            (slug,),
        )
        found = self.get_many([uid for (uid,) in rows])
        wanted = find_kind(kind)
        return [m for m in found if not kind or m.kind == (wanted.name if wanted else kind)]

    def short_name(self, memory: Memory) -> str:
        """Return the shortest unique name, with at least seven anchor characters."""
        name = parse_name(memory.id)
        if name is None:
            return memory.id
        length = SHORT_ANCHOR
        for order, sign in (("DESC", "<"), ("ASC", ">")):
            neighbour = self._one(
                f"SELECT anchor FROM name WHERE kind = ? AND number = ? AND anchor {sign} ?"
                f" AND uid <> ? ORDER BY anchor {order} LIMIT 1",
                (name.kind, name.number, name.anchor, memory.uid),
            )
            if neighbour is not None:
                shared = commonprefix((neighbour, name.anchor))  # noqa: RUF071
                length = max(length, len(shared) + 1)
        return str(Name(name.kind, name.anchor[:length], name.number, name.tail))

    @at_one_moment
    def select(self, filters: Filters) -> list[Memory]:
        """Return the memories that match the filters, in order of creation."""
        condition, parameters = where(filters)
        rows = self._rows(
            f"SELECT uid FROM memory WHERE {condition} ORDER BY {BIRTH}, uid", parameters
        )
        return self.get_many([uid for (uid,) in rows])

    @at_one_moment
    def newest(self, filters: Filters, limit: int, now: float) -> list[Memory]:
        """Return the newest memories that match the filters; no author crowds out others."""
        with failing():
            return self.get_many(newest_uids(self._db, *where(filters), limit, now))

    def count(self, filters: Filters) -> int:
        """Return how many memories match the filters."""
        condition, parameters = where(filters)
        return int(self._one(f"SELECT count(*) FROM memory WHERE {condition}", parameters))

    def file_counts(self, filters: Filters) -> dict[str, int]:
        """Return the files of the memories that match, each with how many memories have it."""
        condition, values = where(filters)
        return dict(self._rows(f"{FILE_COUNTS} WHERE {condition} GROUP BY path", values))

    @at_one_moment
    def relating(self, uids: Sequence[str]) -> list[Memory]:
        """Return the memories that relate to one of the given ones, in order of creation."""
        rows = self._rows(
            "SELECT DISTINCT uid FROM relation JOIN memory ON memory.key = relation.memory"
            f" WHERE target IN (SELECT value FROM json_each(?)) ORDER BY {BIRTH}, uid",
            (json.dumps(list(uids)),),
        )
        found = self.get_many([uid for (uid,) in rows])
        return [m for m in found if not set(uids).isdisjoint((*m.relates_to, *m.sources))]

    # Search

    @at_one_moment
    def lexical(
        self, query: str, filters: Filters, limit: int, *, parts: bool = False
    ) -> LexicalMatches:
        """Return the memories that share words with the query or, if asked, parts of words."""
        terms = query_terms(query)
        with failing():
            of_words = self._words.parts(terms) if parts else ()
            return self._words.matches(terms, *where(filters), limit, of_words)

    def distinctive(self, query: str) -> str:
        """Return a short query without the words that many memories contain."""
        if len(query.split()) > _SHORT:
            return query
        with failing():
            common = self._words.common(query_terms(query), _COMMON_SHARE)
        if not common:
            return query
        kept = [word for word in query.split() if not common & set(query_terms(word))]
        return " ".join(kept) or query

    @at_one_moment
    def nearest(
        self, vector: bytes, filters: Filters, limit: int, including: Sequence[str] = ()
    ) -> list[Match]:
        """Return the memories nearest in meaning, by cosine."""
        with failing():
            return self._opened_vectors().nearest(vector, *where(filters), limit, including)

    @at_one_moment
    def spread(self, vector: bytes) -> Spread:
        """Return how near a vector is to memories in general."""
        with failing():
            return self._opened_vectors().spread(vector)

    @at_one_moment
    def keep_vectors(self) -> None:
        """Keep the vectors in memory, if they are not too many: later queries are faster."""
        with failing():
            self._opened_vectors().keep()

    def _opened_vectors(self) -> Vectors:
        # Imported here: a hook without a model has no use for it.
        from recollect.index.sqlite.vectors import Vectors

        if self._vectors is None:
            self._vectors = Vectors(self._db)
        return self._vectors

    def ranking(self, uids: Sequence[str]) -> list[Ranked]:
        """Return what ranking needs to know about some memories."""
        marks = ",".join("?" * len(uids))
        rows = self._rows(
            "SELECT uid, created, importance, trust, moved, pace, sources, voice, sketch, status,"
            f" kind, session, crowding, local FROM memory WHERE uid IN ({marks})",
            uids,
        )
        sources = {row[0]: tuple(row[6].split()) for row in rows}
        outside = [row[0] for row in rows if not row[-1]]
        private = self._memories.private_among({u for uid in outside for u in sources[uid]})
        for uid in outside if private else ():
            sources[uid] = tuple(u for u in sources[uid] if u not in private)
        more: dict[str, Any] = {
            row[0]: {
                "sources": sources[row[0]],
                "traits": Traits(*row[7:9]),
                "status": row[9],
                "kind": row[10],
                "session": row[11],
                "crowding": row[12],
            }
            for row in rows
        }
        return [Ranked(*row[:6], **more[row[0]]) for row in rows]

    def in_order(self, sessions: Sequence[str]) -> list[list[str]]:
        """Return the memories of each session, in order of creation."""
        marks = ",".join("?" * len(sessions))
        rows = self._rows(
            f"SELECT session, uid FROM memory WHERE session IN ({marks}) ORDER BY {BIRTH}", sessions
        )
        found: dict[str, list[str]] = {}
        for session, uid in rows:
            found.setdefault(session, []).append(uid)
        return list(found.values())

    # Vectors

    @at_one_moment
    def pending(self, model: str, limit: int) -> list[Pending]:
        """Return memories that have no vectors of this model yet."""
        from recollect.index.sqlite.traits import questions_text  # most hooks only read

        if self.model() == model:
            rows = self._rows("SELECT uid FROM memory WHERE embedded = 0 LIMIT ?", (limit,))
        else:
            rows = self._rows("SELECT uid FROM memory LIMIT ?", (limit,))
        memories = self.get_many([uid for (uid,) in rows])
        return [Pending(m.uid, m.summary, m.text, questions_text(m)) for m in memories]

    def count_pending(self, model: str) -> int:
        """Return how many memories have no vectors of this model yet."""
        condition = "embedded = 0" if self.model() == model else "1"
        return int(self._one(f"SELECT count(*) FROM memory WHERE {condition}"))

    def store_vectors(self, model: str, vectors: Mapping[str, Sequence[bytes]]) -> None:
        """Store the vectors of some memories; those of another model are dropped."""
        if not vectors:
            return
        dimensions = len(next(iter(vectors.values()))[0]) // 4
        try:
            with Immediate(self._db):
                known = self.model()
                if known != model:
                    self._db.execute("DROP TABLE IF EXISTS vector; DELETE FROM chunk;")
                    self._db.execute("UPDATE memory SET embedded = 0, measured = 0, crowding = 0")
                    if known is not None:
                        self._db.execute(
                            "INSERT OR REPLACE INTO meta VALUES ('switched', unixepoch())"
                        )
                    self._db.execute(vector_table(dimensions))
                    for key, value in (("model", model), ("dimensions", str(dimensions))):
                        self._db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))
                self._applier().store_vectors(vectors)
        except apsw.Error as error:
            raise failure(error) from None

    def measure_crowding(self, most: int) -> None:
        """Measure how near memories are to others, where that is not known or long ago."""
        if self.model() is None:
            return
        from recollect.index.sqlite.vectors import measure

        try:
            while most > 0:
                with Immediate(self._db):  # short transactions: others want to write, too
                    measured = measure(self._db, min(most, _MEASURED_AT_ONCE))
                most = most - measured if measured else 0
        except apsw.Error as error:
            raise failure(error) from None

    def switched_lately(self) -> bool:
        """Whether vectors of one model replaced those of another in the last two hours."""
        ago = self._one("SELECT unixepoch() - value FROM meta WHERE key = 'switched'")
        return ago is not None and 0 <= ago < _LATELY  # less than 0: the clock was wrong then

    def can_embed(self) -> bool:
        """Whether the extension that stores and searches vectors is loaded."""
        try:
            self._db.execute("SELECT vec_version()")
        except apsw.SQLError:
            return False
        return True

    def model(self) -> str | None:
        """Return the model that made the vectors, if there are any."""
        found = self._one("SELECT value FROM meta WHERE key = 'model'")
        return None if found is None else str(found)
