"""Sections, list items and plain sentences of documents, in Markdown, reStructuredText and text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

MOST_LINES: Final = 60_000
_ATX = pattern(r"(#{1,6})[ \t]+(\S[^\n]{0,200}?)[ \t#]*\Z")
_UNDERLINE = pattern(r"([=\-~^\"'`+*#.:_])\1{2,}[ \t]*\Z")
_FENCE = pattern(r"[ \t]{0,8}(?:```|~~~)")
_ITEM = pattern(r"([ \t]{0,12})(?:[-*+•]|\d{1,3}[.)])[ \t]+(?=\S)")
_ROLE = pattern(r":[A-Za-z][\w:+-]{0,30}:`~?([^`<>\n]{1,200}?)(?:\s*<[^`<>\n]{0,200}>)?`")
_LINK = pattern(r"!?\[([^\[\]\n]{1,200})\](?:\([^()\n]{0,400}\)|\[[^\[\]\n]{0,80}\])")
_RST_LINK = pattern(r"`([^`<>\n]{1,200}?)\s*<[^`<>\n]{1,400}>`__?")
_RST_REF = pattern(r"`([^`\n]{1,120})`__?(?!\w)")
_LITERAL = pattern(r"``([^`\n]{1,200})``")
_STRONG = pattern(r"\*\*([^*\n]{1,200})\*\*|__([^_\n]{1,200})__")
# Tags, comments and anchors. "<name>" in code, or of a name that is no tag, is a placeholder.
_TAG = pattern(
    r"(?P<code>`[^`\n]{1,200}`)"
    r"|<(?:a|abbr|b|blockquote|br|center|code|dd|del|details|div|dl|dt|em|figcaption|figure|font"
    r"|h[1-6]|hr|i|iframe|img|ins|kbd|li|ol|p|picture|pre|q|s|samp|small|span|strike|strong|sub"
    r"|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|u|ul|var|video"
    r"|[a-z][\w.-]{0,30}[ ][\w:@.-]{1,30}=[^<>\n]{0,200})(?:[ ][^<>\n]{0,200})?/?>"
    r"|</[a-z][\w.-]{0,30}>|<[a-z][\w.-]{0,30}[ ]?/>|<!--[^\n]{0,400}?-->|\{#[\w-]{1,60}\}",
    re.IGNORECASE,
)
_FENCED = pattern(r"^([ \t]{0,8}```[^`]*```)[ \t]*$", re.MULTILINE)
_INDENTED = pattern(r"\n*(?:[ ]{2,}|\t)\S")
_MOST_CODE = 600  # characters
_SPACES = pattern(r"\s+")
_NUMBER = pattern(r"(?:\d{1,3}\.){1,4}\d{0,3}\)?[ \t]+|\d{1,3}\)[ \t]+|§[ \t]?")
_DIRECTIVE = pattern(r"[ \t]*\.\. (?:[\w:-]{1,40}::|_[^\n:]{1,80}:)")
_LINK_TARGET = pattern(r"\[[^\[\]\n]{1,100}\]: \S")
# What a changelog in reStructuredText files an entry under, and a line that is only a reference.
_FIELD = pattern(r"[ \t]*:(?:tags|tickets?|versions?|pullreq|issues?|pr|orphan):(?:[ \t][^\n]*)?\Z")
_LONE_ROLE = pattern(r"[ \t]*(?::[A-Za-z][\w:+-]{0,30}:`[^`\n]{1,200}`[ ,.]*){1,4}\Z")
_STANDARD_ROLE = pattern(r":(pep|rfc|cve):`~?(\d[\d-]{0,12})`")
_TICKET_ROLE = pattern(r":(?:ticket|issue|pr|pull|gh|bug|bpo):`#?(\d{1,7})`")


# "CHANGES WITH 262:" and, indented below it, "Feature removals:", in plain text.
_LABEL = pattern(r"([ \t]{0,12})([A-Z][^\n:*]{2,70}):[ \t]*\Z")
_RELEASE = pattern(r"(?:changes|version|release|new|what)[^\n\d]{0,30}\d", re.IGNORECASE)


# "VIM IS... MAINTAINABLE   *design-maintain*", alone on its line, in plain text.
_CAPITALS = pattern(
    r"([A-Z][A-Z0-9.,'&/-]{0,20}(?: [A-Z0-9&(][A-Z0-9.,'&/()-]{0,20}){1,8})"
    r"(?:[ \t]{1,60}\*[\w.-]{1,40}\*)?[ \t]{0,60}\Z"
)
_DEEPEST = 7


_SAYING = 4  # words of a line that may say something without a full stop
_PLAIN = "label"  # in place of an underline


class Section(NamedTuple):
    """A section: the headings above it, its own heading last, and its text below them."""

    headings: tuple[str, ...]
    text: str

    @property
    def heading(self) -> str:
        """Its own heading; empty before the first one."""
        return self.headings[-1] if self.headings else ""


def sections(text: str) -> Iterator[Section]:
    """Yield the sections of a document, in order."""
    lines = text.split("\n")[:MOST_LINES]
    path: list[tuple[int, str]] = []
    styles: list[str] = []  # underlines, in the order of their levels
    body: list[str] = []
    in_code = False
    number = 0
    while number < len(lines):
        line = lines[number]
        if _FENCE.match(line):
            in_code = not in_code
        level, title, taken = (0, "", 1) if in_code else _heading(lines, number, styles)
        if level:
            yield Section(tuple(name for _, name in path), "\n".join(body).strip("\n"))
            body = []
            while path and path[-1][0] >= level:
                path.pop()
            path.append((level, title))
        else:
            body.append(line)
        number += taken
    yield Section(tuple(name for _, name in path), "\n".join(body).strip("\n"))


def _heading(lines: list[str], number: int, styles: list[str]) -> tuple[int, str, int]:
    """Return level, title and lines of the heading at a line; level 0 if there is none."""
    line = lines[number]
    atx = _ATX.match(line)
    if atx:
        return len(atx[1]), plain(atx[2]), 1
    capitals = _CAPITALS.match(line)
    if capitals and _is_alone(lines, number):
        return _DEEPEST, capitals[1].capitalize(), 1
    label = _LABEL.match(line)
    if label and _is_alone(lines, number) and (label[1] == "" or _PLAIN in styles):
        is_release = not label[1] and _RELEASE.match(label[2]) is not None
        if is_release and _PLAIN not in styles:
            styles.append(_PLAIN)
        if is_release or (label[1] and _PLAIN in styles):
            return (1 if is_release else 2), plain(label[2]), 1
    title, below = line.strip(), lines[number + 1] if number + 1 < len(lines) else ""
    under = _UNDERLINE.match(below)
    if under and title and len(line) <= 120 and not line[:1].isspace() and not _ITEM.match(line):
        is_long = len(below.strip()) >= min(len(title), 6)
        before = lines[number - 1].strip() if number else ""
        if is_long and not _UNDERLINE.match(title) and (not before or _UNDERLINE.match(before)):
            # With a line above it, too, it is another style: that of the whole document.
            style = f"{under[1]}{under[1]}" if _UNDERLINE.match(before) else under[1]
            if style not in styles:
                styles.append(style)
            return styles.index(style) + 1, plain(title), 2
    return 0, "", 1


def _is_alone(lines: list[str], number: int) -> bool:
    before = lines[number - 1].strip() if number else ""
    after = lines[number + 1].strip() if number + 1 < len(lines) else ""
    return not before and not after


def items(text: str) -> list[str]:
    """Return the outer list items of a text, each with what is nested in it."""
    found: list[list[str]] = []
    margin, in_code = -1, False
    blank = False
    for line in text.split("\n"):
        if _FENCE.match(line):
            in_code = not in_code
        item = None if in_code else _ITEM.match(line)
        if item and (margin < 0 or len(item[1].expandtabs()) <= margin):
            margin = len(item[1].expandtabs())
            found.append([line[item.end() :]])
        elif found and margin >= 0:
            indent = len(line.expandtabs()) - len(line.expandtabs().lstrip())
            inside = indent > margin or (line.strip() and not blank)
            if line.strip() and not inside:
                margin = -1
            else:
                found[-1].append(line.strip("\t") if in_code else line)
        blank = not line.strip()
    return ["\n".join(lines).strip() for lines in found]


def without_items(text: str) -> str:
    """Return the paragraphs of a text that are no lists, with or without a label above them."""
    blocks = text.split("\n\n")
    return "\n\n".join(
        block
        for block in blocks
        if not _ITEM.match(block) and not block[:1].isspace() and not _is_labelled(block)
    )


def _is_labelled(block: str) -> bool:
    """Whether a paragraph is a list with a label above it, as in "**Bug fixes:**"."""
    label, _, below = block.strip("\n").partition("\n")
    if not _ITEM.match(below):
        return False
    said = plain(label).strip("* ")
    return said.endswith(":") or (len(said.split()) < _SAYING and not said.endswith("."))


def above_items(entry: str) -> str:
    """Return the lines of an entry above the list that is nested in it."""
    lines = entry.split("\n")
    first = next((n for n, line in enumerate(lines) if n and _ITEM.match(line)), len(lines))
    return "\n".join(lines[:first])


def first_paragraph(text: str) -> str:
    """Return the first paragraph that is prose, on one line."""
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line.strip()]
        if not lines or _FENCE.match(lines[0]) or lines[0].startswith(("    ", "\t", "|", "<!--")):
            continue
        if _ITEM.match(lines[0]) or _is_for_machines(lines[0]) or _is_labelled("\n".join(lines)):
            continue
        said = plain(" ".join(line.strip().lstrip("> ") for line in lines))
        if len(said) >= 12:
            return said
    return ""


def plain(text: str) -> str:
    """Return a line without markup; inline code keeps its marks."""
    text = without_roles(text)
    text = _RST_LINK.sub(r"\1", text)
    text = _TAG.sub(lambda m: m["code"] or "", text)
    text = _LITERAL.sub(r"`\1`", text)
    text = _LINK.sub(r"\1", text)
    text = _STRONG.sub(lambda m: m[1] or m[2], text)
    text = _RST_REF.sub(r"`\1`", text)
    return _SPACES.sub(" ", text).strip()


def without_roles(text: str) -> str:
    """Return a text in which roles and literals of reStructuredText are code as in Markdown."""
    if "`" not in text:
        return text
    text = _TICKET_ROLE.sub(r"#\1", text)
    text = _STANDARD_ROLE.sub(lambda m: f"{m[1].upper()} {m[2]}", text)
    text = _ROLE.sub(lambda m: f"`{m[1].removeprefix('.')}`", text)
    return _LITERAL.sub(r"`\1`", text)


def plain_paragraphs(text: str) -> str:
    """Return the paragraphs of a text without markup; short code stays as it is."""
    paragraphs: list[str] = []
    is_announced = False  # by "::", as code is in reStructuredText
    for number, part in enumerate(_FENCED.split(text)):
        if number % 2:
            if len(part) <= _MOST_CODE:
                paragraphs.append(part.strip("\n"))
            continue
        for block in part.split("\n\n"):
            if is_announced and _INDENTED.match(block):
                if len(block) <= _MOST_CODE:
                    paragraphs.append(block.strip("\n"))
                continue
            said = _lined(_prose(block))
            is_announced = said.endswith("::")
            paragraphs.append(f"{said[:-2].rstrip(' :')}:" if is_announced else said)
    return "\n\n".join(filter(None, paragraphs))


def _lined(block: str) -> str:
    """Return a block without markup on one line, but each item of a list on a line of its own."""
    lines: list[list[str]] = [[]]
    for line in block.split("\n"):
        item = _ITEM.match(line)
        if item:
            lines.append([f"{item[0].strip()} {line[item.end() :]}"])
        else:
            lines[-1].append(line)
    return "\n".join(filter(None, (plain(" ".join(parts)) for parts in lines)))


def _prose(block: str) -> str:
    """Return a block without directives, labels and link targets, which are for machines."""
    lines = block.split("\n")
    if all(_LONE_ROLE.match(line) for line in lines if line.strip()):
        return ""
    return "\n".join(line for line in lines if not (_is_for_machines(line) or _FIELD.match(line)))


def _is_for_machines(line: str) -> bool:
    """Return whether a line is a directive, a label or the target of a link."""
    return bool(_DIRECTIVE.match(line) or _LINK_TARGET.match(line))


def unnumbered(heading: str) -> str:
    """Return a heading without its number."""
    number = _NUMBER.match(heading)
    return heading[number.end() :].strip() if number else heading.strip()
