"""The database of local state: usage, sessions, and the trace of what hooks did.

An index rebuild does not touch it. It holds uids, times and reasons, never the text of a memory or
of a person. About failed tools, goals, milestones and what imports found, it holds redacted text
only, for at most 30 days.
"""

from __future__ import annotations

from pathlib import Path

import apsw

from recollect.database import load_copy

_BUSY_MILLISECONDS = 5_000
# Applied in order; the number of applied ones is the file's version. Never edit, only append.
MIGRATIONS = (
    """
    CREATE TABLE use (uid TEXT NOT NULL, at REAL NOT NULL, event TEXT NOT NULL);
    CREATE INDEX use_uid ON use (uid);
    """,
    """
    CREATE TABLE session (
        id TEXT PRIMARY KEY, began REAL NOT NULL, ended REAL
    ) WITHOUT ROWID;
    CREATE TABLE given (
        context TEXT NOT NULL, uid TEXT NOT NULL, version TEXT NOT NULL, at REAL NOT NULL,
        PRIMARY KEY (context, uid)
    ) WITHOUT ROWID;
    CREATE INDEX given_at ON given (at);
    CREATE TABLE trace (
        id INTEGER PRIMARY KEY, at REAL NOT NULL, session TEXT NOT NULL, event TEXT NOT NULL,
        milliseconds REAL NOT NULL, steps TEXT NOT NULL
    );
    """,
    """
    CREATE TABLE reading (
        session TEXT PRIMARY KEY, path TEXT NOT NULL, position INTEGER NOT NULL, at REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE failure (
        session TEXT NOT NULL, fingerprint TEXT NOT NULL, at REAL NOT NULL, learning TEXT NOT NULL,
        PRIMARY KEY (session, fingerprint)
    ) WITHOUT ROWID;
    CREATE TABLE change (session TEXT NOT NULL, path TEXT NOT NULL, at REAL NOT NULL,
        PRIMARY KEY (session, path)) WITHOUT ROWID;
    CREATE TABLE rejected (fingerprint TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
    CREATE TABLE milestone (session TEXT NOT NULL, at REAL NOT NULL, what TEXT NOT NULL);
    CREATE INDEX milestone_session ON milestone (session);
    CREATE TABLE goal (
        session TEXT PRIMARY KEY, at REAL NOT NULL, text TEXT NOT NULL, summed INTEGER DEFAULT 0
    ) WITHOUT ROWID;
    CREATE TABLE asked (session TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
    """,
    """
    CREATE TABLE worked (
        session TEXT NOT NULL, tool TEXT NOT NULL, times INTEGER NOT NULL, at REAL NOT NULL,
        PRIMARY KEY (session, tool)
    ) WITHOUT ROWID;
    """,
    """
    ALTER TABLE given ADD COLUMN cited INTEGER NOT NULL DEFAULT 0;
    CREATE TABLE slept (at REAL NOT NULL);
    CREATE TABLE activity (
        id INTEGER PRIMARY KEY, session TEXT NOT NULL, at REAL NOT NULL, words TEXT NOT NULL
    );
    CREATE INDEX activity_session ON activity (session);
    CREATE TABLE boundary (session TEXT NOT NULL, at REAL NOT NULL, context TEXT NOT NULL);
    CREATE INDEX boundary_session ON boundary (session);
    CREATE TABLE pause (session TEXT NOT NULL, at REAL NOT NULL, seconds REAL NOT NULL);
    CREATE INDEX pause_session ON pause (session);
    """,
    # Unsalted hashes can be guessed, and words that were split before redaction may be secrets.
    """
    CREATE TABLE salt (value BLOB NOT NULL);
    INSERT INTO salt VALUES (randomblob(16));
    DELETE FROM activity;
    UPDATE boundary SET context = '';
    """,
    """
    CREATE TABLE known (uid TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
    INSERT INTO known SELECT uid, min(at) FROM use GROUP BY uid;
    """,
    "CREATE TABLE tried (at REAL NOT NULL);",
    # Salted hashes: the end of the last message that the transcript lacked, and the whole message.
    """
    CREATE TABLE last_message (
        session TEXT PRIMARY KEY, ahead TEXT NOT NULL, whole TEXT NOT NULL, at REAL NOT NULL
    ) WITHOUT ROWID;
    """,
    """
    CREATE TABLE run (
        id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, at REAL NOT NULL,
        records TEXT NOT NULL, undone REAL, slept_before REAL
    );
    CREATE TABLE confirmed (at REAL NOT NULL);
    CREATE TABLE retired (uid TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
    """,
    # Unconfirmed memories: in which sessions they were cited, which ones the user has not been told
    # about, when a turn had its line and what comes with the next one (ids, no text), and salted
    # hashes of the words of rejected texts and of the last prompts.
    """
    CREATE TABLE citation (
        uid TEXT NOT NULL, session TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (uid, session)
    ) WITHOUT ROWID;
    CREATE TABLE untold (
        uid TEXT PRIMARY KEY, session TEXT NOT NULL, at REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE told (
        session TEXT PRIMARY KEY, at REAL NOT NULL, later TEXT NOT NULL DEFAULT ''
    ) WITHOUT ROWID;
    CREATE TABLE rejected_text (
        uid TEXT PRIMARY KEY, words TEXT NOT NULL, denials INTEGER NOT NULL, at REAL NOT NULL
    ) WITHOUT ROWID;
    CREATE TABLE prompt_words (
        id INTEGER PRIMARY KEY, session TEXT NOT NULL, at REAL NOT NULL, words TEXT NOT NULL
    );
    """,
    # A session is summarised again if something happened in it since.
    """
    ALTER TABLE goal ADD COLUMN active REAL NOT NULL DEFAULT 0;
    ALTER TABLE goal ADD COLUMN summed_to REAL NOT NULL DEFAULT 0;
    UPDATE goal SET active = at, summed_to = CASE WHEN summed THEN at ELSE 0 END;
    ALTER TABLE reading ADD COLUMN part INTEGER;
    """,
    # Redacted drafts beyond the limit of an event, and what detection learned from reviews.
    """
    CREATE TABLE postponed (
        id INTEGER PRIMARY KEY AUTOINCREMENT, at REAL NOT NULL, draft TEXT NOT NULL UNIQUE
    );
    CREATE TABLE adapted (name TEXT PRIMARY KEY, weight REAL NOT NULL) WITHOUT ROWID;
    """,
    """
    CREATE TABLE kept (
        session TEXT NOT NULL, name TEXT NOT NULL, fingerprint TEXT NOT NULL, at REAL NOT NULL,
        linked INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (session, name)
    ) WITHOUT ROWID;
    CREATE INDEX kept_fingerprint ON kept (fingerprint);
    CREATE TABLE kept_file (
        session TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (session, path)
    ) WITHOUT ROWID;
    """,
    # Redacted sentences of the talk that triage considers, and how many messages there were.
    """
    CREATE TABLE finding (
        number INTEGER PRIMARY KEY, session TEXT NOT NULL, kind TEXT NOT NULL, score REAL NOT NULL,
        text TEXT NOT NULL, message INTEGER NOT NULL, at REAL NOT NULL,
        closed INTEGER NOT NULL DEFAULT 0, UNIQUE (session, text)
    );
    CREATE TABLE talk (
        session TEXT PRIMARY KEY, messages INTEGER NOT NULL, at REAL NOT NULL
    ) WITHOUT ROWID;
    ALTER TABLE asked ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
    ALTER TABLE asked ADD COLUMN times INTEGER NOT NULL DEFAULT 1;
    """,
    # Failures and changes in their order. `since` and `until` are numbers of changes.
    """
    DROP TABLE failure;
    CREATE TABLE failure (
        session TEXT NOT NULL, task TEXT NOT NULL, fingerprint TEXT NOT NULL, at REAL NOT NULL,
        learning TEXT NOT NULL, times INTEGER NOT NULL, since INTEGER NOT NULL, until INTEGER,
        is_kept INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (session, task, fingerprint)
    ) WITHOUT ROWID;
    DROP TABLE change;
    CREATE TABLE change (
        id INTEGER PRIMARY KEY AUTOINCREMENT, session TEXT NOT NULL, path TEXT NOT NULL,
        at REAL NOT NULL
    );
    CREATE TABLE tool_notice (fingerprint TEXT PRIMARY KEY, at REAL NOT NULL) WITHOUT ROWID;
    """,
    # Salted hashes of the words of what a person asked not to keep.
    """
    CREATE TABLE unkept (
        session TEXT NOT NULL, words TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (session, words)
    ) WITHOUT ROWID;
    """,
    # What imports found in each part of a source, redacted, and when `recollect learn` was offered.
    """
    CREATE TABLE imported_part (
        source TEXT NOT NULL, part TEXT NOT NULL, stamp TEXT NOT NULL, items TEXT NOT NULL,
        at REAL NOT NULL, PRIMARY KEY (source, part)
    ) WITHOUT ROWID;
    CREATE TABLE offered (at REAL NOT NULL);
    """,
    "ALTER TABLE trace ADD COLUMN host TEXT NOT NULL DEFAULT '';",
    # What a session starts with is given hundreds of times, and use is counted at each start.
    """
    CREATE INDEX use_counted ON use (uid, at) WHERE event NOT IN ('shown', 'injected', 'standing');
    """,
)

# Errors that using the database may raise, and those that mean the file is corrupt.
StateError = apsw.Error
BROKEN = (apsw.CorruptError, apsw.NotADBError)


def open_state(path: Path | None, copy_of: Path | None = None) -> apsw.Connection:
    """Open the file, or a database in memory, and migrate its tables."""
    db = apsw.Connection(":memory:" if path is None else str(path))
    if copy_of is not None:
        load_copy(db, copy_of)
    db.set_busy_timeout(_BUSY_MILLISECONDS)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = NORMAL")
    db.execute("PRAGMA secure_delete = ON")  # what is forgotten must not remain in the file
    if _version(db) < len(MIGRATIONS):
        _migrate(db)
    return db


def _version(db: apsw.Connection) -> int:
    return int(next(iter(db.execute("PRAGMA user_version")))[0])


def _migrate(db: apsw.Connection) -> None:
    db.execute("BEGIN IMMEDIATE")
    try:
        for step in MIGRATIONS[_version(db) :]:
            db.execute(step)
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS)}")
        db.execute("COMMIT")
    except BaseException:
        db.execute("ROLLBACK")
        raise
