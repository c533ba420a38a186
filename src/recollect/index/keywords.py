"""Keyword search: the weights of words, and which of the rows that a backend finds are best.

A backend finds the candidates with plain BM25, which is fast. They are then scored again with two
changes that memories need: length counts for less (notes are short, and a longer one is not worse),
and a word that most memories contain still counts a little.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from types import MappingProxyType

from recollect.core.crowding import Traits, crowd_in, repeated
from recollect.core.named_tuple import NamedTuple
from recollect.index.protocol import LexicalMatches, Match
from recollect.index.tables import Tables, has_others
from recollect.index.text import EVERYDAY_WORDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.index.parts import Part

# As in `index/rescoring.py`, which many events do without.
MOST_OF_A_WORD = 2.2
# Fetch this many times more than requested, since some will not match the filters.
WIDEN = 1.5
_TYPICAL_WEIGHT = 15.0
# With fewer memories than this, no word is common.
_FEW = 50
# What a part of a word is worth, compared with the whole word: for the order, and as proof that a
# memory is meant. A judgement.
_PART, _PART_PROOF = 0.4, 0.8
# A small store says little about which words are common: assume at least this size for evidence.
_ENOUGH = 500
# Words of everyday requests ("fix", "make", "choose") prove little, however rare they are in a
# small store: assume at least this share of the memories to contain them.
_EVERYDAY = 0.25
# From this many repetitions in the results on, their words count once.
_CROWDED = 8
_NOTHING: Mapping[str, float] = MappingProxyType({})


class Scored(NamedTuple):
    """A memory that matches a query: its score, its evidence and its number of matching words."""

    uid: str
    traits: Traits
    score: float
    evidence: float
    # The proof of the words in its summary, and in its tags and files.
    titled: float
    tagged: float
    words: int
    # How many words of the query stand beside the next one in it, as they do in the query.
    beside: int
    # The weight of each term in it.
    counts: tuple[float, ...]


class Weights(NamedTuple):
    """The weights of a query's terms: for the score (idf), for evidence, their sums."""

    scores: dict[str, float]
    proofs: dict[str, float]
    total: float
    total_proof: float
    memories: int
    # Phrase → the term that it stands for, where they differ.
    parts: Mapping[str, str] = MappingProxyType({})
    # What each term proves, also if no memory has it.
    worth: Mapping[str, float] = MappingProxyType({})


class Keywords:
    """Keyword queries on one index; a backend gives the words and the candidates."""

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._counts: dict[str, int] = {}
        self._version: object = None
        self._memories: int | None = None

    def stems(self, term: str) -> Sequence[str]:
        """Return what the index stores for a word: usually one stem."""
        raise NotImplementedError

    def _count_stems(self, stems: Sequence[str]) -> Mapping[str, int]:
        """Return how many memories contain each stem."""
        raise NotImplementedError

    def best(
        self, weights: Weights, condition: str, parameters: Sequence[Any], limit: int
    ) -> list[Scored]:
        """Return the memories that plain BM25 ranks highest and that match a condition, rescored.

        They are those of the first `limit` times `WIDEN` that match or, if too few of these do, the
        first `limit` of all that match.
        """
        raise NotImplementedError

    def _frequencies(self, terms: Sequence[str]) -> dict[str, int]:
        """Return how many memories contain each term, by its stem, without unknown terms.

        Counting a common word takes as long as searching for it, so counts are cached until the
        next write.
        """
        now = self._tables.text_version()
        if now != self._version:
            self._counts, self._version, self._memories = {}, now, None
        unknown = {term: self.stems(term) for term in terms if term not in self._counts}
        if unknown:
            found = self._count_stems([stem for stems in unknown.values() for stem in stems])
            for term, stems in unknown.items():
                self._counts[term] = min((found.get(stem, 0) for stem in stems), default=0)
        return {term: count for term in terms if (count := self._counts[term])}

    def _total(self) -> int:
        """Return how many memories there are, counted when the terms were."""
        if self._memories is None:
            self._memories = self._tables.total()
        return self._memories

    def parts(self, terms: Sequence[str]) -> Sequence[Part]:
        """Return the parts of words that terms stand for."""
        from recollect.index.parts import find_parts  # hooks do without

        return find_parts(
            self._tables,
            terms,
            self._frequencies(terms),
            lambda term: next(iter(self.stems(term)), term),
            self._tables.total(),
        )

    def matches(
        self,
        terms: Sequence[str],
        condition: str,
        parameters: Sequence[Any],
        limit: int,
        parts: Sequence[Part] = (),
    ) -> LexicalMatches:
        """Return the memories with words of a query, best first; no author crowds out others."""
        weights = self.weights(terms, parts=parts)
        if not weights.scores:
            return LexicalMatches((), 0.0, weights.memories, worth=weights.worth)
        found = self.best(weights, condition, parameters, limit)
        crowd = crowd_in([row.traits.author_key for row in found]) if len(found) >= limit else None
        if crowd is not None and has_others(self._tables, crowd):
            apart = f"{condition} AND memory.voice <> ?"
            others = self.best(weights, apart, (*parameters, crowd), limit)
            known = {row.uid for row in found}
            found = _best_of(found, limit) + [row for row in others if row.uid not in known]
            limit = len(found)
        found = _best_of(found, len(found))
        echoes = repeated(found, lambda row: row.traits)
        if len(echoes) >= _CROWDED:
            weights = self.weights(terms, _repeated_shares(weights.scores, found, echoes), parts)
            found = _best_of((_weighed(row, weights) for row in found), len(found))
        full = ideal(weights.total_proof)
        has = sum(proof for term, proof in weights.proofs.items() if term not in weights.parts)
        return LexicalMatches(
            [_match(row, weights, full) for row in found[:limit]],
            ideal(weights.total),
            weights.memories,
            has / weights.total_proof,
            weights.worth,
        )

    def weights(
        self,
        terms: Sequence[str],
        less: Mapping[str, float] = _NOTHING,
        parts: Sequence[Part] = (),
    ) -> Weights:
        """Return the weight (idf) of each known term, and of all terms, known or not.

        `less` is the share of the memories with a term that does not count.
        """
        found = self._frequencies(terms)
        total = self._total()
        enough = max(total, _ENOUGH)
        counts = {term: round(n * (1 - less.get(term, 0.0))) for term, n in found.items()}
        scores = {term: _idf(count, total) for term, count in counts.items()}
        everyday = round(_EVERYDAY * enough)
        every = {
            term: _idf(max(counts.get(term, 0), everyday * (term in EVERYDAY_WORDS)), enough)
            for term in terms
        }
        unknown = len(terms) - len(counts)
        # A part adds nothing to a full match: that has the whole words.
        full = sum(scores.values()) + _idf(0, total) * unknown
        proofs = {term: every[term] for term in counts}
        for phrase, _, memories in parts:
            count = round(memories * (1 - less.get(phrase, 0.0)))
            scores[phrase] = _PART * _idf(count, total)
            proofs[phrase] = _PART_PROOF * _idf(count, enough)
        terms_of = {part.phrase: part.term for part in parts}
        return Weights(scores, proofs, full, sum(every.values()), total, terms_of, every)

    def common(self, terms: Sequence[str], share: float) -> set[str]:
        """Return the terms that occur in more than a share of the memories."""
        counts = self._frequencies(terms)
        total = self._total()
        if total < _FEW:
            return set()
        return {term for term, count in counts.items() if count > share * total}


