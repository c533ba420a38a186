"""Changelogs, release notes and upgrade guides: what versions broke, removed and decided, and why.

An entry becomes a memory only if it explains: what took something away, changed what users rely on,
or closed a hole, in a few sentences. A bare line says no more than the changelog, so it stays out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from recollect.core.named_tuple import NamedTuple
from recollect.core.note import SUMMARY_LENGTH
from recollect.core.patterns import pattern
from recollect.importing.reasons import reasons_in
from recollect.importing.repository_files import TextFile, item_of_file
from recollect.importing.sections import (
    Section,
    above_items,
    first_paragraph,
    items,
    plain,
    plain_paragraphs,
    sections,
    without_items,
)
from recollect.importing.source import Item, Skipped
from recollect.importing.titles import entry_title, is_statement, named_by, statement_in
from recollect.importing.verbs import first_verb

# Memories of one version, and of a guide that names none.
MOST_OF_VERSION: Final = 12
MOST_OF_GUIDE: Final = 30
RELEASE: Final = "Release "
# Points of an entry that becomes a memory: of a changelog, and of a guide, which has few.
_LEAST, _LEAST_OF_GUIDE = 3.8, 3.0
_LEAST_OF_CURE = 4.4  # a bug of the past that is cured matters little, unless it was a hole
_FULL = 11.0  # points of the best entries
_LONGEST = 900  # characters that still count
# Characters of an entry that says enough.
_SHORTEST = 80
_MOST_REASONS = 4
_LEAST_TOLD = 160  # characters of an entry that tells something besides where to read it
# What older versions say is outdated: in years before the newest version, or, without dates, in
# versions. Judgements; a blind judge of 2026 called nine of ten such entries outdated.
_MOST_YEARS, _MOST_VERSIONS = 5, 40

# Why, or what went wrong. "Use X instead" and "is deprecated" say neither.
_SAYS_WHY = pattern(
    r"\b(?:because|(?<!deprecated )since (?!v?\d|version|(?-i:[A-Z]))|due to|so that"
    r"|(?:in order )?to (?:avoid|prevent|ensure|protect|reduce|make sure|work around)"
    r"|the reason|reasons|otherwise|as (?:it|they|this|the \w+) \w+|given that"
    r"|CVE-\d{4}|securi\w{2,4}|insecure|vulnerab\w{1,8}|attack\w{0,4}|malicious"
    r"|caus(?:es?|ed|ing)|(?:leads?|led|leading) to|result(?:s|ed|ing) in"
    r"|(?:which|that|this) (?:means|meant|made|makes|could|would|may|might|was|were|did|broke)"
    r"|(?:could|would|may|might) (?:not |also |then )?"
    r"(?:allow|expose|break|fail|crash|hang|lose|leak|be (?:lost|wrong|exposed|ignored))"
    r"|consequently|los(?:e|ing|t)|corrupt\w{0,4}|deadlock\w{0,3}|race condition|crash\w{0,3}"
    r"|unsafe|unsound|confus\w{1,4}|surpris\w{1,4}|mislead\w{0,3}|error-prone"
    r"|unmaintained|never worked|nobody|no one|rarely used"
    r"|not (?:possible|maintained|safe|thread-safe|secure|useful|something|worth))\b",
    re.IGNORECASE,
)
_RENAMES = pattern(
    r"[^\n]{0,200}\b(?:renamed|is now (?:called|named|`)|been moved|for consistency)\b",
    re.IGNORECASE,
)
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
# A guide of a manual that names no version says how to, unless a heading says what happened.
_OF_MANUAL = pattern(
    r"(?:[^\n]*/)?(?:use|usage|users?|guides?|config\w{0,9}|reference|tutorials?|how-?to)/",
    re.IGNORECASE,
)
_TOLD = pattern(
    r"(?<![a-z\d])v?\d|\b(?:remov|deprecat|drop|gone|no longer|breaking|incompat|chang|renam|replac"
    r"|default|require|behaviou?r)",
    re.IGNORECASE,
)
_ENTRY_BREAKS = pattern(
    r"\b(?:breaking|incompatible|no longer|remov(?:e|ed|es|ing) (?:support|the deprecated"
    r"|deprecated|(?:the )?`)|drop(?:ped|s)? (?:the |`|support)"
    r"|deprecat(?:e|es|ed|ing)|by default|the default|is now required|renamed|CVE-\d{4}|minimum"
    r"|must now|in favou?r of|revert(?:ed|s)?|disallow\w{0,3}|forbid\w{0,5}|backed out)\b",
    re.IGNORECASE,
)
# What a change means for those who upgrade.
_CONSEQUENCE = pattern(
    r"\b(?:consequently|losing|lose|would|to allow|might impact|you (?:must|need|can no longer)"
    r"|only be (?:read|used)|able to)\b",
    re.IGNORECASE,
)
_HARD = pattern(
    r"\b(?:security|vulnerab\w+|CVE-\d{4}|injection|data loss|corrupt\w*|deadlock\w*|leak\w*"
    r"|race|denial of service|infinite|crash\w*|hang(?:s|ing)?|unsafe|(?:un)?sound\w*)\b",
    re.IGNORECASE,
)
_CHORE = pattern(
    r"(?:[\w ]{1,20}: )?(?:(?:updat|bump|upgrad|vendor|refactor|test|document|clarif|clean|reformat"
    r"|correct)\w{0,4}|fix(?:ed|es)? (?:a |the )?(?:typo|doc|test|lint|link|warning)\w{0,9})\b"
    r"|[^\n]{0,80}\b(?:built with|multiple security issues|typos?|docs?|documentation|tests?|lint"
    r"|refactor\w{0,5}|dependenc\w{1,3}|templates?)\b",
    re.IGNORECASE,
)
_FIXES = pattern(
    r"(?:\w{1,30}: )?(?:bug ?)?fix(?:e[sd])?\b|Release \S{1,20} fixes"
    r"|[^\n]{0,100}\b(?:bug|overflow|use[- ]after[- ]free|double[- ]free|denial of service"
    r"|out[- ]of[- ]bounds|vulnerabilit\w{1,3}|memory leak|crash)\b"
    r"|[^\n]{0,120}\bno longer (?:crash|hang|print|fail|leak|lead|produc|panic|seg|caus|los|break)",
    re.IGNORECASE,
)
_CVE = pattern(r"\bCVE-\d{4}-\d{1,7}")
_FIXED = pattern(r"(?:bug ?)?fix(?:e[sd])?\b|security", re.IGNORECASE)
_THIS_RELEASE = pattern(
    r"(?:this|the) (?:(?:bug ?fix|patch|minor|major|security) )?(?:release|version)\s+(?=[a-z])",
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
    r"|a|b)\.?\d{0,3}|[a-z]{1,2})?)\b"
)
# "Changes between 1.1.0c and 1.1.0d", "from Rails 8.0 to Rails 8.1": it belongs to the second.
_BETWEEN = pattern(
    r"[^\n\d]{0,30}\b\d[\w.]{0,12} (?:and|to|->|→|-) (?=(?:[A-Za-z][A-Za-z.-]{0,20} ){0,3}v?\d)"
)
# Who contributed to a release, where and when it was made.
_SIGNED = pattern(
    r"(?:\n\nContributions from[^\n]{0,20000})?"
    r"\n\n[—–-]{1,2} ?[A-Z][^\n]{2,60}\d{4}[^\n]{0,12}\s{0,9}\Z"
)
# "Changes with 262": versions without a dot.
_WHOLE_NUMBER = pattern(r"(?:changes with|release|version) v?(\d{1,4})\Z", re.IGNORECASE)
_DATE = pattern(r"[^\n]{0,80}?\b((?:19|20)\d\d-\d\d-\d\d)\b")
_DATE_IN_WORDS = pattern(
    r"[^\n]{0,80}?\b(?:(?P<day>\d{1,2}) (?P<month>[A-Z][a-z]{2})[a-z]{0,6}"
    r"|(?P<month_first>[A-Z][a-z]{2})[a-z]{0,6} (?P<day_second>\d{1,2})),?"
    r" (?P<year>(?:19|20)\d\d)\b"
)
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
# What the headings above say that happened to what a heading names in so many words.
_DONE = pattern(
    r"(?P<Deprecated>\bdeprecat)|(?P<Removed>\bremov)|\bincompatib|\bbreaking\b", re.IGNORECASE
)
_NAMING = 4
_CHANGES = pattern(r"changes? (?:to|in) ", re.IGNORECASE)
_HASH = pattern(
    r",? ?\(\[?[0-9a-f]{7,40}\]?\)(?:,? closes\b[^\n]{0,60})?|,? closes #?\d[^\n]{0,60}\Z"
)
_REFERENCE = pattern(
    r"\s{0,3}\(?(?:(?:issue|ticket|bug|thanks to)s? )?(?:\[?#\d{1,7}\]?|\[\d{1,7}\]|gh-\d+"
    r"|PR ?#?\d+)(?:[,;] (?:(?:#|gh-)?\d{1,7}|CVE-\d{4}-\d{1,7})){0,8}\)?"
)
_NUMBERS = pattern(r"[ \n]{0,3}\((?:[`#\[]{0,2}\d{2,7}[`\]]{0,2}(?:, )?){1,12}\)")
_TICKET_START = pattern(
    r"\A(?:`?#?\d{2,6}`?[:.]\s+|bpo-\d+:\s+|\[[\w ./-]{1,24}\][:\s]+"
    r"|[A-Z]{2,10}(?: ?\(?#\d{1,7}\)?)?:\s+|(?:[A-Z]{6,14} ){1,2}(?=[A-Z`a-z]))"
)
_POINTER = pattern(
    r"\bplease (?:read|see|check|consult|refer to|follow) (?:the|our|this) (?:[\w-]{1,20} ){0,2}"
    r"(?:guides?|docs|documentation|notes?|advisory|page|post)\b",
    re.IGNORECASE,
)
_PICTURE = pattern(r"\A[^\x00-\u206f]{1,4}\s{1,3}(?=\S)")  # before an entry, as in "🎉 Stabilize …"


class _Entry(NamedTuple):
    """An entry of a changelog: its identity, its title, its text, and where it stands."""

    identity: str
    kind: str
    title: str
    body: str
    where: str
    date: str | None
    points: float


def age_of(path: str, ages: Mapping[str, int]) -> int:
    """Return how many versions are newer than the one that a file is named after; 0 without one."""
    named = _VERSION.match(path.rpartition("/")[2])
    return ages.get(named[1], 0) if named else 0


def version_ages(paths: Iterable[str]) -> dict[str, int]:
    """Return the versions that files are named after, each with the number of newer ones."""
    named = [_VERSION.match(path.rpartition("/")[2]) for path in paths]
    versions = {found[1] for found in named if found}
    ordered = sorted(versions, key=lambda v: [int(n) for n in re.findall(r"\d+", v)], reverse=True)
    return {version: age for age, version in enumerate(ordered)}


def _version(heading: str) -> str:
    between = _BETWEEN.match(heading)
    found = _VERSION.match(heading[between.end() :] if between else heading)
    found = found or _WHOLE_NUMBER.match(heading)
    return found[1] if found else ""


def _date(heading: str) -> str | None:
    """Return the day that a heading names, as in "1.1.0d [26 Jan 2017]"."""
    plainly = _DATE.match(heading)
    if plainly:
        return plainly[1]
    found = _DATE_IN_WORDS.match(heading)
    month = (found["month"] or found["month_first"]) if found else ""
    if not found or month not in _MONTHS:
        return None
    day = int(found["day"] or found["day_second"])
    return f"{found['year']}-{_MONTHS.index(month) + 1:02}-{day:02}" if 0 < day < 32 else None


def changes_in(
    file: TextFile, ages: Mapping[str, int], released: Mapping[str, str]
) -> Iterator[Item | Skipped]:
    """Yield what versions broke, removed, deprecated and secured, where they explain it.

    Newer versions count a little more. `released`: the days of versions whose headings name none.
    """
    versions: dict[str, list[_Entry]] = {}
    named = _VERSION.match(file.path.rpartition("/")[2])
    is_guide = _GUIDE.match(file.path) is not None
    is_manual = _OF_MANUAL.match(file.path) is not None
    bodies: set[str] = set()
    for section in sections(file.text):
        version = named[1] if named else ""
        # A guide leads from one version to the next; below that, others are only mentioned.
        steps = [heading for heading in section.headings if is_guide and _BETWEEN.match(heading)]
        headings = reversed(steps or section.headings)
        version = version or next(filter(None, map(_version, headings)), "")
        is_told = is_guide and (not is_manual or any(map(_TOLD.search, section.headings)))
        if not version and not is_told:
            continue
        # A guide to 2.1 is as old as the tag 2.1.0.
        tagged = released.get(version) or released.get(f"{version}.0")
        date = next(filter(None, map(_date, reversed(section.headings))), tagged)
        breaks = is_guide or any(_BREAKS.match(heading) for heading in section.headings)
        is_release = _VERSION.match(section.heading) is not None
        place = f"section “{section.heading}”" if section.heading else ""
        where = ", ".join(filter(None, (version, place)))
        is_whole = is_guide and not _VERSION.match(section.heading)
        for line, body in _entries(section, version, is_whole=is_whole):
            identity = f"{file.path}#{version}#{named_by(line)}"
            # What stands above the lists of a version is what its authors stress.
            is_stressed = is_release and line.startswith(RELEASE)
            points = _points(section.heading, line, body, breaks=breaks or is_stressed)
            is_bare = len(body) < _SHORTEST or not _SAYS_WHY.search(body)
            is_bare = is_bare or (_RENAMES.match(line) is not None and not _CVE.search(body))
            is_bare = is_bare or (len(body) < _LEAST_TOLD and _POINTER.search(body) is not None)
            if is_bare or points < (_LEAST_OF_GUIDE if is_guide else _LEAST):
                yield Skipped(identity, "an ordinary change")
                continue
            if body in bodies:
                yield Skipped(identity, "the same change in another version")
                continue
            bodies.add(body)
            is_cure = _FIXES.match(line) or _FIXED.match(section.heading) or _CVE.search(body)
            if is_cure and points < _LEAST_OF_CURE and not _CVE.search(body):
                yield Skipped(identity, "an ordinary change")
                continue
            title = entry_title(line, "" if line.startswith(RELEASE) else version)
            if not title:
                yield Skipped(identity, "no sentence that stands alone")
                continue
            kind = "solutions" if is_cure else "decisions"
            versions.setdefault(version, []).append(
                _Entry(identity, kind, title, body, where, date, points)
            )
    days = [entry.date for entries in versions.values() for entry in entries if entry.date]
    newest = max([*days, *released.values()], default="")
    above: str | None = None  # the day of the version above; those below are not newer
    for number, (version, entries) in enumerate(versions.items()):
        age = ages.get(version, number)
        above = entries[0].date or above
        if _is_outdated(above, newest, age):
            yield from (
                Skipped(entry.identity, "of a version long superseded") for entry in entries
            )
        else:
            yield from _of_version(file, version, entries, age)


def _is_outdated(day: str | None, newest: str, age: int) -> bool:
    """Whether a version was superseded long ago: by its day, or else by how many came after it."""
    if day and newest:
        return int(newest[:4]) - int(day[:4]) > _MOST_YEARS
    return age > _MOST_VERSIONS


def _points(heading: str, line: str, body: str, *, breaks: bool) -> float:
    """Return how much an entry tells, in points."""
    if _CHORES.match(heading):
        return 0.0
    reasons = reasons_in(body) + bool(_CONSEQUENCE.search(body))
    if not reasons:
        return 0.0
    points = 1.5 * breaks + 1.5 * bool(_ENTRY_BREAKS.search(f"{heading}\n{body}"))
    points += min(reasons, _MOST_REASONS) + 1.0 * bool(_HARD.search(body))
    points += min(len(body), _LONGEST) / 300
    return max(0.0, points - 3.0 * bool(_CHORE.match(line)))


def _of_version(
    file: TextFile, version: str, entries: list[_Entry], age: int
) -> Iterator[Item | Skipped]:
    """Yield the memories of one version, the best first."""
    ranked = sorted(entries, key=lambda entry: -entry.points)
    most = MOST_OF_VERSION if version else MOST_OF_GUIDE
    for rank, entry in enumerate(ranked[:most]):
        score = 0.9 * min(1.0, entry.points / _FULL) - 0.004 * min(age, 20) - 0.006 * rank
        yield item_of_file(
            file, entry.identity, entry.title, entry.body, entry.kind, max(0.05, score),
            where=entry.where, date=entry.date,
        )  # fmt: skip
    for entry in ranked[most:]:
        yield Skipped(entry.identity, "others tell more")


def _entries(section: Section, version: str, *, is_whole: bool) -> Iterator[tuple[str, str]]:
    """Yield the entries of a section of a changelog: a line to make a title of, and the text.

    `is_whole`: the section is one entry, with the lists in it.
    """
    heading = section.heading
    listed = [] if is_whole else items(section.text)
    for entry in listed:
        above = above_items(entry.partition("\n\n")[0])
        line = _PICTURE.sub("", plain(above.replace("\n", " ")), count=1)
        line = _TICKET_START.sub("", line, count=1)
        said = _REFERENCE.sub("", _NUMBERS.sub("", _HASH.sub("", line))).strip(" ,")
        yield said, _SIGNED.sub("", _HASH.sub("", _NUMBERS.sub("", plain_paragraphs(entry))))
    text = plain_paragraphs(without_items(section.text) if listed else section.text)
    first = first_paragraph(section.text)
    if not text or not first:
        return
    # "Removed" names a list; "Removed the old resolution of modules" says what happened.
    is_own = len(heading.split()) > 3 and first_verb(heading) != ""
    if _VERSION.match(heading) or (_BREAKS.match(heading) and not is_own):
        yield _of_release(first, version), text
    else:
        yield _titled(section, first), f"{heading}\n\n{text}"


def _titled(section: Section, first: str) -> str:
    """Return a heading that is a sentence; else with a sentence of the text, or what was done."""
    heading = section.heading
    changed = _CHANGES.match(heading)
    is_said = len(heading.split()) > 2 and (first_verb(heading) or is_statement(heading))
    if (is_said and not changed) or _CVE.match(heading):
        return heading
    said = statement_in(first)
    with_said = f"{heading}: {said}" if said else ""
    if with_said and len(with_said) <= SUMMARY_LENGTH:
        return with_said
    if len(heading.split()) < _NAMING:
        return said
    above = "\n".join(section.headings[:-1])
    mark = None if changed else _DONE.search(above)
    done = "Changed" if mark is None else mark.lastgroup or "Changed incompatibly"
    return f"{done}: {heading[changed.end() :] if changed else heading}"


def _of_release(paragraph: str, version: str) -> str:
    """Return a sentence about a release that names it."""
    about = _THIS_RELEASE.match(paragraph)
    if about and version:
        return f"{RELEASE}{version} {paragraph[about.end() :]}"
    return statement_in(paragraph) or paragraph
