"""Crowding: keep one author from filling the results that others share.

Anyone who can push can write any number of memories with any date. So near-identical memories of
one author count once, no author gets more than a share of the places while others have results, and
a date in the future counts as today.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from zlib import crc32

from recollect.core.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final, TypeVar

    _Item = TypeVar("_Item")

# The largest share of places, or of text, that one author gets while there are others.
SHARE: Final = 0.5
# Two texts of one author with a higher word overlap than this count once.
SAME: Final = 0.6
# The same as a share of the sum of their sizes: 0.375, which floats hold exactly.
_SAME_OF_SIZES = 0.375
# How far ahead a colleague's clock may be; a later date is not trusted.
SKEW: Final = 86_400.0
# A text's sketch has one bit per word, for at most this many words.
_BITS, _MOST_WORDS = 512, 64
_ONE = ord("1")
# Each text is compared with this many of its author's best texts: first with what so many of them
# have together, which rules out most. Twice and half as many leave half as much again to compare.
_COMPARED, _TOGETHER = 32, 4
# Above this share, a search must query again for other authors.
_CROWD = 5 / 6
_AHEAD = "<ahead>"


class Traits(NamedTuple):
    """What crowding compares: the author's key, and a sketch of the text."""

    author_key: str = ""
    sketch: bytes = b""


@lru_cache(1_000)
def author_key_of(author: str | None) -> str:
    """Return the key that identifies an author: the e-mail address, else the name.

    Everything without an author, such as text added with plain git, counts as one author.
    """
    name = (author or "").strip().casefold()
    start = name.rfind("<")
    return name[start + 1 : -1] if start >= 0 and name.endswith(">") else name


def is_ahead(moment: float | None, now: float) -> bool:
    """Whether a date is too far in the future to be a clock error."""
    return moment is not None and moment > now + SKEW


def dated(traits: Traits, moment: float | None, now: float) -> Traits:
    """Return traits adjusted for a date: everything from the future counts as one author."""
    return traits._replace(author_key=_AHEAD) if is_ahead(moment, now) else traits


def sketch_of(words: set[bytes], *, denies: bool = False) -> bytes:
    """Return a few bytes for comparing texts; a text and its negation are not alike."""
    hashes: Iterable[int] = map(crc32, words)
    if len(words) > _MOST_WORDS:
        hashes = sorted(hashes)[:_MOST_WORDS]
    mask = _BITS - 1
    digits = bytearray(b"0" * _BITS)  # setting one takes half the time of a long integer's bit
    for value in hashes:
        digits[~(value & mask)] = _ONE
    return bytes([denies]) + int(digits, 2).to_bytes(_BITS // 8, "little")


class _Said:
    """The texts of one author that were seen so far."""

    def __init__(self) -> None:
        self.size = 0
        # In groups: the bits of all, the smallest share, and the bits and the share of each.
        self._known: dict[int, list[tuple[int, float, list[tuple[int, float]]]]] = {}

    def adds(self, sketch: bytes) -> bool:
        """Whether a text differs from the author's better texts before it."""
        if not sketch:
            return True
        bits = int.from_bytes(sketch[1:], "little")
        groups = self._known.setdefault(sketch[0], [])
        # Hundreds of texts, each with dozens of others, while somebody waits. The overlap is what
        # both have, divided by the sum of their sizes less that: solved for what both have, only
        # one number of each pair is left to compute.
        own = _SAME_OF_SIZES * bits.bit_count()
        for together, least, texts in groups:
            if (bits & together).bit_count() - least <= own:
                continue
            if max([(bits & other).bit_count() - share for other, share in texts]) > own:
                return False
        self.size += 1
        if groups and len(groups[-1][2]) < _TOGETHER:
            together, least, texts = groups[-1]
            texts.append((bits, own))
            groups[-1] = (together | bits, min(least, own), texts)
        elif len(groups) * _TOGETHER < _COMPARED:
            groups.append((bits, own, [(bits, own)]))
        return True


def most_of(places: int) -> int:
    """Return how many of the places one author may have: the share, rounded up."""
    return math.ceil(places * SHARE)


def choose(items: Sequence[_Item], places: int, traits: Callable[[_Item], Traits]) -> list[_Item]:
    """Choose as many items as there are places; items come best first.

    First, each distinct text and each author up to the share. Then the remaining places go to the
    rest, so that nothing is hidden while there is room.
    """
    chosen: list[_Item] = []
    beyond: list[_Item] = []  # up to the share of each author
    again: list[_Item] = []
    known: dict[str, _Said] = {}
    share = most_of(places)
    for item in items:
        author_key, sketch = traits(item)
        said = known.setdefault(author_key, _Said())
        if said.size >= places:
            continue  # this author already has enough
        if not said.adds(sketch):
            again.append(item)
        else:
            (chosen if said.size <= share else beyond).append(item)
    return [*chosen[:places], *beyond, *again][:places]


def repeated(items: Iterable[_Item], traits: Callable[[_Item], Traits]) -> list[_Item]:
    """Return the items that repeat an earlier item of the same author."""
    known: dict[str, _Said] = {}
    found = []
    for item in items:
        author_key, sketch = traits(item)
        if not known.setdefault(author_key, _Said()).adds(sketch):
            found.append(item)
    return found


def crowd_in(keys: Sequence[str]) -> str | None:
    """Return the author who leaves hardly any room for others, if there is one."""
    return next((key for key in set(keys) if keys.count(key) > len(keys) * _CROWD), None)
