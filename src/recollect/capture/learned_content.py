"""Finds what a wish asks to keep, once it is known which sentence asks (`learned_requests.py`).

It is what follows a colon or "that", the clauses that do not ask, or the sentence that the wish
points to. With an embedder, it is the row of words that mean it most (`capture/wish_meaning.py`),
if that is something else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.capture import request_words as words
from recollect.capture.hearsay import is_hearsay
from recollect.capture.request_text import Said, clean, is_one_task, says
from recollect.capture.wish_model import Wish
from recollect.capture.wish_words import classes
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from recollect.capture.wish_meaning import Meant, Word

# A part of a sentence asks if it has this share of the weight of all words that ask.
_ASKS: Final = 0.4
_ASKS_AGAIN: Final = 0.2  # what the last part needs after a part that asks: "…, hang on to that"
# With this share, it does nothing but ask.
_ONLY_ASKS: Final = 0.7
FEWEST = 3  # words of a statement
_POINTING: Final = 7  # words of a sentence that only points to another one
_LENIENT: Final = 1.0  # added to the log odds that a word is to be kept: better one too many
_SURELY_NOT: Final = -4.0
_BESIDE: Final = -2.0  # the mean of a clause that still belongs to what is kept beside it
_MOSTLY: Final = 0.5  # the share of its words from which a content was told already
_MOST_JOINED = 3  # sentences
_EDGE = 24  # characters that tell where a content stands
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
    r"\W*(?:just )?so (?:that )?(?:i|we|you|it|they|nobody|no one|this|that)\b", re.IGNORECASE
)
PRONOUN = pattern(r"\b(?:this|that|it|those|these)\b")
# Who or what is meant stands before the colon: "for all that touches topics: they're lower case".
_ABOUT = pattern(r"\b(?:for|about|on|with|regarding|when(?:ever)?)\b")
_SUBJECT_BEFORE = pattern(r"\s{0,3}(?:they|it|these|those)(?:'re|'s|'ll)?\b", re.IGNORECASE)
# What is meant follows: "know that the two stacks can't be enabled together".
_THAT = pattern(rf"\bthat,? (?!{_MINOR}\b|one\b|thought\b|bit\b)(?=\S+ \S+)")
_VERB = pattern(words.VERB)
# "A backup that leaves the house": this "that" leads to no statement.
_RELATIVE = pattern(
    rf"\s*(?:{words.VERB}\b|\w{{3,20}}s (?:the|an?|our|my|your|us|him|her|them|it)\b)"
)
# With these, a sentence neither begins nor ends: so what is kept was cut in the wrong place.
_NO_START = pattern(
    r"\W*(?:because|no matter|who|whom|whose|whereas|including|than|is|isn't|are|aren't|was|wasn't"
    r"|were|weren't|has|hasn't|had|doesn't|won't|can't be|and|or)\b",
    re.IGNORECASE,
)
_NO_END = pattern(
    r"\b(?:an?|the|my|our|your|their|every|of|at|for|from|with|by|into|than|and|or|nor|but|we|i"
    r"|they|he|she|who|which|because|if|when|whenever|whatever|was|were|been|am|has|have|had|will"
    r"|would|can|could|should|must|may|very|as)\W*\Z",
    re.IGNORECASE,
)


class _Part(NamedTuple):
    """A clause of a sentence: where it stands, and its share of the words that ask."""

    start: int
    end: int
    share: float


def is_question(one: Said) -> bool:
    """Whether a sentence is a question: beside a wish it is the task at hand."""
    return one.text.rstrip("\"')*_ ").endswith("?")


def is_told(content: str, told: Sequence[str]) -> bool:
    """Return whether most of a content stands in the others, or most of one of them in it."""
    known = [set(words.WORD.findall(one.lower())) for one in told]
    own = set(words.WORD.findall(content.lower()))
    if len(own & set().union(*known)) >= _MOSTLY * len(own):
        return True
    return any(len(own & one) >= _MOSTLY * len(one) for one in known)


def told_alone(content: str) -> str:
    """Return a content as a sentence of its own, without what leads to it."""
    content = content.strip()
    leads = words.PREAMBLE.match(content)
    return clean(content[leads.end() :] or content if leads else content)


def mended(content: str, said: Sequence[Said]) -> str:
    """Return a content whose beginning and end are not in the middle of something said."""
    content = content.strip()
    for one in said:
        text = one.text.strip()
        start = text.find(content[:_EDGE])
        if start > 0 and _NO_START.match(content):
            return text[:start] + content
        end = text.find(content[-_EDGE:])
        if end >= 0 and _NO_END.search(content):
            return content + text[end + len(content[-_EDGE:]) :]
    return content


def better_content(
    said: Sequence[Said],
    at: int,
    content: str,
    numbers: tuple[int, ...],
    used: set[int],
    meant: Sequence[Meant],
) -> tuple[str, tuple[int, ...]]:
    """Return what the words around a wish mean, if its own content says nothing of that."""
    other, more = kept_near(said, at, used, meant)
    if not other:
        return content, numbers
    is_more = content.strip(" .!") in other and set(numbers) <= {at, *more}
    # The sentence that asks is no part of it, if its words say so.
    only_asks = at not in more and said[at].text in content and mean_kept(meant[at]) < _BESIDE
    if is_told(other, [content]) and not is_more and not only_asks:
        return content, numbers
    return other, (at, *more)


def listed(
    said: Sequence[Said], numbers: Sequence[int], meant: Sequence[Meant]
) -> list[tuple[str, tuple[int, ...]]]:
    """Return the items of the list that a wish asks to keep, each with its sentences.

    Nothing if there are less than two: then it is no list.
    """
    first = next((number for number in sorted(numbers) if said[number].is_item), len(meant))
    groups: list[list[int]] = []
    for at in range(first, len(meant)):
        if said[at].block != said[first].block:
            break
        if said[at].is_item:
            groups.append([at])
        elif mean_kept(meant[at]) >= _BESIDE:
            groups[-1].append(at)
    wanted = [group for group in groups if mean_kept(meant[group[0]]) >= _BESIDE]
    if len(wanted) < 2:
        return []
    return [(" ".join(said[at].text for at in group), tuple(group)) for group in wanted]


def mean_kept(meant: Meant) -> float:
    """Return the mean log odds that a word of a sentence is to be kept."""
    return sum(word.kept for word in meant.words) / max(1, len(meant.words))


def kept_near(
    said: Sequence[Said], at: int, used: set[int], meant: Sequence[Meant]
) -> tuple[str, tuple[int, ...]]:
    """Return the words around a sentence that are most likely to be kept, if they say something."""
    near = [
        number
        for number in range(max(0, at - _MOST_JOINED), min(len(meant), at + _MOST_JOINED + 1))
        if number not in used and not said[number].is_silent
        if number == at or not (is_question(said[number]) or is_hearsay(said[number].text))
    ]
    content, numbers = kept_words([(n, said[n].text, meant[n].words) for n in near])
    return (content, numbers) if says(content, FEWEST) else ("", ())


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

    def clause(place: int, step: int) -> int:
        """Return the end of the clause beside a place, if that belongs to it, or the place."""
        other = place + step
        if not 0 <= other <= last or all_words[other][0] != all_words[place][0]:
            return place
        edge = other
        while 0 <= edge + step <= last and goes_on(*sorted((edge, edge + step))):
            edge += step
        low, high = sorted((other, edge))
        mean = sum(word.kept for _, word in all_words[low : high + 1]) / (high - low + 1)
        return edge if mean > _BESIDE else place

    while (more := clause(begin, -1)) != begin:
        begin = more
    while (more := clause(end, 1)) != end:
        end = more
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


def content_of(
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
    if at and at - 1 not in used and PRONOUN.search(one.masked) and _can_be_meant(said[at - 1]):
        if len(words.WORD.findall(one.masked)) <= _POINTING:  # "Let that be settled."
            return said[at - 1].text, (at - 1, at)
        return f"{said[at - 1].text} {one.text}", (at - 1, at)
    return one.text, (at,)


def _announced(one: Said, wish: Wish) -> str:
    """Return what follows a colon or "that" which the words that ask lead to."""
    for found in _PART.finditer(one.masked):
        rest = one.text[found.end() :]
        if found[0] == ":" and _share(wish, 0, found.end()) >= _ASKS and says(rest, 2):
            before = _told_before(one, found.start(), wish)
            if before:
                return before
            last = _parts(one, wish)[-1]
            asks_again = (
                last.share >= _ASKS_AGAIN
                and _POINTS.search(one.masked, last.start)
                and not words.FOLLOWS.match(one.masked[last.start :].lstrip())  # "…, because it is"
            )
            told = one.text[found.end() : last.start]
            if _SUBJECT_BEFORE.match(rest) and says(one.text[: found.start()], FEWEST):
                about = _ABOUT.search(one.masked, 0, found.start())
                return one.text[about.start() if about else 0 :]
            return told if asks_again and _states(told) else rest
    for found in _THAT.finditer(one.masked):
        rest = one.masked[found.end() :]
        if _RELATIVE.match(rest):
            continue
        if _share(wish, 0, found.end()) >= _ASKS and _VERB.search(rest):
            cut = words.CUT.search(one.masked, found.end())
            return one.text[found.end() : cut.start() if cut else len(one.text)]
    return ""


def _told_before(one: Said, colon: int, wish: Wish) -> str:
    """Return what a sentence tells from before its colon on: "jot down that Lena has a deal: …"."""
    for found in _THAT.finditer(one.masked, 0, colon):
        asks = _share(wish, 0, found.end()) >= _ASKS
        if asks and _states(one.text[found.end() : colon]):
            return one.text[found.end() :]
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


def names_something(text: str) -> bool:
    """Return whether a text has a word besides those that people ask with."""
    return says(text) and any(word not in classes() for word in words.WORD.findall(text.lower()))


def _states(text: str) -> bool:
    """Return whether a part of a sentence says something that can be kept."""
    lower = text.strip(" ,;:()—–-").lower()
    is_task = words.TASK.match(lower)
    return says(lower, FEWEST) and not is_task and _VERB.search(lower) is not None


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
