"""The source `docs`: decision records, changelogs, and sections that say why or what goes wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.errors import ParseError
from recollect.importing.decision_records import decision_in
from recollect.importing.repository_files import (
    TextFile,
    dated,
    path_in_tree,
    read_files,
    tracked_files,
)
from recollect.importing.sections import (
    Section,
    first_paragraph,
    items,
    plain,
    sections,
    unnumbered,
)
from recollect.importing.source import RELATED, Item, Place, Reading, Skipped, how_many
from recollect.importing.titles import (
    done_in,
    fitted,
    is_statement,
    named_by,
    one_line,
    statement_in,
)

MOST_FILES: Final = 2_000
MOST_OF_FILE: Final = 60
MOST_OFFERED: Final = 300
MOST_BODY: Final = 1_600
# Memories of one version, and the other changes that the first of them names, each so long.
MOST_OF_VERSION: Final = 12
MOST_NAMED: Final = 15
MOST_LINE: Final = 200
_MOST_NAME = 120  # characters of a file name
_DOCUMENT = pattern(
    r"[^\n]+\.(?:md|markdown|mdx|rst|txt|adoc)\Z|(?:[^\n]*/)?[A-Z_]{4,20}\Z", re.IGNORECASE
)
_RECORD = pattern(
    r"(?:^|[^\n]*/)(?:adrs?|decisions?|decision-records?|decision-log|architecture[-_]decisions?)/"
    r"(?!readme|index|template|0000-template)[^/\n]+\.(?:md|rst|adoc|txt)\Z",
    re.IGNORECASE,
)
_CHANGES = pattern(
    r"(?:[^\n]*/)?(?:change(?:s|log)|history|news|release[-_ ]?notes|upgrad\w{2,5}|migrat\w{2,5}"
    r"|whats[-_]?new"
    r"|breaking[-_ ]changes)(?:[-_.][\w.-]{0,20})?\Z"
    r"|(?:[^\n]*/)?(?:releases?|changelogs?|release[-_]notes|whatsnew)/[^/\n]+\.(?:md|rst|txt)\Z",
    re.IGNORECASE,
)
_TELLING_NAME = pattern(
    r"(?<![a-z])(?:known[-_ ]?(?:bugs?|issues?|problems?|limitations?)|troubleshoot\w{0,9}|faq"
    r"|rationale"
    r"|gotchas?|pitfalls?|design[-_ ]?(?:decisions?|philosoph\w{1,5}|rationale|principles|notes?)"
    r"|philosophy|deprecat\w{0,6}|caveats?)(?![a-z])",
    re.IGNORECASE,
)
_PROBLEMS = pattern(
    r"(?:known (?:issues?|bugs?|limitations?|problems?)|limitations?|caveats?|gotchas?|pitfalls?"
    r"|troubleshooting"
    r"|common (?:problems?|errors?|mistakes|pitfalls?|issues?)|workarounds?|problems?|non-goals?"
    r"|faq"
    r"|frequently asked|what (?:doesn't|does not) work|bugs)\b",
    re.IGNORECASE,
)
_WHY = pattern(
    r"(?:why\b|rationale|motivation|reasons?\b|(?:the |our )?(?:key |main |design |architectur\w+ "
    r"|technical )?decisions?\b"
    r"|design (?:rationale|philosoph\w*|principles?|goals?|choices)|trade-?offs?"
    r"|alternatives?(?: considered)?|lessons)",
    re.IGNORECASE,
)
_BREAKS = pattern(
    r"[^\n]{0,60}\b(?:breaking|incompatib\w+|backwards?[- ]compatib\w+|removed|removals?"
    r"|deprecat\w+|upgrad\w+|migrat\w+"
    r"|behaviou?r chang\w+|potentially|dropped|security)\b",
    re.IGNORECASE,
)
_ENTRY_BREAKS = pattern(
    r"\b(?:breaking|incompatible|no longer|remov(?:e|ed|es) (?:support|the deprecated|deprecated)"
    r"|drop(?:ped|s)? support"
    r"|deprecat(?:e|ed|es)|by default|is now required|renamed|CVE-\d{4}|minimum|must now"
    r"|instead of|in favou?r of)\b",
    re.IGNORECASE,
)
_VERSION = pattern(
    r"(?!python|node)[^\n\d]{0,30}?\bv?(\d{1,4}\.\d{1,4}(?:\.\d{1,4}){0,2}(?:[-.]?(?:rc|beta|alpha"
    r"|a|b)\.?\d{0,3})?)\b"
)
_DATE = pattern(r"[^\n]{0,80}?\b((?:19|20)\d\d-\d\d-\d\d)\b")
_QUESTION = pattern(r"[^\s?]{1,30}(?: [^\s?]{1,40}){3,16}\?\Z")
_RELEASE = pattern(r"\d{1,4}\.\d{1,4}(?:\.0)?\Z")
_CHORE = pattern(
    r"\bwe (?:updated|bumped|upgraded|fixed|corrected|vendored|refactored|tested|documented"
    r"|improved)\b"
    r"|\b(?:typos?|docs?|documentation|tests?|lint|refactor\w{0,5}|dependenc\w{1,3}|templates?)\b",
    re.IGNORECASE,
)
_ASKING = pattern(r"(?:why|how|what|when)\b", re.IGNORECASE)
_HASH = pattern(
    r",? ?\(\[?[0-9a-f]{7,40}\]?\)(?:,? closes\b[^\n]{0,60})?|,? closes #?\d[^\n]{0,60}\Z"
)
_REFERENCE = pattern(
    r"\s{0,3}\(?(?:(?:issue|ticket|bug|thanks to)s? )?(?:#\d{1,7}|\[#?\d{1,7}\]|gh-\d+"
    r"|PR ?#?\d+)(?:[,;] (?:#|gh-)?\d{1,7}){0,8}\)?"
)
_TICKET_START = pattern(
    r"(?:`?#?\d{2,6}`?[:.]\s+|bpo-\d+:\s+|\[[\w ./-]{1,24}\][:\s]+"
    r"|[A-Z]{2,10}(?: ?\(?#\d{1,7}\)?)?:\s+|(?:[A-Z]{6,14} ){1,2}(?=[A-Z`]))"
)


_TEMPLATE = pattern(
    r"(?:[^\n]*/)?(?:pull_request_template|issue_template|template|license|copying|authors"
    r"|contributors|security|code_of_conduct|thanks|requirements[\w-]*|cmakelists)(?:\.\w{1,8})?\Z"
    r"|[^\n]*\.github/",
    re.IGNORECASE,
)


class Documents:
    """Reads the documents of the working tree that git tracks."""

    name = "docs"
    about = "decision records, changelogs, and sections that say why or what goes wrong"

    def find(self, reading: Reading) -> Sequence[Place]:
        """Return the documents of the working tree as one place."""
        count = len(_documents(reading))
        return [Place(".", how_many(count, "document"))] if count else []

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield what the documents decide, remove, explain and warn of."""
        paths = _documents(reading)
        if place.path != ".":
            path_in_tree(reading.repository, place.path)
            paths = [path for path in paths if _is_below(reading, path, place.path)]
            if not paths:
                raise ParseError(
                    f"{place.path} has no document that git tracks.",
                    "Name a file or a folder with Markdown or text.",
                )
        found: list[Item] = []
        identities: set[str] = set()
        ages = _ages(paths)
        for number, file in enumerate(read_files(reading, paths)):
            if number % 20 == 0:
                reading.progress(number, len(paths))
            for one in _of_file(file, ages):
                if isinstance(one, Skipped):
                    yield one
                elif one.identity not in identities:
                    identities.add(one.identity)
                    found.append(one)
        reading.progress(len(paths), len(paths))
        found.sort(key=lambda item: -item.score)
        yield from dated(reading, found[:MOST_OFFERED])
        for item in found[MOST_OFFERED:]:
            yield Skipped(item.identity, "others tell more")