def _match(row: Scored, weights: Weights, full: float) -> Match:
    """Return a row as a match, with the share of the query's proof that its words are."""
    # Hundreds of rows, while somebody waits: by position.
    uid, _, score, evidence, titled, tagged, _, beside, counts = row
    if weights.parts:
        held: dict[str, float] = {}  # term → proof; a word and its beginning prove the same
        for (phrase, proof), count in zip(weights.proofs.items(), counts, strict=True):
            if count:
                term = weights.parts.get(phrase, phrase)
                held[term] = max(held.get(term, 0.0), proof)
        proofs = list(held.values())
    else:
        proofs = list(compress(weights.proofs.values(), counts))
    proofs.sort(reverse=True)
    total, worth = weights.total_proof, sum(proofs)
    rarest, second = (*proofs[:2], 0.0, 0.0)[:2]
    return Match(
        *(uid, score, len(proofs), evidence / full, worth / total, rarest),
        *(min(1.0, titled / total), min(1.0, tagged / total), second, worth, beside),
    )


def _weighed(row: Scored, weights: Weights) -> Scored:
    """Return a row rescored with other weights."""
    return row._replace(
        score=_sum(row.counts, weights.scores),
        evidence=_sum(row.counts, weights.proofs),
    )


def _repeated_shares(
    terms: Iterable[str], found: Sequence[Scored], echoes: Sequence[Scored]
) -> dict[str, float]:
    """Return, for each term, the share of its memories that repeat another one."""
    held, again = (zip(*(row.counts for row in rows), strict=True) for rows in (found, echoes))
    return {
        term: sum(map(bool, repeats)) / max(1, sum(map(bool, all_of)))
        for term, all_of, repeats in zip(terms, held, again, strict=True)
    }


def _sum(counts: Iterable[float], weights: Mapping[str, float]) -> float:
    return sum(count * weight for count, weight in zip(counts, weights.values(), strict=True))


def _best_of(rows: Iterable[Scored], limit: int) -> list[Scored]:
    return sorted(rows, key=lambda row: (-row.score, row.uid))[:limit]


def _idf(count: int, total: int) -> float:
    return math.log(1 + (max(total - count, 0) + 0.5) / (count + 0.5))


def ideal(weight: float) -> float:
    """Return the score of a full match for a query with this total weight.

    It grows with the square root of the weight: no memory contains most words of a long query, and
    one word of a short query says less than ten of a long one.
    """
    return MOST_OF_A_WORD * math.sqrt(_TYPICAL_WEIGHT * weight)
