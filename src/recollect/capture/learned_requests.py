"""Finds wishes that no rule knows ("chisel that into your skull"), by the wish model.

The model says which sentence asks, and which of its words ask. What to keep is the rest: what
follows a colon or "that", or the clauses that do not ask. A sentence that only asks points to the
one before it, or after it. If it is not clear what is meant, the whole sentence is kept.

With an embedder, the prompt is read again for what its words mean (`capture/wish_meaning.py`). That
adds wishes. Those that are not likely enough are only noticed: in whole days, most of them are
none. It takes one back only if the person asks, in other words, not to keep it: a prompt
that was handled without an embedder gives the same others, and a later event finds the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from recollect.capture import request_words as words
from recollect.capture.hearsay import is_hearsay
from recollect.capture.leads import asks_now, tells
from recollect.capture.learned_unkept import MOST_SENTENCES, rate_all, unkept_blocks
from recollect.capture.request_text import Said, clean, is_one_task, says
from recollect.capture.sentences import split_line
from recollect.capture.wish_model import Wish, log_odds
from recollect.capture.wish_words import classes
from recollect.core.marks import LEARNED
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

if TYPE_CHECKING:
    from recollect.capture.wish_meaning import Meant, Read, Word

# Chosen on prompts that the model was not trained on: see benchmarks/capture/README.md. What counts
# is the chance that the sentence asks, plus half of the chance that the content is worth keeping.
THRESHOLD: Final = 0.62
_LEAST: Final = 0.35  # the chance that it asks
_LEAST_WORTH: Final = 0.18  # "there will be cake" is not worth it, unless it is certain
_CERTAIN: Final = 0.8  # the same for a sentence that may mean something else
# By meaning: the log odds of the meaning and a share of those of the words, from which it asks.
_MEANT: Final = -1.6
_OF_WORDS: Final = 0.5
_MEANT_FOR_SURE: Final = 1.1  # on the tuning days, no prompt without a wish has more
_MEANT_LIKELY: Final = -0.7  # kept from here on: a lost wish costs twice what a kept remark does
_MEANT_DOUBTFUL: Final = 1.5  # what a sentence needs more that may mean something else
# A part of a sentence asks if it has this share of the weight of all words that ask.
_ASKS: Final = 0.4
_ASKS_AGAIN: Final = 0.2  # what the last part needs after a part that asks: "…, hang on to that"
# With this share, it does nothing but ask.
_ONLY_ASKS: Final = 0.7
_FEWEST = 3  # words of a statement
_POINTING: Final = 7  # words of a sentence that only points to another one
_LENIENT: Final = 1.0  # added to the log odds that a word is to be kept: better one too many
_SURELY_NOT: Final = -4.0
_MOSTLY: Final = 0.5  # the share of its words from which a content was told already
_MOST_JOINED = 3  # sentences
_PART = pattern(r"[,;()]|\s[—–-]{1,2}\s|—|\s(?:->|→|<-|←)\s|:(?=\s|\Z)|\s(?:and|so) (?=please\b)")
_MINOR = (
    r"(?:in|into|on|onto|to|as|for|from|down|up|away|somewhere|over|across|with|around|next|each"
    r"|every|when|whenever|please|pls|and|again|well|too|behind|beyond|between|permanently|forever"
    r"|tomorrow|later|so|because|until|after|before|way|off|out|by|is|goes|holds|should|stick"
    r"|sticks|at|again|safe|handy|always|twice)"
)
# What is meant stands elsewhere: "keep that in your notes", "this is one for the books".
_POINTS = pattern(
    rf"\b(?:this|that|it|these|those)(?: one| bit| fact| info\w*| rule| decision)?"
    rf"(?=\s*(?:\Z|[.,;:!?)])| {_MINOR}\b)|\b(?:that|this)(?:'s| is) (?:one|a|an|the)\b"
)
# Why somebody asks is not what to keep: "so we don't mix it up again, keep that somewhere".
_PURPOSE = pattern(
    r"\W*(?:just )?so (?:that )?(?:i|we|you|it|they|nobody|no one|this|that)\b", re.I
)
_PRONOUN = pattern(r"\b(?:this|that|it|those|these)\b")
# "Now some rules, they are for everybody.": the rules follow, and are found by themselves.
_ANNOUNCES = pattern(r"\b(?:rules|things|points|notes)\b")
# Who or what is meant stands before the colon: "for all that touches topics: they're lower case".
_ABOUT = pattern(r"\b(?:for|about|on|with|regarding|when(?:ever)?)\b")
_SUBJECT_BEFORE = pattern(r"\s{0,3}(?:they|it|these|those)(?:'re|'s|'ll)?\b", re.IGNORECASE)
# What is meant follows: "know that the two stacks can't be enabled together".
_THAT = pattern(rf"\bthat,? (?!{_MINOR}\b|one\b|thought\b|bit\b)(?=\S+ \S+)")
_VERB = pattern(words.VERB)
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


class _Part(NamedTuple):
    """A clause of a sentence: where it stands, and its share of the words that ask."""

    start: int
    end: int
    share: float


def find_learned(
    said: Sequence[Said], taken: set[int], asked: Sequence[str], read: Read | None = None
) -> Iterator[tuple[str, str, bool]]:
    """Yield what the sentences ask to keep, the words that decided, and whether it is sure.

    The sentences with the numbers in `taken` are no wishes, or rules found theirs: `asked`.
    """
    rated, meant = rate_all(said[:MOST_SENTENCES], read)
    unkept = unkept_blocks(said, rated, meant)
    used = set(taken)
    doubted: list[int] = []
    told = list(asked)
    for at, wish in enumerate(rated):
        one = said[at]
        is_unkept = any(near.is_silent and near.block == one.block for near in said[at : at + 2])
        if (
            at in used
            or is_unkept
            or one.block in unkept
            or is_hearsay(one.text)
            or tells(one.text)
            or (at + 1 in taken and _ANNOUNCES.search(one.masked))
        ):
            continue
        content, numbers = "", tuple[int, ...]()
        if _may_ask(one) and _is_likely(one, wish) and wish.deciding:
            content, numbers = _content(said, at, wish, used)
        worth = _worth(content) if numbers else 0.0
        is_worth_it = worth >= _LEAST_WORTH or wish.chance >= _CERTAIN
        if numbers and is_worth_it and wish.chance + worth / 2 >= THRESHOLD:
            used.update(numbers)
            if _names_something(content):
                told.append(_told(content))
                yield told[-1], f"{LEARNED}{wish.deciding}", True
        elif meant and _odds(one, wish, meant[at]) >= _MEANT:
            doubted.append(at)
    for at in doubted:
        content, numbers = _meant(said, at, rated[at], used, meant)
        odds = _odds(said[at], rated[at], meant[at])
        is_certain = odds >= _MEANT_FOR_SURE
        if (not is_certain and _worth(content) < _LEAST_WORTH) or asks_now(content):
            continue
        used.update(numbers)
        if _names_something(content):
            told.append(_told(content))
            yield told[-1], f"by meaning: {meant[at].asking}", odds >= _MEANT_LIKELY
    if told and meant:
        open_to = [at for at in range(len(meant)) if not said[at].is_silent and not _asks(said[at])]
        content, _ = kept_words([(n, said[n].text, meant[n].words) for n in open_to])
        if says(content, _FEWEST) and not _is_told(content, told) and not asks_now(content):
            yield _told(content), "by meaning: what the request is about", False


def _asks(one: Said) -> bool:
    """Whether a sentence is a question: beside a wish it is the task at hand."""
    return one.text.rstrip("\"')*_ ").endswith("?")


def _is_told(content: str, told: Sequence[str]) -> bool:
    """Return whether most of a content stands in the others, or most of one of them in it."""
    known = [set(words.WORD.findall(one.lower())) for one in told]
    own = set(words.WORD.findall(content.lower()))
    if len(own & set().union(*known)) >= _MOSTLY * len(own):
        return True
    return any(len(own & one) >= _MOSTLY * len(one) for one in known)


def _odds(one: Said, wish: Wish, meant: Meant) -> float:
    """Return the log odds that a sentence asks, by what it means and by its words."""
    return meant.asks + _OF_WORDS * log_odds(wish.chance) - _MEANT_DOUBTFUL * _is_doubtful(one)


def _is_likely(one: Said, wish: Wish) -> bool:
    return wish.chance >= (_CERTAIN if _is_doubtful(one) else _LEAST)


def _told(content: str) -> str:
    """Return a content as a sentence of its own, without what leads to it."""
    content = content.strip()
    leads = words.PREAMBLE.match(content)
    return clean(content[leads.end() :] or content if leads else content)


def _meant(
    said: Sequence[Said], at: int, wish: Wish, used: set[int], meant: Sequence[Meant]
) -> tuple[str, tuple[int, ...]]:
    """Return what a sentence asks to keep, by what the words around it mean."""
    if at in used:
        return "", ()
    near = [
        number
        for number in range(max(0, at - _MOST_JOINED), min(len(meant), at + _MOST_JOINED + 1))
        if number not in used and not said[number].is_silent
        if number == at or not _asks(said[number])
    ]
    content, numbers = kept_words([(n, said[n].text, meant[n].words) for n in near])
    if says(content, _FEWEST):
        return content, (at, *numbers)
    return _content(said, at, wish, used)


def kept_words(
    said: Sequence[tuple[int, str, Sequence[Word]]],
) -> tuple[str, tuple[int, ...]]:
    """Return the words in a row that are most likely to be kept, and the numbers of the sentences.

    In the sum of the log odds, a word in the middle that is none of them does no harm. At the ends,
    the rest of a clause belongs to it, unless it surely does not.
    """
    best, total, start = (0.0, 0, 0), 0.0, 0
    all_words = [(at, word) for at, (_, _, own) in enumerate(said) for word in own]
    for number, (_, word) in enumerate(all_words):
        if total <= 0:
            total, start = 0.0, number
        total += word.kept + _LENIENT
        if total > best[0]:
            best = total, start, number
    if not best[0]:
        return "", ()
    _, begin, end = best

    def goes_on(one: int, other: int) -> bool:
        """Whether a word belongs to the same clause as the one after it, and to what is kept."""
        (at, word), (near, following) = all_words[one], all_words[other]
        text = said[at][1]
        return at == near and not _PART.search(text[word.start : following.start + 2].lower())

    while begin and all_words[begin - 1][1].kept > _SURELY_NOT and goes_on(begin - 1, begin):
        begin -= 1
    last = len(all_words) - 1
    while end < last and all_words[end + 1][1].kept > _SURELY_NOT and goes_on(end, end + 1):
        end += 1
    first, final = all_words[begin][0], all_words[end][0]
    texts = [text for _, text, _ in said[first : final + 1]]
    texts[-1] = texts[-1][: all_words[end][1].end]
    texts[0] = texts[0][all_words[begin][1].start :]
    return " ".join(texts), tuple(number for number, _, _ in said[first : final + 1])


def clauses(one: Said, least: int = 2) -> list[tuple[int, int]]:
    """Return where the clauses of a sentence are that have at least some words."""
    ends = list(_PART.finditer(one.masked))
    starts = [0, *(found.end() for found in ends)]
    stops = [*(found.start() for found in ends), len(one.text)]
    return [
        (start, stop)
        for start, stop in zip(starts, stops, strict=True)
        if len(one.text[start:stop].split()) >= least
    ]


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


def _content(
    said: Sequence[Said], at: int, wish: Wish, used: set[int]
) -> tuple[str, tuple[int, ...]]:
    """Return what a wish asks to keep, and the numbers of its sentences."""
    one = said[at]
    announced = _announced(one, wish)
    if announced:
        after = at + 1
        while after < min(len(said), at + _MOST_JOINED) and _goes_on(said, at, after, used):
            announced += f" {said[after].text}"
            after += 1
        return announced, tuple(range(at, after))
    parts = _parts(one, wish)
    asking = next((n for n, part in enumerate(parts) if part.share >= _ASKS), None)
    # A pronoun points if it is in the clause that asks: "…, hang on to that".
    place = (0, len(one.masked)) if asking is None else parts[asking][:2]
    points = _POINTS.search(one.masked, *place)
    if asking is not None and points:
        before = one.text[: parts[asking].start]
        if asking and _states(before) and not _PURPOSE.match(before):
            return before, (at,)
    if points and at and at - 1 in used and said[at - 1].block == one.block:
        return "", (at,)  # it points to what another wish keeps
    if points or one.masked.endswith(":"):
        near = [at - 1, at + 1] if points else [at + 1, at - 1]
        for number in near:
            if 0 <= number < len(said) and number not in used and _can_be_meant(said[number]):
                first = number
                while number < at and first > max(0, at - _MOST_JOINED):
                    if not _goes_on(said, at, first - 1, used):
                        break
                    first -= 1
                while at < number < min(len(said), at + _MOST_JOINED + 1) - 1:
                    if not _goes_on(said, at, number + 1, used):
                        break
                    number += 1
                text = " ".join(one.text for one in said[first : number + 1])
                return text, (at, *range(first, number + 1))
    if asking is not None and parts[asking].share >= _ONLY_ASKS:
        rest = one.text[parts[asking].end :].strip(" ,;:)—–-")
        if _states(rest):
            return rest, (at,)
    if at and at - 1 not in used and _PRONOUN.search(one.masked) and _can_be_meant(said[at - 1]):
        if len(words.WORD.findall(one.masked)) <= _POINTING:  # "Let that be settled."
            return said[at - 1].text, (at - 1, at)
        return f"{said[at - 1].text} {one.text}", (at - 1, at)
    return one.text, (at,)


def _announced(one: Said, wish: Wish) -> str:
    """Return what follows a colon or "that" which the words that ask lead to."""
    for found in _PART.finditer(one.masked):
        rest = one.text[found.end() :]
        if found[0] == ":" and _share(wish, 0, found.end()) >= _ASKS and says(rest, 2):
            last = _parts(one, wish)[-1]
            asks_again = last.share >= _ASKS_AGAIN and _POINTS.search(one.masked, last.start)
            told = one.text[found.end() : last.start]
            if _SUBJECT_BEFORE.match(rest) and says(one.text[: found.start()], _FEWEST):
                about = _ABOUT.search(one.masked, 0, found.start())
                return one.text[about.start() if about else 0 :]
            return told if asks_again and _states(told) else rest
    for found in _THAT.finditer(one.masked):
        rest = one.masked[found.end() :]
        if _share(wish, 0, found.end()) >= _ASKS and _VERB.search(rest):
            cut = words.CUT.search(one.masked, found.end())
            return one.text[found.end() : cut.start() if cut else len(one.text)]
    return ""


def _parts(one: Said, wish: Wish) -> list[_Part]:
    """Return the clauses of a sentence."""
    return [_Part(start, stop, _share(wish, start, stop)) for start, stop in clauses(one, 1)]


def _share(wish: Wish, start: int, end: int) -> float:
    """Return how much of the asking is in a part of a sentence, from 0 to 1."""
    total = sum(weight for weight in wish.weights if weight > 0) or 1.0
    own = (
        weight
        for token, weight in zip(wish.tokens, wish.weights, strict=True)
        if start <= token.start < end and weight > 0
    )
    return sum(own) / total


def _names_something(text: str) -> bool:
    """Return whether a text has a word besides those that people ask with."""
    return says(text) and any(word not in classes() for word in words.WORD.findall(text.lower()))


def _states(text: str) -> bool:
    """Return whether a part of a sentence says something that can be kept."""
    lower = text.strip(" ,;:()—–-").lower()
    is_task = words.TASK.match(lower)
    return says(lower, _FEWEST) and not is_task and _VERB.search(lower) is not None


def _goes_on(said: Sequence[Said], at: int, number: int, used: set[int]) -> bool:
    """Return whether a sentence beside a wish belongs to what it asks to keep."""
    other = said[number]
    is_near = other.block == said[at].block and not other.is_item and number not in used
    goes_on = _VERB.search(other.masked) or words.FOLLOWS.match(other.masked)
    return is_near and _can_be_meant(other) and goes_on is not None


def _can_be_meant(one: Said) -> bool:
    """Return whether a wish can point to a sentence."""
    if is_one_task(one.masked) or one.is_silent or words.CLOSING.match(one.masked):
        return False
    return not one.masked.endswith("?") and says(one.text, 2)