def _documents(reading: Reading) -> list[str]:
    names = [
        path
        for path in tracked_files(reading)
        if _DOCUMENT.match(path) and not _TEMPLATE.match(path)
    ]
    # The more telling first, if there are too many.
    names.sort(key=lambda p: (not (_RECORD.match(p) or _CHANGES.match(p) or _is_telling(p)), p))
    return names[:MOST_FILES]


def _is_telling(path: str) -> bool:
    """Whether a file is named after what goes wrong, or after reasons."""
    return _TELLING_NAME.search(path.rpartition("/")[2][:_MOST_NAME]) is not None


def _ages(paths: Sequence[str]) -> dict[str, int]:
    """Return the versions that files are named after, each with the number of newer ones."""
    named = [_VERSION.match(path.rpartition("/")[2]) for path in paths if _CHANGES.match(path)]
    versions = {found[1] for found in named if found}
    ordered = sorted(versions, key=lambda v: [int(n) for n in re.findall(r"\d+", v)], reverse=True)
    return {version: age for age, version in enumerate(ordered)}


def _is_below(reading: Reading, path: str, wanted: str) -> bool:
    folder = (reading.repository / wanted).resolve()
    return (reading.repository / path).resolve().is_relative_to(folder)


def _of_file(file: TextFile, ages: Mapping[str, int]) -> Iterator[Item | Skipped]:
    if _RECORD.match(file.path):
        yield from _record(file)
    elif _CHANGES.match(file.path):
        yield from _changes(file, ages)
    else:
        yield from _telling(file)


