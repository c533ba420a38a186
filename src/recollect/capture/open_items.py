"""Finds what an answer says is left to do: "Next steps", "TODO", "not done yet", "still fails"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.capture.sentences import sentences, without_code
from recollect.core.note import shorten_line
from recollect.core.patterns import pattern

MOST = 4
LONGEST = 140  # characters
_MOST_LINES = 400
_MOST_TEXT = 20_000  # of a longer answer, the end, which says what is left
_FEWEST_WORDS = 2

_HEAD = pattern(
    r"[\s#>*_-]{0,9}(?:(?:the |some |possible |suggested |recommended |remaining |open )?"
    r"(?:next steps?|to-?dos?|open (?:items|points|issues|questions|tasks|ends)|loose ends"
    r"|follow-?ups?|remaining(?: (?:work|items|tasks|issues|steps))?|outstanding(?: \w{1,20})?"
    r"|known (?:issues|gaps|failures)|unfinished(?: \w{1,20})?)"
    r"|(?:what(?:'s| is) |still |things )?(?:left|remaining|missing|open|pending)"
    r"(?: (?:to do|open|to be done))?|still to (?:do|be done)|not (?:yet )?(?:done|finished|covered"
    r"|implemented|tested)(?: yet)?|left to do|to do(?: next)?|up next|next(?: up)?)"
    r"\s{0,3}(?:\*\*|__)?\s{0,3}(?P<mark>:|\Z)(?:\*\*|__)?",
    re.IGNORECASE,
)
_ITEM = pattern(r"\s{0,12}(?:[-*+•–]|\d{1,3}[.)])\s{1,4}(?:\[(?P<tick>[ xX])\]\s{1,4})?")
_LEFT = pattern(
    r"\b(?:not (?:been )?(?:done|implemented|finished|tested|covered|fixed|merged|deployed) yet"
    r"|not yet (?:been )?(?:done|run|\w{3,20}ed)"
    r"|(?:hasn't|haven't|isn't|aren't) (?:been )?\w{3,20} yet|have(?:n't| not) (?:done|tested|fixed"
    r"|finished|implemented|run|verified|checked)|has yet to|have yet to|remains? to be|still to be"
    r"|still (?:fail(?:s|ing)?|needs?|missing|open|broken|red|to do|unsolved|unresolved|pending)"
    r"|is (?:still )?left to do|remains? (?:open|unsolved|unresolved|broken|unfixed)"
    r"|(?:could not|couldn't|was(?:n't| not) able to|unable to) (?:fix|find|run|reproduce|finish"
    r"|test|verify|solve|resolve|install|connect|reach))\b"
    r"|^(?:todo|to-?do|fixme|next(?: step)?(?: is| up)?|remaining|left)\b\s{0,3}[:—–-]",
    re.IGNORECASE,
)
_NOTHING = pattern(
    r"\b(?:nothing|none|no(?: more| other| longer)?|never|without)\b",
    re.IGNORECASE,
)
_WORD = pattern(r"[\w'-]{3,}")
_MARKUP = pattern(r"\*\*|__")


def open_items(answer: str) -> list[str]:
    """Return what an answer says is left to do, at most a few items."""
    text = answer[-_MOST_TEXT:].replace("’", "'")
    listed = list(_listed(text))
    said = [] if listed else [one for one in sentences(text) if _says_left(one)]
    found = dict.fromkeys(_cleaned(item) for item in (*listed, *said))
    return [item for item in found if len(_WORD.findall(item)) >= _FEWEST_WORDS][:MOST]


def _listed(text: str) -> Iterator[str]:
    """Yield the items below a heading such as "Next steps"."""
    is_open = False
    for line in text.splitlines()[-_MOST_LINES:]:
        head = _HEAD.match(line)
        if head is not None:
            rest = line[head.end() :].strip()
            is_open = not rest or bool(_ITEM.match(rest))
            if rest and not _NOTHING.match(rest):
                yield rest
            continue
        item = _ITEM.match(line)
        if is_open and item is not None:
            if item["tick"] not in ("x", "X"):
                yield line[item.end() :]
        elif line.strip():
            is_open = False


def _says_left(sentence: str) -> bool:
    text = without_code(sentence).replace("’", "'")
    return (
        len(sentence) <= 2 * LONGEST
        and not text.rstrip().endswith("?")
        and _LEFT.search(text) is not None
        and _NOTHING.search(text) is None
    )


def _cleaned(item: str) -> str:
    return shorten_line(_MARKUP.sub("", " ".join(item.split())).strip(), LONGEST)
