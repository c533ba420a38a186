"""The second scoring of keyword search, which SQLite calls for every row that it found.

It leaves everything that ranking wants to know about a row in a dictionary: reading a row twice
costs twice, and a value that SQL passes on is converted for every row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import apsw

# Two words stand side by side if there is at most one other between them.
_NEAR = 2

# The score, the evidence, that of the summary and of tags, the number of words and of words side by
# side, and the weight of each term.
Found = tuple[float, float, float, float, int, int, tuple[float, ...]]


class Rescorer:
    """The scoring for the weights of the columns, and for the parameters of BM25."""

    def __init__(
        self, columns: tuple[float, float, float, float, float], k1: float, b: float
    ) -> None:
        self._columns, self._k1, self._b = columns, k1, b
        # The weights of the terms, for the score and for evidence, and what was found in each row.
        self.weights: Sequence[tuple[float, float]] = ()
        self.found: dict[int, Found] = {}

    def rescore(self, api: apsw.FTS5ExtensionApi, /, *_: Any) -> None:
        """Score the current row: BM25 with our own idf and length normalisation, and evidence."""
        if api.aux_data is None:
            api.aux_data = max(1.0, api.column_total_size(-1) / max(1, api.row_count))
        k1 = self._k1
        norm = k1 * (1 - self._b + self._b * api.column_size(-1) / api.aux_data)
        in_summary, in_tags, in_dates, in_body, in_asked = self._columns
        total, proof, titled, tagged, words, beside, held = 0.0, 0.0, 0.0, 0.0, 0, 0, []
        before: tuple[Sequence[int], Sequence[int]] = (), ()
        locations = api.phrase_locations
        for phrase, (idf, proves) in enumerate(self.weights):
            summary, tags, dates, body, asked = locations(phrase)
            # Unrolled: this runs for every word of hundreds of rows while the user waits.
            frequency = (
                in_summary * len(summary)
                + in_tags * len(tags)
                + in_dates * len(dates)
                + in_body * len(body)
                + in_asked * len(asked)
            )
            if frequency:
                counts = frequency * (k1 + 1) / (frequency + norm)
                total += idf * counts
                proof += proves * counts
                if summary:
                    titled += proves
                if tags:
                    tagged += proves
                words += 1
                held.append(counts)
                if before[0] or before[1]:
                    beside += _follow(before[0], summary) or _follow(before[1], body)
                before = summary, body
            else:
                held.append(0.0)
                before = (), ()
        self.found[api.rowid] = (total, proof, titled, tagged, words, beside, tuple(held))


def _follow(before: Sequence[int], after: Sequence[int]) -> bool:
    """Return whether a place of one word is just after a place of another, in linear time."""
    places = {at + step for at in before for step in range(1, _NEAR + 1)}
    return not places.isdisjoint(after)
