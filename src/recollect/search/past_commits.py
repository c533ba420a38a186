"""Searches the history itself: commits, for what no memory tells."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from recollect.errors import MemoryIndexError
from recollect.store.commit_index import FoundCommit, open_commits
from recollect.store.store import Store

# The share of the query's weight that the words of a commit must have. A judgement: words of the
# commit that is meant have 0.8 and more if the question uses its words (redis and hugo, 2026).
LEAST_SHARE: Final = 0.3
_CANDIDATES = 60


def search_commits(
    store: Store, query: str, limit: int, without: Collection[str] = ()
) -> list[FoundCommit]:
    """Return the commits that share most with a query, best first, without some of them."""
    index = open_commits(store.ledger.repository)
    if index is None:
        return []
    try:
        found = index.search(query, max(_CANDIDATES, 2 * limit))
    except MemoryIndexError:  # damaged inside; the next `recollect learn --history` makes it again
        return []
    finally:
        index.close()
    likely = [one for one in found if one.coverage >= LEAST_SHARE and one.oid not in without]
    return likely[:limit]
