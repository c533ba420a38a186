"""Two ways to search that use neither statistics nor a model: points, and substrings.

Both are deterministic: the same memories and the same query give the same answer everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.core.age import seconds_of, seconds_since
from recollect.core.crowding import Traits, author_key_of, choose, sketch_of
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.index.protocol import Filters, Index
from recollect.index.text import plain_words, query_terms
from recollect.search.constants import (
    KIND_PRIORITY,
    LEAST_PREFIX,
    PREFIX_POINTS,
    RECENT_CANDIDATES,
    RECENT_DAYS,
    RECENT_POINTS,
    TAG_POINTS,
    TITLE_HITS_COMPARED,
    TITLE_POINTS,
)
from recollect.search.scoring import Why, standing

_DAY = 86_400.0


class Scored(NamedTuple):
    """A memory, its score, the parts of it, and how many words of the query it has."""

    memory: Memory
    score: float
    why: Why
    words: int


def by_title_and_tags(
    index: Index, query: str, filters: Filters, limit: int, now: float
) -> list[Scored]:
    """Give points for each word of the query that is a tag, in the title, or a prefix of either.

    One point is enough. The best candidates get a point more if they are recent. If two have the
    same points, the kind decides, then the age.
    """
    terms = query_terms(query)
    scored: list[tuple[float, Memory, int]] = []
    for memory in index.select(filters):
        points, words = _points(terms, memory)
        if points:
            scored.append((points * standing(memory.status), memory, words))
    scored.sort(key=_order)
    for place, (won, memory, words) in enumerate(scored[:RECENT_CANDIDATES]):
        scored[place] = won + RECENT_POINTS * _is_recent(memory, now), memory, words
    scored.sort(key=_order)
    best = choose(scored[:TITLE_HITS_COMPARED], limit, lambda one: _traits(one[1]))
    most = max(1, (TAG_POINTS + TITLE_POINTS) * len(terms) + RECENT_POINTS)
    return [
        Scored(memory, score, _why(memory, score / most), words) for score, memory, words in best
    ]


def by_substring(
    index: Index, query: str, filters: Filters, limit: int, now: float
) -> list[Scored]:
    """Find the text of the query as it is, in any case: in summary, body or tags; newest first."""
    wanted = query.strip().casefold()
    if not wanted:
        return []
    found = [
        memory
        for memory in index.select(filters)
        if wanted in "\n".join((memory.summary, memory.text, " ".join(memory.tags))).casefold()
    ]
    found.sort(key=lambda memory: (_age(memory, now), memory.uid))
    return [
        Scored(memory, standing(memory.status), _why(memory, 1.0), len(query_terms(query)))
        for memory in found[:limit]
    ]


def _points(terms: Sequence[str], memory: Memory) -> tuple[int, int]:
    """Return the points of a memory, and how many words of the query gave some."""
    title = {word.lower() for word in re.findall(r"[^\W_]+", memory.summary)}
    tags = {part for tag in memory.tags for part in (tag, *re.findall(r"[^\W_]+", tag))}
    points = words = 0
    for term in terms:
        given = TAG_POINTS * (term in tags) + TITLE_POINTS * (term in title)
        if not given and len(term) >= LEAST_PREFIX:
            given = PREFIX_POINTS * any(word.startswith(term) for word in (*title, *tags))
        points += given
        words += given > 0
    return points, words


def _order(one: tuple[float, Memory, int]) -> tuple[float, int, float, str]:
    points, memory, _ = one
    kind = KIND_PRIORITY.index(memory.kind) if memory.kind in KIND_PRIORITY else len(KIND_PRIORITY)
    return -points, kind, -(seconds_of(memory.updated) or 0.0), memory.uid


def _is_recent(memory: Memory, now: float) -> bool:
    passed = seconds_since(memory.updated, now)
    return passed is not None and passed <= RECENT_DAYS * _DAY


def _age(memory: Memory, now: float) -> float:
    passed = seconds_since(memory.created, now)
    return float("inf") if passed is None else passed


def _why(memory: Memory, match: float) -> Why:
    match = min(1.0, match)
    return Why(
        match,
        0.0,
        memory.importance,
        0.0,
        keyword=match,
        strength=memory.importance,
        standing=standing(memory.status),
    )


def _traits(memory: Memory) -> Traits:
    words, denies = plain_words(f"{memory.summary} {memory.text}")
    return Traits(author_key_of(memory.author), sketch_of(words, denies=denies))
