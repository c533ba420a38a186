"""Runs keyword and vector search side by side, fuses and scores the results, and explains them.

Filters apply before ranking. Any text is a valid query. Without an embedder, keyword search works
alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from recollect.core.crowding import choose, dated
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.status import HIDDEN
from recollect.core.strength import DECAY_PER_DAY, Uses, strength, together
from recollect.index.protocol import Filters, Index, LexicalMatches, Match, Ranked, Spread
from recollect.index.text import query_terms
from recollect.search.constants import (
    CANDIDATES,
    CANDIDATES_PER_RESULT,
    HALF_LIFE_DAYS,
    LONGEST_QUESTION,
    MOST_SCANNED,
    TIMELY_KINDS,
)
from recollect.search.gate import NO_FEATURES, Features, Prompt, probability
from recollect.search.scoring import Why, fuse, recency, standing, trust
from recollect.search.triggers import asks_for_latest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.core.meanwhile import InTurn

TITLE_TAGS, SUBSTRING = "title_tags", "substring"
MODES = ("hybrid", "semantic", "text", TITLE_TAGS, SUBSTRING)
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
    # The newer memory that reverses it.
    replaced_by: Memory | None = None

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
    half_life_days: float
    beside: InTurn | None = None


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
    # Whether the words of the query stand for its meaning if there is no model at hand.
    word_vectors: bool = False


def search(
    index: Index,
    question: Question,
    *,
    now: float,
    embed: Embed | None = None,
    uses: CountUses | None = None,
    decay_per_day: float = DECAY_PER_DAY,
    half_life_days: float = HALF_LIFE_DAYS,
    beside: InTurn | None = None,
) -> list[Hit]:
    """Return the best memories for a query, best first.

    The query is embedded beside the search by words: in a thread of its own, or in `beside`.
    """
    if question.mode in (TITLE_TAGS, SUBSTRING):
        from recollect.search.by_points import by_substring, by_title_and_tags

        look = by_title_and_tags if question.mode == TITLE_TAGS else by_substring
        return [
            Hit(memory, score, why, words)
            for memory, score, why, words in look(
                index, question.text, question.filters, question.limit, now
            )
        ]
    context = _Context(now, uses, decay_per_day, half_life_days, beside)
    return _read(index, _best(index, question, embed, context))


def _best(
    index: Index, question: Question, embed: Embed | None, context: _Context
) -> list[_Unread]:
    wanted = max(question.candidates, question.limit * CANDIDATES_PER_RESULT)
    keyword: dict[str, float] = {}
    vector: dict[str, float] = {}
    by_words: dict[str, Match] = {}
    spread, total, known = NO_SPREAD, 0, 0.0
    embedded = None
    if question.mode in ("hybrid", "semantic") and embed is not None and question.text.strip():
        from recollect.core.meanwhile import InTurn  # a cold hook has no model

        beside = context.beside or InTurn("embed")
        embedded = beside.begin(partial(embed, index.distinctive(question.text)))
    if question.mode in ("hybrid", "text"):
        found = index.lexical(question.text, question.filters, wanted, parts=question.parts)
        by_words = {match.uid: match for match in found.matches}
        # The share of a full match that each memory reaches.
        keyword = {uid: match.score / found.ideal for uid, match in by_words.items()}
        total, known = found.total, found.known
    if embedded is not None:
        asked = embedded()
        near = index.nearest(asked, question.filters, wanted, including=list(keyword))
        vector = {match.uid: match.score for match in near}
        spread = index.spread(asked)
    elif question.word_vectors and question.mode == "hybrid":
        near = _by_word_vectors(index, question, found)
        vector = {match.uid: match.score for match in near}
    rows = index.ranking(list(keyword.keys() | vector.keys()))
    crowding = {row.uid: row.crowding for row in rows}
    is_exact = embedded is not None
    matches = fuse(
        keyword, vector, crowding if vector else {}, _sequences(index, rows), is_exact=is_exact
    )
    if question.min_similarity is not None:
        floor = question.min_similarity
        matches = {uid: match for uid, match in matches.items() if match.similarity >= floor}
        rows = [row for row in rows if row.uid in matches]
    parts = {row.uid: (row.uid, *row.sources) for row in rows}
    counts = context.uses([uid for own in parts.values() for uid in own]) if context.uses else {}
    explained = {}
    # A long text is work at hand rather than a question, and work goes on from recent work.
    timely = asks_for_latest(question.text) or len(question.text.split()) > LONGEST_QUESTION
    for row in rows:  # hundreds, while somebody waits: by position, which takes half the time
        match = matches[row.uid]
        own = [counts[uid] for uid in parts[row.uid] if uid in counts] if counts else ()
        used = together(own)
        explained[row.uid] = Why(
            match.relative,
            recency(row.created, context.now, context.half_life_days),
            row.importance,
            trust(row.trust, used.times),
            match.keyword,
            match.vector,
            strength(
                row.importance,
                used,
                since=_since(row),
                now=context.now,
                pace=row.pace,
                rate=context.decay_per_day,
            ),
            standing(row.status),
            timely or row.kind in TIMELY_KINDS,
        )
    traits = {row.uid: dated(row.traits, row.created, context.now) for row in rows}
    scores = {uid: -why.score for uid, why in explained.items()}
    ranked = sorted(scores, key=lambda uid: (scores[uid], uid))
    best = choose(ranked, question.limit, traits.__getitem__)
    # A memory competes with those of its author only: whoever can push must not be able to make
    # unlikely what others wrote.
    authors: dict[str, list[str]] = {}
    for uid in traits:
        authors.setdefault(traits[uid].author_key, []).append(uid)
    terms = len(query_terms(question.text))
    prompts = {
        author: Prompt(
            {uid: by_words[uid] for uid in own if uid in by_words},
            {uid: vector[uid] for uid in own if uid in vector},
            {uid: matches[uid].both for uid in own},
            spread,
            terms=terms,
            known=known,
            memories=total,
            asked=question.asked,
            is_exact=is_exact,
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


def _by_word_vectors(index: Index, question: Question, found: LexicalMatches) -> list[Match]:
    """Search by meaning without the model, with the sum of what it made of the words.

    In a large store, only what shares a word with the query is compared: time counts here.
    """
    model = index.model()
    if model is None:
        return []
    from recollect.search.word_vectors import query_vector  # not with the model at hand

    vector = query_vector(found.worth, model)
    if vector is None:
        return []
    including = [match.uid for match in found.matches]
    limit = question.limit if found.total <= MOST_SCANNED else 0
    return index.nearest(vector, question.filters, limit, including)


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


def _since(row: Ranked) -> float | None:
    """Return when a memory began to fade: at its last change of status, if that made it visible.

    Whoever archives an old memory does not make it new.
    """
    return row.created if row.moved is None or row.status in HIDDEN else row.moved
