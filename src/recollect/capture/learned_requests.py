"""Finds wishes that no rule knows ("chisel that into your skull"), by the wish model.

The model says which sentence asks, and which of its words ask. What to keep is the rest: what
follows a colon or "that", or the clauses that do not ask. A sentence that only asks points to the
one before it, or after it. If it is not clear what is meant, the whole sentence is kept.

With an embedder, the prompt is read again for what its words mean (`capture/wish_meaning.py`). That
adds wishes, and what the model found is kept only if the meaning agrees. What is not likely enough
is only noticed: in whole days, most of it is no wish. Without an embedder, what the model found is
kept, with the same content, so a later event with one finds the rest and keeps nothing twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from recollect.capture import request_words as words
from recollect.capture.fragments import is_fragment
from recollect.capture.hearsay import is_hearsay
from recollect.capture.leads import asks_now, tells
from recollect.capture.learned_content import (
    FEWEST,
    PRONOUN,
    better_content,
    content_of,
    is_question,
    is_told,
    kept_near,
    kept_words,
    listed,
    mean_kept,
    mended,
    names_something,
    told_alone,
)
from recollect.capture.learned_unkept import MOST_SENTENCES, rate_all, unkept_blocks
from recollect.capture.request_text import Said, says
from recollect.capture.sentences import split_line
from recollect.capture.unkept import asks_not_to_keep, is_unkept
from recollect.capture.wish_model import Wish, log_odds
from recollect.core.marks import LEARNED
from recollect.core.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from recollect.capture.wish_meaning import Meant, Read

# Chosen on prompts that the model was not trained on: see benchmarks/capture/README.md. What counts
# is the chance that the sentence asks, plus half of the chance that the content is worth keeping.
THRESHOLD: Final = 0.62
_LEAST: Final = 0.35  # the chance that it asks
_LEAST_WORTH: Final = 0.18  # "there will be cake" is not worth it, unless it is certain
_CERTAIN: Final = 0.8  # the same for a sentence that may mean something else
# By meaning: the log odds of the meaning and a share of those of the words, from which it asks.
_MEANT: Final = -2.5
_OF_WORDS: Final = 0.5
_MEANT_FOR_SURE: Final = 1.1  # on the tuning days, no prompt without a wish has more
_MEANT_LIKELY: Final = -1.8  # kept from here on
_MEANT_BEYOND_DOUBT: Final = 3.0  # also if it names somebody who says so
_SURELY_KEPT: Final = -6.0  # less than this, and it surely does not ask not to keep something
_MEANT_STATED: Final = -1.0  # the same for a sentence that is all to be kept
_MOSTLY_KEPT: Final = 0.0  # the mean log odds that a word of it is
_MEANT_DOUBTFUL: Final = 1.5  # what a sentence needs more that may mean something else
_ASKS_ABOUT = pattern(
    r"(?:is|are|was|do|does|did|should|shall|can|could|what|why|how|which|who|where)\b[^.!]{0,60}\Z"
    r"|\w{1,20} or \w{1,20}\Z"
)
# "… if you still knew in March that the kiosk is old": the statement begins after "that".
_THAT = pattern(
    r"\A\W{0,3}(?:(?:in|by|next|come) (?:(?:a|one|two|three|six|some|\d{1,2}) )?"
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|spring|summer|autumn|winter|week|month|year|days|weeks|months|years)\s+)?that\s+",
    re.IGNORECASE,
)
_SURELY_ASKS: Final = -3.0  # the mean log odds that a word of a sentence is to be kept
# "Now some rules, they are for everybody.": the rules follow, and are found by themselves.
_ANNOUNCES = pattern(r"\b(?:rules|things|points|notes)\b")
_NEGATED = pattern(
    r"\b(?:do(?:n't|nt| not)|needn't|need not|no need|not|never|won't|without)"
    r"(?: (?:have|need|want|asking|you|to|bother|going|actually|really|any|ever)){0,4}"
    r" (?:keep|remember|save|store|note|write|retain|learn|hang|hold|memori[sz]e|record|file|put)"
    r"(?:ing)?\b"
)


# For the moment, for a file or a program, by somebody else, by the writer, or not really.
_ELSEWHERE = pattern(
    r"\b(?:(?:for|in) this (?:once|patch|pr|commit|task|change|fix|branch|file|one|session)"
    r"|this (?:time|once)|for (?:now|today|the moment)|just once)\b"
    r"|\b(?:add|append|put|store|save|write|paste|note|log|copy|file)\b[^.:;]{0,40}"
    r"\b(?:to|in|into|under|as) (?:(?:the|our|my|a|an|its|this) )?(?:x{3,}|[\w./-]+\.\w{1,5}\b"
    r"|release notes|readme|changelog|docs?\b|documentation|tickets?\b|issue|wiki|comments?\b"
    r"|commit|database|db\b|table|cache|disk|stdout|console|header|title|description)"
    r"|\bi(?:'ll| will|'d| would|'m going to|'ve| have)? (?:just )?(?:keep|kept|remember|recall"
    r"|note|noted|save|saved|learn|learned|learnt|think|guess|wonder)\b(?! you)"
    r"|\A\W*(?:what )?if (?:you|i|we|it)\b|\b(?:suppose|imagine|pretend) (?:you|i|we|it)\b"
    r"|\b(?:he|she|they|boss|teacher|colleague|predecessor|customer|client|tutorial|docs|book"
    r"|somebody|someone|people) (?:\w+ )?(?:said|says|say|wrote|writes|told|tells|keeps?|kept|has"
    r"|had|wants?|asked|asks)\b"
)


def find_learned(
    said: Sequence[Said], taken: set[int], asked: Sequence[str], read: Read | None = None
) -> Iterator[tuple[str, str, bool]]:
    """Yield what the sentences ask to keep, the words that decided, and whether it is sure.

    The sentences with the numbers in `taken` are no wishes, or rules found theirs: `asked`.
    """
    rated, meant = rate_all(said[:MOST_SENTENCES], read)
    unkept = unkept_blocks(said, rated, meant)
    used = set(taken)
    doubted: dict[int, float] = {}
    told = list(asked)

    def told_by(content: str, numbers: tuple[int, ...]) -> Iterator[str]:
        """Yield what a content tells, by the items if it is a list, and note that it is told."""
        for each, own in listed(said, numbers, meant) or [(content, numbers)]:
            each = _THAT.sub("", each)
            if is_fragment(each):
                each = " ".join(said[number].text for number in sorted({*own})) or each
            if names_something(each):
                used.update(own)
                told.append(told_alone(mended(each, said)))
                yield told[-1]

    for at, wish in enumerate(rated):
        one = said[at]
        odds = _odds(one, wish, meant[at]) if meant else _MEANT_LIKELY
        if meant and odds < _MEANT_BEYOND_DOUBT and _is_asked_about(said, at):
            odds -= _MEANT_DOUBTFUL
        is_unkept = _is_silent(said, at, odds, meant)
        is_told_of = odds < _MEANT_BEYOND_DOUBT and (is_hearsay(one.text) or tells(one.text))
        if (
            at in used
            or is_unkept
            or one.block in unkept
            or is_told_of
            or (at + 1 in taken and _ANNOUNCES.search(one.masked))
        ):
            continue
        content, numbers = "", tuple[int, ...]()
        if _may_ask(one) and _is_likely(one, wish) and wish.deciding:
            content, numbers = content_of(said, at, wish, used)
        worth = _worth(content) if numbers else 0.0
        is_worth_it = worth >= _LEAST_WORTH or wish.chance >= _CERTAIN
        if odds < _MEANT:
            continue
        if numbers and is_worth_it and wish.chance + worth / 2 >= THRESHOLD:
            is_elsewhere = not content  # in what another wish keeps
            if meant and content:
                content, numbers = better_content(said, at, content, numbers, used, meant)
            is_sure = odds >= (_least_sure(meant[at]) if meant else _MEANT_LIKELY)
            for each in told_by(content, numbers):
                yield each, f"{LEARNED}{wish.deciding}", is_sure
            if names_something(content) or is_elsewhere or not meant:
                used.update(numbers)
                continue
        if meant:
            doubted[at] = odds
    for at, odds in sorted(doubted.items(), key=lambda one: -one[1]):
        content, numbers = _meant(said, at, rated[at], used, meant)
        is_certain = odds >= _MEANT_FOR_SURE
        if not is_certain and (_worth(content) < _LEAST_WORTH or asks_now(content)):
            continue
        if told and numbers == (at,) and mean_kept(meant[at]) < _SURELY_ASKS:
            continue  # it asks, and what for was found already
        is_sure = odds >= _least_sure(meant[at])
        for each in told_by(content, numbers):
            yield each, f"by meaning: {meant[at].asking}", is_sure
        used.update(numbers)
    if told and meant:
        told_here = [
            (at, one.text, meant[at].words)
            for at, one in enumerate(said[: len(meant)])
            if not (one.is_silent or is_question(one) or is_hearsay(one.text))
        ]
        content, _ = kept_words(told_here)
        odds = max(map(_odds, said, rated, meant))
        is_task = odds < _MEANT_BEYOND_DOUBT and asks_now(content)
        if says(content, FEWEST) and not is_told(content, told) and not is_task:
            yield (
                told_alone(mended(content, said)),
                "by meaning: what the request is about",
                odds >= _MEANT_LIKELY,
            )


def _is_silent(said: Sequence[Said], at: int, odds: float, meant: Sequence[Meant]) -> bool:
    """Return whether a sentence, or the one after it, asks not to keep what is said.

    What surely asks is kept if only its neighbours ask for silence: "remember X. The password is
    Y, no need to keep that".
    """
    one = said[at]
    if one.is_taken_back or (one.is_silent and is_unkept(one.text)):
        return True
    is_sure = bool(meant) and odds >= _MEANT_BEYOND_DOUBT and meant[at].unkept < _SURELY_KEPT
    if is_sure:
        return False
    after = said[at + 1 : at + 2]
    return one.is_silent or any(
        near.is_silent and near.block == one.block and asks_not_to_keep(near.text) for near in after
    )


def _odds(one: Said, wish: Wish, meant: Meant) -> float:
    """Return the log odds that a sentence asks, by what it means and by its words."""
    return meant.asks + _OF_WORDS * log_odds(wish.chance) - _MEANT_DOUBTFUL * _is_doubtful(one)


def _least_sure(meant: Meant) -> float:
    """Return the log odds from which a sentence surely asks: more if it is all to be kept.

    Then no words of it ask, and it may as well only tell.
    """
    return _MEANT_STATED if mean_kept(meant) > _MOSTLY_KEPT else _MEANT_LIKELY


def _is_asked_about(said: Sequence[Said], at: int) -> bool:
    """Return whether a question stands beside a sentence: "subject 31 is odd. do I drop it?"."""
    near = [*said[max(0, at - 1) : at], *said[at + 1 : at + 2]]
    return any(
        one.block == said[at].block and (is_question(one) or _ASKS_ABOUT.match(one.masked))
        for one in near
    )


def _is_likely(one: Said, wish: Wish) -> bool:
    return wish.chance >= (_CERTAIN if _is_doubtful(one) else _LEAST)


def _meant(
    said: Sequence[Said], at: int, wish: Wish, used: set[int], meant: Sequence[Meant]
) -> tuple[str, tuple[int, ...]]:
    """Return what a sentence asks to keep, by what the words around it mean."""
    if at in used:
        return "", ()
    content, numbers = kept_near(said, at, used, meant)
    if not content:
        return content_of(said, at, wish, used)
    if numbers == (at - 1,) and _tells_itself(said[at], meant[at]):
        content, numbers = f"{said[at - 1].text} {said[at].text}", (at - 1, at)
    return content, (at, *numbers)


def _tells_itself(one: Said, meant: Meant) -> bool:
    """Return whether a sentence says what to keep itself, and points to nothing: "use tabs"."""
    return mean_kept(meant) >= _SURELY_ASKS and not PRONOUN.search(one.masked)


def _worth(content: str) -> float:
    """Return how likely the best sentence of a content is worth keeping, asked for or not."""
    from recollect.capture.features import USER
    from recollect.capture.features import Said as Heard
    from recollect.capture.model import score

    return max((score(Heard(one, USER)).score for one in split_line(content)), default=0.0)


def _may_ask(one: Said) -> bool:
    """Return whether a sentence can be a request of its writer to the agent."""
    said = one.masked
    if words.NO_TALK.match(said) or words.SARCASM.search(said) or words.SAID_BY.search(said):
        return False
    return not _NEGATED.search(said)


def _is_doubtful(one: Said) -> bool:
    """Return whether a sentence may be for the moment, for somebody else, or a question."""
    said = one.masked
    is_polite = words.POLITE.search(said) or words.POLITE_END.search(said)
    is_quoted = ":" in said and words.REPORTED.search(said.partition(":")[0])
    return bool(is_quoted or _ELSEWHERE.search(said)) or (said.endswith("?") and not is_polite)
