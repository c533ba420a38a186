"""Keyword search in the SQLite index.

FTS5 finds the candidates with its own BM25, which is fast. They are then scored again with two
changes that memories need: length counts for less (notes are short, and a longer one is not a worse
one), and a word that most memories hold still counts a little instead of not at all.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any, NamedTuple

import apsw

from recollect.core.crowding import Traits, crowd_in, repeated
from recollect.index.protocol import LexicalMatches, Match
from recollect.index.sqlite.connection import Version, version
from recollect.index.sqlite.newest import has_others

# Weights of summary, tags and files, date, body.
WEIGHTS = _SUMMARY, _TAGS, _DATES, _BODY = (2.0, 1.5, 2.0, 1.0)
# Not `rank`, which sorts every match before it looks at the limit.
_BM25 = f"bm25(words, {', '.join(map(str, WEIGHTS))})"
_K1, _B = 1.2, 0.4
# So many more than wanted are taken, since some will not pass the filters.
_WIDEN = 1.5
_TYPICAL_WEIGHT = 15.0
# A term in a larger share of the memories, and in more than so many, is common; rarer ones that are
# in so many times more memories than are wanted may do without it.
_COMMON, _MANY, _PLENTY = 0.15, 2000, 3
# Below this many memories no word is common.
_FEW = 50


# Few memories say little about which words are common: for evidence there are at least so many.
_ENOUGH = 500
_FOUND = struct.Struct("ddl")
# From so many repetitions among what was found, their words count once.
_CROWDED = 8
_NOTHING: Mapping[str, float] = MappingProxyType({})


class Scored(NamedTuple):
    """A memory that holds words of a query: its score, what those words prove, how many they are.

    They come out of SQLite as one value, because to look at a row twice costs twice.
    """

    uid: str
    traits: Traits
    score: float
    evidence: float
    words: int
    # How much each term counts in it.
    counts: tuple[float, ...]


class Weights(NamedTuple):
    """What the terms of a query weigh: for the score (idf), for evidence, and all of them."""

    scores: dict[str, float]
    proofs: dict[str, float]
    total: float
    total_proof: float


def _rescore(api: apsw.FTS5ExtensionApi, /, *weights: Any) -> bytes:
    """BM25 of the current row with our own idf and length normalisation, and what it proves."""
    if api.aux_data is None:
        api.aux_data = max(1.0, api.column_total_size(-1) / max(1, api.row_count))
    norm = _K1 * (1 - _B + _B * api.column_size(-1) / api.aux_data)
    total, proof, words, held = 0.0, 0.0, 0, []
    terms = len(weights) // 2
    for phrase, (idf, proves) in enumerate(zip(weights[:terms], weights[terms:], strict=True)):
        summary, tags, dates, body = api.phrase_locations(phrase)
        # Written out: this runs for every word of hundreds of rows while somebody waits.
        frequency = (
            _SUMMARY * len(summary) + _TAGS * len(tags) + _DATES * len(dates) + _BODY * len(body)
        )
        if frequency:
            counts = frequency * (_K1 + 1) / (frequency + norm)
            total += idf * counts
            proof += proves * counts
            words += 1
            held.append(counts)
        else:
            held.append(0.0)
    return _FOUND.pack(total, proof, words) + struct.pack(f"{terms}d", *held)


class Words:
    """What the words of a database know about a query."""

    def __init__(self, db: apsw.Connection) -> None:
        self._db = db
        db.register_fts5_function("rescore", _rescore)
        self._tokenizer = db.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])
        self._counts: dict[str, int] = {}
        self._version: Version = (0, 0)

    def _one(self, sql: str, *parameters: Any) -> int:
        return int(next(iter(self._db.execute(sql, parameters)), (0,))[0] or 0)

    def _frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """In how many memories each term occurs, by its stem; those that never do are left out.

        To count the memories of a common word takes as long as to search for it, so counts are
        kept as long as nobody writes.
        """
        now = version(self._db)
        if now != self._version:
            self._counts, self._version = {}, now
        return {term: count for term in terms if (count := self._count(term))}

    def _count(self, term: str) -> int:
        if term not in self._counts:
            stems = self._tokenizer(
                term.encode(),
                apsw.FTS5_TOKENIZE_QUERY,
                None,
                include_offsets=False,
                include_colocated=False,
            )
            found = [self._one("SELECT doc FROM term WHERE term = ?", stem) for stem in stems]
            self._counts[term] = min(found, default=0)
        return self._counts[term]

    def matches(
        self, terms: Sequence[str], condition: str, parameters: Sequence[Any], limit: int
    ) -> LexicalMatches:
        """The memories that hold words of a query, best first; no author crowds out others."""
        weights = self.weights(terms)
        if not weights.scores:
            return LexicalMatches((), 0.0)
        found = self.best(weights, condition, parameters, limit)
        crowd = crowd_in([row.traits.voice for row in found]) if len(found) >= limit else None
        if crowd is not None and has_others(self._db, crowd):
            apart = f"{condition} AND memory.voice <> ?"
            others = self.best(weights, apart, (*parameters, crowd), limit)
            known = {row.uid for row in found}
            found = _best_of(found, limit) + [row for row in others if row.uid not in known]
            limit = len(found)
        echoes = repeated(_best_of(found, len(found)), lambda row: row.traits)
        if len(echoes) >= _CROWDED:
            weights = self.weights(terms, _echoed(weights.scores, found, echoes))
            found = [_weighed(row, weights) for row in found]
        full = ideal(weights.total_proof)
        return LexicalMatches(
            [
                Match(row.uid, row.score, row.words, row.evidence / full)
                for row in _best_of(found, limit)
            ],
            ideal(weights.total),
        )

    def weights(self, terms: Sequence[str], less: Mapping[str, float] = _NOTHING) -> Weights:
        """How much each term that occurs says (idf), and what all of them would, known or not.

        `less` says which share of the memories that hold a term does not count.
        """
        total = self._one("SELECT count(*) FROM memory")
        enough = max(total, _ENOUGH)
        found = self._frequencies(terms)
        counts = {term: round(n * (1 - less.get(term, 0.0))) for term, n in found.items()}
        scores = {term: _idf(count, total) for term, count in counts.items()}
        proofs = {term: _idf(count, enough) for term, count in counts.items()}
        unknown = len(terms) - len(counts)
        return Weights(
            scores,
            proofs,
            sum(scores.values()) + _idf(0, total) * unknown,
            sum(proofs.values()) + _idf(0, enough) * unknown,
        )

    def common(self, terms: Sequence[str], share: float) -> set[str]:
        """The terms that occur in more than a share of the memories."""
        total = self._one("SELECT count(*) FROM memory")
        if total < _FEW:
            return set()
        counts = self._frequencies(terms)
        return {term for term, count in counts.items() if count > share * total}

    def best(
        self, weights: Weights, condition: str, parameters: Sequence[Any], limit: int
    ) -> list[Scored]:
        """The memories that FTS5 ranks highest among those that pass a condition, scored again.

        Most rows pass most conditions, so the best are taken first and looked at then; only where
        too few of them pass is the condition asked of every row that matches.
        """
        query = _any_of(weights.scores)
        telling = self._telling(list(weights.scores), limit)
        if telling:
            first = f"({query}) AND ({_any_of(telling)})"
            passing, _ = self._first(weights, first, condition, parameters, limit)
            # Exactly what all words bring, if nothing that holds none of these could be better.
            left_out = sum(weights.scores.values()) - sum(weights.scores[term] for term in telling)
            ranked = sorted((found.score for found in passing), reverse=True)
            if len(ranked) >= limit and ranked[limit - 1] >= left_out * (_K1 + 1):
                return passing
        passing, may_be_more = self._first(weights, query, condition, parameters, limit)
        if len(passing) < limit and may_be_more:
            given, score = _scoring(weights)
            passing = _scored(
                self._db.execute(
                    f"SELECT memory.uid, memory.voice, memory.sketch, {score} FROM words"
                    " JOIN memory ON memory.key = words.rowid"
                    f" WHERE words MATCH ? AND {condition} ORDER BY {_BM25} LIMIT ?",
                    (*given, query, *parameters, limit),
                )
            )
        return passing

    def _first(
        self,
        weights: Weights,
        query: str,
        condition: str,
        parameters: Sequence[Any],
        limit: int,
    ) -> tuple[list[Scored], bool]:
        """Those of the best that pass a condition; whether there are more than were looked at."""
        wanted = int(limit * _WIDEN)
        given, score = _scoring(weights)
        scores = dict(
            self._db.execute(
                f"SELECT rowid, {score} FROM words WHERE words MATCH ? ORDER BY {_BM25} LIMIT ?",
                (*given, query, wanted),
            )
        )
        rows = self._db.execute(
            f"SELECT uid, voice, sketch, key FROM memory WHERE key IN ({_marks(scores)})"
            f" AND {condition}",
            (*scores, *parameters),
        )
        return _scored((*row, scores[key]) for *row, key in rows), len(scores) == wanted

    def _telling(self, terms: Sequence[str], limit: int) -> list[str]:
        """The rarer terms, where these alone may bring enough; else none.

        To rank every memory that holds a common word takes longest and mostly brings nothing.
        """
        total = self._one("SELECT count(*) FROM memory")
        rarest = sorted(self._frequencies(terms).items(), key=lambda item: item[1])
        brought = 0
        for number, (_, count) in enumerate(rarest):
            if brought > _PLENTY * limit and count > max(_COMMON * total, _MANY):
                return [term for term, _ in rarest[:number]]
            brought += count
        return []


def _scoring(weights: Weights) -> tuple[tuple[float, ...], str]:
    """What the second scoring is given, and how it is called."""
    given = (*weights.scores.values(), *weights.proofs.values())
    return given, f"rescore(words, {_marks(given)})"


def _scored(rows: Iterable[tuple[Any, ...]]) -> list[Scored]:
    return [
        Scored(uid, Traits(voice, sketch), *_unpacked(found)) for uid, voice, sketch, found in rows
    ]


def _unpacked(found: bytes) -> tuple[float, float, int, tuple[float, ...]]:
    score, evidence, words = _FOUND.unpack_from(found)
    counts = struct.unpack_from(f"{(len(found) - _FOUND.size) // 8}d", found, _FOUND.size)
    return score, evidence, words, counts


def _weighed(row: Scored, weights: Weights) -> Scored:
    """A row with the score and the evidence that other weights give it."""
    return row._replace(
        score=_sum(row.counts, weights.scores),
        evidence=_sum(row.counts, weights.proofs),
    )


def _echoed(
    terms: Iterable[str], found: Sequence[Scored], echoes: Sequence[Scored]
) -> dict[str, float]:
    """For each term, which share of the memories that hold it repeats another one."""
    held, again = (zip(*(row.counts for row in rows), strict=True) for rows in (found, echoes))
    return {
        term: sum(map(bool, repeats)) / max(1, sum(map(bool, all_of)))
        for term, all_of, repeats in zip(terms, held, again, strict=True)
    }


def _sum(counts: Iterable[float], weights: Mapping[str, float]) -> float:
    return sum(count * weight for count, weight in zip(counts, weights.values(), strict=True))


def _best_of(rows: Iterable[Scored], limit: int) -> list[Scored]:
    return sorted(rows, key=lambda row: (-row.score, row.uid))[:limit]


def _marks(values: Collection[Any]) -> str:
    return ",".join("?" * len(values))


def _idf(count: int, total: int) -> float:
    return math.log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))


def ideal(weight: float) -> float:
    """The score that counts as a full match for a query whose terms weigh so much together.

    It grows with the root of the weight: no memory holds most words of a long query, and one word
    of a short one says less than ten of a long one.
    """
    return (_K1 + 1) * math.sqrt(_TYPICAL_WEIGHT * weight)


def _any_of(terms: Iterable[str]) -> str:
    return " OR ".join(f'"{term}"' for term in terms)


def date_words(created: float | None) -> str:
    """A date as people say it: questions ask for `May 2023`, not for a timestamp."""
    if created is None:
        return ""
    moment = datetime.fromtimestamp(created, tz=UTC)
    return f"{moment.day} {moment:%B} {moment.year}"
