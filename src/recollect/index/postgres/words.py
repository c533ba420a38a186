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

from recollect.core.crowding import Traits
from recollect.index.keywords import WIDEN, Keywords, Scored, Weights
from recollect.index.postgres.tables import COLUMN_BITS, PostgresTables
from recollect.index.rescoring import K1, WEIGHTS, Found, rescore
from recollect.index.tables import LONGEST_TERM

# As in FTS5, whose parameters are fixed.
_B = 0.75
_LEAST_IDF = 1e-6
# Words that begin with some letters: more than this many are not looked up. A limit on time.
_MOST_WORDS = 1000
_POSITION = (1 << COLUMN_BITS) - 1
# Look so many times more memories up one by one, in their order, as are asked for.
_LOOKED_AT = 10
_POSTINGS = """
SELECT posting.memory, phrase, idf, posting.weight, length
FROM posting
JOIN unnest(?::int[], ?::text[], ?::double precision[]) AS asked (phrase, term, idf)
    ON asked.term = posting.term
-- Also as a plain condition, which an index can answer.
WHERE posting.term = ANY (?)"""
# For phrases that stand for several words.
_SUMMED = f"""
SELECT memory, phrase, idf, sum(weight) AS weight, length
FROM ({_POSTINGS}) AS every GROUP BY memory, phrase, idf, length"""
# All memories are ranked once. A condition that many memories match costs little if the best are
# looked up in their order. If too few of these match, every one of the others is compared with a
# list of all that match. The two are one statement, so that nothing is ranked again.
_RANKED = """
WITH scored AS MATERIALIZED (
    SELECT memory AS hit,
        sum(idf * weight * ? / (weight + ? * (1 - ? + ? * length / ?))) AS score
    FROM ({found}) AS found GROUP BY memory
), near AS MATERIALIZED (
    SELECT key, rank, uid, voice, sketch
    FROM (
        SELECT hit, score, row_number() OVER (ORDER BY score DESC, hit) AS rank
        FROM (SELECT hit, score FROM scored ORDER BY score DESC, hit LIMIT ?) AS best
    ) AS first
    CROSS JOIN LATERAL (
        SELECT key, uid, voice, sketch FROM memory WHERE key = hit AND {condition} OFFSET 0
    ) AS own
    -- Not by the rank: PostgreSQL would not know that the rows are in this order already.
    ORDER BY score DESC, hit LIMIT ?
)
(SELECT * FROM near ORDER BY rank)
UNION ALL
(
    SELECT key, 2147483647 AS rank, uid, voice, sketch
    FROM (
        SELECT hit, score FROM scored
        WHERE (SELECT count(*) FROM near) < ? AND (SELECT count(*) FROM scored) > ?
            AND (hit IN (SELECT key FROM memory WHERE {condition})) IS TRUE
        ORDER BY score DESC, hit LIMIT ?
    ) AS others
    JOIN memory ON key = hit ORDER BY score DESC, hit
)"""


class _Phrase(NamedTuple):
    """A term of a query: the stems of which any counts, or that must stand side by side."""

    stems: Sequence[str]
    is_row: bool
    idf: float

    @property
    def looked_up(self) -> Sequence[str]:
        """The stems whose memories are candidates."""
        return self.stems[:1] if self.is_row else self.stems


class _Row(NamedTuple):
    """A memory, and how many rank above it, plus one, whether they match or not."""

    key: int
    rank: int
    uid: str
    voice: str
    sketch: bytes


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

    def best(
        self, weights: Weights, condition: str, parameters: Sequence[Any], limit: int
    ) -> list[Scored]:
        """Return the best that match a condition."""
        wanted = int(limit * WIDEN)
        phrases = self._phrases(weights)
        rows = self._ranked(phrases, condition, parameters, wanted)
        among_first = sum(row.rank <= wanted for row in rows)
        rows = rows[: among_first if among_first >= limit else limit]
        found = self._rescored([row.key for row in rows], phrases, weights)
        scored = [
            Scored(row.uid, Traits(row.voice, row.sketch), *found[row.key])
            for row in rows
            if row.key in found
        ]
        # A memory may be in several repositories.
        best = {row.uid: row for row in sorted(scored, key=lambda row: row.score)}
        return list(best.values())

    def _ranked(
        self, phrases: Sequence[_Phrase], condition: str, parameters: Sequence[Any], limit: int
    ) -> list[_Row]:
        """Return the memories with a phrase that match a condition, as plain BM25 ranks them."""
        asked = [
            (number, stem, phrase.idf)
            for number, phrase in enumerate(phrases)
            for stem in phrase.looked_up
        ]
        if not asked:
            return []
        numbers, stems, idfs = map(list, zip(*asked, strict=True))
        found = _POSTINGS if len(asked) == len(phrases) else _SUMMED
        first = limit * _LOOKED_AT
        rows = self._tables.rows(
            _RANKED.format(found=found, condition=condition),
            (
                *(K1 + 1, K1, _B, _B, self._mean_length()),
                *(numbers, stems, idfs, stems),
                *(first, *parameters, limit),
                *(limit, first, *parameters, limit),
            ),
        )
        # Those that are in both parts have their rank in the first.
        return list({row[0]: _Row(*row) for row in reversed(rows)}.values())[::-1]

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
