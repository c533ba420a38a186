"""What is known about unconfirmed memories: where they were cited, what was told and rejected.

Words are kept as salted hashes only. A rejection stays when its memory is purged: the like of it
must never come again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import apsw

from recollect.core.named_tuple import NamedTuple
from recollect.state.salting import salted_hash

_KEEP_SECONDS = 30 * 86_400.0
# How long a person's words count as permission, and how many prompts are kept.
PROMPT_SECONDS = 15 * 60.0
_MOST_PROMPTS = 20
_MOST_WORDS = 400


class Rejection(NamedTuple):
    """A rejected text: the hashes of its words in order, and how often it denies something."""

    uid: str
    words: tuple[int, ...]
    denials: int


class Noticed:
    """The state of the unconfirmed memories of one repository."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    # Words

    def hashed(self, words: Iterable[str]) -> tuple[int, ...]:
        """Hash words so that nobody can guess them without the salt of this repository."""
        salt: bytes = next(iter(self._db.execute("SELECT value FROM salt")))[0]
        return tuple(salted_hash(word, salt) for word in words)

    # Citations

    def cite(self, uids: Iterable[str], session: str, at: float) -> None:
        """Record that the agent of a session used memories."""
        if session:
            with self._db:
                self._db.executemany(
                    "INSERT OR IGNORE INTO citation VALUES (?, ?, ?)",
                    [(uid, session, at) for uid in uids],
                )

    def cited_in(self, uid: str) -> list[str]:
        """Return the sessions in which a memory was cited, in order."""
        rows = self._db.execute("SELECT session FROM citation WHERE uid = ? ORDER BY at", (uid,))
        return [session for (session,) in rows]

    # Telling

    def note_untold(self, uids: Iterable[str], session: str, at: float) -> None:
        """Record memories that the user has not been told about."""
        with self._db:
            self._db.executemany(
                "INSERT OR IGNORE INTO untold VALUES (?, ?, ?)", [(u, session, at) for u in uids]
            )
            self._db.execute("DELETE FROM untold WHERE at < ?", (at - _KEEP_SECONDS,))

    def untold(self, session: str) -> list[str]:
        """Return the memories of a session that the user has not been told about, oldest first."""
        rows = self._db.execute(
            "SELECT uid FROM untold WHERE session = ? ORDER BY at, uid", (session,)
        )
        return [uid for (uid,) in rows]

    def mark_told(self, uids: Iterable[str]) -> None:
        """Record that the user has been told about memories."""
        with self._db:
            self._db.executemany("DELETE FROM untold WHERE uid = ?", [(uid,) for uid in uids])

    def begin_turn(self, session: str) -> list[str]:
        """Record that a turn begins; return the lines that the last one had no place for."""
        with self._db:
            rows = list(self._db.execute("SELECT later FROM told WHERE session = ?", (session,)))
            self._db.execute("DELETE FROM told WHERE session = ?", (session,))
        return [line for (later,) in rows for line in later.splitlines() if line]

    def tell_later(self, session: str, lines: Iterable[str]) -> None:
        """Keep lines for the next turn, because this one had its line. They hold ids, no text."""
        with self._db:
            self._db.executemany(
                "UPDATE told SET later = later || ? || char(10) WHERE session = ?",
                [(line, session) for line in lines],
            )

    def note_line(self, session: str, at: float) -> None:
        """Record that the turn of a session had its line."""
        with self._db:
            self._db.execute(
                "INSERT INTO told (session, at) VALUES (?1, ?2)"
                " ON CONFLICT (session) DO UPDATE SET at = ?2",
                (session, at),
            )
            self._db.execute("DELETE FROM told WHERE at < ?", (at - _KEEP_SECONDS,))

    def had_line(self, session: str) -> bool:
        """Whether the turn of a session had its line."""
        rows = self._db.execute("SELECT 1 FROM told WHERE session = ?", (session,))
        return next(iter(rows), None) is not None

    # Rejections

    def reject(self, rejections: Iterable[Rejection], at: float) -> None:
        """Record rejected texts, by the uid of their memory."""
        with self._db:
            self._db.executemany(
                "INSERT OR REPLACE INTO rejected_text VALUES (?, ?, ?, ?)",
                [(r.uid, json.dumps(r.words), r.denials, at) for r in rejections],
            )

    def rejections(self) -> list[Rejection]:
        """Return every rejected text."""
        rows = self._db.execute("SELECT uid, words, denials FROM rejected_text ORDER BY at, uid")
        return [Rejection(uid, tuple(json.loads(words)), denials) for uid, words, denials in rows]

    def forget_rejection(self, uids: Iterable[str]) -> None:
        """Delete rejections, because their memories were restored."""
        with self._db:
            self._db.executemany("DELETE FROM rejected_text WHERE uid = ?", [(u,) for u in uids])

    # What must not be kept

    def note_unkept(self, session: str, words: Iterable[str], at: float) -> None:
        """Record the words of what must not be kept."""
        hashes = json.dumps(sorted(set(self.hashed(words))))
        with self._db:
            self._db.execute("DELETE FROM unkept WHERE at < ?", (at - _KEEP_SECONDS,))
            self._db.execute("INSERT OR IGNORE INTO unkept VALUES (?, ?, ?)", (session, hashes, at))

    def unkept(self, session: str) -> list[frozenset[int]]:
        """Return the words, as hashes, of what must not be kept of a session."""
        rows = self._db.execute("SELECT words FROM unkept WHERE session = ?", (session,))
        return [frozenset(json.loads(words)) for (words,) in rows]

    # Prompts

    def note_prompt(self, session: str, words: Sequence[str], at: float) -> None:
        """Record the words of a prompt, so that nobody can claim that the user said others."""
        with self._db:
            self._db.execute(
                "INSERT INTO prompt_words (session, at, words) VALUES (?, ?, ?)",
                (session, at, json.dumps(self.hashed(words[:_MOST_WORDS]))),
            )
            self._db.execute(
                "DELETE FROM prompt_words WHERE at < ? OR id <= last_insert_rowid() - ?",
                (at - PROMPT_SECONDS, _MOST_PROMPTS),
            )

    def prompts_since(self, since: float) -> list[tuple[float, list[int]]]:
        """Return the times and the words, as hashes, of the prompts since then, newest first."""
        rows = self._db.execute(
            "SELECT at, words FROM prompt_words WHERE at >= ? ORDER BY id DESC", (since,)
        )
        return [(at, json.loads(words)) for at, words in rows]

    def forget(self, uids: Iterable[str]) -> None:
        """Delete what is stored about purged memories, except their rejection."""
        with self._db:
            rows = [(uid,) for uid in uids]
            self._db.executemany("DELETE FROM citation WHERE uid = ?", rows)
            self._db.executemany("DELETE FROM untold WHERE uid = ?", rows)
