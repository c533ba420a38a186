"""Nobody crowds others out: whose a memory is, what says the same, and how much one may have.

Anybody who may push can write any number of memories with any date. So the memories of one author
that say the same count once, no author has more than a share of the places while others have
something to say, and a date in the future is worth no more than today.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple, TypeVar
from zlib import crc32

# The largest share of the places, or of the text, that one author has where there are others.
SHARE: Final = 0.5
# Two texts of one author that share more of their words than this count once.
SAME: Final = 0.6
# How far the clock of a colleague may be ahead; what is dated later has no date to rely on.
SKEW: Final = 86_400.0
# The sketch of a text has a bit for each of its words; for so many of those of a long text.
_BITS, _MOST_WORDS = 512, 64
# With so many texts of its author, the best ones, each further one is compared.
_COMPARED = 32
# From this share on, whoever looks for the best must ask again for those of others.
_CROWD = 5 / 6
_AHEAD = "<ahead>"
_Item = TypeVar("_Item")


class Traits(NamedTuple):
    """What tells the memories of a crowd from others: the author, and what the text is like."""

    voice: str = ""
    sketch: bytes = b""


def voice_of(author: str | None) -> str:
    """An author as they count for shares: the e-mail address, or the name where there is none.

    What has no author, such as text that was added with plain git, counts as of one author.
    """
    name = (author or "").strip().casefold()
    start = name.rfind("<")
    return name[start + 1 : -1] if start >= 0 and name.endswith(">") else name


def is_ahead(moment: float | None, now: float) -> bool:
    """Whether a date is so far in the future that no clock explains it."""
    return moment is not None and moment > now + SKEW


def dated(traits: Traits, moment: float | None, now: float) -> Traits:
    """The traits of a memory of a date. What comes from the future counts as of one author."""
    return traits._replace(voice=_AHEAD) if is_ahead(moment, now) else traits


def sketch_of(words: set[str], *, denies: bool = False) -> bytes:
    """A few bytes by which texts can be compared. The opposite of a text is not like it."""
    joined = "\n".join(words).encode("utf-8", "replace")
    hashes = sorted(map(crc32, joined.split(b"\n"))) if joined else []
    bits = 0
    for value in hashes[:_MOST_WORDS]:
        bits |= 1 << (value & _BITS - 1)
    return bytes([denies]) + bits.to_bytes(_BITS // 8, "little")


class _Said:
    """What one author says, as far as it was looked at."""

    def __init__(self) -> None:
        self.size = 0
        self._known: dict[int, list[tuple[int, int]]] = {}

    def adds(self, sketch: bytes) -> bool:
        """Whether a text says something else than the best ones before it."""
        if not sketch:
            return True
        bits = int.from_bytes(sketch[1:], "little")
        size = bits.bit_count()
        known = self._known.setdefault(sketch[0], [])
        for other, length in known:
            both = (bits & other).bit_count()
            if both > SAME * (size + length - both):
                return False
        self.size += 1
        if len(known) < _COMPARED:
            known.append((bits, size))
        return True


def most_of(places: int) -> int:
    """How many of some places one author may have: the share, rounded up."""
    return math.ceil(places * SHARE)


def choose(items: Sequence[_Item], places: int, traits: Callable[[_Item], Traits]) -> list[_Item]:
    """As many items as there are places; the items come best first.

    First each text once and each author up to the share, best first. Places that are left go to
    the others, so that nothing is hidden where there is room.
    """
    chosen: list[_Item] = []
    beyond: list[_Item] = []  # the share of their authors
    again: list[_Item] = []
    known: dict[str, _Said] = {}
    share = most_of(places)
    for item in items:
        voice, sketch = traits(item)
        said = known.setdefault(voice, _Said())
        if said.size >= places:
            continue  # this author has more than enough
        if not said.adds(sketch):
            again.append(item)
        else:
            (chosen if said.size <= share else beyond).append(item)
    return [*chosen[:places], *beyond, *again][:places]


def repeated(items: Iterable[_Item], traits: Callable[[_Item], Traits]) -> list[_Item]:
    """The items that say the same as an earlier one of their author."""
    known: dict[str, _Said] = {}
    found = []
    for item in items:
        voice, sketch = traits(item)
        if not known.setdefault(voice, _Said()).adds(sketch):
            found.append(item)
    return found


def crowd_in(voices: Sequence[str]) -> str | None:
    """The author who leaves hardly any room for others in what was found, if one does."""
    return next((v for v in set(voices) if voices.count(v) > len(voices) * _CROWD), None)
