"""A database of the LetsGo pipeline, with the tables of its source."""

from __future__ import annotations

import sqlite3
from pathlib import Path

TABLES = """
CREATE TABLE memories (
    id TEXT PRIMARY KEY, content TEXT NOT NULL, content_hash TEXT, category TEXT, importance REAL,
    trust REAL, sensitivity TEXT, tags TEXT, created_at TEXT NOT NULL, updated_at TEXT,
    expires_at TEXT, title TEXT, subtitle TEXT, type TEXT, concepts TEXT, files_read TEXT,
    files_modified TEXT, session_id TEXT, project TEXT, accessed_count INTEGER
);
CREATE TABLE facts (
    id TEXT PRIMARY KEY, subject TEXT, predicate TEXT, object TEXT, confidence REAL,
    source_entry_id TEXT, created_at TEXT, updated_at TEXT
);
"""
ROW = {
    "content": "Use PostgreSQL 16 because two workers write at once.",
    "importance": 0.9,
    "sensitivity": "private",
    "tags": "database, storage",
    "created_at": "2026-01-15T10:30:00+00:00",
    "title": "Use PostgreSQL",
    "type": "decision",
    "concepts": '["trade-off"]',
    "files_modified": '["src/db.py", "/etc/passwd"]',
    "session_id": "s-1",
    "project": "shop",
}


def database(path: Path) -> Path:
    """A database with memories of two projects and of none, an expired one, and facts."""
    db = sqlite3.connect(path)
    db.executescript(TABLES)
    rows = [
        {"id": "a", **ROW},
        {"id": "b", **ROW, "project": "other"},
        {"id": "c", **ROW, "project": None},
        {"id": "d", **ROW, "expires_at": "2026-02-01T00:00:00+00:00"},
    ]
    for row in rows:
        names = ", ".join(row)
        db.execute(
            f"INSERT INTO memories ({names}) VALUES ({', '.join('?' * len(row))})",
            tuple(row.values()),
        )
    fact = "INSERT INTO facts (id, subject, predicate, object, created_at) VALUES (?, ?, ?, ?, ?)"
    db.execute(fact, ("f", "billing", "uses", "PostgreSQL", "2026-01-15T10:30:00+00:00"))
    db.execute(fact, ("g", "session:1", "boundary_at", "now", "2026-01-15T10:30:00+00:00"))
    db.commit()
    db.close()
    return path
