"""Searches the memories of one store, with the filters that people and agents use."""

from __future__ import annotations

from typing import Any

from recollect.core.age import seconds_of as seconds
from recollect.errors import ValidationError
from recollect.index.protocol import Filters, Index
from recollect.search.by_time import answer as by_time
from recollect.search.by_time import boost, changed
from recollect.search.constants import MOST_PENDING
from recollect.search.scoring import Why, recency
from recollect.search.search import MODES, Embed, Hit, Question, search
from recollect.search.triggers import asks_for_memory, leaning_of, topicless
from recollect.store.store import Store


def search_store(
    store: Store,
    query: str,
    limit: int,
    *,
    mode: str | None,
    min_similarity: float | None,
    as_of: str | None,
    **filters: Any,
) -> list[Hit]:
    """Return the memories that answer a query, best first, each with its score and the reason.

    Private, secret and unclassified memories are found only if `sensitivity` asks for them. The
    caller records which hits it shows.
    """
    chosen = mode or store.config.text("recall.match_strategy")
    if chosen not in MODES:
        raise ValidationError(f"Unknown mode {chosen!r}.", "Use one of: " + ", ".join(MODES))
    filters.setdefault("sensitivity", ("public",))
    now = store.now()
    wanted = store.filters(**filters)._replace(alive_at=now)
    question = Question(
        query, max(1, limit), chosen, wanted, min_similarity, asked=asks_for_memory(query)
    )
    if as_of is not None:
        moment = store.moment(as_of)
        return search(store.indexing.as_of(moment), question, now=seconds(moment) or now)
    # Recency counts from the end of the period that the query asks for.
    asked_at = min(now, wanted.until) if wanted.until is not None else now

    plan = leaning_of(query)
    if mode is None and min_similarity is None and _is_open(wanted):
        answers = _by_time(store, query, wanted, now)
        if answers:
            return answers[: max(1, limit)]

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
    if plan is None:
        return hits
    hits = [hit._replace(score=hit.score + boost(hit.memory, plan, now)) for hit in hits]
    return sorted(hits, key=lambda hit: -hit.score)


def _is_open(wanted: Filters) -> bool:
    """Whether a question leaves kind and time to the answer."""
    return wanted.kind is None and wanted.since is None and wanted.until is None


def _by_time(store: Store, query: str, wanted: Filters, now: float) -> list[Hit]:
    """Answer a question without a topic; an empty list if it has one."""
    plan = topicless(query)
    if plan is None:
        return []
    found = store.indexing.using(lambda index: by_time(index, plan, wanted, now))
    hits = []
    for number, (memory, _) in enumerate(found):
        new = recency(changed(memory, now), now)
        why = Why(1.0, new, memory.importance, memory.confidence, strength=memory.importance)
        hits.append(Hit(memory, 1.0 - number / 100, why))
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
