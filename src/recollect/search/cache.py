"""Answers kept for a while, in processes that live long enough to be asked twice.

A key names the question and the state of the ledger: after a change, old answers are out of reach.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable

from recollect.search.search import Hit

TIME_TO_LIVE = 300.0
MOST_ENTRIES = 100


class ResultCache:
    """At most a hundred answers, none older than five minutes; the least used goes first."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Hashable, tuple[float, list[Hit]]] = OrderedDict()

    def get(self, key: Hashable, now: float) -> list[Hit] | None:
        """The answer to a question that was asked a short while ago."""
        found = self._entries.get(key)
        if found is None or now - found[0] > TIME_TO_LIVE:
            self._entries.pop(key, None)
            return None
        self._entries.move_to_end(key)
        return found[1]

    def put(self, key: Hashable, hits: list[Hit], now: float) -> None:
        """Keep an answer."""
        self._entries[key] = (now, hits)
        self._entries.move_to_end(key)
        while len(self._entries) > MOST_ENTRIES:
            self._entries.popitem(last=False)
