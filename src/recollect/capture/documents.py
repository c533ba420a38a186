"""Finds decisions in documents that an agent writes: decision records, and sections of a README."""

from __future__ import annotations

import re
from collections.abc import Iterator

from recollect.capture.error_lines import one_line
from recollect.capture.observations import classify, gives_reason, statements
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

_RECORD = pattern(r"(?:^|/)(?:adrs?|decisions|decision-records|rfcs?)/(?P<name>[^/]+)\.md\Z")
_README = pattern(r"(?:^|/)README(?:\.md|\.rst|\.txt)?\Z")
_HEADING = pattern(r"^(#{1,4})[ \t]+(\S[^\n]{0,200})$", re.MULTILINE)
_NUMBERED = pattern(r"^(?:ADR|RFC)?[-_ ]?\d{1,6}[-_.: ]+", re.IGNORECASE)
_DECIDED = pattern(r"\bdecision|\boutcome\b|\bresolution\b", re.IGNORECASE)
# Lines about the record itself.
_ABOUT = pattern(
    r"[\s*_>-]{0,9}(?:status|date|deciders?|authors?|tags|superseded|supersedes|context|number)\b"
    r"[*_ ]{0,9}:|---|<!--|\||```",
    re.IGNORECASE,
)
_MOST_TEXT = 40_000
_MOST_PARAGRAPH = 1_500
_FEWEST = 20  # characters of a paragraph that says something
# How sure it is that a document states a decision.
_SURE, _LIKELY = 0.8, 0.6


class WrittenDecision(NamedTuple):
    """A decision that a document states, and how sure that is."""

    title: str
    paragraph: str
    section: str
    confidence: float


def is_telling(path: str) -> bool:
    """Return whether a file may state decisions."""
    return path.endswith((".md", ".rst", ".txt", "README")) and bool(
        _RECORD.search(path) or _README.search(path)
    )


def decisions_in(path: str, written: str, before: str) -> list[WrittenDecision]:
    """Return what a document decides that it did not before."""
    written = written[:_MOST_TEXT]
    record = _RECORD.search(path)
    if record:
        found = _from_record(record["name"], written, before)
        return [found] if found else []
    return list(_from_readme(written, before)) if _README.search(path) else []


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield heading and text of each section."""
    marks = list(_HEADING.finditer(text))
    for number, mark in enumerate(marks):
        following = marks[number + 1 : number + 2]
        end = following[0].start() if following else len(text)
        yield mark[2].rstrip(" #"), text[mark.end() : end]


def _paragraph(text: str) -> str:
    """Return the first paragraph that is not about the document itself."""
    for part in text.split("\n\n"):
        lines = [line.strip() for line in part.strip().splitlines()]
        said = one_line(" ".join(line for line in lines if line and not _ABOUT.match(line)))
        if len(said) >= _FEWEST:
            return said[:_MOST_PARAGRAPH]
    return ""


def _from_record(name: str, written: str, before: str) -> WrittenDecision | None:
    sections = list(_sections(written))
    is_new = not before.strip()
    title = sections[0][0] if is_new and sections else ""
    if is_new and not title:
        title = name.replace("-", " ").replace("_", " ")
    fresh = [(head, text) for head, text in sections if head not in before or not before]
    chosen = next(
        ((head, text) for head, text in fresh if _DECIDED.search(head) and _paragraph(text)),
        next(((head, text) for head, text in fresh if _paragraph(text)), ("", "")),
    )
    paragraph = _paragraph(chosen[1]) or (_paragraph(written) if is_new else "")
    if not title and not (chosen[0] and _DECIDED.search(chosen[0])):
        return None  # an edit that states no decision
    title = _NUMBERED.sub("", one_line(title)) or next(statements(paragraph), "")
    if len(title) < 8 or not paragraph or name.lower() in ("readme", "index", "template"):
        return None
    return WrittenDecision(title[:1].upper() + title[1:], paragraph, chosen[0], _SURE)


def _from_readme(written: str, before: str) -> Iterator[WrittenDecision]:
    """Yield new sections that say why, or what was chosen; other sections describe."""
    for head, text in _sections(written):
        paragraph = "" if head in before else _paragraph(text)
        why = next((said for said in statements(paragraph) if gives_reason(said)), "")
        if why and classify(why) == "decision":
            yield WrittenDecision(why, paragraph, head, _LIKELY)
            return
