"""A text in parts that can stand alone: sentences, and whatever has a form, which is not cut.

In doubt a part is larger. A line may end within a sentence; a list, a table, a block of code and
lines that are indented keep their lines, with the line before them if it announces them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from recollect.core.patterns import pattern

_FENCE = pattern(r"[ \t]*(`{3,}|~{3,})")
_ITEM = pattern(r"[ \t]*(?:[-*+]|\(?(?:\d{1,3}|[A-Za-z])[.)])[ \t]+\S")
_RULE = pattern(r"[ \t]*(?:-{3,}|\*{3,}|_{3,})[ \t]*\Z")
_TABLE = pattern(r"[ \t]*\|")
_INDENTED = pattern(r"(?: {2}|\t)")
_HEADING = pattern(r"^(?:#{1,6} .*|[^\n]+\n(?:={3,}|-{3,})[ \t]*)$", re.MULTILINE)
_END = pattern(r"(?<=[.!?])(\s+)")
_LONGEST_END = 100  # characters of a sentence that tell whether it ends
# After these a full stop ends no sentence: a letter or number alone, "e.g.", and a few more.
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
    """The parts of a text in their order; each that shows anything."""
    text = text.replace("\r\n", "\n").strip("\n")
    if _HEADING.search(text):  # what is below a heading belongs to it
        yield Part(text, is_block=True)
        return
    for block in _blocks(text.split("\n")):
        whole = "\n".join(block).strip("\n")
        if any(_has_form(line) for line in block):
            yield Part(whole, is_block=True)
        else:
            yield from (Part(sentence) for sentence in _sentences(whole))


def _blocks(lines: list[str]) -> Iterator[list[str]]:
    """Lines that belong together; empty ones are between them."""
    block: list[str] = []
    was_formed, fence = False, ""  # whether any line of the block has a form
    for line in lines:
        if fence:
            block.append(line)
            if line.strip().startswith(fence) and not line.strip().strip(fence[0]):
                yield block
                block, was_formed, fence = [], False, ""
            continue
        is_formed = _has_form(line)
        if not line.strip() or _RULE.match(line):
            # A list or an indented block may go on after an empty line.
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
    """Sentences of a paragraph, which may go over several lines."""
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
