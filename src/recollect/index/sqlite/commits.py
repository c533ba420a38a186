"""The words and vectors of commit messages, in a file of their own beside the index.

The file is derived from the history: it can be deleted at any time, and a damaged file or one of
another version is made again. It has the columns of the index, so keyword search scores both alike.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import apsw

from recollect.core.named_tuple import NamedTuple
from recollect.index.sqlite.commit_vectors import TABLES, CommitVectors
from recollect.index.sqlite.connection import Immediate, failing, failure
from recollect.index.sqlite.tables import SqliteTables
from recollect.index.sqlite.words import Words
from recollect.index.text import indexable, query_terms

_VERSION = 2
_BUSY_MILLISECONDS = 15_000
_BUSY_READING = 1_000
# Words of a query that are looked up, the rarest of them first. A limit on time.
_MOST_TERMS = 40
_TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE commits (
    key INTEGER PRIMARY KEY, oid TEXT NOT NULL UNIQUE, time INTEGER NOT NULL,
    author TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, weight REAL NOT NULL,
    points REAL NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5 (
    summary, tags, dates, body, asked,
    content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE term USING fts5vocab (words, row);
"""


class CommitText(NamedTuple):
    """What is indexed of a commit, without secrets."""

    oid: str
    time: int  # seconds since 1970
    author: str
    subject: str
    text: str  # below the subject, for its words
    body: str  # the start of it, which is shown
    weight: float  # what its score is multiplied by: less than 1 for a chore
    points: float  # how much it tells: those that tell most get a vector first


class FoundCommit(NamedTuple):
    """A commit with words of a query, or near to it."""

    oid: str
    time: int
    author: str
    subject: str
    body: str
    score: float
    # The share of the query's weight that its words have, how many words these are, and how near
    # its vector is.
    coverage: float
    words: int
    cosine: float = 0.0
    undone: str = ""  # what took it back later, in one line


class _CommitTables(SqliteTables):
    def total(self) -> int:
        return int(self.rows("SELECT count(*) FROM commits")[0][0])

    def text_version(self) -> object:
        return self.version()


