"""Runs keyword and vector search side by side, fuses and scores the results, and explains them.

Filters apply before ranking. Any text is a valid query. Without an embedder, keyword search works
alone.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from recollect.core.crowding import Traits, author_key_of, choose, dated, sketch_of
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.status import UNCONFIRMED
from recollect.core.strength import DECAY_PER_DAY, UNUSED, Uses, strength, together
from recollect.index.protocol import Filters, Index, Match, Ranked, Spread
from recollect.index.text import plain_words, query_terms
from recollect.search.constants import (
    CANDIDATES,
    CANDIDATES_PER_RESULT,
    LEAST_POINTS,
    LEAST_PREFIX,
    LONGEST_QUESTION,
    PREFIX_POINTS,
    TAG_POINTS,
    TIMELY_KINDS,
    TITLE_HITS_COMPARED,
    TITLE_POINTS,
    UNCONFIRMED_FACTOR,
)
from recollect.search.gate import NO_FEATURES, Features, Prompt, probability
from recollect.search.scoring import Why, fuse, recency, trust
from recollect.search.triggers import asks_for_latest

MODES = ("hybrid", "semantic", "text", "title_tags")
_NO_WORDS = Match("", 0.0)
NO_SPREAD = Spread()
_NO_FILTERS = Filters()

Embed = Callable[[str], bytes]
CountUses = Callable[[Sequence[str]], Mapping[str, Uses]]


class Hit(NamedTuple):
    """A memory that was found, its score, the parts of that score, and what the gate looks at."""

    memory: Memory
    score: float
    why: Why
    # How many words of the query it contains.
    words: int = 0
    features: Features = NO_FEATURES

    @property
    def probability(self) -> float:
        """How likely it answers the query."""
        return probability(self.features)


class _Unread(NamedTuple):
    """A hit whose memory is not loaded yet."""

    uid: str
    why: Why
    match: Match
    features: Features


class _Context(NamedTuple):
    """What scoring needs besides the query."""

    now: float
    uses: CountUses | None
    decay_per_day: float


class Question(NamedTuple):
    """A query with its limit, mode and filters."""

    text: str
    limit: int = 10
    mode: str = "hybrid"
    filters: Filters = _NO_FILTERS
    min_similarity: float | None = None
    # The least number of candidates of each of the two searches.
    candidates: int = CANDIDATES
    # Whether parts of words match, too; a hook does without.
    parts: bool = False
    # Whether somebody asks for memories.
    asked: bool = False


def search(
    index: Index,
    question: Question,
    *,
    now: float,
    embed: Embed | None = None,
    uses: CountUses | None = None,
    decay_per_day: float = DECAY_PER_DAY,
) -> list[Hit]:
    """Return the best memories for a query, best first."""
    if question.mode == "title_tags":
        return _by_title_and_tags(index, question)
    return _read(index, _best(index, question, embed, _Context(now, uses, decay_per_day)))


def _best(
    index: Index, question: Question, embed: Embed | None, context: _Context
) -> list[_Unread]:
    wanted = max(question.candidates, question.limit * CANDIDATES_PER_RESULT)
    keyword: dict[str, float] = {}
    vector: dict[str, float] = {}
    by_words: dict[str, Match] = {}
    spread, total = NO_SPREAD, 0
    if question.mode in ("hybrid", "text"):
        found = index.lexical(question.text, question.filters, wanted, parts=question.parts)
        by_words = {match.uid: match for match in found.matches}
        # The share of a full match that each memory reaches.
        keyword = {uid: match.score / found.ideal for uid, match in by_words.items()}
        total = found.total
    if question.mode in ("hybrid", "semantic") and embed is not None and question.text.strip():
        asked = embed(index.distinctive(question.text))
        near = index.nearest(asked, question.filters, wanted, including=list(keyword))
        vector = {match.uid: match.score for match in near}
        spread = index.spread(asked)
    rows = index.ranking(list(keyword.keys() | vector.keys()))
    crowding = {row.uid: row.crowding for row in rows}
    matches = fuse(keyword, vector, crowding if vector else {}, _sequences(index, rows))
    if question.min_similarity is not None:
        floor = question.min_similarity
        matches = {uid: match for uid, match in matches.items() if match.similarity >= floor}
        rows = [row for row in rows if row.uid in matches]
    parts = {row.uid: (row.uid, *row.sources) for row in rows}
    counts = context.uses([uid for own in parts.values() for uid in own]) if context.uses else {}
    explained = {}
    # A long text is work at hand rather than a question, and work goes on from recent work.
    timely = asks_for_latest(question.text) or len(question.text.split()) > LONGEST_QUESTION
    for row in rows:
        match = matches[row.uid]
        used = together(counts.get(uid, UNUSED) for uid in parts[row.uid])
        explained[row.uid] = Why(
            match=match.relative,
            recency=recency(row.created, context.now),
            importance=row.importance,
            trust=trust(row.trust, used.times),
            keyword=match.keyword,
            vector=match.vector,
            strength=strength(
                row.importance,
                used,
                since=row.moved if row.moved is not None else row.created,
                now=context.now,
                pace=row.pace,
                rate=context.decay_per_day,
            ),
            standing=_standing(row.status),
            timely=timely or row.kind in TIMELY_KINDS,
        )
    traits = {row.uid: dated(row.traits, row.created, context.now) for row in rows}
    ranked = sorted(explained, key=lambda uid: (-explained[uid].score, uid))
    best = choose(ranked, question.limit, traits.__getitem__)
    # A memory competes with those of its author only: whoever can push must not be able to make
    # unlikely what others wrote.
    authors: dict[str, list[str]] = {}
    for uid in matches:
        authors.setdefault(traits[uid].author_key, []).append(uid)
    prompts = {
        author: Prompt(
            {uid: by_words[uid] for uid in own if uid in by_words},
            {uid: vector[uid] for uid in own if uid in vector},
            {uid: matches[uid].both for uid in own},
            spread,
            terms=len(query_terms(question.text)),
            memories=total,
            asked=question.asked,
        )
        for author, own in authors.items()
    }
    return [
        _Unread(
            uid,
            explained[uid],
            by_words.get(uid, _NO_WORDS),
            prompts[traits[uid].author_key].features_of(uid, crowding[uid]),
        )
        for uid in best
    ]


def _sequences(index: Index, rows: Sequence[Ranked]) -> list[list[str]]:
    """Return the sessions that several candidates are from, each as uids in order."""
    counts = Counter(row.session for row in rows if row.session)
    several = [session for session, count in counts.items() if count > 1]
    return index.in_order(several) if several else []


def _read(index: Index, found: Sequence[_Unread]) -> list[Hit]:
    """Load the memories of hits. This is the only costly step per memory."""
    memories = {memory.uid: memory for memory in index.get_many([one.uid for one in found])}
    return [
        Hit(memories[one.uid], one.why.score, one.why, one.match.words, one.features)
        for one in found
        if one.uid in memories
    ]


def _by_title_and_tags(index: Index, question: Question) -> list[Hit]:
    """Score by points: a word of the title, a tag, or a prefix of either. Deterministic."""
    terms = query_terms(question.text)
    scored = []
    for memory in index.select(question.filters):
        points = _title_points(terms, memory)
        if points >= LEAST_POINTS:
            scored.append((points * _standing(memory.status), memory))
    scored.sort(key=lambda pair: (-pair[0], pair[1].uid))
    most = max(1, TAG_POINTS * len(terms))
    hits = []
    for score, memory in choose(
        scored[:TITLE_HITS_COMPARED], question.limit, lambda pair: _traits(pair[1])
    ):
        match = min(1.0, score / most)
        why = Why(
            match,
            0.0,
            memory.importance,
            0.0,
            keyword=match,
            strength=memory.importance,
            standing=_standing(memory.status),
        )
        hits.append(Hit(memory, score, why))
    return hits


def _standing(status: str) -> float:
    """Return what a score is multiplied with."""
    return UNCONFIRMED_FACTOR if status == UNCONFIRMED else 1.0


def _traits(memory: Memory) -> Traits:
    words, denies = plain_words(f"{memory.summary} {memory.text}")
    return Traits(author_key_of(memory.author), sketch_of(words, denies=denies))


def _title_points(terms: Sequence[str], memory: Memory) -> int:
    title = {word.lower() for word in re.findall(r"[^\W_]+", memory.summary)}
    tags = {part for tag in memory.tags for part in (tag, *re.findall(r"[^\W_]+", tag))}
    points = 0
    for term in terms:
        if term in tags:
            points += TAG_POINTS
        elif term in title:
            points += TITLE_POINTS
        elif len(term) >= LEAST_PREFIX and any(w.startswith(term) for w in (*title, *tags)):
            points += PREFIX_POINTS
    return points
