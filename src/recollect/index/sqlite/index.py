"""The index in one SQLite file.

The binding is apsw, which brings a current SQLite with FTS5 and loads the vector extension on every
Python build. Readers never wait for a writer (WAL); a killed writer leaves nothing half done.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

import apsw

from recollect.core.note import Note, read_stored
from recollect.core.places import Place
from recollect.index.filters import where
from recollect.index.memories import Memories
from recollect.index.protocol import Filters, Match, Spread
from recollect.index.sqlite.connection import Immediate, Moment, connect, failing, failure
from recollect.index.sqlite.tables import SqliteTables
from recollect.index.table_index import TableIndex
from recollect.index.tables import at_one_moment, decode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.index.keywords import Keywords
    from recollect.index.sqlite.vectors import Vectors

# When a record was written, as its text says it; see `render_record`.
_STAMP = "substr(text, instr(text, CAST(char(10) || 'timestamp: ' AS BLOB)) + 12, 20)"


class SqliteIndex(TableIndex):
    """An index in a file, or in memory if the path is None."""

    _keeps_matches = True

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
        self._tables = SqliteTables(self._db)
        self._memories = Memories(self._tables, owner)
        self._vectors: Vectors | None = None

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _moment(self) -> AbstractContextManager[object]:
        return Moment(self._db)

    def _writing(self) -> AbstractContextManager[object]:
        return Immediate(self._db)

    def _new_keywords(self) -> Keywords:
        from recollect.index.sqlite.words import Words

        return Words(self._db, self._tables)

    @at_one_moment
    def nearest(
        self, vector: bytes, filters: Filters, limit: int, including: Sequence[str] = ()
    ) -> list[Match]:
        """Return the memories nearest in meaning, by cosine."""
        return self._opened_vectors().nearest(vector, *where(filters), limit, including)

    @at_one_moment
    def spread(self, vector: bytes) -> Spread:
        """Return how near a vector is to memories in general."""
        return self._opened_vectors().spread(vector)

    @at_one_moment
    def keep_vectors(self) -> None:
        """Keep the vectors in memory, if they are not too many: later queries are faster."""
        self._opened_vectors().keep()

    def _opened_vectors(self) -> Vectors:
        # Imported here: a hook without a model has no use for it.
        from recollect.index.sqlite.vectors import Vectors

        if self._vectors is None:
            self._vectors = Vectors(self._db, self.dimensions)
        return self._vectors

    def can_embed(self) -> bool:
        """Whether the extension that stores and searches vectors is loaded."""
        try:
            self._db.execute("SELECT vec_version()")
        except apsw.SQLError:
            return False
        return True

    def _every_word(self) -> Iterator[tuple[int, str, str, int]]:
        self._db.execute(
            "CREATE VIRTUAL TABLE temp.every_word USING fts5vocab (main, words, instance)"
        )
        try:
            yield from self._tables.rows("SELECT doc, term, col, offset FROM temp.every_word")
        finally:
            self._db.execute("DROP TABLE temp.every_word")

    def _every_vector(self) -> dict[int, bytes]:
        return dict(self._tables.rows("SELECT rowid, embedding FROM vector"))

    def vectors_of(self, uids: Sequence[str]) -> dict[str, list[bytes]]:
        """Return the vectors of those memories that have some."""
        which, values = self._tables.among("uid", uids)
        found: dict[str, list[bytes]] = {}
        for uid, vector in self._tables.rows(
            "SELECT uid, vector.embedding FROM memory JOIN chunk ON chunk.memory = memory.key"
            f" JOIN vector ON vector.rowid = chunk.key WHERE {which} AND embedded = 1"
            " ORDER BY chunk.key",
            values,
        ):
            found.setdefault(uid, []).append(vector)
        return found

    # The past

    def copy_into(self, other: SqliteIndex) -> None:
        """Copy everything into an index in memory, also what is not in the main file yet."""
        with failing(), other._db.backup("main", self._db, "main") as backup:
            backup.step()

    def stamps(self) -> list[str]:
        """Return when each record was written, in order."""
        return [decode(stamp) for (stamp,) in self._rows(f"SELECT {_STAMP} FROM record ORDER BY 1")]

    def notes_at(self, moment: str, *, changed: bool = False) -> Iterator[tuple[Place, Note]]:
        """Return the notes as they were at a moment; with `changed`, only those that differ now."""
        only = f" WHERE place IN (SELECT place FROM record WHERE {_STAMP} > CAST(? AS BLOB))"
        notes: dict[Place, Note] = {}
        for uid, text, space, kind, anchor in self._rows(
            "SELECT uid, text, space, kind, anchor FROM record"
            f" JOIN place ON place.id = record.place{only if changed else ''}",
            (moment,) if changed else (),
        ):
            note = notes.setdefault(Place(space, kind, anchor), {})
            if (read_stored(decode(text)).timestamp or "") <= moment:
                note[uid] = decode(text)
        yield from notes.items()
