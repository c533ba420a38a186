"""Tells whether a text restates another one in other words.

An agent writes "Row A is kept for wheelchairs" from "The front row, which is row A, is kept for
people in wheelchairs": nearly all words of one are in the other. What makes a statement another
one must be the same: names, numbers, and what is denied.
"""

from __future__ import annotations

from recollect.capture.novelty import SUPERSEDES, Known, first_and_stems, judge
from recollect.capture.statements import FILLER, TOKEN, statements, stems_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# The share of its words from which a text restates another, and the fewest words that tell.
_SHARE: Final = 0.7
_FEWEST: Final = 2


def restates(text: str, other: str) -> bool:
    """Return whether nearly all that a text says first is in another text."""
    compared = first_and_stems(text, other, _FEWEST)
    if compared is None:
        return False
    mine, known, denied = compared
    stems = mine.stems
    share = _SHARE if len(stems) > _FEWEST else 1.0
    if sum(stem in known for stem in stems) < share * len(stems) or not _names(text) <= known:
        return False
    if any(stem in known and (stem in denied) != (stem in mine.denied) for stem in stems):
        return False
    return judge(text, [Known("", other)]).verdict != SUPERSEDES


def adds_nothing(text: str, other: str) -> bool:
    """Return whether a text restates another one, and says hardly anything else.

    A draft of two words may be about anything, so it is kept.
    """
    known = {stem for one in statements(other) for stem in one.stems}
    mine = {stem for one in statements(text) for stem in one.stems}
    return len(mine) > _FEWEST and restates(text, other) and len(mine & known) >= _SHARE * len(mine)


def _names(text: str) -> frozenset[str]:
    """Return the stems of numbers, and of words that begin with a capital in a sentence."""
    found: set[str] = set()
    start = True
    end = 0
    for match in TOKEN.finditer(text):
        start = start or any(mark in text[end : match.start()] for mark in ".!?\n")
        word, end = match[0], match.end()
        is_name = any(map(str.isdigit, word)) or (not start and word[:1].isupper())
        if is_name and word.lower() not in FILLER:
            found.update(stems_of(word.lower()))
        start = False
    return frozenset(found)
