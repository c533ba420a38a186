"""Searches the history itself: commits, for what no memory tells."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from typing import Final

from recollect.errors import MemoryIndexError, RecollectError
from recollect.search.commit_places import distinct, marked
from recollect.store.commit_index import CommitIndex, FoundCommit, open_commits
from recollect.store.store import Store

# The share of the query's weight that the words of a commit must have. A judgement: words of the
# commit that is meant have 0.8 and more if the question uses its words (redis and hugo, 2026).
LEAST_SHARE: Final = 0.3
# The least cosine of a commit without such words. The right commits of questions in other words had
# 0.3 to 0.55 (libgit2 and scrapy, 2026).
LEAST_COSINE: Final = 0.3
# How much the first places of both lists count more than the next ones: the sum of 1 / (10 + place)
# orders commits, since only some of them have a vector, and scores and cosines do not compare. A
# place counts by how much there is to it, since each list has a first: among the words by the share
# of the question's weight that the commit has, and by meaning up to the cosine that commits have
# whose words the question uses (40 questions about mpv and influxdb, 2026).
_PLACES = 10
SURE_COSINE: Final = 0.7
_CANDIDATES = 60
_MOST_REVERTS = 2_000  # the newest, in which what took a commit back is looked for


def search_commits(
    store: Store, query: str, limit: int, without: Collection[str] = ()
) -> list[FoundCommit]:
    """Return the commits that share most with a query, best first, without some of them.

    By words, and by meaning if the commits have vectors and there is a model.
    """
    index = open_commits(store.ledger.repository)
    if index is None:
        return []
    most = max(_CANDIDATES, 2 * limit)
    try:
        by_words = [one for one in index.search(query, most) if one.coverage >= LEAST_SHARE]
        by_meaning = _by_meaning(store, index, query, most)
        reverts = index.saying("revert", _MOST_REVERTS) if by_words or by_meaning else []
    except MemoryIndexError:  # damaged inside; the next `recollect learn --history` makes it again
        return []
    finally:
        index.close()
    likely = [one for one in _fused(by_words, by_meaning) if one.oid not in without]
    return marked(distinct(likely), reverts)[:limit]


def sureness(one: FoundCommit) -> float:
    """Return how well a commit answers by itself, from 0 to 1: by its words or by its meaning."""
    return max(min(1.0, one.coverage), min(1.0, one.cosine / SURE_COSINE))


def _by_meaning(store: Store, index: CommitIndex, query: str, most: int) -> list[FoundCommit]:
    model = index.vectors.model()
    embedder = store.indexing.embedder if model and query.strip() else None
    if embedder is None or embedder.name != model:
        return []
    try:
        vector = embedder.embed([query])[0]
    except RecollectError:  # no memory for the model; words still find
        return []
    return index.near(vector, most, LEAST_COSINE)


def _fused(by_words: list[FoundCommit], by_meaning: list[FoundCommit]) -> list[FoundCommit]:
    """Return what both lists have, the best first; a commit near the top of both wins."""
    if not by_meaning:
        return by_words
    scores: defaultdict[str, float] = defaultdict(float)
    found: dict[str, FoundCommit] = {}
    for listed in (by_words, by_meaning):
        for place, one in enumerate(listed):
            sure = one.coverage if listed is by_words else one.cosine / SURE_COSINE
            scores[one.oid] += min(1.0, sure) / (_PLACES + place)
            known = found.get(one.oid)
            found[one.oid] = known._replace(cosine=one.cosine) if known else one
    ranked = [one._replace(score=_PLACES * scores[one.oid] / 2) for one in found.values()]
    return sorted(ranked, key=lambda one: (-one.score, -one.time, one.oid))