def _record(file: TextFile) -> Iterator[Item | Skipped]:
    found = decision_in(file.path, file.text)
    if found is None:
        yield Skipped(file.path, "no decision in it")
        return
    yield _item(
        file, file.path, found.title, found.body, "decisions", 0.95, is_rule=found.is_settled
    )


def _item(
    file: TextFile, identity: str, title: str, body: str, kind: str, score: float, *,
    is_rule: bool = False, heading: str = "", also: Sequence[str] = (),
    date: str | None = None,
) -> Item:  # fmt: skip
    where = f"From {file.path}" + (f", section “{heading}”" if heading else "")
    text = body.strip()
    if len(text) > MOST_BODY:
        text = text[:MOST_BODY].rsplit(" ", 1)[0] + "…"
    named = f"{RELATED}\n" + "\n".join(f"- {line}" for line in also) if also else ""
    whole = "\n\n".join(filter(None, (text, where, named)))
    return Item(
        identity, kind, title, whole, date, None, score, is_rule, {"files_read": [file.path]},
    )  # fmt: skip


# Changelogs


class _Entry(NamedTuple):
    """An entry of a changelog: its identity, its title, its text, and where it stands."""

    identity: str
    title: str
    body: str
    heading: str
    date: str | None
    is_strong: bool


def _changes(file: TextFile, ages: Mapping[str, int]) -> Iterator[Item | Skipped]:
    """Yield what versions broke, removed, deprecated and secured; the newest count most.

    The first memory of a version also names its other changes.
    """
    versions: dict[str, list[_Entry]] = {}
    named = _VERSION.match(file.path.rpartition("/")[2])
    for section in sections(file.text):
        version = named[1] if named else ""
        version = version or next(
            (v[1] for h in reversed(section.headings) if (v := _VERSION.match(h))), ""
        )
        if not version:
            continue
        date = next((d[1] for h in reversed(section.headings) if (d := _DATE.match(h))), None)
        breaks = any(_BREAKS.match(heading) for heading in section.headings)
        for line, body in _entries(section, breaks=breaks):
            identity = f"{file.path}#{version}#{named_by(line)}"
            title = done_in(line, f"In {version}")
            if not title or not line:
                yield Skipped(identity, "no sentence that stands alone")
                continue
            is_strong = breaks or bool(_ENTRY_BREAKS.search(line))
            versions.setdefault(version, []).append(
                _Entry(identity, title, body, section.heading, date, is_strong)
            )
    for number, (version, entries) in enumerate(versions.items()):
        is_release = _RELEASE.match(version) is not None
        yield from _of_version(file, entries, ages.get(version, number), is_release=is_release)


def _of_version(
    file: TextFile, entries: list[_Entry], age: int, *, is_release: bool
) -> Iterator[Item | Skipped]:
    """Yield the memories of one version: what it broke, and one that names the rest."""
    strong = [entry for entry in entries if entry.is_strong][:MOST_OF_VERSION]
    # Without any, a release of its own is worth one memory; a patch or a preview is not.
    telling = [e for e in entries if is_release and not _CHORE.search(e.title)]
    own = strong or telling[:1]
    rest = [entry for entry in entries if entry not in own]
    for rank, entry in enumerate(own):
        score = 0.78 - 0.012 * min(age, 20) - 0.015 * rank - (0.0 if strong else 0.25)
        also = [] if rank else [_shortened(other) for other in rest[:MOST_NAMED]]
        yield _item(
            file, entry.identity, entry.title, entry.body, "decisions", score,
            heading=entry.heading, also=also, date=entry.date,
        )  # fmt: skip
    for number, entry in enumerate(rest):
        is_told = bool(own) and number < MOST_NAMED
        reason = "told with another change" if is_told else "an ordinary change"
        yield Skipped(entry.identity, reason)


