"""Keyword search in the SQLite index.

FTS5 finds the candidates with its own BM25, which is fast. They are then scored again with two
changes that memories need: length counts for less (notes are short, and a longer one is not a worse
one), and a word that most memories hold still counts a little instead of not at all.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import apsw

# Weights of summary, tags and files, date, body.
WEIGHTS = (2.0, 1.5, 2.0, 1.0)
_K1, _B = 1.2, 0.3
_BATCH = 400
_WIDEN = 2
# Below this many memories no word is common.
_FEW = 50


def prepare(db: apsw.Connection) -> None:
    """Teach a connection the second scoring."""
    db.register_fts5_function("rescore", _rescore)


def _rescore(api: apsw.FTS5ExtensionApi, /, *idfs: Any) -> float:
    """BM25 of the current row with our own idf and length normalisation."""
    if api.aux_data is None:
        api.aux_data = max(1.0, api.column_total_size(-1) / max(1, api.row_count))
    norm = _K1 * (1 - _B + _B * api.column_size(-1) / api.aux_data)
    total = 0.0
    for phrase, idf in enumerate(idfs):
        places = api.phrase_locations(phrase)
        frequency = sum(w * len(at) for w, at in zip(WEIGHTS, places, strict=True) if at)
        total += idf * frequency * (_K1 + 1) / (frequency + norm)
    return total


class Words:
    """What the words of a database know about a query."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db

    def _one(self, sql: str, *parameters: Any) -> int:
        return int(next(iter(self._db.execute(sql, parameters)), (0,))[0] or 0)

    def frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many memories each term occurs, by its stem; those that never do are left out."""
        tokenizer = self._db.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])
        found = {}
        for term in terms:
            stems = tokenizer(
                term.encode(),
                apsw.FTS5_TOKENIZE_QUERY,
                None,
                include_offsets=False,
                include_colocated=False,
            )
            counts = [self._one("SELECT doc FROM term WHERE term = ?", stem) for stem in stems]
            rarest = min(counts, default=0)
            if rarest:
                found[term] = rarest
        return found

    def weights(self, terms: Sequence[str]) -> dict[str, float]:
        """How much each term says (idf), of those that occur at all."""
        total = self._one("SELECT count(*) FROM memory")
        return {
            term: math.log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))
            for term, count in self.frequencies(terms).items()
        }

    def common(self, terms: Sequence[str], share: float) -> set[str]:
        """The terms that occur in more than a share of the memories."""
        total = self._one("SELECT count(*) FROM memory")
        if total < _FEW:
            return set()
        counts = self.frequencies(terms)
        return {term for term, count in counts.items() if count > share * total}

    def candidates(
        self, weights: dict[str, float], condition: str, parameters: Sequence[Any], limit: int
    ) -> list[int]:
        """The rows that FTS5 itself ranks highest among those that pass a condition.

        Most rows pass most conditions, so the best are taken first and looked at then; only where
        too few of them pass is the condition asked of every row that matches.
        """
        query = _any_of(weights)
        wanted = limit * _WIDEN
        best = [
            key
            for (key,) in self._db.execute(
                "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?", (query, wanted)
            )
        ]
        marks = ",".join("?" * len(best))
        rows = self._db.execute(
            f"SELECT key FROM memory WHERE key IN ({marks}) AND {condition}", (*best, *parameters)
        )
        passing = {key for (key,) in rows}
        if len(passing) >= limit or len(best) < wanted:
            return [key for key in best if key in passing][:limit]
        rows = self._db.execute(
            "SELECT memory.key FROM words JOIN memory ON memory.key = words.rowid"
            f" WHERE words MATCH ? AND {condition} ORDER BY rank LIMIT ?",
            (query, *parameters, limit),
        )
        return [key for (key,) in rows]

    def scores(self, weights: dict[str, float], keys: Sequence[int]) -> list[tuple[str, float]]:
        """The second score of some rows, by uid; those that share no word are left out."""
        marks = ",".join("?" * len(weights))
        found: list[tuple[str, float]] = []
        for start in range(0, len(keys), _BATCH):
            some = keys[start : start + _BATCH]
            rows = self._db.execute(
                f"SELECT memory.uid, rescore(words, {marks}) FROM words"
                " JOIN memory ON memory.key = words.rowid"
                f" WHERE words MATCH ? AND words.rowid IN ({','.join('?' * len(some))})",
                (*weights.values(), _any_of(weights), *some),
            )
            found.extend(rows)
        return sorted(found, key=lambda row: (-row[1], row[0]))


def ideal(weights: dict[str, float]) -> float:
    """The score that a memory full of every term would come near to."""
    return (_K1 + 1) * sum(weights.values())


def _any_of(terms: dict[str, float]) -> str:
    return " OR ".join(f'"{term}"' for term in terms)


def date_words(created: float | None) -> str:
    """A date as people say it: questions ask for `May 2023`, not for a timestamp."""
    if created is None:
        return ""
    moment = datetime.fromtimestamp(created, tz=UTC)
    return f"{moment.day} {moment:%B} {moment.year}"
