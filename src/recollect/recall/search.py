"""Search: keywords and vectors beside each other, fused, scored, explained.

Filters apply before ranking. Any text is a legal query; without an embedder keyword search does the
work alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from recollect.core.memory import Memory
from recollect.core.strength import DECAY_PER_DAY, UNUSED, Uses, strength
from recollect.index.base import Filters, Index, Match
from recollect.index.text import query_terms
from recollect.recall.scoring import Why, fuse, recency, trust

MODES = ("hybrid", "semantic", "text", "title_tags")
# How many each half brings to the fusion.
_CANDIDATES = 100
_TITLE, _TAG, _PREFIX, _THRESHOLD = 2, 3, 1, 3
_PREFIX_LENGTH = 4

_NO_WORDS = Match("", 0.0)
_NO_FILTERS = Filters()

Embed = Callable[[str], bytes]


class Hit(NamedTuple):
    """A memory that was found, its score, and why."""

    memory: Memory
    score: float
    why: Why
    # How many of the query's words it holds, and how much these prove.
    words: int = 0
    evidence: float = 0.0


class Question(NamedTuple):
    """What is asked, and what counts as an answer."""

    text: str
    limit: int = 10
    mode: str = "hybrid"
    filters: Filters = _NO_FILTERS
    min_similarity: float | None = None


def search(
    index: Index,
    question: Question,
    *,
    now: float,
    embed: Embed | None = None,
    uses: Callable[[Sequence[str]], Mapping[str, Uses]] | None = None,
    decay_per_day: float = DECAY_PER_DAY,
) -> list[Hit]:
    """The best answers, best first."""
    if question.mode == "title_tags":
        return _by_title_and_tags(index, question)
    wanted = max(_CANDIDATES, question.limit * 3)
    keyword: dict[str, float] = {}
    vector: dict[str, float] = {}
    by_words: dict[str, Match] = {}
    if question.mode in ("hybrid", "text"):
        found = index.lexical(question.text, question.filters, wanted)
        by_words = {match.uid: match for match in found.matches}
        # How much of a full match each one reaches.
        keyword = {uid: match.score / found.ideal for uid, match in by_words.items()}
    if question.mode in ("hybrid", "semantic") and embed is not None and question.text.strip():
        asked = embed(index.distinctive(question.text))
        near = index.nearest(asked, question.filters, wanted, including=list(keyword))
        vector = {match.uid: match.score for match in near}
    matches = fuse(keyword, vector)
    if question.min_similarity is not None:
        floor = question.min_similarity
        matches = {uid: match for uid, match in matches.items() if match.similarity >= floor}
    counts = uses(list(matches)) if uses is not None else {}
    explained = {}
    for row in index.ranking(list(matches)):
        match, used = matches[row.uid], counts.get(row.uid, UNUSED)
        explained[row.uid] = Why(
            match=match.relative,
            recency=recency(row.created, now),
            importance=row.importance,
            trust=trust(row.trust, used.times),
            keyword=match.keyword,
            vector=match.vector,
            strength=strength(
                row.importance,
                used,
                since=row.moved if row.moved is not None else row.created,
                now=now,
                lasting=bool(row.lasting),
                rate=decay_per_day,
            ),
        )
    best = sorted(explained, key=lambda uid: (-explained[uid].score, uid))[: question.limit]
    hits = []
    for memory in index.get_many(best):
        why, matched = explained[memory.uid], by_words.get(memory.uid, _NO_WORDS)
        hits.append(Hit(memory, why.score, why, matched.words, matched.evidence))
    return hits


def search_words_first(
    index: Index,
    question: Question,
    *,
    near: float,
    now: float,
    embed: Embed | None = None,
    uses: Callable[[Sequence[str]], Mapping[str, Uses]] | None = None,
    decay_per_day: float = DECAY_PER_DAY,
) -> list[Hit]:
    """What words find, in its order; where there is a model, then what is near without words."""
    how: dict[str, Any] = {"now": now, "uses": uses, "decay_per_day": decay_per_day}
    by_words = search(index, question._replace(mode="text"), **how)
    if embed is None:
        return by_words
    meant = question._replace(mode="semantic", min_similarity=near)
    found = search(index, meant, embed=embed, **how)
    nearness = {hit.memory.uid: hit.why.vector for hit in found}
    known = {hit.memory.uid for hit in by_words}
    lowest = min((hit.score for hit in by_words), default=1.0)
    return [
        *(
            hit._replace(why=hit.why._replace(vector=nearness.get(hit.memory.uid, 0.0)))
            for hit in by_words
        ),
        *(
            hit._replace(score=min(hit.score, lowest))
            for hit in found
            if hit.memory.uid not in known
        ),
    ]


def _by_title_and_tags(index: Index, question: Question) -> list[Hit]:
    """Seed B's deterministic score: a title word 2, a tag 3, a prefix of four or more 1."""
    terms = query_terms(question.text)
    scored = []
    for memory in index.select(question.filters):
        points = _title_points(terms, memory)
        if points >= _THRESHOLD:
            scored.append((points, memory))
    scored.sort(key=lambda pair: (-pair[0], pair[1].uid))
    most = max(1, _TAG * len(terms))
    hits = []
    for points, memory in scored[: question.limit]:
        match = min(1.0, points / most)
        why = Why(match, 0.0, memory.importance, 0.0, keyword=match, strength=memory.importance)
        hits.append(Hit(memory, float(points), why))
    return hits


def _title_points(terms: Sequence[str], memory: Memory) -> int:
    title = {word.lower() for word in re.findall(r"[^\W_]+", memory.summary)}
    tags = {part for tag in memory.tags for part in (tag, *re.findall(r"[^\W_]+", tag))}
    points = 0
    for term in terms:
        if term in tags:
            points += _TAG
        elif term in title:
            points += _TITLE
        elif len(term) >= _PREFIX_LENGTH and any(w.startswith(term) for w in (*title, *tags)):
            points += _PREFIX
    return points
