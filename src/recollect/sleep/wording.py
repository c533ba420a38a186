"""Writes the text of a merged memory: everything that its sources say, each thing once.

Two sentences are the same only if all their words and signs are the same, in the same order; case,
spaces and the final full stop do not count. A sentence is dropped if another memory has the same
one, or one that starts with it and continues without reversing its meaning. Anything with a layout
stays whole: code blocks, tables, lists, texts with headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.index.text import denials, query_terms
from recollect.sleep.clusters import jaccard
from recollect.sleep.sentences import Part, parts_of

# A merged text has at most this many characters, or as many as its longest source.
_MOST = 500
MOST_OF_ONE = 4_000
# Two sentences that share more of their words than this are about the same subject, so the text
# shows which of them is newer.
_ALIKE = 0.5
# A shorter sentence never counts as the start of another: "No" is not the start of "No idea".
_LEAST_BEGINNING = 3
_NUMBERED = pattern(r"(?<![\w.+:/-])(?=[\w.+:/-]*?\d)[\w.+:/-]++")
_STOPS = ".,;:!"
# Words that reverse what was said before them, or what they refer to.
_REVERSING_WORDS = """
after avoid before but disable disabled except fail failed fails false if instead never no not off
only or otherwise rather stop though unless until when without wrong aber außer falsch falls kein
keine nicht nie ohne sondern statt wenn"""
_REVERSING = frozenset(_REVERSING_WORDS.split())
# Words that only one of two memories contains if they say the opposite.
_OPPOSITES = """
after before disable disabled enable enabled false off true without kein keine keinen nicht nie ohne
vor nach < > <= >= ✅ ❌"""
_CONTRASTS = frozenset(_OPPOSITES.split())
_UNSPACED = ("不", "没", "无")

Claims = tuple[tuple[str, ...], int]


class Piece(NamedTuple):
    """A sentence, or a block that must not be cut, and when it was said."""

    text: str
    tokens: tuple[str, ...]
    day: str = ""
    # When it was repeated for the last time.
    last: str = ""
    is_summary: bool = False
    is_block: bool = False

    @property
    def length(self) -> int:
        """The number of characters it takes."""
        return len(self.text) + 2

    def begins(self, other: Piece) -> bool:
        """Return whether another sentence starts with this one and does not reverse its meaning."""
        own = len(self.tokens)
        return (
            _LEAST_BEGINNING <= own < len(other.tokens)
            and not (self.is_block or other.is_block)
            and other.tokens[:own] == self.tokens
            and _REVERSING.isdisjoint(other.tokens[own:])
            and denials(self.text) == denials(other.text)
            and not any(sign in other.text for sign in (*_UNSPACED, "?"))
        )


class Pieces:
    """Collects what memories say, in their order, each thing once."""

    def __init__(self) -> None:
        """Start empty."""
        self._pieces: dict[int, Piece] = {}
        self._same: dict[tuple[str, ...], int] = {}
        self._beginnings: dict[tuple[str, ...], list[int]] = {}
        self._count = 0
        self._length = 0
        # The length of the longest memory by itself.
        self._longest = 0

    @property
    def pieces(self) -> list[Piece]:
        """The collected pieces."""
        return list(self._pieces.values())

    def add(self, pieces: Sequence[Piece], *, whatever: bool = False) -> bool:
        """Add what one more memory says; if there is no room, add nothing and return False."""
        longest = max(self._longest, sum(piece.length for piece in pieces))
        room = max(_MOST, min(longest, MOST_OF_ONE))
        again: list[int] = []
        new: list[Piece] = []
        needless: set[int] = set()
        length = self._length
        # Repetition within one memory may be intended, so pieces are compared only with other
        # memories.
        for piece in pieces:
            known = self._same.get(piece.tokens)
            if known is not None:
                again.append(known)
                continue
            lead = piece.tokens[:_LEAST_BEGINNING]
            others = self._beginnings.get(lead, ())
            if any(piece.begins(self._pieces[number]) for number in others):
                continue
            # A sentence has its place in a text; a summary does not.
            shorter = {
                number
                for number in others
                if self._pieces[number].is_summary
                and number not in needless
                and self._pieces[number].begins(piece)
            }
            needless |= shorter
            length += piece.length - sum(self._pieces[number].length for number in shorter)
            new.append(piece)
            if length > room and not whatever:
                return False
        self._longest, self._length = longest, length
        for number in again:
            if number not in needless:
                self._pieces[number] = self._pieces[number]._replace(last=pieces[0].day)
        for number in needless:
            gone = self._pieces.pop(number)
            self._same.pop(gone.tokens, None)
            self._beginnings[gone.tokens[:_LEAST_BEGINNING]].remove(number)
        for piece in new:
            self._pieces[self._count] = piece
            self._same.setdefault(piece.tokens, self._count)
            lead = piece.tokens[:_LEAST_BEGINNING]
            self._beginnings.setdefault(lead, []).append(self._count)
            self._count += 1
        return True


def claims(text: str) -> Claims:
    """Return what must be equal, however similar the words are: numbers, contrasts and denials.

    "Needs Node 18" and "needs Node 22" share nearly all words, and one of them is wrong.
    """
    text = text.replace("\u2019", "'")
    numbers = {w.rstrip(".+-:/").lstrip(".+:/").lower() for w in _NUMBERED.findall(text)}
    contrasts = _CONTRASTS.intersection(tokens_of(text))
    signs = {sign for sign in _UNSPACED if sign in text}
    return tuple(sorted(numbers | contrasts | signs)), denials(text)


def tokens_of(text: str) -> tuple[str, ...]:
    """Return the words and signs of a text in order, without case and final full stop."""
    found: list[str] = []
    for word in text.casefold().replace("\u2019", "'").split():
        bare = word.rstrip(_STOPS)
        if bare:
            found.append(bare)
        found += word[len(bare) :]
    while len(found) > 1 and found[-1] in _STOPS:
        found.pop()
    return tuple(found)


def pieces_of(memory: Memory) -> tuple[Piece, ...]:
    """Return what a memory says, piece by piece: its summary, then its text."""
    day = day_of(memory)
    summary = _piece(Part(memory.summary), day, is_summary=True)
    return (summary, *(_piece(part, day) for part in parts_of(memory.text)))


def _piece(part: Part, day: str = "", *, is_summary: bool = False) -> Piece:
    text, is_block = part
    tokens = ("\n", text) if is_block else tokens_of(text)
    return Piece(text, tokens, day, "", is_summary, is_block)


def word(sources: Iterable[Memory], headline: str) -> str:
    """Return the text below a headline: what the sources say and the headline does not."""
    dated = sorted(sources, key=lambda memory: (memory.created or "", memory.uid))
    said = Pieces()
    said.add([_piece(Part(headline))], whatever=True)
    for memory in dated:
        said.add(pieces_of(memory), whatever=True)
    pieces = said.pieces
    words = [frozenset(query_terms(p.text)) for p in pieces]
    known = list(zip(pieces, words, strict=True))
    first, last = day_of(dated[0]), day_of(dated[-1])
    when = f"on {first}" if first == last else f"from {first} to {last}"
    lines = [_line(piece, own, known if first != last else ()) for piece, own in known[1:]]
    return "\n".join([f"Made of {len(dated)} memories, {when}.", *lines])


def _line(
    piece: Piece, words: frozenset[str], others: Iterable[tuple[Piece, frozenset[str]]]
) -> str:
    """Return one line, with its day if lines of other days are about the same subject."""
    if piece.is_block:
        return f"\n{piece.text}\n"
    is_dated = any(
        piece.is_summary
        or (
            other.tokens != piece.tokens
            and not other.is_block
            # A sentence without meaningful words is an answer, which may differ from an earlier
            # one.
            and (jaccard(words, theirs) > _ALIKE or not (words or theirs))
        )
        for other, theirs in others
    )
    if not is_dated:
        return f"- {piece.text}"
    again = f" and {piece.last}" if piece.last > piece.day else ""
    return f"- {piece.day}{again}: {piece.text}"


def day_of(memory: Memory) -> str:
    """Return the day on which a memory was created."""
    return re.split(r"[T ]", memory.created or "?")[0]
