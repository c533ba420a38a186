"""The pages of the documentation, read as data."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


DOCS = ROOT / "docs"


_FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```[ \t]*$", re.MULTILINE | re.DOTALL)


_HEADING = re.compile(r"^(#{1,6}) (.+)$", re.MULTILINE)


_CODE = re.compile(r"`([^`]+)`")


def page(name: str) -> str:
    """The text of a page."""
    return (DOCS / name).read_text("utf-8")


def fences(text: str, language: str) -> list[str]:
    """The contents of the fenced blocks of a language."""
    return [found.group(2) for found in _FENCE.finditer(text) if found.group(1) == language]


def sections(text: str) -> dict[str, str]:
    """What stands below each heading, up to the next one of any level."""
    text = _FENCE.sub("", text)
    headings = list(_HEADING.finditer(text))
    ends = [heading.start() for heading in headings[1:]] + [len(text)]
    return {
        heading.group(2).strip(): text[heading.end() : end]
        for heading, end in zip(headings, ends, strict=True)
    }


def rows(text: str) -> Iterator[list[str]]:
    """The cells of every row of every table, without the rows of dashes and the headings."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        below = lines[number + 1] if number + 1 < len(lines) else ""
        if line.startswith("|") and not _is_rule(line) and not _is_rule(below):
            yield [cell.strip() for cell in line.strip("|").split(" |")]


def _is_rule(line: str) -> bool:
    return re.fullmatch(r"\|(?:-+\|)+", line) is not None


def code(text: str) -> set[str]:
    """What a text marks as code, fenced blocks aside."""
    return set(_CODE.findall(_FENCE.sub("", text)))
