"""Selects the memories that an agent gets: few, different, new to it, and within a budget.

No memory is better than an irrelevant one: what each may cost is in `search/constants.py`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from recollect.core.age import not_after, seconds_of
from recollect.core.crowding import SHARE, Traits, author_key_of, dated, most_of
from recollect.core.kinds import SESSIONS
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.status import UNCONFIRMED
from recollect.core.strength import Uses
from recollect.index.text import query_terms
from recollect.search.constants import (
    BLOCK_TOKENS,
    MISS_COSTS,
    MOST_CHARACTERS,
    MOST_UNCONFIRMED,
    OTHER_EPISODE_AGE,
    REPEAT_OVERLAP,
    SCALES,
    TITLE_COSTS,
    UNCONFIRMED_WORTH,
    full_bar,
    titles_bar,
)
from recollect.search.tokens import count_tokens


class Episode(NamedTuple):
    """What a session works on: when that began, and when the session paused."""

    session: str = ""
    began: float | None = None
    # Each pause: when the session resumed, and after how many seconds.
    pauses: Sequence[tuple[float, float]] = ()


NO_EPISODE = Episode()
# Texts whose words are first compared together, and the overlap from which they are compared one by
# one: a little less than what counts, because numbers are rounded.
_GROUP, _NEARLY = 8, REPEAT_OVERLAP - 0.01


class Candidate(NamedTuple):
    """A memory that may help now, its score, and how likely it answers the text."""

    memory: Memory
    score: float
    reason: str
    words: int = 0
    probability: float = 0.0
    # How likely the text is about any memory.
    about: float = 1.0
    # Returns the parts of its score: only what comes is explained.
    explain: Callable[[], Mapping[str, float]] = dict
    # The title of an older memory whose place it takes.
    instead_of: str = ""


class Skipped(NamedTuple):
    """A memory that was skipped, and why."""

    uid: str
    reason: str


Sorted = tuple[list[Candidate], list[Skipped]]


def by_probability(candidates: Iterable[Candidate]) -> tuple[list[Candidate], list[Candidate]]:
    """Return what is likely enough to come in full, and what may come as a title; best first.

    Whether the titles that the context does not have yet are worth it, `worth_naming` says.
    """
    full: list[Candidate] = []
    titles: list[Candidate] = []
    for candidate in sorted(candidates, key=lambda c: (-c.probability, c.memory.uid)):
        worth = _worth(candidate)
        if worth >= full_bar(candidate.about) and not is_hint(candidate.memory):
            full.append(candidate)
        elif worth * MISS_COSTS >= TITLE_COSTS:
            titles.append(candidate)
    return full, titles


def is_hint(memory: Memory) -> bool:
    """Return whether a memory is what a person said, not asking and taking nothing back.

    Most of it was about the task of that day, so its title is enough (`benchmarks/day`: of what
    came in full, 7 of 8 were of no use; of what agents said, 12 of 28).
    """
    if memory.status != UNCONFIRMED or memory.provenance.get("said_by") != "user":
        return False
    from recollect.core.reversal import reversed_uids  # hardly ever needed

    return not reversed_uids(memory)


def worth_naming(candidates: Sequence[Candidate]) -> bool:
    """Return whether titles are worth what they cost: one of them must be likely enough."""
    return any(_worth(candidate) >= titles_bar(candidate.about) for candidate in candidates)


def _worth(candidate: Candidate) -> float:
    """Return how likely a memory answers; less if it is unconfirmed: nobody stands by it.

    How much less depends on how likely it was worth keeping when it was noticed.
    """
    if candidate.memory.status != UNCONFIRMED:
        return candidate.probability
    return candidate.probability * UNCONFIRMED_WORTH * candidate.memory.confidence


def without_given(candidates: Iterable[Candidate], given: Mapping[str, str]) -> Sorted:
    """Keep the candidates that the agent has not been given yet, or that changed since.

    An altered memory, whose text is not what its author wrote, is never given.
    """
    kept, skipped = [], []
    for candidate in candidates:
        if candidate.memory.altered:
            skipped.append(Skipped(candidate.memory.uid, "altered: not what its author wrote"))
        elif given.get(candidate.memory.uid) == candidate.memory.version:
            skipped.append(Skipped(candidate.memory.uid, "already given"))
        else:
            kept.append(candidate)
    return kept, skipped


def without_repeats(candidates: Iterable[Candidate]) -> Sorted:
    """Keep the candidates that do not repeat a better one, best first.

    Of two that one person wrote, the newer one counts, in the place of the better one: where they
    differ, the person has changed their mind.
    """
    kept: list[Candidate] = []
    words: list[tuple[str, frozenset[str]]] = []
    # The words of a few of them together, and the fewest that one of them has: what repeats one of
    # them has many of these, so most need not be compared with each.
    groups: list[tuple[frozenset[str], int]] = []
    skipped = []
    for candidate in sorted(candidates, key=lambda c: (-c.score, c.memory.uid)):
        memory = candidate.memory
        own = frozenset(query_terms(f"{memory.summary} {memory.text}"))
        # Two sessions are two things, however much their work is alike.
        session = str(memory.session or "") if memory.kind == SESSIONS else ""
        same = next(
            (
                place
                for number, (together, fewest) in enumerate(groups)
                if _may_overlap(own, together, fewest)
                for place in range(number * _GROUP, min((number + 1) * _GROUP, len(words)))
                if _overlap(own, words[place][1]) > REPEAT_OVERLAP
                and not (session and words[place][0] and session != words[place][0])
            ),
            None,
        )
        if same is None:
            same = len(kept)
            kept.append(candidate)
            words.append((session, own))
            if same % _GROUP == 0:
                groups.append((frozenset(), len(own)))
        elif _is_newer_word(memory, kept[same].memory):
            skipped.append(Skipped(kept[same].memory.uid, "repeats a newer one"))
            kept[same] = candidate
            words[same] = session, own
        else:
            skipped.append(Skipped(memory.uid, "repeats a better one"))
            continue
        together, fewest = groups[same // _GROUP]
        groups[same // _GROUP] = together | own, min(fewest, len(own))
    return kept, skipped


def _is_newer_word(one: Memory, other: Memory) -> bool:
    """Return whether a memory is what the author of another one has said since.

    A confirmed one does not give way to one that was only noticed: that one may be wrong.
    """
    if one.kind == SESSIONS or author_key_of(one.author) != author_key_of(other.author):
        return False
    if one.status == UNCONFIRMED and other.status != UNCONFIRMED:
        return False
    said = one.provenance.get("said_by") == "user"
    born, known = seconds_of(one.created), seconds_of(other.created)
    return said and born is not None and known is not None and born > known


def few_unconfirmed(candidates: Iterable[Candidate], already: int = 0) -> Sorted:
    """Keep at most a few unconfirmed candidates, the best ones; the candidates come best first."""
    kept, skipped = [], []
    for candidate in candidates:
        if candidate.memory.status == UNCONFIRMED:
            already += 1
            if already > MOST_UNCONFIRMED:
                skipped.append(Skipped(candidate.memory.uid, "one unconfirmed memory is enough"))
                continue
        kept.append(candidate)
    return kept, skipped


def _may_overlap(own: frozenset[str], together: frozenset[str], fewest: int) -> bool:
    """Whether a text may repeat one of some: if one of them had all that it shares with them."""
    both = len(own & together)
    return both > _NEARLY * (len(own) + fewest - both)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    both = len(one & other)
    union = len(one) + len(other) - both
    return both / union if union else 0.0


def fair(
    candidates: Sequence[Candidate], places: int, now: float, own: Callable[[], str]
) -> Sorted:
    """Limit each author to a share of the places.

    Places that nobody else can fill go to the person at work, whose author string `own` returns. If
    there is only one author, they get all places.
    """
    if len(authors_of(candidates, now)) < 2:
        return list(candidates), []
    share, mine = most_of(places), author_key_of(own())
    taken: Counter[str] = Counter()
    kept, beyond = set(), []
    for candidate in candidates:
        author_key = _author_key(candidate.memory, now)
        taken[author_key] += 1
        if taken[author_key] <= share:
            kept.add(candidate.memory.uid)
        elif author_key == mine:
            beyond.append(candidate.memory.uid)
    kept.update(beyond[: max(0, places - len(kept))])
    skipped = [
        Skipped(c.memory.uid, "its author already has a full share")
        for c in candidates
        if c.memory.uid not in kept
    ]
    return [c for c in candidates if c.memory.uid in kept], skipped


def authors_of(candidates: Iterable[Candidate], now: float) -> set[str]:
    """Return the authors of candidates, as they count for shares."""
    return {_author_key(candidate.memory, now) for candidate in candidates}


def _author_key(memory: Memory, now: float) -> str:
    return dated(Traits(author_key_of(memory.author)), seconds_of(memory.created), now).author_key


def pick_by_age(
    candidates: Sequence[Candidate],
    most: int,
    now: float,
    episode: Episode = NO_EPISODE,
    uses: Mapping[str, Uses] = MappingProxyType({}),
) -> Sorted:
    """Pick the best of each time scale, so that recent and long-known memories share the places.

    The candidates come best first and keep their order.
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
    skipped = [Skipped(c.memory.uid, "others ranked higher") for c in candidates if c not in chosen]
    return [c for c in candidates if c.memory.uid in taken], skipped


