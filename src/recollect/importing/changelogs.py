"""Changelogs, release notes and upgrade guides: what versions broke, removed and decided, and why.

An entry becomes a memory if it takes something away, changes what users rely on, closes a hole, or
gives a reason. Routine additions and fixes stay out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.importing.repository_files import TextFile, item_of_file
from recollect.importing.sections import (
    Section,
    first_paragraph,
    items,
    plain,
    plain_paragraphs,
    sections,
)
from recollect.importing.source import Item, Skipped
from recollect.importing.titles import entry_title, fitted, named_by, one_line

# Memories of one version, and the other changes that the first of them names, each so long.
MOST_OF_VERSION: Final = 20
MOST_NAMED: Final = 12
MOST_LINE: Final = 200
_LEAST = 3.0  # points of an entry that becomes a memory
_LEAST_NAMED = 0.1  # and of one that another names
_FULL = 9.0  # points of the best entries
_LONGEST = 400  # characters that still count
_SHORTEST = 60  # characters of a section that says something

_BREAKS = pattern(
    r"[^\n]{0,60}\b(?:breaking|incompatib\w+|backwards?[- ]compatib\w+|removed|removals?"
    r"|deprecat\w+|upgrad\w+|migrat\w+"
    r"|behaviou?r chang\w+|potentially|dropped|security)\b",
    re.IGNORECASE,
)
_GUIDE = pattern(
    r"(?:[^\n]*/)?(?:upgrad\w{2,5}|migrat\w{2,5}|breaking[-_ ]changes)(?:[-_.][\w.-]{0,20})?\Z",
    re.IGNORECASE,
)
_ENTRY_BREAKS = pattern(
    r"\b(?:breaking|incompatible|no longer|remov(?:e|ed|es|ing) (?:support|the deprecated"
    r"|deprecated|(?:the )?`)|drop(?:ped|s)? (?:the |`|support)"
    r"|deprecat(?:e|es|ed|ing)|by default|the default|is now required|renamed|CVE-\d{4}|minimum"
    r"|must now|in favou?r of|revert(?:ed|s)?|disallow\w{0,3}|forbid\w{0,5}|backed out)\b",
    re.IGNORECASE,
)
_REASON = pattern(
    r"\b(?:because|since|so that|to avoid|avoids?|in order to|otherwise|instead of|rather than"
    r"|due to|previously|used to|regress\w+|prevents?|the reason|as a result|would|to allow"
    r"|workaround|compatib\w+)\b",
    re.IGNORECASE,
)
_HARD = pattern(
    r"\b(?:security|vulnerab\w+|CVE-\d{4}|injection|data loss|corrupt\w*|deadlock\w*|leak\w*"
    r"|race|denial of service|infinite|crash\w*|hang(?:s|ing)?|unsafe|unsound\w*)\b",
    re.IGNORECASE,
)
_CHORE = pattern(
    r"(?:(?:updat|bump|upgrad|vendor|refactor|test|document|clarif|clean|reformat|correct)\w{0,4}"
    r"|fix(?:ed|es)? (?:a |the )?(?:typo|doc|test|lint|link|warning)\w{0,9})\b"
    r"|[^\n]{0,80}\b(?:typos?|docs?|documentation|tests?|lint|refactor\w{0,5}|dependenc\w{1,3}"
    r"|templates?)\b",
    re.IGNORECASE,
)
_CHORES = pattern(
    r"[^\n\w]{0,6}(?:internal|documentation|docs?|tests?|build(?: system)?|chores?|ci|styles?"
    r"|code refactoring|refactor\w{0,5}|miscellaneous chores|vendored \w+|contributors?|credits"
    r"|improved documentation|trivial changes|process)\b",
    re.IGNORECASE,
)
_VERSION = pattern(
    r"(?!python|node)[^\n\d]{0,30}?\bv?(\d{1,4}\.\d{1,4}(?:\.\d{1,4}){0,2}(?:[-.]?(?:rc|beta|alpha"
    r"|a|b)\.?\d{0,3})?)\b"
)
_DATE = pattern(r"[^\n]{0,80}?\b((?:19|20)\d\d-\d\d-\d\d)\b")
_HASH = pattern(
    r",? ?\(\[?[0-9a-f]{7,40}\]?\)(?:,? closes\b[^\n]{0,60})?|,? closes #?\d[^\n]{0,60}\Z"
)
_REFERENCE = pattern(
    r"\s{0,3}\(?(?:(?:issue|ticket|bug|thanks to)s? )?(?:#\d{1,7}|\[#?\d{1,7}\]|gh-\d+"
    r"|PR ?#?\d+)(?:[,;] (?:#|gh-)?\d{1,7}){0,8}\)?"
)
_TICKET_START = pattern(
    r"(?:`?#?\d{2,6}`?[:.]\s+|bpo-\d+:\s+|\[[\w ./-]{1,24}\][:\s]+"
    r"|[A-Z]{2,10}(?: ?\(?#\d{1,7}\)?)?:\s+|(?:[A-Z]{6,14} ){1,2}(?=[A-Z`a-z]))"
)


class _Entry(NamedTuple):
    """An entry of a changelog: its identity, its title, its text, and where it stands."""

    identity: str
    title: str
    body: str
    where: str
    date: str | None
    points: float


def version_ages(paths: Iterable[str]) -> dict[str, int]:
    """Return the versions that files are named after, each with the number of newer ones."""
    named = [_VERSION.match(path.rpartition("/")[2]) for path in paths]
    versions = {found[1] for found in named if found}
    ordered = sorted(versions, key=lambda v: [int(n) for n in re.findall(r"\d+", v)], reverse=True)
    return {version: age for age, version in enumerate(ordered)}


def changes_in(file: TextFile, ages: Mapping[str, int]) -> Iterator[Item | Skipped]:
    """Yield what versions broke, removed, deprecated, secured and explain.

    Newer versions count a little more. The first memory of a version also names other changes.
    """
    versions: dict[str, list[_Entry]] = {}
    named = _VERSION.match(file.path.rpartition("/")[2])
    is_guide = _GUIDE.match(file.path) is not None
    for section in sections(file.text):
        version = named[1] if named else ""
        version = version or next(
            (v[1] for h in reversed(section.headings) if (v := _VERSION.match(h))), ""
        )
        if not version and not is_guide:
            continue
        date = next((d[1] for h in reversed(section.headings) if (d := _DATE.match(h))), None)
        breaks = is_guide or any(_BREAKS.match(heading) for heading in section.headings)
        where = ", ".join(filter(None, (version, f"section “{section.heading}”")))
        is_whole = is_guide and not _VERSION.match(section.heading)
        for line, body in _entries(section, breaks=breaks, is_whole=is_whole):
            identity = f"{file.path}#{version}#{named_by(line)}"
            title = entry_title(line, version)
            if not title:
                yield Skipped(identity, "no sentence that stands alone")
                continue
            points = _points(section.heading, line, body, breaks=breaks)
            versions.setdefault(version, []).append(
                _Entry(identity, title, body, where, date, points)
            )
    for number, (version, entries) in enumerate(versions.items()):
        yield from _of_version(file, entries, ages.get(version, number))


def _points(heading: str, line: str, body: str, *, breaks: bool) -> float:
    """Return how much an entry tells, in points."""
    if _CHORES.match(heading):
        return 0.0
    points = 3.0 * breaks + 2.5 * bool(_ENTRY_BREAKS.search(line))
    points += 2.0 * bool(_REASON.search(body)) + 1.5 * bool(_HARD.search(body))
    points += min(len(body), _LONGEST) / 200
    return max(0.0, points - 3.0 * bool(_CHORE.match(line)))


def _of_version(file: TextFile, entries: list[_Entry], age: int) -> Iterator[Item | Skipped]:
    """Yield the memories of one version; the first of them names some of the rest."""
    ranked = sorted(entries, key=lambda entry: -entry.points)
    own = [entry for entry in ranked if entry.points >= _LEAST][:MOST_OF_VERSION]
    rest = [entry for entry in ranked[len(own) :] if entry.points >= _LEAST_NAMED]
    for rank, entry in enumerate(own):
        score = 0.75 * min(1.0, entry.points / _FULL) - 0.006 * min(age, 20) - 0.006 * rank
        also = [] if rank else [_shortened(other) for other in rest[:MOST_NAMED]]
        yield item_of_file(
            file, entry.identity, entry.title, entry.body, "decisions", max(0.05, score),
            where=entry.where, also=also, date=entry.date,
        )  # fmt: skip
    told = {entry.identity for entry in rest[:MOST_NAMED]} if own else set()
    for entry in ranked[len(own) :]:
        is_told = entry.identity in told
        yield Skipped(
            entry.identity, "told with another change" if is_told else "an ordinary change"
        )


def _shortened(entry: _Entry) -> str:
    text = one_line(entry.body)
    return text if len(text) <= MOST_LINE else text[:MOST_LINE].rsplit(" ", 1)[0] + "…"


def _entries(section: Section, *, breaks: bool, is_whole: bool) -> Iterator[tuple[str, str]]:
    """Yield the entries of a section of a changelog: a line to make a title of, and the text.

    `is_whole`: the section is one entry, with the lists in it.
    """
    heading = section.heading
    first = first_paragraph(section.text)
    if is_whole:
        if len(section.text) >= _SHORTEST:
            is_own = len(heading.split()) > 2 and entry_title(heading)
            with_first = fitted(f"{heading}: {first}", "") if first else ""
            text = plain_paragraphs(section.text)
            yield (heading if is_own else with_first or first), f"{heading}\n\n{text}"
        return
    listed = items(section.text)
    for entry in listed:
        line = _TICKET_START.sub("", plain(entry.partition("\n\n")[0].replace("\n", " ")), count=1)
        said = _REFERENCE.sub("", _HASH.sub("", line)).strip(" ,")
        yield said, _HASH.sub("", plain_paragraphs(entry))
    if breaks and not listed and len(heading.split()) > 2 and section.text.strip():
        text = plain_paragraphs(section.text)
        if not _VERSION.match(heading) and not _BREAKS.match(heading):
            yield (heading if entry_title(heading) else first), f"{heading}\n\n{text}"
        elif first:
            yield first, text
