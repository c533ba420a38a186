"""Decision records (ADRs) in the forms of Nygard and MADR: the decision as a sentence."""

from __future__ import annotations

import re

from recollect.core.named_tuple import NamedTuple
from recollect.core.note import shorten_line
from recollect.core.patterns import pattern
from recollect.importing.sections import Section, first_paragraph, plain, sections
from recollect.importing.titles import fitted, is_statement, one_line, statement_in
from recollect.importing.verbs import BASES, first_verb

_NUMBERED = pattern(r"(?:(?:ADR|RFC|DR)[-_ ]?)?#?\d{1,6}[-_.:) ]+", re.IGNORECASE)
_DECIDED = pattern(
    r"(?:the )?(?:decision|outcome|resolution|decision outcome|we decided)\b", re.IGNORECASE
)
_CONTEXT = pattern(r"(?:context|problem|background|motivation)\b", re.IGNORECASE)
_STATUS = pattern(
    r"^[ \t>*_-]{0,6}status[ \t*_]{0,4}:[ \t*_]{0,4}([^\n]{1,120})$", re.IGNORECASE | re.MULTILINE
)
_CHOSEN = pattern(
    r"chosen option:? *[\"“'`*]{0,3}([^\n\"”]{2,160}?)[\"”'`*]{0,3}(?:, because|,? since|\.|,|\n"
    r"|\Z)",
    re.IGNORECASE,
)
_OPEN = pattern(r"[^\n]{0,40}\b(?:proposed|draft|rejected|wip|under discussion)\b", re.IGNORECASE)
_OVER = pattern(r"[^\n]{0,40}\b(?:superseded|deprecated|obsolete)\b", re.IGNORECASE)
_MATTER = pattern(r"\A---\n(?:[^\n]*\n){0,60}?---\n")
_MOST = 2_000


class Decision(NamedTuple):
    """A decision that a record states; `is_settled` unless it is proposed, rejected or"
    " superseded.
    """

    title: str
    body: str
    is_settled: bool


def decision_in(path: str, text: str) -> Decision | None:
    """Return the decision of a record; None if it states none."""
    matter = _MATTER.match(text)
    found = list(sections(text[matter.end() :] if matter else text))
    title = next((s.headings[0] for s in found if s.headings), "")
    title = _NUMBERED.sub("", plain(title), count=1).strip(" .")
    if not title:
        name = path.rpartition("/")[2].rpartition(".")[0]
        title = _NUMBERED.sub("", name, count=1).replace("-", " ").replace("_", " ").strip()
    decided = _first(found, _DECIDED)
    paragraph = first_paragraph(decided.text) if decided else ""
    status = _status(found, text)
    said = _sentence(title, paragraph, decided.text if decided else "")
    if not said or (not paragraph and len(found) < 3):
        return None
    context = _first(found, _CONTEXT)
    parts = [
        f"{title}." if title not in said else "",
        f"Status: {status}" if status else "",
        _whole(decided),
        f"Context: {_whole(context)}" if context else "",
    ]
    if _OVER.match(status):
        said = fitted(f"Superseded: {said}", "") or said
    is_settled = not _OPEN.match(status) and not _OVER.match(status)
    return Decision(said, "\n\n".join(filter(None, parts))[: _MOST * 2], is_settled)


def _first(found: list[Section], heading: re.Pattern[str]) -> Section | None:
    return next((s for s in found if heading.match(s.heading) and s.text.strip()), None)


def _whole(section: Section | None) -> str:
    if section is None:
        return ""
    blocks = (one_line(plain(block)) for block in section.text.split("\n\n"))
    return "\n\n".join(filter(None, blocks))[:_MOST]


def _status(found: list[Section], text: str) -> str:
    for section in found:
        if section.heading.lower() == "status" and section.text.strip():
            return one_line(plain(section.text.strip().split("\n")[0]))[:80]
    said = _STATUS.search(text[:4000])
    return one_line(plain(said[1]))[:80] if said else ""


def _sentence(title: str, paragraph: str, decided: str) -> str:
    """Return the decision as a sentence, from the title or from the text."""
    chosen = _CHOSEN.search(plain(decided[:2000]))
    if first_verb(title) and len(title.split()) > 2:
        first, _, rest = title.partition(" ")
        base = BASES.get(first.lower())
        if base:
            return fitted(f"We decided to {base} {rest}", "")
    if is_statement(title):
        return fitted(title, "")
    if chosen:
        said = fitted(f"For {_topic(title)}, we chose {chosen[1].strip()}", "")
        if said:
            return said
    said = statement_in(paragraph)
    if paragraph.lower().startswith("we "):
        said = fitted(paragraph.partition(". ")[0], "") or said
    if said and len(title) + len(said) + 2 <= 100:
        return f"{title}: {said}"
    if said or not title:
        return said
    return shorten_line(f"{title}: {paragraph}") if paragraph else ""


def _topic(title: str) -> str:
    first = title.split()[0] if title.split() else ""
    is_word = first[:1].isupper() and first[1:].islower() and len(first) > 1
    return title[:1].lower() + title[1:] if is_word else title
