"""Reading an index that lives in the tables of a database: what every backend shares.

Writing is in `applying`, reading records in `records`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from math import inf
from os.path import commonprefix

from recollect.core.authority import person_of
from recollect.core.kinds import find_kind
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.names import SHORT_ANCHOR, Name, as_uid_prefix, parse_name
from recollect.index.filters import FILE_COUNTS, where
from recollect.index.memories import Memories, RankedRows
from recollect.index.protocol import (
    ChangedNotes,
    Cursor,
    Filters,
    LexicalMatches,
    Pending,
    Ranked,
)
from recollect.index.records import RecordReading
from recollect.index.tables import BIRTH, at_one_moment
from recollect.index.text import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Unpack

    from recollect.index.applying import Applier
    from recollect.index.keywords import Keywords
    from recollect.index.protocol import Step
    from recollect.index.tables import WritableTables

# A word in more memories than this says nothing about what a short question means: names in a talk,
# for example (nDCG of vectors +12 on turns of LoCoMo). A longer text means what all of it says.
_COMMON_SHARE = 0.3
_SHORT = 20  # words
_MOST_COUNTED = 100  # different filters
_MOST_MATCHES = 16  # different searches


class _Count(NamedTuple):
    """How many memories match some filters, and from when until when none of them expires."""

    memories: int
    since: float
    until: float


class TableIndex(RecordReading):
    """An index in the tables of a database."""

    _tables: WritableTables
    _keywords: Keywords | None = None
    # What was found by words, the state of the database then, and the moments at which the same
    # memories are alive. The start of a session searches for the same last commits again.
    _keeps_matches = False
    _matches: dict[Any, LexicalMatches]
    _matched_at: object = None
    _alive: tuple[float, float] = inf, -inf
    # What was counted, and the state of the database then.
    _counted: dict[tuple[Filters, bool], _Count]
    _counted_at: object = None
    _memories: Memories
    _ranked: RankedRows | None = None
    _owner: Callable[[], str | None]

    def _moment(self) -> AbstractContextManager[object]:
        """Return a context in which everything is read from a single state."""
        raise NotImplementedError

    def _writing(self) -> AbstractContextManager[object]:
        """Return a context in which everything is written, or nothing."""
        raise NotImplementedError

    # Ledger

    def cursor(self) -> Cursor:
        """Return what has been read of the ledger."""
        return dict(self._rows("SELECT ref, tree FROM cursor"))

    def apply(self, notes: ChangedNotes, **step: Unpack[Step]) -> bool:
        """Apply changed notes, all or none; False if another process moved the cursor first."""
        with self._writing():
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

    def _applier(self) -> Applier:
        # Imported here: most hooks only read.
        from recollect.index.applying import Applier

        return Applier(self._tables, self._owner)

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
        from recollect.index.newest import newest_uids  # many events do without

        return self.get_many(newest_uids(self._tables, *where(filters), limit, now))

    def count(self, filters: Filters) -> int:
        """Return how many memories match the filters."""
        # It reads every memory, so it is kept until the next write, or until a memory expires.
        now, at = self._tables.text_version(), filters.alive_at
        if now != self._counted_at or len(self._counted) > _MOST_COUNTED:
            self._counted, self._counted_at = {}, now
        key = filters._replace(alive_at=None), at is None
        known = self._counted.get(key)
        if known is not None and (at is None or known.since <= at < known.until):
            return known.memories
        condition, parameters = where(filters)
        memories, expires = self._rows(
            f"SELECT count(*), min(expires) FROM memory WHERE {condition}", parameters
        )[0]
        self._counted[key] = _Count(memories, at or 0.0, inf if expires is None else expires)
        return int(memories)

    def file_counts(self, filters: Filters) -> dict[str, int]:
        """Return the files of the memories that match, each with how many memories have it."""
        condition, values = where(filters)
        return dict(self._rows(f"{FILE_COUNTS} WHERE {condition} GROUP BY path", values))

    @at_one_moment
    def relating(self, uids: Sequence[str]) -> list[Memory]:
        """Return the memories that relate to one of the given ones, in order of creation."""
        which, values = self._tables.among("target", uids)
        rows = self._rows(
            "SELECT uid FROM memory WHERE key IN"
            f" (SELECT memory FROM relation WHERE {which}) ORDER BY {BIRTH}, uid",
            values,
        )
        found = self.get_many([uid for (uid,) in rows])
        return [m for m in found if not set(uids).isdisjoint((*m.relates_to, *m.sources))]

    # Search

    @at_one_moment
    def lexical(
        self, query: str, filters: Filters, limit: int, *, parts: bool = False
    ) -> LexicalMatches:
        """Return the memories that share words with the query or, if asked, parts of words."""
        if not self._keeps_matches:
            return self._found(query, filters, limit, parts=parts)
        at = filters.alive_at
        self._forget_old(at)
        key = query, filters._replace(alive_at=None), at is None, limit, parts
        if key not in self._matches:
            if len(self._matches) >= _MOST_MATCHES:
                del self._matches[next(iter(self._matches))]
            self._matches[key] = self._found(query, filters, limit, parts=parts)
        return self._matches[key]

    def _found(self, query: str, filters: Filters, limit: int, *, parts: bool) -> LexicalMatches:
        terms = query_terms(query)
        of_words = self._words.parts(terms) if parts else ()
        return self._words.matches(terms, *where(filters), limit, of_words)

    def _forget_old(self, at: float | None) -> None:
        """Forget matches that a write, or a memory that expired, may have changed."""
        now = self._tables.text_version()
        since, until = self._alive
        if now != self._matched_at or (at is not None and not since <= at < until):
            if at is None:
                self._alive = inf, -inf
            else:
                expires = self._one("SELECT min(expires) FROM memory WHERE expires > ?", (at,))
                self._alive = at, inf if expires is None else expires
            self._matches, self._matched_at = {}, now

    @property
    def _words(self) -> Keywords:
        # Imported when it is used: many events search for nothing.
        if self._keywords is None:
            self._keywords = self._new_keywords()
        return self._keywords

    def _new_keywords(self) -> Keywords:
        raise NotImplementedError

    @at_one_moment
    def distinctive(self, query: str) -> str:
        """Return a short query without the words that many memories contain."""
        if len(query.split()) > _SHORT:
            return query
        common = self._words.common(query_terms(query), _COMMON_SHARE)
        if not common:
            return query
        kept = [word for word in query.split() if not common & set(query_terms(word))]
        return " ".join(kept) or query

    @at_one_moment
    def ranking(self, uids: Sequence[str]) -> list[Ranked]:
        """Return what ranking needs to know about some memories."""
        if self._ranked is None:
            self._ranked = RankedRows(self._tables, self._memories, keeps=self._keeps_matches)
        return self._ranked.of(uids)

    def in_order(self, sessions: Sequence[str]) -> list[list[str]]:
        """Return the memories of each session, in order of creation."""
        which, values = self._tables.among("session", sessions)
        rows = self._rows(f"SELECT session, uid FROM memory WHERE {which} ORDER BY {BIRTH}", values)
        found: dict[str, list[str]] = {}
        for session, uid in rows:
            found.setdefault(session, []).append(uid)
        return list(found.values())

    # Vectors

    @at_one_moment
    def pending(self, model: str, limit: int) -> list[Pending]:
        """Return memories that have no vectors of this model yet."""
        from recollect.index.traits import questions_text  # most hooks only read

        if self.model() == model:
            rows = self._rows("SELECT uid FROM memory WHERE embedded = 0 LIMIT ?", (limit,))
        else:
            rows = self._rows("SELECT uid FROM memory LIMIT ?", (limit,))
        memories = self.get_many([uid for (uid,) in rows])
        return [Pending(m.uid, m.summary, m.text, questions_text(m)) for m in memories]

    def count_pending(self, model: str) -> int:
        """Return how many memories have no vectors of this model yet."""
        condition = "embedded = 0" if self.model() == model else "1 = 1"
        return int(self._one(f"SELECT count(*) FROM memory WHERE {condition}"))

    def store_vectors(self, model: str, vectors: Mapping[str, Sequence[bytes]]) -> None:
        """Store the vectors of some memories; those of another model are dropped."""
        if not vectors:
            return
        dimensions = len(next(iter(vectors.values()))[0]) // 4
        with self._writing():
            tables, known = self._tables, self.model()
            if known != model:
                tables.empty_vectors(dimensions)
                tables.run("UPDATE memory SET embedded = 0, measured = 0, crowding = 0")
                if known is not None:
                    tables.put_setting("switched", str(tables.clock()))
                tables.put_setting("model", model)
                tables.put_setting("dimensions", str(dimensions))
            self._applier().store_vectors(vectors)

    def measure_crowding(self, most: int) -> None:
        """Measure how near memories are to others, where that is not known or long ago."""
        if self.model() is None:
            return
        from recollect.index.similarity import MEASURED_AT_ONCE

        while most > 0:
            with self._writing():  # short transactions: others want to write, too
                measured = self._measure(min(most, MEASURED_AT_ONCE))
            most = most - measured if measured else 0

    def _measure(self, most: int) -> int:
        """Measure memories that are new, or were measured among far fewer; return how many."""
        from recollect.index.similarity import GROWTH, OTHERS, crowding, step

        tables = self._tables
        total = int(self._one("SELECT count(*) FROM chunk"))
        rows = tables.rows(
            "SELECT key FROM memory WHERE embedded = 1 AND ? * measured < ? LIMIT ?",
            (GROWTH, total, most),
        )
        if not rows:
            return 0
        keys = [key for (key,) in rows]
        own, sample = tables.first_vectors(keys), tables.sample_vectors(step(total, OTHERS))
        for key, near in crowding([(key, own.get(key)) for key in keys], sample):
            tables.run(
                "UPDATE memory SET crowding = ?, measured = ? WHERE key = ?", (near, total, key)
            )
        return len(keys)

    @at_one_moment
    def switched_lately(self) -> bool:
        """Whether vectors of one model replaced those of another in the last two hours."""
        from recollect.index.similarity import LATELY

        switched = self._one("SELECT value FROM meta WHERE key = 'switched'")
        # Less than 0: the clock was wrong then.
        return switched is not None and 0 <= self._tables.clock() - float(switched) < LATELY

    @at_one_moment
    def dimensions(self) -> int:
        """Return how many numbers a vector has; 0 if there is none."""
        return int(self._one("SELECT value FROM meta WHERE key = 'dimensions'") or 0)

    def model(self) -> str | None:
        """Return the model that made the vectors, if there are any."""
        found = self._one("SELECT value FROM meta WHERE key = 'model'")
        return None if found is None else str(found)
