"""Keyword search with FTS5: its own BM25 finds the candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import apsw

from recollect.core.crowding import Traits
from recollect.index.keywords import MOST_OF_A_WORD, WIDEN, Keywords, Scored, Weights
from recollect.index.tables import Tables

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from recollect.index.rescoring import Found

# A term in a larger share of the memories, and in more than this many, is common. Rarer terms can
# do without it if they occur in enough times more memories than requested.
_COMMON, _MANY, _PLENTY = 0.15, 2000, 3


class Words(Keywords):
    """Keyword queries on one database."""

    def __init__(self, db: apsw.Connection, tables: Tables) -> None:
        super().__init__(tables)
        self._db = db
        self._tokenizer = db.fts5_tokenizer("porter", ["unicode61", "remove_diacritics", "2"])
        # The weights of the phrases, and what was found in each row.
        self._weights: Sequence[tuple[float, float]] = ()
        self._found: dict[int, Found] = {}
        self._ranking = ""

    def stems(self, term: str) -> Sequence[str]:
        """Return what FTS5 stores for a word."""
        found = self._tokenizer(
            term.encode(),
            apsw.FTS5_TOKENIZE_QUERY,
            None,
            include_offsets=False,
            include_colocated=False,
        )
        return [str(stem) for stem in found]

    def _count_stems(self, stems: Sequence[str]) -> Mapping[str, int]:
        found = {}
        for stem in stems:
            for (count,) in self._tables.rows("SELECT doc FROM term WHERE term = ?", (stem,)):
                found[stem] = count
        return found

    def best(
        self, weights: Weights, condition: str, parameters: Sequence[Any], limit: int
    ) -> list[Scored]:
        """Return the best that match a condition.

        Most rows match most conditions, so take the best first and filter then. Only if too few
        match, apply the condition to every matching row.
        """
        wanted = int(limit * WIDEN)
        terms = list(weights.scores)
        rare = self._rare_terms(terms, limit)
        if rare:
            few = sum(self._frequencies(rare).values()) <= _MANY
            first = self._first(weights, rare, wanted, few=few)
            passing = self._passing(first, condition, parameters)
            # The result is exact if no memory without these words could score better.
            left_out = sum(weights.scores.values()) - sum(weights.scores[term] for term in rare)
            ranked = sorted((found.score for found in passing), reverse=True)
            if len(ranked) >= limit and ranked[limit - 1] >= left_out * MOST_OF_A_WORD:
                return passing
        first = self._first(weights, terms, wanted, few=weights.memories <= _MANY)
        passing = self._passing(first, condition, parameters)
        if len(passing) < limit and len(first) == wanted:
            found = self._every(weights, condition, parameters, limit)
            passing = self._passing(found, condition, parameters)
        return passing

    def best_rows(self, weights: Weights, limit: int) -> Mapping[int, Found]:
        """Return the rows that plain BM25 ranks highest, by key, rescored."""
        terms = list(weights.scores)
        required = self._rare_terms(terms, limit) or terms
        return self._first(weights, required, limit, few=weights.memories <= _MANY)

    def _rare_terms(self, terms: Sequence[str], limit: int) -> list[str]:
        """Return the rarer terms if they alone may give enough results; else none.

        Ranking every memory with a common word takes longest and rarely changes the result.
        """
        rarest = sorted(self._frequencies(terms).items(), key=lambda item: item[1])
        total = self._total()
        brought = 0
        for number, (_, count) in enumerate(rarest):
            if brought > _PLENTY * limit and count > max(_COMMON * total, _MANY):
                return [term for term, _ in rarest[:number]]
            brought += count
        return []

    def _passing(
        self, found: Mapping[int, Found], condition: str, parameters: Sequence[Any]
    ) -> list[Scored]:
        """Return the candidates that match a condition."""
        if not found:
            return []
        rows = self._tables.rows(
            f"SELECT uid, voice, sketch, key FROM memory"
            f" WHERE key IN ({','.join(map(str, found))}) AND {condition}",
            parameters,
        )
        return [Scored(uid, Traits(voice, sketch), *found[key]) for uid, voice, sketch, key in rows]

    def _first(
        self, weights: Weights, required: Sequence[str], limit: int, *, few: bool
    ) -> Mapping[int, Found]:
        """Return the best candidates with one of the required terms, by key, at most `limit`.

        `few` says that few memories match.
        """
        query = _any_of(weights.scores)
        if len(required) < len(weights.scores):
            query = f"({query}) AND ({_any_of(required)})"
        bm25 = self._prepare(weights)
        # By `rank`, SQLite sorts every match before it applies the limit. So only the rows that it
        # returns are rescored, which is faster for few matches, and slower for many. By `bm25`, it
        # would rescore each row that is among the best of those before it, five times as many:
        # going over the matches again, without ranking them, takes less.
        if few:
            order, column = f"AND rank MATCH 'bm25({bm25})' ORDER BY rank", ", rescore(words)"
        else:
            order, column = f"ORDER BY {self._bm25}", ""
        sql = f"SELECT rowid{column} FROM words WHERE words MATCH ? {order} LIMIT ?"
        keys = [row[0] for row in self._tables.rows(sql, (query, limit))]
        if not few and keys:
            # The sign keeps SQLite from looking up each row for itself.
            chosen = f"+rowid IN ({','.join(map(str, keys))})"
            sql = f"SELECT rescore(words) FROM words WHERE words MATCH ? AND {chosen}"
            self._tables.rows(sql, (query,))
        return {key: self._found[key] for key in keys}

    def _every(
        self, weights: Weights, condition: str, parameters: Sequence[Any], limit: int
    ) -> Mapping[int, Found]:
        """Return the best of all that match a condition."""
        self._prepare(weights)
        rows = self._tables.rows(
            "SELECT memory.key, rescore(words)"
            " FROM words JOIN memory ON memory.key = words.rowid"
            f" WHERE words MATCH ? AND {condition} ORDER BY {self._bm25} LIMIT ?",
            (_any_of(weights.scores), *parameters, limit),
        )
        return {row[0]: self._found[row[0]] for row in rows}

    @property
    def _bm25(self) -> str:
        return f"bm25(words, {self._ranking})"

    def _prepare(self, weights: Weights) -> str:
        """Prepare the function `rescore`, which leaves what it finds in each row.

        A value that SQL passes on would be converted for every row.
        """
        if not self._ranking:
            from recollect.index.rescoring import WEIGHTS, rescore  # many events search for nothing

            def run(api: apsw.FTS5ExtensionApi, /, *_: Any) -> None:
                if api.aux_data is None:
                    api.aux_data = max(1.0, api.column_total_size(-1) / max(1, api.row_count))
                length = api.column_size(-1) / api.aux_data
                self._found[api.rowid] = rescore(self._weights, api.phrase_locations, length)

            self._db.register_fts5_function("rescore", run)
            self._ranking = ", ".join(map(str, WEIGHTS))
        self._weights = list(zip(weights.scores.values(), weights.proofs.values(), strict=True))
        self._found = {}
        return self._ranking


def _any_of(phrases: Iterable[str]) -> str:
    return " OR ".join(f'"{p[:-1]}" *' if p.endswith("*") else f'"{p}"' for p in phrases)
