"""Which memories are put in front of an agent: few, different, new to it, and within a budget.

Nothing is better than noise: what does not clearly belong to what is being asked stays out.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from recollect.core.age import not_after, seconds_of
from recollect.core.crowding import SHARE, Traits, dated, most_of, voice_of
from recollect.core.memory import Memory
from recollect.core.strength import Uses
from recollect.index.text import query_terms
from recollect.search.constants import (
    BLOCK_TOKENS,
    FLOOR,
    FLOOR_VECTOR,
    FLOOR_WHEN_ASKED,
    FLOOR_WORDS,
    MOST_CHARACTERS,
    OTHER_EPISODE_AGE,
    REPEAT_OVERLAP,
    SCALES,
)
from recollect.search.tokens import count_tokens


class Episode(NamedTuple):
    """What the session is at: when it turned to this, and how long it rested in between."""

    session: str = ""
    began: float | None = None
    # When it was resumed, and after how many seconds.
    pauses: Sequence[tuple[float, float]] = ()


NO_EPISODE = Episode()


class Candidate(NamedTuple):
    """A memory that may help now, how much, and what speaks for it."""

    memory: Memory
    score: float
    reason: str
    words: int = 0
    evidence: float = 0.0
    vector: float = 0.0
    parts: Mapping[str, float] = MappingProxyType({})


class Skipped(NamedTuple):
    """A memory that was left out, and why."""

    uid: str
    reason: str


Sorted = tuple[list[Candidate], list[Skipped]]


def above_floor(candidates: Iterable[Candidate], terms: int, *, asked: bool) -> Sorted:
    """Those that clearly belong to a text of so many words that carry meaning."""
    floor = FLOOR_WHEN_ASKED if asked else FLOOR
    words = min(FLOOR_WORDS, terms)
    kept, skipped = [], []
    for candidate in candidates:
        by_words = candidate.evidence >= floor and candidate.words >= words
        if by_words or candidate.vector >= FLOOR_VECTOR:
            kept.append(candidate)
        else:
            skipped.append(Skipped(candidate.memory.uid, "too weak"))
    return kept, skipped


def without_given(candidates: Iterable[Candidate], given: Mapping[str, str]) -> Sorted:
    """Those that the agent does not have in its context yet, or that changed since.

    What is not what its author wrote is never given.
    """
    kept, skipped = [], []
    for candidate in candidates:
        if candidate.memory.altered:
            skipped.append(Skipped(candidate.memory.uid, "altered: not what its author wrote"))
        elif given.get(candidate.memory.uid) == candidate.memory.version:
            skipped.append(Skipped(candidate.memory.uid, "given before"))
        else:
            kept.append(candidate)
    return kept, skipped


def without_repeats(candidates: Iterable[Candidate]) -> Sorted:
    """Those that say something that no better one says, best first."""
    kept: list[Candidate] = []
    words: list[frozenset[str]] = []
    skipped = []
    for candidate in sorted(candidates, key=lambda c: (-c.score, c.memory.uid)):
        own = frozenset(query_terms(f"{candidate.memory.summary} {candidate.memory.text}"))
        if any(_overlap(own, other) > REPEAT_OVERLAP for other in words):
            skipped.append(Skipped(candidate.memory.uid, "says the same as another"))
        else:
            kept.append(candidate)
            words.append(own)
    return kept, skipped


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    union = len(one | other)
    return len(one & other) / union if union else 0.0


def fair(
    candidates: Sequence[Candidate], places: int, now: float, own: Callable[[], str]
) -> Sorted:
    """Those that leave room for others: no author has more than a share of the places.

    Places that nobody else can fill go to the memories of the person at work, whose author `own`
    tells. An author who is alone has all places.
    """
    if len(voices_of(candidates, now)) < 2:
        return list(candidates), []
    share, mine = most_of(places), voice_of(own())
    taken: Counter[str] = Counter()
    kept, beyond = set(), []
    for candidate in candidates:
        voice = _voice(candidate.memory, now)
        taken[voice] += 1
        if taken[voice] <= share:
            kept.add(candidate.memory.uid)
        elif voice == mine:
            beyond.append(candidate.memory.uid)
    kept.update(beyond[: max(0, places - len(kept))])
    skipped = [
        Skipped(c.memory.uid, "its author has a share already")
        for c in candidates
        if c.memory.uid not in kept
    ]
    return [c for c in candidates if c.memory.uid in kept], skipped


def voices_of(candidates: Iterable[Candidate], now: float) -> set[str]:
    """The authors of some memories, as they count for shares."""
    return {_voice(candidate.memory, now) for candidate in candidates}


def _voice(memory: Memory, now: float) -> str:
    return dated(Traits(voice_of(memory.author)), seconds_of(memory.created), now).voice


def pick_by_age(
    candidates: Sequence[Candidate],
    most: int,
    now: float,
    episode: Episode = NO_EPISODE,
    uses: Mapping[str, Uses] = MappingProxyType({}),
) -> Sorted:
    """The best of each time scale, so that what just happened and what has long been known share.

    The candidates come best first and stay in that order.
    """
    left = list(candidates)
    chosen: list[Candidate] = []
    allowed = 0
    scales = {c.memory.uid: scale_of(c.memory, now, episode, uses) for c in candidates}
    for scale, (_, _, quota) in enumerate(SCALES):
        allowed += quota
        of_scale = [c for c in left if scales[c.memory.uid] == scale]
        for candidate in of_scale[: max(0, min(allowed, most) - len(chosen))]:
            chosen.append(candidate)
            left.remove(candidate)
    chosen += left[: max(0, most - len(chosen))]
    taken = {candidate.memory.uid for candidate in chosen}
    skipped = [Skipped(c.memory.uid, "better ones first") for c in candidates if c not in chosen]
    return [c for c in candidates if c.memory.uid in taken], skipped


def scale_of(memory: Memory, now: float, episode: Episode, uses: Mapping[str, Uses]) -> int:
    """On which time scale a memory is, as a position in `SCALES`.

    What an earlier episode of the session left behind is not what is being done now. Each use takes
    a memory one scale further: it has proved durable.
    """
    born = seconds_of(memory.created)
    if born is None:
        return len(SCALES) - 1
    age = now - not_after(born, now)
    if episode.session and memory.session == episode.session:
        age -= min(age, sum(rested for at, rested in episode.pauses if born < at))
        if episode.began is not None and born < episode.began:
            age = max(age, OTHER_EPISODE_AGE)
    scale = next(number for number, (_, oldest, _) in enumerate(SCALES) if age <= oldest)
    used = uses.get(memory.uid)
    return min(scale + (used.times if used else 0), len(SCALES) - 1)


def belongs_to(memory: Memory, episode: Episode) -> bool:
    """Whether a memory was made in the episode at hand."""
    born = seconds_of(memory.created)
    return (
        bool(episode.session)
        and memory.session == episode.session
        and born is not None
        and (episode.began is None or born >= episode.began)
    )


class Filled:
    """What fitted into a budget: the memories, their elements, and how much they take."""

    def __init__(self) -> None:
        self.chosen: list[Candidate] = []
        self.elements: list[str] = []
        self.skipped: list[Skipped] = []
        self.tokens = BLOCK_TOKENS


def fill(
    candidates: Sequence[Candidate],
    budget: int,
    render: Callable[[Memory, bool], str],
    characters: int = MOST_CHARACTERS,
    now: float = math.inf,
) -> Filled:
    """Render as many as fit, in order; one that does not fit is tried without its body.

    Where there are several authors, none takes more than a share before the others had their turn.
    """
    filled = Filled()
    alone = len(voices_of(candidates, now)) < 2
    share = math.inf if alone else (budget - BLOCK_TOKENS) * SHARE
    spent: Counter[str] = Counter()  # tokens by author
    fitting: dict[str, tuple[str, int, int]] = {}  # element, tokens, characters
    shortened = []

    def put(candidate: Candidate, *, brief: bool, most: float = math.inf) -> bool:
        nonlocal characters
        uid, voice = candidate.memory.uid, _voice(candidate.memory, now)
        element = render(candidate.memory, brief)
        _, tokens, size = fitting.get(uid, ("", 0, 0))
        cost, more = count_tokens(element) + 1 - tokens, utf16_length(element) + 1 - size
        if filled.tokens + cost > budget or more > characters or spent[voice] + cost > most:
            return False
        fitting[uid] = element, tokens + cost, size + more
        filled.tokens += cost
        characters -= more
        spent[voice] += cost
        return True

    for candidate in candidates:
        if not put(candidate, brief=False, most=share):
            put(candidate, brief=True, most=share)
            shortened.append(candidate)
    for candidate in () if alone else shortened:
        if not put(candidate, brief=False) and candidate.memory.uid not in fitting:
            put(candidate, brief=True)
    filled.chosen = [c for c in candidates if c.memory.uid in fitting]
    filled.elements = [fitting[c.memory.uid][0] for c in filled.chosen]
    filled.skipped = [
        Skipped(c.memory.uid, "no room") for c in candidates if c.memory.uid not in fitting
    ]
    return filled


def utf16_length(text: str) -> int:
    """The length of a text as JavaScript counts it."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
