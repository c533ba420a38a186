"""Searches the memories of one store, with the filters that people and agents use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from recollect.core.age import seconds_of as seconds
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.status import UNCONFIRMED, VISIBLE
from recollect.errors import ValidationError
from recollect.index.protocol import Filters, Index
from recollect.index.text import query_terms
from recollect.search.by_time import RELEASE_BOOST, boost, changed, is_within
from recollect.search.by_time import answer as by_time
from recollect.search.constants import MOST_PENDING
from recollect.search.periods import (
    Releases,
    bounds,
    is_release,
)
from recollect.search.scoring import Why, recency
from recollect.search.search import MODES, CountUses, Embed, Hit, Question, search
from recollect.search.shown import split
from recollect.search.triggers import (
    asks_for_memory,
    find_period,
    leaning_of,
    only_period,
    topicless,
    without_period,
)

if TYPE_CHECKING:
    from recollect.config.config import Config
    from recollect.embedding import Embedder

T = TypeVar("T")


class Indexed(Protocol):
    """What a search needs of an index and its model."""

    @property
    def warnings(self) -> list[str]:
        """Where problems are noted that do no harm."""

    @property
    def embedder(self) -> Embedder | None:
        """The model, if there is one."""

    def using(self, job: Callable[[Index], T], /) -> T:
        """Run a job on the index."""

    def as_of(self, moment: str, /) -> Index:
        """The index of a moment in the past."""

    def embed_query(self, index: Index, pending: int = 0, /) -> Embed | None:
        """How to embed a query, if there is a way; at most `pending` memories get vectors first."""


class Searched(Protocol):
    """What can be searched: a store, or what somebody sees of several repositories."""

    @property
    def config(self) -> Config:
        """The configuration."""

    @property
    def indexing(self) -> Indexed:
        """The index and its model."""

    def now(self) -> float:
        """The current time, in seconds since 1970."""

    def moment(self, text: str, /) -> str:
        """The timestamp of a time as people write it."""

    def filters(self, **options: Any) -> Filters:
        """Filters from people and agents, checked."""


class Found(NamedTuple):
    """The hits that answer a query, best first, and the weaker ones after them."""

    answers: Sequence[Hit]
    weaker: Sequence[Hit] = ()


def search_store(
    store: Searched,
    query: str,
    limit: int,
    *,
    mode: str | None,
    min_similarity: float | None,
    as_of: str | None,
    releases: Releases | None = None,
    uses: CountUses | None = None,
    owner: Callable[[], str] = str,
    **filters: Any,
) -> Found:
    """Return the memories that answer a query, best first, each with its score and the reason.

    Private, secret and unclassified memories are found only if `sensitivity` asks for them. The
    caller records which hits it shows.
    """
    chosen = mode or store.config.text("recall.match_strategy")
    if chosen not in MODES:
        raise ValidationError(f"Unknown mode {chosen!r}.", "Use one of: " + ", ".join(MODES))
    if min_similarity is not None and not 0.0 <= min_similarity <= 1.0:
        raise ValidationError(
            f"The least similarity is {min_similarity}.", "Give a number from 0 to 1."
        )
    filters.setdefault("sensitivity", ("public",))
    filters.setdefault("expired", False)
    now = store.now()
    wanted = store.filters(**filters)
    question = Question(
        query,
        max(1, limit),
        chosen,
        wanted,
        min_similarity,
        parts=True,
        asked=asks_for_memory(query, store.config.text("recall.triggers")),
    )
    # The gate judges words, and words with vectors. Points and cosines alone are what they are.
    is_judged = min_similarity is None and chosen in ("hybrid", "text")
    if as_of is not None:
        moment = store.moment(as_of)
        hits = search(store.indexing.as_of(moment), question, now=seconds(moment) or now)
        return _found(hits, question) if is_judged else Found(hits)
    if mode is None and min_similarity is None and _is_open(wanted):
        answers = _by_time(store, query, wanted, now, releases)
        if answers:
            return Found(answers[: max(1, limit)])
    # Recency counts from the end of the period that the query asks for.
    asked_at = min(now, wanted.until) if wanted.until is not None else now

    def look(asked: Question) -> list[Hit]:
        return store.indexing.using(
            lambda index: search(
                index,
                asked,
                now=asked_at,
                embed=_embed(store, index, chosen),
                uses=uses,
                decay_per_day=store.config.number("sleep.decay_per_day"),
                half_life_days=store.config.number("recall.half_life_days"),
            )
        )

    period = find_period(query) if is_judged and _is_open(wanted) else ""
    named = bounds(period, now, releases)
    if named is not None:
        return _in_period(look, question, period, named, now)
    hits = look(question)
    hits = _newest_word(store, hits, wanted, owner)
    plan = leaning_of(query)
    if plan is not None:
        hits = [hit._replace(score=hit.score + boost(hit.memory, plan, now)) for hit in hits]
        hits.sort(key=lambda hit: -hit.score)
    return _found(hits, question) if is_judged else Found(hits)


def _newest_word(
    store: Searched, hits: Sequence[Hit], wanted: Filters, owner: Callable[[], str]
) -> list[Hit]:
    """Put what replaces a hit before it, if the filters let it pass."""
    uids = [hit.memory.uid for hit in hits]
    if not hits or not store.indexing.using(lambda index: index.relating(uids)):
        return list(hits)  # mostly; the rest need not be loaded
    from recollect.search.replaced import newest_hits, replacements

    statuses = wanted.statuses or (*VISIBLE, UNCONFIRMED)

    def may_show(memory: Memory) -> bool:
        is_open = wanted.sensitivities is None or memory.sensitivity in wanted.sensitivities
        return is_open and wanted.kind in (None, memory.kind) and memory.status in statuses

    found = [hit.memory for hit in hits]
    newer = store.indexing.using(lambda index: replacements(index, found, owner, may_show))
    return newest_hits(hits, newer)


def _found(hits: Sequence[Hit], question: Question) -> Found:
    return Found(*split(hits, len(query_terms(question.text))))


def _in_period(
    look: Callable[[Question], list[Hit]],
    question: Question,
    period: str,
    named: tuple[float, float],
    now: float,
) -> Found:
    """Return what answers a query that names a time: what is from that time, or else anything.

    "Since v2" may be the topic and not the time that is asked for, so it only raises the score.
    """
    asked = question
    if not is_release(period):
        asked = question._replace(text=without_period(question.text))
    within = asked.filters._replace(since=named[0], until=named[1])
    found = {hit.memory.uid: hit for hit in look(asked)}
    found |= {hit.memory.uid: hit for hit in look(asked._replace(filters=within))}
    inside = {uid for uid, hit in found.items() if is_within(hit.memory, named, now)}
    raised = [
        hit._replace(score=hit.score + RELEASE_BOOST) if uid in inside else hit
        for uid, hit in found.items()
    ]
    answers, weaker = _found(sorted(raised, key=lambda hit: -hit.score), asked)
    if not is_release(period) and any(hit.memory.uid in inside for hit in answers):
        weaker = [*(hit for hit in answers if hit.memory.uid not in inside), *weaker]
        answers = [hit for hit in answers if hit.memory.uid in inside]
    answers = answers[: question.limit]
    return Found(answers, weaker[: question.limit - len(answers)])


def _is_open(wanted: Filters) -> bool:
    """Whether a question leaves kind and time to the answer."""
    return wanted.kind is None and wanted.since is None and wanted.until is None


def _by_time(
    store: Searched, query: str, wanted: Filters, now: float, releases: Releases | None
) -> list[Hit]:
    """Answer a question without a topic; an empty list if it has one."""
    plan = topicless(query) or only_period(query)
    if plan is None:
        return []
    found = store.indexing.using(lambda index: by_time(index, plan, wanted, now, releases))
    hits = []
    for number, (memory, _) in enumerate(found):
        new = recency(changed(memory, now), now)
        why = Why(1.0, new, memory.importance, memory.confidence, strength=memory.importance)
        hits.append(Hit(memory, 1.0 - number / 100, why))
    return hits


def _embed(store: Searched, index: Index, mode: str) -> Embed | None:
    """Return a function that embeds a query, after embedding new memories.

    With vectors of another model there is none, and a warning: their cosines mean nothing.
    """
    if mode not in ("hybrid", "semantic"):
        return None
    if store.indexing.embedder is None:
        return None
    embed = store.indexing.embed_query(index, MOST_PENDING)
    if embed is None:
        warning = (
            f"The index has vectors of another model, {index.model()}. Search uses keywords only."
            " To compute new ones, run: recollect reindex"
        )
        if warning not in store.indexing.warnings:
            store.indexing.warnings.append(warning)
    return embed