class CommitIndex:
    """The commits of one repository."""

    def __init__(self, path: Path, *, reading: bool = False) -> None:
        self._path = path
        with failing():
            self._db = _connect_for_reading(path) if reading else _connect(path)
        self._tables = _CommitTables(self._db)
        self._words = Words(self._db, self._tables)
        self.vectors = CommitVectors(self._db)

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def count(self) -> int:
        """Return how many commits there are."""
        return self._tables.total()

    def tip(self) -> str:
        """Return the commit up to which the history was read; empty if none was."""
        return self._meta("tip")

    def circumstances(self) -> str:
        """Return what else the text depends on, as `add` got it."""
        return self._meta("circumstances")

    def _meta(self, key: str) -> str:
        rows = self._tables.rows("SELECT value FROM meta WHERE key = ?", (key,))
        return str(rows[0][0]) if rows else ""

    def add(
        self,
        commits: Iterable[CommitText],
        tip: str,
        circumstances: str,
        *,
        most: int,
        fresh: bool,
    ) -> None:
        """Add commits, all or none; with `fresh`, instead of those that are there.

        Of more than `most`, the oldest go.
        """
        with Immediate(self._db):
            if fresh:
                self._db.execute("DELETE FROM words; DELETE FROM vectors; DELETE FROM commits")
            for commit in commits:
                self._add(commit)
            self._db.execute(
                "INSERT OR REPLACE INTO meta VALUES ('tip', ?), ('circumstances', ?)",
                (tip, circumstances),
            )
            self._db.execute(
                "DELETE FROM words WHERE rowid IN"
                " (SELECT key FROM commits ORDER BY time DESC, key LIMIT -1 OFFSET ?1);"
                "DELETE FROM commits WHERE key IN"
                " (SELECT key FROM commits ORDER BY time DESC, key LIMIT -1 OFFSET ?1)",
                (most, most),
            )
            self._db.execute("DELETE FROM vectors WHERE key NOT IN (SELECT key FROM commits)")
            self._db.execute("INSERT INTO words(words) VALUES ('optimize')")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def erase(self, oids: Iterable[str]) -> bool:
        """Erase commits, so that no byte of them is left in the file; whether there were some."""
        keys = [
            row[0]
            for oid in oids
            for row in self._tables.rows("SELECT key FROM commits WHERE oid = ?", (oid,))
        ]
        if not keys:
            return False
        with failing():
            with Immediate(self._db):
                for key in keys:
                    self._db.execute("DELETE FROM words WHERE rowid = ?", (key,))
                    self._db.execute("DELETE FROM vectors WHERE key = ?", (key,))
                    self._db.execute("DELETE FROM commits WHERE key = ?", (key,))
                self._db.execute("INSERT INTO words(words) VALUES ('optimize')")
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return True

    def _add(self, commit: CommitText) -> None:
        oid, time, author, subject, text, body, weight, points = commit
        self._db.execute(
            "INSERT OR IGNORE INTO commits (oid, time, author, subject, body, weight, points)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (oid, time, author, subject, body, weight, points),
        )
        if self._db.changes():
            self._db.execute(
                "INSERT INTO words (rowid, summary, tags, dates, body, asked)"
                " VALUES (?, ?, '', '', ?, '')",
                (self._db.last_insert_rowid(), indexable(subject), indexable(text)),
            )

    def search(self, query: str, limit: int) -> list[FoundCommit]:
        """Return the commits with words of a query, best first."""
        terms = query_terms(query)[:_MOST_TERMS]
        with failing():
            weights = self._words.weights(terms, parts=self._words.parts(terms))
            if not weights.scores:
                return []
            found = self._words.best_rows(weights, limit)
            marks = ",".join(map(str, found))
            rows = self._tables.rows(
                "SELECT key, oid, time, author, subject, body, weight FROM commits"
                f" WHERE key IN ({marks})"
            )
        ranked = []
        for key, oid, time, author, subject, body, weight in rows:
            score, _, _, _, words, _, counts = found[key]
            held: dict[str, float] = {}
            for (phrase, proof), count in zip(weights.proofs.items(), counts, strict=True):
                if count:
                    term = weights.parts.get(phrase, phrase)
                    held[term] = max(held.get(term, 0.0), proof)
            share = sum(held.values()) / weights.total_proof
            ranked.append(
                FoundCommit(oid, time, author, subject, body, score * weight, share, words)
            )
        return sorted(ranked, key=lambda one: (-one.score, -one.time, one.oid))

    def saying(self, word: str, limit: int) -> list[FoundCommit]:
        """Return the newest commits with a form of a word."""
        rows = self._tables.rows(
            "SELECT oid, time, author, subject, commits.body FROM commits WHERE key IN"
            " (SELECT rowid FROM words WHERE words MATCH ?) ORDER BY time DESC LIMIT ?",
            (word, limit),
        )
        return [
            FoundCommit(oid, time, author, subject, body, 0.0, 0.0, 0)
            for oid, time, author, subject, body in rows
        ]

    def near(self, vector: bytes, limit: int, least: float) -> list[FoundCommit]:
        """Return the commits nearest to a vector, best first."""
        cosines = dict(self.vectors.nearest(vector, limit, least))
        marks = ",".join(map(str, cosines))
        rows = self._tables.rows(
            f"SELECT key, oid, time, author, subject, body FROM commits WHERE key IN ({marks})"
        )
        found = [
            FoundCommit(oid, time, author, subject, body, 0.0, 0.0, 0, cosines[key])
            for key, oid, time, author, subject, body in rows
        ]
        return sorted(found, key=lambda one: (-one.cosine, -one.time, one.oid))


def _connect(path: Path) -> apsw.Connection:
    if not path.exists():
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL, 0o600))
    db = apsw.Connection(str(path))
    db.set_busy_timeout(_BUSY_MILLISECONDS)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")
        found = next(iter(db.execute("PRAGMA user_version")))[0]
        if found not in (0, _VERSION):
            raise failure(ValueError(f"the words of commits have version {found}"))
        if found == 0:
            with Immediate(db):
                if next(iter(db.execute("PRAGMA user_version")))[0] == 0:
                    db.execute(_TABLES + TABLES)
                    db.execute(f"PRAGMA user_version = {_VERSION}")
    except BaseException:
        db.close()
        raise
    return db


def _connect_for_reading(path: Path) -> apsw.Connection:
    """Open a file that is complete; one that is being made counts as missing."""
    db = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    db.set_busy_timeout(_BUSY_READING)
    try:
        found = next(iter(db.execute("PRAGMA user_version")))[0]
        if found != _VERSION:
            raise failure(ValueError(f"the words of commits have version {found}"))
    except BaseException:
        db.close()
        raise
    return db


def remove_files(path: Path) -> None:
    """Delete the file and what SQLite has beside it."""
    for name in sorted(files_of(path)):
        name.unlink(missing_ok=True)


def files_of(path: Path) -> Sequence[Path]:
    """Return the file and what SQLite has beside it."""
    return [path.with_name(path.name + end) for end in ("", "-wal", "-shm")]
