"""Finds `[remember]` markers, which explicitly ask to keep something.

    [remember] The staging database is reset every night.
    [remember:decisions] Use PostgreSQL for persistence
    because two workers write at once.

A marker counts only at the start of a line or of a list item: `list[remember]` is code. A marker in
a quotation, in code or in pasted text is somebody else's, and only becomes a suggestion. Its text
ends at a blank line, the next marker or `[/remember]`, and in a list at the next item; with
`[/remember]`, it may contain blank lines. Without a kind, the text decides. If the kind does not
exist, the memory becomes a note, with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.core.kinds import find_kind
from recollect.core.marks import MARKED, MARKER
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.capture.pasted import Origin

_ITEM = r"(?:[-*+•]|\d{1,3}[.)])[ \t]{1,4}"
_MARKER = pattern(
    rf"^[ \t]*(?P<item>{_ITEM})?\[remember(?:[: ][ \t]{{0,9}}(?P<kind>[^\]\n]{{0,40}}))?\]:?",
    re.IGNORECASE,
)
_NEXT_ITEM = pattern(rf"^[ \t]*{_ITEM}")
_END = pattern(r"\[/remember\]", re.IGNORECASE)
# What comes before a marker in a quotation, a list or a diff.
_LEADING = pattern(r"^[ \t>+\-*#|]{1,40}", re.IGNORECASE)
_FENCE = pattern(r"^[ \t]{0,3}(?:```|~~~)")
DEFAULT_KIND = "notes"


class Marked(NamedTuple):
    """Something that a marker asks to keep."""

    kind: str  # empty if the marker names none
    content: str
    # The requested kind, if it does not exist.
    unknown_kind: str = ""
    # Whether the writer of the text said it, instead of quoting or pasting it.
    is_own: bool = True
    # How it was asked for: by a marker, or in plain words, and then the rule that found it.
    via: str = MARKED
    rule: str = ""
    # The kind, if the text itself tells none.
    usual_kind: str = ""


def find_marked(text: str) -> list[Marked]:
    """Return everything that the writer of a text asks to keep, in order."""
    return [marked for marked in find_all_marked(text) if marked.is_own]


def find_all_marked(text: str) -> list[Marked]:
    """Return everything that a text asks to keep, in order, including quoted and pasted markers."""
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
    """Yield the position and kind of each marker, and the lines that belong to it."""
    bare = [_bare(line) if origin.foreign[at] else line for at, line in enumerate(lines)]
    after = 0
    for at, line in enumerate(bare):
        marker = _MARKER.match(line) if at >= after else None
        if marker is None:
            continue
        closed = _closing(bare, at, origin)
        after = _paragraph_end(bare, at + 1, origin) if closed is None else closed + 1
        if marker["item"] and closed is None:
            items = (n for n in range(at + 1, after) if _NEXT_ITEM.match(bare[n]))
            after = next(items, after)
        whole = bare if origin.foreign[at] else lines
        block = [line[marker.end() :], *whole[at + 1 : after]]
        yield at, marker["kind"] or "", [_END.split(part)[0] for part in block]


def _bare(line: str) -> str:
    """Return a quoted line without its quotation marks."""
    return "" if _FENCE.match(line) else _LEADING.sub("", line)


def _closing(lines: list[str], start: int, origin: Origin) -> int | None:
    """Return the line that closes the block explicitly, before any other marker, by one writer."""
    mine = not origin.foreign[start]
    paragraph = True
    for at in range(start, len(lines)):
        if at > start and _MARKER.match(lines[at]) and (mine or origin.foreign[at]):
            return None
        if mine and at == origin.begins and not paragraph:
            return None  # pasted text after it may contain anything
        paragraph = paragraph and bool(lines[at].strip())
        if _END.search(lines[at]):
            unclosed = at >= origin.begins > start
            return at if origin.foreign[at] != mine or unclosed else None
    return None


def _paragraph_end(lines: list[str], start: int, origin: Origin) -> int:
    theirs = origin.foreign[start - 1]
    for at in range(start, len(lines)):
        is_over = not lines[at].strip() or _MARKER.match(lines[at])
        # A list of commands after the marker belongs to it; a fence, a tag or a quotation does not.
        if is_over or (origin.foreign[at] != theirs and at < origin.begins):
            return at
    return len(lines)


def _marked(asked: str, content: str) -> Marked:
    kind = find_kind(asked) if asked.strip() else None
    unknown = asked.strip() if asked.strip() and kind is None else ""
    name = kind.name if kind else DEFAULT_KIND if unknown else ""
    return Marked(name, content, unknown)
