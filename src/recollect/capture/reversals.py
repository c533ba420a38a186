"""Tells whether a text takes back what another one says, and puts something else in its place.

"TOML instead of YAML for the config files", "forget Redis, we're using Memcached for the rate
limiter", "we won't raise BadPayload after all", "we deploy on Tuesdays now": each names the old
choice, or fills its place, and is about the same matter. "Memcached instead of Redis for the cache"
is about another matter than "Redis for the sessions", so both hold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.capture.leads import chosen_again, corrected_in
from recollect.capture.statements import (
    ARTICLES,
    CHANGE,
    FILLER,
    SCOPE,
    STATEMENT,
    Statement,
    statement,
    statements,
    stem_of,
    stems_of,
    words_in,
)
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# Characters of a text in which somebody says that something changes.
_LOOKED_AT: Final = 2000
_TOKEN = pattern(r"[^\W_]+(?:[.'’/-][^\W_]+)*|[,:;.!?()]")
# What stands before the old choice. A verb with "not" denies the rest of its clause.
_CONTRASTS = words_in(
    "not never cannot without drop drops dropped dropping forget ditch ditched abandon abandoned"
    " stop stopped avoid replace replaces replaced replacing remove removed nor neither"
)
_LEFT = ("from",)
_PAIRS = frozenset({("instead", "of"), ("rather", "than"), ("no", "longer"), ("away", "from")})
# Talk about the change, which is not about the matter.
_TALK = words_in(
    "change changed changes changing plan plans mind minds slept thinking thought again morning"
    " actually scratch after all any more anymore longer now instead rather than on it first"
    " becomes become gets get goes switch switched switching move moves moved moving migrate from"
    " away wants nobody no yes okay ok hey hi sorry well so then"
)
# Words that a choice may come with, and that say little about what it is for.
_WEAK = frozenset(
    map(
        stem_of,
        words_in(
            "minimum maximum lowest highest least most support supports supported newer older"
            " version versions default new old current stored stays"
        ),
    )
)
_PLACES = SCOPE | words_in("with by as via into is are be of")
# Signs of a change without a word about what it was before.
_CHANGES = CHANGE | words_in("now instead becomes become anymore")
_PHRASES = (("from", "now", "on"), ("change", "of", "plan"), ("on", "second", "thought"))


class _Denial(NamedTuple):
    """What a text denies: up to the next preposition, and up to the end of the clause."""

    near: frozenset[str]
    clause: frozenset[str]
    # The words of the statement that it is in.
    around: frozenset[str]


# "RabbitMQ is overkill": what is left, without a word of denial.
_UNFIT = pattern(
    r"\b(?P<subject>[^\s.!?;:,]{1,40}(?: [^\s.!?;:,]{1,40})?) (?:is|are|was|turned out|seems?)"
    r" (?:just |really |clearly |way )?(?:overkill|too \w{2,20}|not worth|a bad|no good"
    r"|a mistake)\b",
    re.IGNORECASE,
)


def corrects(text: str, known: str) -> bool:
    """Return whether a known text states a value that a text corrects, or a choice it leaves.

    That is enough only if both were said in one session: "not 3" may be about anything.
    """
    wrong = frozenset(_meaningful(_tokens(corrected_in(text))))
    said = frozenset(stem for one in statements(known[:_LOOKED_AT]) for stem in one.stems)
    denied = {stem for one in statements(known[:_LOOKED_AT]) for stem in one.denied}
    return bool(wrong) and wrong <= said - denied and not corrected_in(known)


def leaves(text: str, choice: str) -> bool:
    """Return whether a text puts something else in the place of a choice."""
    wanted = frozenset(_meaningful(_tokens(choice)))
    if not wanted or chosen_again(text):
        return False
    parts = [_tokens(part) for part in STATEMENT.split(text[:_LOOKED_AT])]
    denied = [one for tokens in parts for one in _denials(tokens)]
    if any(wanted <= one.clause for one in denied):
        return True
    unfit = (_tokens(one["subject"]) for one in _UNFIT.finditer(text[:_LOOKED_AT]))
    return any(wanted <= frozenset(_meaningful(tokens)) for tokens in unfit)


def takes_back(text: str, known: str) -> bool:
    """Return whether a text says that the first statement of a known text does not hold."""
    again = chosen_again(text)
    if again and leaves(known, again):
        return True
    old = _first(known)
    if old is None:
        return False
    said = frozenset(old.stems) - old.denied
    told = [_tokens(part) for part in STATEMENT.split(text[:_LOOKED_AT])]
    matter = frozenset(stem for tokens in told for stem in _meaningful(tokens))
    return any(_denies(one, said, matter) for tokens in told for one in _denials(tokens))


def fills_place(text: str, known: str) -> bool:
    """Return whether a text tells a change, and differs from a known one in a single choice."""
    old = _first(known)
    return old is not None and any(
        _fills_place(statement(part), old)
        for part in STATEMENT.split(text[:_LOOKED_AT])
        if _tells_change(_tokens(part))
    )


def _first(text: str) -> Statement | None:
    """Return what a text says first: that is what it is about."""
    return next(iter(statements(text[:_LOOKED_AT])), None)


def _denies(denial: _Denial, said: frozenset[str], matter: frozenset[str]) -> bool:
    """Return whether a denial is one of a statement, in a text about some matter."""
    if denial.clause and denial.clause <= said and not said - denial.clause - _WEAK:
        return True  # all that it says
    if not denial.near or not denial.near <= said:
        return False
    others = said - denial.near
    missing = others - matter - _WEAK
    added = denial.around - denial.near - said - _WEAK
    if others & matter - denial.near:
        # The same matter. Where both have something of their own, it is another one, except for
        # the new choice itself.
        return not missing or len(added) <= 1
    # Nothing but the old choice is named: it must be most of what was said.
    return not added and 2 * len(denial.near) >= len(said - _WEAK)


def _fills_place(new: Statement, old: Statement) -> bool:
    """Return whether a statement differs from an older one in what stands at one place."""
    mine = [one for one in new.stems if one not in _STEMMED_TALK]
    added = [one for one in mine if one not in old.stems and one not in _WEAK]
    gone = [one for one in old.stems if one not in mine and one not in _WEAK]
    if len(added) != 1 or not 1 <= len(gone) <= 2 or new.denied or old.denied:
        return False
    if not set(mine) & set(old.stems):
        return False
    place = new.before.get(added[0], "")
    if place in _PLACES:
        return any(old.before.get(one) == place for one in gone)
    is_first = mine[0] == added[0] and old.stems[0] == gone[0]
    return is_first and new.after.get(added[0]) == old.after.get(gone[0])


def _tells_change(tokens: Sequence[str]) -> bool:
    """Return whether the words of a statement say that something changes."""
    if not _CHANGES.isdisjoint(tokens):
        return True
    return any(_has(tokens, phrase) for phrase in _PHRASES)


def _has(tokens: Sequence[str], phrase: tuple[str, ...]) -> bool:
    size = len(phrase)
    return any(tuple(tokens[at : at + size]) == phrase for at in range(len(tokens) - size + 1))


def _tokens(text: str) -> list[str]:
    return [token.lower().replace("’", "'") for token in _TOKEN.findall(text)]


def _meaningful(tokens: Sequence[str]) -> Iterator[str]:
    """Yield the stems of the words that say what a text is about."""
    for token in tokens:
        if token in FILLER or token in _TALK or token in _CONTRASTS or not token[0].isalnum():
            continue
        if token not in SCOPE and not token.endswith("n't"):
            yield from stems_of(token)


def _denials(tokens: Sequence[str]) -> Iterator[_Denial]:
    """Yield what the words of a statement deny."""
    around = frozenset(_meaningful(tokens))
    moves = not CHANGE.isdisjoint(tokens)
    for at, token in enumerate(tokens):
        is_pair = tuple(tokens[at : at + 2]) in _PAIRS
        leaves = moves and token in _LEFT
        if not (is_pair or leaves or token in _CONTRASTS or token.endswith("n't")):
            continue
        clause = _clause(tokens[at + (2 if is_pair else 1) :])
        yield _Denial(
            frozenset(_meaningful(_before_place(clause))), frozenset(_meaningful(clause)), around
        )


def _clause(tokens: Sequence[str]) -> Sequence[str]:
    """Return the words up to the next mark."""
    marks = (at for at, token in enumerate(tokens) if not token[0].isalnum())
    return tokens[: next(marks, len(tokens))]


def _before_place(clause: Sequence[str]) -> Sequence[str]:
    """Return the words up to a preposition that follows a meaningful word."""
    found = False
    for at, token in enumerate(clause):
        if token in _PLACES and found:
            return clause[:at]
        found = found or (token not in _PLACES and token not in ARTICLES and token not in FILLER)
    return clause


_STEMMED_TALK = frozenset(map(stem_of, _TALK))
