"""The tables of the SQLite index. A file of another version is deleted and rebuilt.

Tags, files, concepts and relations are tables, not comma-joined text. The record texts are stored
as in the ledger: a memory is folded from them when it is read.
"""

from __future__ import annotations

from collections.abc import Sequence

# Raise this with every change below; the index is derived, so a rebuild is the migration.
VERSION = 17

TABLES = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE cursor (ref TEXT PRIMARY KEY, tree TEXT NOT NULL) WITHOUT ROWID;

CREATE TABLE place (
    id INTEGER PRIMARY KEY,
    space TEXT NOT NULL, kind TEXT NOT NULL, anchor TEXT NOT NULL,
    UNIQUE (space, kind, anchor)
);
CREATE TABLE record (
    uid TEXT NOT NULL,
    place INTEGER NOT NULL REFERENCES place,
    owner TEXT NOT NULL,  -- the memory it belongs to, see core/spaces.py; '' if it is quarantined
    text BLOB NOT NULL,
    digest TEXT NOT NULL,  -- identifies the text if the uid does not prove it
    PRIMARY KEY (uid, place)
) WITHOUT ROWID;
CREATE INDEX record_owner ON record (owner);
CREATE INDEX record_place ON record (place);

CREATE TABLE memory (
    key INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    local INTEGER NOT NULL,  -- whether it is in the private space
    kind TEXT NOT NULL, anchor TEXT NOT NULL, number INTEGER NOT NULL,  -- the displayed name
    status TEXT NOT NULL, visible INTEGER NOT NULL, sensitivity TEXT NOT NULL,
    spec TEXT, session TEXT, project TEXT, observation_type TEXT,
    created REAL, updated REAL, expires REAL,
    importance REAL NOT NULL, trust REAL NOT NULL,
    moved REAL, pace REAL NOT NULL,
    sources TEXT NOT NULL,  -- the uids that it was merged from
    voice TEXT NOT NULL, sketch BLOB NOT NULL,  -- the author, and a sketch of the text
    embedded INTEGER NOT NULL DEFAULT 0,
    -- Its mean cosine to the memories nearest to it, and among how many vectors it was measured.
    crowding REAL NOT NULL DEFAULT 0, measured INTEGER NOT NULL DEFAULT 0
);
-- Every name of a memory: unnamed text has a name in each place.
CREATE TABLE name (
    kind TEXT NOT NULL, number INTEGER NOT NULL, anchor TEXT NOT NULL, uid TEXT NOT NULL,
    PRIMARY KEY (kind, number, anchor, uid)
) WITHOUT ROWID;
CREATE INDEX name_uid ON name (uid);
CREATE INDEX memory_created ON memory (created);
CREATE INDEX memory_voice ON memory (voice);
CREATE INDEX memory_birth ON memory (substr(uid, 2), uid);
CREATE INDEX memory_kind ON memory (kind, substr(uid, 2), uid);
CREATE INDEX memory_session ON memory (session) WHERE session IS NOT NULL;
CREATE INDEX memory_pending ON memory (embedded) WHERE embedded = 0;
CREATE TABLE tag (
    tag TEXT NOT NULL, memory INTEGER NOT NULL, PRIMARY KEY (tag, memory)
) WITHOUT ROWID;
CREATE INDEX tag_memory ON tag (memory);
CREATE TABLE file (
    path TEXT NOT NULL, memory INTEGER NOT NULL, PRIMARY KEY (path, memory)
) WITHOUT ROWID;
CREATE INDEX file_memory ON file (memory);
-- Files that the text of a memory names.
CREATE TABLE named (
    path TEXT NOT NULL, memory INTEGER NOT NULL, PRIMARY KEY (path, memory)
) WITHOUT ROWID;
CREATE INDEX named_memory ON named (memory);
CREATE TABLE concept (
    concept TEXT NOT NULL, memory INTEGER NOT NULL, PRIMARY KEY (concept, memory)
) WITHOUT ROWID;
CREATE INDEX concept_memory ON concept (memory);
CREATE TABLE relation (
    target TEXT NOT NULL, memory INTEGER NOT NULL, PRIMARY KEY (target, memory)
) WITHOUT ROWID;
CREATE INDEX relation_memory ON relation (memory);
CREATE TABLE slug (
    slug TEXT NOT NULL, memory INTEGER NOT NULL, PRIMARY KEY (slug, memory)
) WITHOUT ROWID;
CREATE INDEX slug_memory ON slug (memory);
-- Memories with changes that count only if this clone's owner made them.
CREATE TABLE contested (uid TEXT PRIMARY KEY) WITHOUT ROWID;

-- Only the words are stored, not the text, which is in `record`.
CREATE VIRTUAL TABLE words USING fts5 (
    summary, tags, dates, body, asked,
    content='', contentless_delete=1, tokenize='porter unicode61 remove_diacritics 2'
);
CREATE VIRTUAL TABLE term USING fts5vocab (words, row);

-- The checksum tells whether a vector is still what the model computed.
CREATE TABLE chunk (
    key INTEGER PRIMARY KEY, memory INTEGER NOT NULL, checksum INTEGER NOT NULL
);
CREATE INDEX chunk_memory ON chunk (memory);
"""


# The columns of a record.
RECORD = ("uid", "place", "owner", "text", "digest")


def insertion(table: str, columns: Sequence[str]) -> str:
    """Return the statement that inserts a row; a record replaces the one that is there."""
    verb = "INSERT OR REPLACE" if table == "record" else "INSERT"
    return f"{verb} INTO {table} ({', '.join(columns)}) VALUES ({','.join('?' * len(columns))})"


def vector_table(dimensions: int) -> str:
    """Return the table of vectors, created with the first ones, for their dimensions."""
    return (
        "CREATE VIRTUAL TABLE IF NOT EXISTS vector USING vec0 ("
        f"embedding float[{dimensions}] distance_metric=cosine)"
    )
