"""Splits a text into parts that can stand alone: sentences, and blocks that must not be cut.

In doubt, a part is larger. A line break does not end a sentence. A list, a table, a code block and
indented lines keep their lines, together with the line before them if it announces them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

_FENCE = pattern(r"[ \t]*(`{3,}|~{3,})")
_ITEM = pattern(r"[ \t]*(?:[-*+]|\(?(?:\d{1,3}|[A-Za-z])[.)])[ \t]+\S")
_RULE = pattern(r"[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*\Z")
_TABLE = pattern(r"[ \t]*\|")
_INDENTED = pattern(r"(?: {2}|\t)")
_HEADING = pattern(r"^(?:#{1,6} .*|[^\n]+\n(?:={3,}|-{3,})[ \t]*)$", re.MULTILINE)
_END = pattern(r"(?<=[.!?])(\s+)")
_LONGEST_END = 100  # characters that tell whether a sentence ends
# No sentence ends after these: a single letter or number, "e.g.", and a few more.
_ABBREVIATED = pattern(
    r"^\d+\.\Z"
    r"|(?:^|[\s(])(?:[^\W\d]|(?:\w\.)+\w|etc|vs|cf|ca|bzw|resp|approx|incl|usw|vgl|nr)\.\Z",
    re.IGNORECASE,
)


class Part(NamedTuple):
    """A part of a text; a block keeps its lines."""

    text: str
    is_block: bool = False


def parts_of(text: str) -> Iterator[Part]:
    """Return the visible parts of a text, in order."""
    text = text.replace("\r\n", "\n").strip("\n")
    if _HEADING.search(text):  # the text below a heading belongs to it
        yield Part(text, is_block=True)
        return
    for block in _blocks(text.split("\n")):
        whole = "\n".join(block).strip("\n")
        if any(_has_form(line) for line in block):
            yield Part(whole, is_block=True)
        else:
            yield from (Part(sentence) for sentence in _sentences(whole))


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Yield lines that belong together, separated by empty lines."""
    block: list[str] = []
    was_formed, fence = False, ""  # whether any line of the block has a layout
    for line in lines:
        if fence:
            block.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                yield block
                block, was_formed, fence = [], False, ""
            continue
        is_formed = _has_form(line)
        if not line.strip() or _RULE.match(line):
            # A list or an indented block may continue after an empty line.
            if was_formed:
                block.append(line)
            elif block:
                yield block
                block = []
            continue
        goes_on = is_formed or (was_formed and block[-1].strip() and not _TABLE.match(block[-1]))
        announced = is_formed and block and block[-1].rstrip().endswith(":")
        if block and was_formed != is_formed and not (was_formed and goes_on) and not announced:
            yield block
            block, was_formed = [], False
        elif announced and not was_formed and len(block) > 1:
            yield block[:-1]
            block = block[-1:]
        block.append(line)
        was_formed = was_formed or is_formed
        if found := _FENCE.match(line):
            fence = found.group(1)
    if block:
        yield block


def _has_form(line: str) -> bool:
    return bool(
        _ITEM.match(line) or _TABLE.match(line) or _FENCE.match(line) or _INDENTED.match(line)
    )


def _sentences(text: str) -> Iterator[str]:
    """Split a paragraph, which may span several lines, into sentences."""
    pieces = _END.split(text)
    sentence = pieces[0]
    for space, following in zip(pieces[1::2], pieces[2::2], strict=True):
        if following[:1].islower() or _ABBREVIATED.search(
            sentence, max(0, len(sentence) - _LONGEST_END)
        ):
            sentence += space + following
            continue
        if sentence.strip():
            yield sentence.strip()
        sentence = following
    if sentence.strip():
        yield sentence.strip()
