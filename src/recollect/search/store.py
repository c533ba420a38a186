"""Searches the memories of one store, with the filters that people and agents use."""

from __future__ import annotations

from typing import Any

from recollect.core.age import seconds_of as seconds
from recollect.errors import ValidationError
from recollect.index.protocol import Index
from recollect.search.constants import MOST_PENDING
from recollect.search.search import MODES, Embed, Hit, Question, search
from recollect.store.store import Store


def search_store(
    store: Store,
    query: str,
    limit: int = 10,
    *,
    mode: str | None = None,
    min_similarity: float | None = None,
    as_of: str | None = None,
    counting: bool = True,
    **filters: Any,
) -> list[Hit]:
    """Return the memories that answer a query, best first, each with its score and the reason.

    Private, secret and unclassified memories are found only if `sensitivity` asks for them. Without
    `counting`, the caller records which hits it shows.
    """
    chosen = mode or store.config.text("recall.match_strategy")
    if chosen not in MODES:
        raise ValidationError(f"Unknown mode {chosen!r}.", "Use one of: " + ", ".join(MODES))
    filters.setdefault("sensitivity", ("public",))
    now = store.ledger.clock().timestamp()
    wanted = store.filters(**filters)._replace(alive_at=now)
    question = Question(query, max(1, limit), chosen, wanted, min_similarity)
    if as_of is not None:
        moment = store.moment(as_of)
        return search(store.indexing.as_of(moment), question, now=seconds(moment) or now)
    # Recency counts from the end of the period that the query asks for.
    asked_at = min(now, wanted.until) if wanted.until is not None else now

    def answer(index: Index) -> list[Hit]:
        return search(
            index,
            question,
            now=asked_at,
            embed=_embed(store, index, chosen),
            uses=store.local.usage.uses,
            decay_per_day=store.config.number("sleep.decay_per_day"),
        )

    hits = store.indexing.using(answer)
    if counting:
        store.local.usage.record([hit.memory.uid for hit in hits], "shown", now)
    return hits


def _embed(store: Store, index: Index, mode: str) -> Embed | None:
    """Return a function that embeds a query, after embedding new memories."""
    if mode not in ("hybrid", "semantic"):
        return None
    embedder = store.indexing.embedder
    if embedder is None:
        return None
    if index.count_pending(embedder.name) <= MOST_PENDING:
        store.indexing.embed_pending(index)
    return lambda text: embedder.embed([text])[0]