def scale_of(memory: Memory, now: float, episode: Episode, uses: Mapping[str, Uses]) -> int:
    """Return the time scale of a memory, as a position in `SCALES`.

    A memory of an earlier episode of the session does not count as current. Each use moves a memory
    one scale further, because use shows that it lasts.
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
    """Return whether a memory was made in the current episode."""
    born = seconds_of(memory.created)
    return (
        bool(episode.session)
        and memory.session == episode.session
        and born is not None
        and (episode.began is None or born >= episode.began)
    )


class Filled:
    """The memories that fit into a budget, their elements, and the tokens they take."""

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
    """Render as many candidates as fit, in order; try those that do not fit without their body.

    With several authors, none gets more than a share until the others have had their turn.
    """
    filled = Filled()
    alone = len(authors_of(candidates, now)) < 2
    share = math.inf if alone else (budget - BLOCK_TOKENS) * SHARE
    spent: Counter[str] = Counter()  # tokens by author
    fitting: dict[str, tuple[str, int, int]] = {}  # element, tokens, characters
    shortened = []

    def put(candidate: Candidate, *, brief: bool, most: float = math.inf) -> bool:
        nonlocal characters
        uid, author_key = candidate.memory.uid, _author_key(candidate.memory, now)
        element = render(candidate.memory, brief)
        _, tokens, size = fitting.get(uid, ("", 0, 0))
        cost, more = count_tokens(element) + 1 - tokens, utf16_length(element) + 1 - size
        if filled.tokens + cost > budget or more > characters or spent[author_key] + cost > most:
            return False
        fitting[uid] = element, tokens + cost, size + more
        filled.tokens += cost
        characters -= more
        spent[author_key] += cost
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
        Skipped(c.memory.uid, "over the budget") for c in candidates if c.memory.uid not in fitting
    ]
    return filled


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 units, as JavaScript counts it."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
