"""Keyword search in PostgreSQL: BM25 from a table of words, the same function as in SQLite.

The candidates are ranked as FTS5 ranks them (k1 1.2, b 0.75), in one statement. The best of them
are then scored again by the function that every backend shares. PostgreSQL's own `ts_rank` knows
neither how rare a word is nor how long a memory is.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from recollect.index.keywords import Keywords, Scored, Weights
from recollect.index.postgres.tables import COLUMN_BITS, PostgresTables
from recollect.index.rescoring import K1, WEIGHTS, Found, rescore
from recollect.index.tables import LONGEST_TERM

# As in FTS5, whose parameters are fixed.
_B = 0.75
_LEAST_IDF = 1e-6
# Words that begin with some letters: more than this many are not looked up. A limit on time.
_MOST_WORDS = 1000
_POSITION = (1 << COLUMN_BITS) - 1


class _Phrase(NamedTuple):
    """A term of a query: the stems of which any counts, or that must stand side by side."""

    stems: Sequence[str]
    is_row: bool
    idf: float

    @property
    def looked_up(self) -> Sequence[str]:
        """The stems whose memories are candidates."""
        return self.stems[:1] if self.is_row else self.stems


class PostgresWords(Keywords):
    """Keyword queries on the tables of some repositories."""

    _tables: PostgresTables

    def stems(self, term: str) -> Sequence[str]:
        """Return what the index stores for a word."""
        return [stem[:LONGEST_TERM] for stem in self._tables.stem(term)]

    def _count_stems(self, stems: Sequence[str]) -> Mapping[str, int]:
        which, values = self._tables.among("term", stems)
        return dict(
            self._tables.rows(
                f"SELECT term, sum(doc) FROM term WHERE {which} GROUP BY term", values
            )
        )

    def _rare_terms(self, terms: Sequence[str], limit: int) -> list[str]:  # noqa: ARG002
        """Return none: one statement ranks every match, and filters come before it."""
        return []

    def _first(
        self, weights: Weights, required: Sequence[str], limit: int, *, few: bool
    ) -> Mapping[int, Found]:
        del required, few
        return self._best(weights, "", (), limit)

    def _every(
        self, weights: Weights, condition: str, parameters: Sequence[Any], limit: int
    ) -> Mapping[int, Found]:
        joined = f" JOIN memory ON memory.key = posting.memory AND {condition}"
        return self._best(weights, joined, parameters, limit)

    def _passing(
        self, found: Mapping[int, Found], condition: str, parameters: Sequence[Any]
    ) -> list[Scored]:
        rows = super()._passing(found, condition, parameters)
        # A memory may be in several repositories.
        best = {row.uid: row for row in sorted(rows, key=lambda row: row.score)}
        return list(best.values())

    def _best(
        self, weights: Weights, joined: str, parameters: Sequence[Any], limit: int
    ) -> Mapping[int, Found]:
        """Return the memories that plain BM25 ranks highest, by key, rescored."""
        phrases = self._phrases(weights)
        asked = [
            (number, stem, phrase.idf)
            for number, phrase in enumerate(phrases)
            for stem in phrase.looked_up
        ]
        if not asked:
            return {}
        numbers, stems, idfs = map(list, zip(*asked, strict=True))
        rows = self._tables.rows(
            "SELECT memory,"
            " sum(idf * weight * ? / (weight + ? * (1 - ? + ? * length / ?))) AS score"
            " FROM (SELECT posting.memory, phrase, idf, sum(posting.weight) AS weight, length"
            " FROM posting JOIN unnest(?::int[], ?::text[], ?::double precision[])"
            f" AS asked (phrase, term, idf) ON asked.term = posting.term{joined}"
            # Also as a plain condition, which an index can answer.
            " WHERE posting.term = ANY (?)"
            " GROUP BY posting.memory, phrase, idf, length) AS found"
            " GROUP BY memory ORDER BY score DESC, memory LIMIT ?",
            (
                *(K1 + 1, K1, _B, _B, self._mean_length()),
                *(numbers, stems, idfs),
                *parameters,
                *(stems, limit),
            ),
        )
        return self._rescored([key for key, _ in rows], phrases, weights)

    def _mean_length(self) -> float:
        repositories = self._tables.repositories
        memories = sum(one.memories for one in repositories)
        return max(1.0, sum(one.words for one in repositories) / max(1, memories))

    def _phrases(self, weights: Weights) -> list[_Phrase]:
        counts = self._frequencies([term for term in weights.scores if not term.endswith("*")])
        found = []
        for term in weights.scores:
            if term.endswith("*"):
                words = self._beginning_with(next(iter(self.stems(term[:-1])), term[:-1]))
                memories = min(weights.memories, sum(words.values()))
                found.append(_Phrase(list(words), False, _idf(memories, weights.memories)))
            else:
                stems = self.stems(term)
                idf = _idf(counts.get(term, 0), weights.memories)
                found.append(_Phrase(stems, len(stems) > 1, idf))
        return found

    def _beginning_with(self, stem: str) -> dict[str, int]:
        return dict(
            self._tables.rows(
                "SELECT term, sum(doc) FROM term WHERE term >= ? AND term < ?"
                " GROUP BY term ORDER BY term LIMIT ?",
                (stem, stem + "\U0010ffff", _MOST_WORDS),
            )
        )

    def _rescored(
        self, keys: Sequence[int], phrases: Sequence[_Phrase], weights: Weights
    ) -> Mapping[int, Found]:
        stems = list(dict.fromkeys(stem for phrase in phrases for stem in phrase.stems))
        places: dict[int, dict[str, Sequence[Sequence[int]]]] = {key: {} for key in keys}
        lengths: dict[int, int] = {}
        for key, term, length, packed in self._tables.rows(
            # The offset keeps the two apart: a few memories have far fewer words than a common word
            # has memories.
            "SELECT * FROM (SELECT memory, term, length, places FROM posting"
            " WHERE memory = ANY (?) OFFSET 0) AS own WHERE term = ANY (?)",
            (list(keys), stems),
        ):
            places[key][term] = _unpacked(packed)
            lengths[key] = length
        pairs = list(zip(weights.scores.values(), weights.proofs.values(), strict=True))
        mean = self._mean_length()
        found = {}
        for key in keys:
            at = [_located(phrase, places[key]) for phrase in phrases]
            scored = rescore(pairs, at.__getitem__, lengths[key] / mean)
            if any(scored[-1]):  # else it has the words of a phrase, but not side by side
                found[key] = scored
        return found


_NOWHERE: Sequence[Sequence[int]] = ((),) * len(WEIGHTS)


def _located(
    phrase: _Phrase, places: Mapping[str, Sequence[Sequence[int]]]
) -> Sequence[Sequence[int]]:
    """Return where a phrase stands in each column."""
    held = [places[stem] for stem in phrase.stems if stem in places]
    if not held or (phrase.is_row and len(held) < len(phrase.stems)):
        return _NOWHERE
    if len(held) == 1:
        return held[0]
    columns = zip(*held, strict=True)
    if not phrase.is_row:
        return [sorted(set().union(*column)) for column in columns]
    return [
        sorted(set.intersection(*({at - n for at in own} for n, own in enumerate(column))))
        for column in columns
    ]


def _unpacked(packed: bytes) -> Sequence[Sequence[int]]:
    columns: list[list[int]] = [[] for _ in WEIGHTS]
    for at in struct.unpack(f"<{len(packed) // 4}I", packed):
        columns[at >> COLUMN_BITS].append(at & _POSITION)
    return columns


def _idf(memories: int, total: int) -> float:
    """Return how rare a word is, as FTS5 computes it."""
    return max(_LEAST_IDF, math.log(max(total - memories + 0.5, 0.5) / (memories + 0.5)))
