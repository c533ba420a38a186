"""Chunking: split long texts into pieces that fit the model's window.

A model reads one window and ignores the rest: of a session of ten thousand words it would see the
first two hundred. So a body is split into chunks that fit, at sentence and line ends where
possible, each with the title above it, because a paragraph alone does not say what it is about.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.embedding.protocol import Embedder

_SENTENCE = pattern(r".+?(?:[.!?…](?=\s)\s*|[。！？]\s*|\n\s*|\Z)", re.DOTALL)
_WORD = pattern(r"\S+\s*|\s+")
# The part of the window that the next chunk repeats.
_OVERLAP = 1 / 8
_SMALLEST = 16


class _Span(NamedTuple):
    """A span of the text, and its tokens."""

    start: int
    end: int
    tokens: int


def chunks(text: str, embedder: Embedder, title: str = "", size: int = 0) -> list[str]:
    """Split a text so that every word of it is in a chunk that fits the window.

    A short text is one chunk; `size` requests chunks smaller than the window. An empty text has no
    chunks. A title that takes half the window is not repeated but read as part of the text.
    """
    text, title = text.strip(), " ".join(title.split())
    window = min(max(size, _SMALLEST), embedder.window) if size else embedder.window
    room = window - embedder.count_tokens(title)
    if room < window // 2 or not text:  # a long title would crowd out the text
        text, title, room = f"{title}\n{text}".strip(), "", window
    if not text:
        return []
    head = f"{title}\n" if title else ""
    if embedder.count_tokens(text) <= room:
        return [head + text]
    spans = list(_spans(text, 0, room, embedder))
    return [head + piece for piece in _pack(text, spans, room, embedder)]


def _pack(text: str, spans: list[_Span], room: int, embedder: Embedder) -> Iterator[str]:
    """Fill chunks with spans; each chunk starts with the last few spans of the one before."""
    first = 0
    while first < len(spans):
        last, used = first, 0
        while last < len(spans) and used + spans[last].tokens <= room:
            used += spans[last].tokens
            last += 1
        last = max(last, first + 1)
        # If a word was split, the tokens of two spans may not add up: count again.
        while last - first > 1 and _count(text, spans[first:last], embedder) > room:
            last -= 1
        yield text[spans[first].start : spans[last - 1].end].strip()
        if last == len(spans):
            return
        following, repeated = last, 0
        while following - 1 > first:
            repeated += spans[following - 1].tokens
            if repeated > room * _OVERLAP or repeated + spans[last].tokens > room:
                break
            following -= 1
        first = following


def _count(text: str, spans: list[_Span], embedder: Embedder) -> int:
    return embedder.count_tokens(text[spans[0].start : spans[-1].end])


def _spans(text: str, offset: int, room: int, embedder: Embedder) -> Iterator[_Span]:
    """Return sentences; the words of one that is too long; halves of a word that is too long."""
    for sentence in _SENTENCE.finditer(text):
        tokens = embedder.count_tokens(sentence[0])
        if tokens <= room:
            yield _Span(offset + sentence.start(), offset + sentence.end(), tokens)
            continue
        for word in _WORD.finditer(sentence[0]):
            yield from _halves(word[0], offset + sentence.start() + word.start(), room, embedder)


def _halves(word: str, offset: int, room: int, embedder: Embedder) -> Iterator[_Span]:
    tokens = embedder.count_tokens(word)
    if tokens <= room or len(word) == 1:
        yield _Span(offset, offset + len(word), tokens)
        return
    middle = len(word) // 2
    yield from _halves(word[:middle], offset, room, embedder)
    yield from _halves(word[middle:], offset + middle, room, embedder)
