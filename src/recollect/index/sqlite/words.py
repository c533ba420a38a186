"""Keyword search with FTS5: its own BM25 finds the candidates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import apsw

from recollect.index.keywords import Keywords, Weights
from recollect.index.tables import Tables

if TYPE_CHECKING:
    from recollect.index.rescoring import Found


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

    def _first(
        self, weights: Weights, required: Sequence[str], limit: int, *, few: bool
    ) -> Mapping[int, Found]:
        query = _any_of(weights.scores)
        if len(required) < len(weights.scores):
            query = f"({query}) AND ({_any_of(required)})"
        bm25 = self._prepare(weights)
        # By `rank`, SQLite sorts every match before it applies the limit. So only the rows that it
        # returns are rescored, which is faster for few matches, and slower for many.
        order = f"AND rank MATCH 'bm25({bm25})' ORDER BY rank" if few else f"ORDER BY {self._bm25}"
        sql = f"SELECT rowid, rescore(words) FROM words WHERE words MATCH ? {order} LIMIT ?"
        keys = [row[0] for row in self._tables.rows(sql, (query, limit))]
        return {key: self._found[key] for key in keys}

    def _every(
        self, weights: Weights, condition: str, parameters: Sequence[Any], limit: int
    ) -> Mapping[int, Found]:
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
