"""The rolling window of sessions: the newest few stay, and what only an old one says is named.

A session that leaves is retired, not erased, so nothing here stops it. But a step that was never
taken should not go quietly: before the oldest leaves, its items are compared with what the
sessions after it and all other memories say.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from recollect.capture.novelty import DUPLICATE, Known, judge
from recollect.core.age import seconds_of
from recollect.core.crowding import is_ahead
from recollect.core.memory import Memory
from recollect.core.names import short
from recollect.core.note import shorten_line
from recollect.core.patterns import pattern
from recollect.index.text import query_terms

_LISTS = ("completed", "blockers", "next_actions")
_MOST_NAMED = 5
# Another text says an item only if it has nearly all of its words; a part of them is not enough.
_COVERED = 0.8
_SENTENCE_END = pattern(r"(?<=[.!?])\s+|\n+")
_STEM = 4  # letters that words of one stem share


class Leaving(NamedTuple):
    """A session that leaves the window, and what nothing else says."""

    memory: Memory
    unique: tuple[str, ...]

    def warning(self) -> str:
        """What would be lost from sight and how to keep it; empty where there is nothing."""
        if not self.unique:
            return ""
        name = self.memory.slugs[0] if self.memory.slugs else short(self.memory.id)
        items = "; ".join(f'"{shorten_line(item)}"' for item in self.unique[:_MOST_NAMED])
        more = len(self.unique) - _MOST_NAMED
        return (
            f"The session {name} leaves the window and no other memory says this: {items}"
            + (f" and {more} more" if more > 0 else "")
            + '. Keep what still matters with `recollect capture KIND "…"`; `recollect show'
            f" {name}` has all of it."
        )


class _Statement(NamedTuple):
    """Something that a memory says, and the words to find it by."""

    words: frozenset[str]
    known: Known


def overflow(sessions: Sequence[Memory], keep: int, now: float = math.inf) -> list[Memory]:
    """The active sessions beyond the newest `keep`, the oldest first.

    Their time runs from the last change of status: one that was restored is new again. What is
    dated after `now` is no reason for others to leave, so it leaves first.
    """
    ordered = _in_order(sessions)
    ordered.sort(key=lambda memory: not is_ahead(seconds_of(memory.created), now))
    return ordered[: max(0, len(ordered) - max(keep, 0))]


def name_unique(
    sessions: Sequence[Memory], leaving: Sequence[Memory], others: Sequence[Memory]
) -> list[Leaving]:
    """The sessions that leave, each with what nothing else says.

    What two of them say counts as said as long as one is left, as if they left one by one.
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
    return sorted(sessions, key=lambda m: (m.status_changed or m.created or "", m.uid))


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
    """What a session did and left open; without content, the lines of its body."""
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
    """The sentences of a text, without the marks of lists and headings."""
    parts = (part.lstrip("#>*- \t").rstrip() for part in _SENTENCE_END.split(text))
    return [part for part in parts if part]


def _words(text: str) -> frozenset[str]:
    return frozenset(term[:_STEM] for term in query_terms(text))
