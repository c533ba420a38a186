"""Finds what a person asks not to keep: "between us", "off the record", "don't write this down".

What is meant is the paragraph in which they say so. If it says nothing else, it is the whole
prompt. Words that limit something to this moment ("just for now") mean their own sentence only.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from recollect.capture.novelty import outline
from recollect.capture.request_words import QUOTED
from recollect.capture.sentences import split_line, without_code
from recollect.core.patterns import pattern

_MOST_TEXT = 20_000
_FEWEST = 2  # words of a paragraph that says something besides the request
# The share of its words from which a sentence repeats what is not to be kept.
_REPEATS = 0.6

_IT = r"(?:this|that|any of (?:this|that|it)|what i (?:just )?(?:say|said|tell you)|the following)"
_NOT = (
    r"(?:(?<!\bi )(?<!\bwe )(?<!\bthey )(?<!\byou )(?<!\bwho )\b(?:do(?:n't|nt| not)|never)"
    r"|\bno need to|\b(?:you )?(?:needn't|need not|do(?:n't|nt| not) (?:need|have) to)"
    r"|\b(?:would|i'd) (?:rather |prefer (?:that )?)you (?:did(?:n't| not)|not))"
    r"(?: please| ever| you| even)?"
)
_DOWN = r"(?:down|anywhere|into? (?:your|ur|any|the) (?:memory|notes?)|in memory|on record)"
# Nothing that would make it a matter of the program may follow: "don't store this in the session".
_NO_MORE = (
    r"(?=\s*(?:[.,;:!?)—–]|-|\Z)|,? (?:please|pls|anywhere|down|though|but|and|because|since|it's"
    r"|it is|or|in (?:your|ur) (?:memory|notes)|for (?:later|next time|the future))\b)"
)
_ASKS = pattern(
    rf"{_NOT} (?:write|note|jot|put|take) (?:{_IT}|it) {_DOWN}\b"
    rf"|{_NOT} (?:remember|memori[sz]e|note) (?:{_IT}|it|the \w{{1,30}}){_NO_MORE}"
    rf"|{_NOT} (?:record|save|store|keep|repeat|share|mention|capture|persist) {_IT}{_NO_MORE}"
    rf"|{_NOT} (?:record|save|store|keep|repeat|capture) it (?:anywhere|in (?:your|ur) memory)\b"
    rf"|{_NOT} (?:tell|mention (?:{_IT}|it) to) (?:any(?:one|body)|a soul)\b"
    r"|\boff[ -]the[ -]record\b"
    r"|(?:\A|[.,;:!?(—–]\s*|\b(?:btw|so|and|but|just|strictly|stays?|remains?|stay|only|this|that"
    r"|it|is|well|ok|oh|purely)\s)between (?:us|you and (?:me|i)|ourselves)\b(?! and\b)"
    r"|\b(?:this|that|it)(?: one)?(?: (?:stays|remains|must stay|should stay|has to stay"
    r"|needs to stay)|(?:'s| is) (?:strictly|absolutely|highly)) (?:private|confidential|secret)\b"
    rf"|\b(?:this|that|it)(?:'s| is) (?:confidential\b{_NO_MORE}|(?:just |only )?for your (?:ears"
    r"|eyes)\b)"
    r"|\bkeep (?:this|that|it|all of this) (?:to yourself|under wraps|under your hat|quiet)\b"
    rf"|\bkeep (?:this|that) (?:private|secret|confidential)\b{_NO_MORE}"
    r"|\bnot for (?:the record|your (?:memory|notes)|the (?:notes|minutes|memory|archives?))\b"
    r"|\b(?:not|nothing) to be (?:remembered|written down|kept|recorded)\b"
)
_PASSING = pattern(
    r"\b(?:just|only) (?:for|this) (?:now|today|once|this once|this time|the moment|this session"
    r"|one time|the run of today|today's \w{1,20}|this (?:one )?(?:run|screenshot|demo|meeting|call"
    r"|test|build|branch|pr|commit|release))\b|\b(?:forget|ignore) (?:this|that|it)"
    r" (?:afterwards?|after(?: this)?|later|when you're done)\b"
)


class Parted(NamedTuple):
    """A prompt without what must not be kept, and that."""

    kept: str
    unkept: str = ""


def part(text: str) -> Parted:
    """Separate what a prompt asks not to keep from the rest."""
    if not _is_asked(text[:_MOST_TEXT]):
        return Parted(text)
    kept: list[str] = []
    unkept: list[str] = []
    for paragraph in _paragraphs(text):
        masked = _masked(paragraph)
        asks = _ASKS.search(masked[:_MOST_TEXT])
        if asks is None:
            rest, passing = _without_passing(paragraph)
            kept.append(rest)
            unkept += passing
            continue
        unkept.append(paragraph)
        if len(words_of(_ASKS.sub(" ", masked))) < _FEWEST:
            return Parted("", text)
    return Parted("\n\n".join(filter(None, kept)), "\n".join(filter(None, unkept)))


def is_unkept(sentence: str) -> bool:
    """Return whether a sentence asks not to keep something."""
    masked = _masked(sentence)
    return bool(_ASKS.search(masked) or _PASSING.search(masked))


def words_of(text: str) -> frozenset[str]:
    """Return the words that say something, without their endings."""
    return frozenset(map(str, outline(text).words)) - _REQUEST


def repeats(words: Iterable[int], unkept: Iterable[frozenset[int]]) -> bool:
    """Return whether the (hashed) words of a sentence repeat a text that must not be kept."""
    own = frozenset(words)
    return any(len(own & known) >= max(_FEWEST, _REPEATS * len(own)) for known in unkept if own)


def _is_asked(text: str) -> bool:
    masked = _masked(text)
    return bool(_ASKS.search(masked) or _PASSING.search(masked))


def _without_passing(paragraph: str) -> tuple[str, list[str]]:
    """Take out the sentences that hold for this moment only."""
    if not _PASSING.search(_masked(paragraph)):
        return paragraph, []
    kept, passing = [], []
    for line in paragraph.splitlines():
        said = split_line(line)
        passing += [one for one in said if _PASSING.search(_masked(one))]
        kept.append(" ".join(one for one in said if not _PASSING.search(_masked(one))))
    return "\n".join(kept), passing


def _paragraphs(text: str) -> list[str]:
    found: list[list[str]] = [[]]
    for line in text.splitlines():
        if line.strip():
            found[-1].append(line)
        elif found[-1]:
            found.append([])
    return ["\n".join(lines) for lines in found if lines]


def _masked(text: str) -> str:
    """Return a text in lower case, with code and quotations blanked."""
    return QUOTED.sub(" ", without_code(text).replace("’", "'").lower())


# Words around the request, which are no part of what it is about.
_REQUEST = frozenset(
    outline(
        "btw pls ok okay record remember write between private secret keep anywhere noted note"
        " understood don t"
    ).words
)
