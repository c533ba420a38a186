"""Finds the sessions that leave the rolling window, and what only they say.

A session that leaves is retired, not erased, so nothing here prevents it. But an open task should
not disappear unnoticed: before a session leaves, its items are compared with what later sessions
and all other memories say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from recollect.capture.novelty import DUPLICATE, Known, judge
from recollect.core.age import seconds_of
from recollect.core.crowding import is_ahead
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.names import short
from recollect.core.note import shorten_line
from recollect.core.patterns import pattern
from recollect.index.text import query_terms

_LISTS = ("completed", "blockers", "next_actions")
_MOST_NAMED = 5
# Another text repeats an item only if it contains nearly all of its words.
_COVERED = 0.8
_SENTENCE_END = pattern(r"(?<=[.!?])\s+|\n+")
_STEM = 4  # letters that words with one stem share


class Leaving(NamedTuple):
    """A session that leaves the window, and what no other memory says."""

    memory: Memory
    unique: tuple[str, ...]

    def warning(self) -> str:
        """The warning about what only this session says; empty if there is nothing."""
        if not self.unique:
            return ""
        name = self.memory.slugs[0] if self.memory.slugs else short(self.memory.id)
        items = "; ".join(f'"{shorten_line(item)}"' for item in self.unique[:_MOST_NAMED])
        more = len(self.unique) - _MOST_NAMED
        return (
            f"The session {name} leaves the window, and no other memory says: {items}"
            + (f" and {more} more" if more > 0 else "")
            + '. To keep what still matters, run `recollect capture KIND "…"`; to read all of it,'
            f" run `recollect show {name}`."
        )


class _Statement(NamedTuple):
    """A statement of a memory, and the words to find it by."""

    words: frozenset[str]
    known: Known


def overflow(sessions: Sequence[Memory], keep: int, now: float = math.inf) -> list[Memory]:
    """Return the active sessions beyond the newest `keep`, oldest first.

    Age counts from the last change, so a session that goes on or is restored is new again. A
    session that is dated after `now` leaves first, so that a wrong date cannot push out others.
    """
    ordered = _in_order(sessions)
    ordered.sort(key=lambda memory: not is_ahead(seconds_of(memory.created), now))
    return ordered[: max(0, len(ordered) - max(keep, 0))]


def name_unique(
    sessions: Sequence[Memory], leaving: Sequence[Memory], others: Sequence[Memory]
) -> list[Leaving]:
    """Return the sessions that leave, each with what no other memory says.

    If two of them say the same, it counts as kept until the last of them leaves.
    """
    ordered, gone = _in_order(sessions), {memory.uid for memory in leaving}
    said = [statement for memory in others for statement in _statements(memory)]
    found: list[Leaving] = []
    for memory in reversed(ordered):
        if memory.uid in gone:
            found.append(Leaving(memory, tuple(_unique(memory, said))))
        said += _statements(memory)
    return found[::-1]


def _in_order(sessions: Sequence[Memory]) -> list[Memory]:
    def moment(memory: Memory) -> str:
        return max(memory.status_changed or memory.created or "", memory.updated or "")

    return sorted(sessions, key=lambda m: (moment(m), m.uid))


def _unique(memory: Memory, said: Sequence[_Statement]) -> Iterator[str]:
    for item in dict.fromkeys(_items(memory)):
        words = _words(item)
        speaks = any(map(str.isalnum, item))
        if speaks and not any(_says(statement, item, words) for statement in said):
            yield item


def _says(statement: _Statement, item: str, words: frozenset[str]) -> bool:
    if len(words & statement.words) < _COVERED * len(words):
        return False
    return judge(item, [statement.known]).verdict == DUPLICATE


def _items(memory: Memory) -> list[str]:
    """Return what a session did and left open; without content, the lines of its body."""
    if memory.content is None:
        return _lines(memory.body)
    lists = (memory.content.get(name) for name in _LISTS)
    return [str(item) for items in lists if isinstance(items, list | tuple) for item in items]


def _statements(memory: Memory) -> list[_Statement]:
    texts = (memory.summary, *_items(memory), *_lines(memory.text))
    return [
        _Statement(_words(text), Known(memory.uid, text)) for text in dict.fromkeys(texts) if text
    ]


def _lines(text: str) -> list[str]:
    """Split a text into sentences, without list and heading marks."""
    parts = (part.lstrip("#>*- \t").rstrip() for part in _SENTENCE_END.split(text))
    return [part for part in parts if part]


def _words(text: str) -> frozenset[str]:
    return frozenset(term[:_STEM] for term in query_terms(text))
