"""`[remember]`: what somebody explicitly asks to keep.

    [remember] The staging database is reset every night.
    [remember:decisions] Use PostgreSQL for persistence
    because two workers write at once.

A marker counts at the start of a line only: `list[remember]` is code. One that stands in a
quotation, in code or in a pasted text is somebody else's, and only a suggestion. What
belongs to it ends with a blank line, the next marker or `[/remember]`; with the latter it may hold
blank lines. Without a kind the text decides; one that does not exist is kept as a note, with a
warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from recollect.core.kinds import find_kind
from recollect.core.marks import MARKER
from recollect.core.patterns import pattern

if TYPE_CHECKING:
    from recollect.capture.pasted import Origin

_MARKER = pattern(r"^[ \t]*\[remember(?:[: ][ \t]{0,9}(?P<kind>[^\]\n]{0,40}))?\]:?", re.IGNORECASE)
_END = pattern(r"\[/remember\]", re.IGNORECASE)
# What stands before a marker in a quotation, a list or a diff.
_LEADING = pattern(r"^[ \t>+\-*#|]{1,40}", re.IGNORECASE)
_FENCE = pattern(r"^[ \t]{0,3}(?:```|~~~)")
DEFAULT_KIND = "notes"


class Marked(NamedTuple):
    """Something that somebody asked to keep."""

    kind: str  # empty where none was asked for
    content: str
    # The kind that was asked for and does not exist.
    unknown_kind: str = ""
    # Whether whoever wrote the text said it, and did not only quote or paste it.
    is_own: bool = True


def find_marked(text: str) -> list[Marked]:
    """Everything that whoever wrote a text asks to keep, in order."""
    return [marked for marked in find_all_marked(text) if marked.is_own]


def find_all_marked(text: str) -> list[Marked]:
    """Everything that a text asks to keep, in order; also what somebody else wrote into it."""
    if MARKER not in text.lower():
        return []
    from recollect.capture.pasted import origin_of

    lines = text.splitlines()
    origin = origin_of(lines)
    found: list[Marked] = []
    for at, kind, block in _blocks(lines, origin):
        content = "\n".join(block).strip()
        if content:
            found.append(_marked(kind, content)._replace(is_own=not origin.foreign[at]))
    return found


def _blocks(lines: list[str], origin: Origin) -> Iterator[tuple[int, str, list[str]]]:
    """Where each marker stands, its kind, and the lines that belong to it."""
    bare = [_bare(line) if origin.foreign[at] else line for at, line in enumerate(lines)]
    after = 0
    for at, line in enumerate(bare):
        marker = _MARKER.match(line) if at >= after else None
        if marker is None:
            continue
        closed = _closing(bare, at, origin)
        after = _paragraph_end(bare, at + 1, origin) if closed is None else closed + 1
        whole = bare if origin.foreign[at] else lines
        block = [line[marker.end() :], *whole[at + 1 : after]]
        yield at, marker["kind"] or "", [_END.split(part)[0] for part in block]


def _bare(line: str) -> str:
    """A line of somebody else without what shows that it is."""
    return "" if _FENCE.match(line) else _LEADING.sub("", line)


def _closing(lines: list[str], start: int, origin: Origin) -> int | None:
    """The line that closes the block explicitly, before any other marker, in the same hand."""
    mine = not origin.foreign[start]
    paragraph = True
    for at in range(start, len(lines)):
        if at > start and _MARKER.match(lines[at]) and (mine or origin.foreign[at]):
            return None
        if mine and at == origin.begins and not paragraph:
            return None  # what was pasted behind it may hold anything
        paragraph = paragraph and bool(lines[at].strip())
        if _END.search(lines[at]):
            unclosed = at >= origin.begins > start
            return at if origin.foreign[at] != mine or unclosed else None
    return None


def _paragraph_end(lines: list[str], start: int, origin: Origin) -> int:
    theirs = origin.foreign[start - 1]
    for at in range(start, len(lines)):
        is_over = not lines[at].strip() or _MARKER.match(lines[at])
        # A list of commands behind it is its own; a fence, a tag or a quotation is not.
        if is_over or (origin.foreign[at] != theirs and at < origin.begins):
            return at
    return len(lines)


def _marked(asked: str, content: str) -> Marked:
    kind = find_kind(asked) if asked.strip() else None
    unknown = asked.strip() if asked.strip() and kind is None else ""
    name = kind.name if kind else DEFAULT_KIND if unknown else ""
    return Marked(name, content, unknown)