def _shortened(entry: _Entry) -> str:
    text = one_line(entry.body)
    return text if len(text) <= MOST_LINE else text[:MOST_LINE].rsplit(" ", 1)[0] + "…"


def _entries(section: Section, *, breaks: bool) -> Iterator[tuple[str, str]]:
    """Yield the entries of a section of a changelog: a line to make a title of, and the text."""
    listed = items(section.text)
    for entry in listed:
        line = _TICKET_START.sub("", plain(entry.partition("\n\n")[0].replace("\n", " ")), count=1)
        yield _REFERENCE.sub("", _HASH.sub("", line)).strip(" ,"), plain_block(entry)
    heading = section.heading
    if breaks and not listed and len(heading.split()) > 2 and section.text.strip():
        if not _VERSION.match(heading) and not _BREAKS.match(heading):
            first = first_paragraph(section.text)
            yield (
                (heading if done_in(heading) else first),
                f"{heading}\n\n{plain_block(section.text)}",
            )
        elif first := first_paragraph(section.text):
            yield first, plain_block(section.text)


def plain_block(text: str) -> str:
    """Return the paragraphs of a text without markup."""
    return "\n\n".join(filter(None, (one_line(plain(block)) for block in text.split("\n\n"))))


# Sections


def _telling(file: TextFile) -> Iterator[Item | Skipped]:
    """Yield sections whose heading says that they explain, or that something goes wrong."""
    is_telling = _is_telling(file.path)
    is_problems = is_telling and bool(
        _PROBLEMS.search(file.path.replace("_", " ").replace("-", " "))
    )
    count = 0
    for section in sections(file.text):
        heads = [unnumbered(heading) for heading in section.headings]
        problem = is_problems or any(_PROBLEMS.match(head) for head in heads)
        why = any(_WHY.match(head) for head in heads)
        question = bool(heads) and bool(_QUESTION.match(heads[-1]))
        if not (is_telling or problem or why) or not section.text.strip():
            continue
        if count >= MOST_OF_FILE:
            return
        for title, body in _statements(section, heads[-1] if heads else "", problem, question):
            identity = f"{file.path}#{'/'.join(heads)[-120:]}#{named_by(title)}"
            if not title:
                yield Skipped(identity, "no sentence that stands alone")
                continue
            count += 1
            kind = "learnings" if problem or question else "decisions"
            score = 0.7 if why or is_telling else 0.66
            yield _item(
                file, identity, title, body, kind, score, heading=heads[-1] if heads else ""
            )


def _statements(
    section: Section, heading: str, problem: bool, question: bool
) -> Iterator[tuple[str, str]]:
    text = plain_block(section.text)
    if len(text) < 60:
        return
    if question:
        yield heading, text
        return
    is_own = is_statement(heading) and len(heading) > 24 and not _ASKING.match(heading)
    own = heading if is_own else ""
    first = first_paragraph(section.text)
    listed = items(section.text)
    if problem and len(listed) >= 2 and not own and len(" ".join(listed)) > len(section.text) * 0.6:
        for entry in listed:
            body = plain_block(entry)
            if len(body) >= 40:
                yield statement_in(body.replace("\n\n", " ")), body
        return
    title = fitted(own, "") if own else ""
    if not title and problem and not _PROBLEMS.match(heading) and 2 <= len(heading.split()) <= 12:
        title = statement_in(first) if len(heading.split()) < 3 else ""
        title = title or fitted(f"There is a known issue with {_lowered(heading)}", "")
    yield title or statement_in(first), f"{heading}: {text}" if heading else text


def _lowered(heading: str) -> str:
    """Return a heading inside a sentence: names keep their capitals."""
    first = heading.split()[0]
    is_word = first[:1].isupper() and first[1:].islower() and len(first) > 1
    return heading[:1].lower() + heading[1:] if is_word else heading


SOURCE = Documents()
