"""What several memories say, each thing once: the text of what they are merged into.

Nothing is left out by which a source could be found. A sentence goes only where another one holds
all of its words, or says nearly the same while the rest of the text holds the words that it adds.
Blocks of code and tables stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from recollect.core.memory import Memory
from recollect.core.patterns import pattern
from recollect.index.text import denials, query_terms
from recollect.sleep.clusters import jaccard

# What is merged is said in so many characters, or in as many as the longest source takes.
_MOST = 500
_MOST_OF_ONE = 4_000
# Two sentences that share more of their words than this say the same; from the second on, they are
# at least about the same, and it matters which of them is the newer one.
_SAME = 0.6
_ALIKE = 0.5
_FENCED = r"^[ \t]*(?P<fence>`{3,}|~{3,})(?![`~])[^\n]*\n(?:.*?^[ \t]*(?P=fence)[ \t]*$|.*\Z)"
_TABLE = r"(?:^[ \t]*\|[^\n]*(?:\n|\Z))+"
_BLOCK = pattern(f"{_FENCED}|{_TABLE}", re.MULTILINE | re.DOTALL)
_SENTENCE = pattern(r"(?<=[.!?])\s+|\n+")
_MARKS = pattern(r"^(?:\s*(?:[>*+-]|#+)\s+)+")
_NUMBERED = pattern(r"[\w.+:/-]*\d[\w.+:/-]*")

Claims = tuple[tuple[str, ...], int]


class Piece(NamedTuple):
    """A sentence, or a block that must not be cut: what it says, and when it was said."""

    text: str
    words: frozenset[str]
    claims: Claims
    day: str = ""
    is_summary: bool = False
    is_block: bool = False

    def is_said_by(self, other: Piece, words: frozenset[str]) -> bool:
        """Whether another piece, in a text of so many words, makes this one needless."""
        if self.is_block or other.is_block:
            return self.is_block and self.text == other.text
        if self.claims[1] != other.claims[1]:
            return False
        if self.words <= other.words:
            return True
        is_like = self.claims == other.claims and jaccard(self.words, other.words) > _SAME
        return is_like and self.words <= words


class Said(NamedTuple):
    """What some memories say, in the order in which they said it."""

    pieces: tuple[Piece, ...] = ()
    words: frozenset[str] = frozenset()
    # The length of what the wordiest of them says alone.
    longest: int = 0

    @property
    def length(self) -> int:
        """How many characters that takes."""
        return sum(len(piece.text) + 2 for piece in self.pieces)

    @property
    def fits(self) -> bool:
        """Whether that can be the text of one memory."""
        return self.length <= max(_MOST, min(self.longest, _MOST_OF_ONE))

    def adding(self, pieces: Sequence[Piece]) -> Said:
        """What is said with one memory more."""
        known, words = list(self.pieces), self.words
        for piece in pieces:
            if any(piece.is_said_by(other, words) for other in known):
                continue
            known = [other for other in known if not other.is_said_by(piece, piece.words)]
            known.append(piece)
            words |= piece.words
        alone = sum(len(piece.text) + 2 for piece in pieces)
        return Said(tuple(known), words, max(self.longest, alone))


def claims(text: str) -> Claims:
    """What must be equal, however alike the words are: numbers, versions, and what is denied.

    "Needs Node 18" and "needs Node 22" share nearly all of their words, and one of them is wrong.
    """
    numbers = {word.strip(".+-:/").lower() for word in _NUMBERED.findall(text)}
    return tuple(sorted(numbers)), denials(text)


def pieces_of(memory: Memory) -> tuple[Piece, ...]:
    """What a memory says, piece by piece: its summary, then its text."""
    day = day_of(memory)
    summary = _piece(memory.summary, day=day, is_summary=True)
    found = [summary, *(piece._replace(day=day) for piece in _pieces(memory.text))]
    return tuple(piece for piece in found if piece.words or piece.is_block)


def _pieces(text: str) -> Iterator[Piece]:
    text = text.replace("\r\n", "\n")
    at = 0
    for block in _BLOCK.finditer(text):
        yield from _sentences(text[at : block.start()])
        yield _piece(block.group().strip("\n"), is_block=True)
        at = block.end()
    yield from _sentences(text[at:])


def _sentences(text: str) -> Iterator[Piece]:
    for sentence in _SENTENCE.split(text):
        yield _piece(_MARKS.sub("", sentence).strip())


def _piece(text: str, *, day: str = "", is_summary: bool = False, is_block: bool = False) -> Piece:
    return Piece(text, frozenset(query_terms(text)), claims(text), day, is_summary, is_block)


def word(sources: Iterable[Memory], headline: str) -> str:
    """The text below a headline: all that the sources say and it does not."""
    dated = sorted(sources, key=lambda memory: (memory.created or "", memory.uid))
    above = _piece(headline)
    said = Said().adding([above])
    for memory in dated:
        said = said.adding(pieces_of(memory))
    first, last = day_of(dated[0]), day_of(dated[-1])
    when = f"on {first}" if first == last else f"from {first} to {last}"
    lines = [_line(piece, (above, *said.pieces)) for piece in said.pieces if piece is not above]
    return "\n".join([f"Made of {len(dated)} memories, {when}.", *lines])


def _line(piece: Piece, others: Iterable[Piece]) -> str:
    if piece.is_block:
        return f"\n{piece.text}\n"
    is_alike = any(
        other is not piece and not other.is_block and jaccard(piece.words, other.words) > _ALIKE
        for other in others
    )
    return f"- {piece.day}: {piece.text}" if piece.is_summary or is_alike else f"- {piece.text}"


def day_of(memory: Memory) -> str:
    """The day on which a memory was born."""
    return re.split(r"[T ]", memory.created or "?")[0]
