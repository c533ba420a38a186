"""Where the answers of a search stop: what follows shares words with the query, and no more.

A search is more generous than a hook: whoever asks can read over a line that does not fit.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from recollect.search.gate import probability
from recollect.search.search import Hit

# How likely a memory must be to answer the query.
SHOWN: Final = 0.15


def split(hits: Iterable[Hit]) -> tuple[list[Hit], list[Hit]]:
    """Return the hits that probably answer the query, and the weaker ones, each in their order."""
    answers: list[Hit] = []
    weaker: list[Hit] = []
    for hit in hits:
        (answers if probability(hit.features) >= SHOWN else weaker).append(hit)
    return answers, weaker
