"""Where the answers of a search stop: what follows shares words with the query, and no more.

A search is more generous than a hook: whoever asks can read over a line that does not fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from recollect.search.gate import probability
from recollect.search.search import Hit

# How likely a memory must be to answer the query, and how many times larger the odds are that a
# query is about a memory than that a prompt is. On the tuning half of the question sets: with
# `asked_as`, recall 0.94 at precision 0.74; without, 0.82 at 0.61 (`python -m benchmarks.shown`).
SHOWN: Final = 0.13
ASKING: Final = 6.0
# Up to so many words are keywords: a memory that has all of them, whole or in part, is an answer,
# however many others have them, too.
_KEYWORDS: Final = 3


def split(hits: Iterable[Hit], terms: int) -> tuple[list[Hit], list[Hit]]:
    """Return the hits that probably answer the query, and the weaker ones, each in their order.

    `terms` is the number of meaningful words of the query.
    """
    answers: list[Hit] = []
    weaker: list[Hit] = []
    for hit in hits:
        has_all = hit.words >= terms and 0 < terms <= _KEYWORDS
        is_likely = probability(hit.features, ASKING) >= SHOWN
        (answers if has_all or is_likely else weaker).append(hit)
    return answers, weaker
