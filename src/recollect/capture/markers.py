"""`[remember]`: what somebody explicitly asks to keep.

    [remember] The staging database is reset every night.
    [remember:decisions] Use PostgreSQL for persistence
    because two workers write at once.

A marker counts at the start of a line only, and not in a code block: `list[remember]` is code. What
belongs to it ends with a blank line, the next marker or `[/remember]`; with the latter it may hold
blank lines. Without a kind the text decides; one that does not exist is kept as a note, with a
warning.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from recollect.core.kinds import find_kind
from recollect.core.marks import MARKER
from recollect.core.patterns import pattern

_MARKER = pattern(r"^[ \t]*\[remember(?:[: ][ \t]{0,9}(?P<kind>[^\]\n]{0,40}))?\]:?", re.IGNORECASE)
_END = pattern(r"\[/remember\]", re.IGNORECASE)
_FENCE = pattern(r"^[ \t]{0,3}(```+|~~~+)")
DEFAULT_KIND = "notes"


class Marked(NamedTuple):
    """Something that somebody asked to keep."""

    kind: str  # empty where none was asked for
    content: str
    # The kind that was asked for and does not exist.
    unknown_kind: str = ""


def find_marked(text: str) -> list[Marked]:
    """Everything that a text asks to keep, in order."""
    if MARKER not in text.lower():
        return []
    found: list[Marked] = []
    for kind, lines in _blocks(text.splitlines()):
        content = "\n".join(lines).strip()
        if content:
            found.append(_marked(kind, content))
    return found


def _blocks(lines: list[str]) -> list[tuple[str, list[str]]]:
    blocks: list[tuple[str, list[str]]] = []
    fence, at = "", 0
    while at < len(lines):
        line = lines[at]
        opened = _FENCE.match(line)
        marker = None if fence else _MARKER.match(line)
        at += 1
        if opened:
            fence = "" if fence and opened[1].startswith(fence) else fence or opened[1]
        elif marker:
            block = [line[marker.end() :]]
            closed = _closing(lines, at - 1)
            end = closed if closed is not None else _paragraph_end(lines, at)
            block += lines[at : end + 1 if closed is not None and closed >= at else end]
            at = max(at, end if closed is None else end + 1)
            blocks.append((marker["kind"] or "", [_END.split(part)[0] for part in block]))
    return blocks


def _closing(lines: list[str], start: int) -> int | None:
    """The line that closes the block explicitly, before any other marker."""
    for at in range(start, len(lines)):
        if at > start and _MARKER.match(lines[at]):
            return None
        if _END.search(lines[at]):
            return at
    return None


def _paragraph_end(lines: list[str], start: int) -> int:
    for at in range(start, len(lines)):
        if not lines[at].strip() or _MARKER.match(lines[at]) or _FENCE.match(lines[at]):
            return at
    return len(lines)


def _marked(asked: str, content: str) -> Marked:
    kind = find_kind(asked) if asked.strip() else None
    unknown = asked.strip() if asked.strip() and kind is None else ""
    name = kind.name if kind else DEFAULT_KIND if unknown else ""
    return Marked(name, content, unknown)
