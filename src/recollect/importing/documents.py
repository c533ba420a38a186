"""The source `docs`: decision records, changelogs, and sections that say why or what goes wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from recollect.core.note import SUMMARY_LENGTH
from recollect.core.patterns import pattern
from recollect.errors import ParseError
from recollect.importing.changelogs import changes_in, version_ages
from recollect.importing.decision_records import decision_in
from recollect.importing.repository_files import (
    TextFile,
    dated,
    item_of_file,
    path_in_tree,
    read_files,
    tracked_files,
)
from recollect.importing.sections import (
    Section,
    first_paragraph,
    items,
    plain_paragraphs,
    sections,
    unnumbered,
)
from recollect.importing.source import Item, Place, Reading, Skipped, how_many
from recollect.importing.titles import (
    fitted,
    is_statement,
    named_by,
    statement_in,
)

MOST_FILES: Final = 2_000
MOST_OF_FILE: Final = 60
MOST_OFFERED: Final = 250
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
# How people work on the project; a section of such a file counts if it gives a rule or a reason.
_GUIDE_NAME = pattern(
    r"(?:contributing|architecture|internals?|hacking|maintain\w{0,6}|design|coding[-_ ]?style"
    r"|development)(?:[-_.][\w.-]{0,30})?\Z",
    re.IGNORECASE,
)
_RULES = pattern(
    r"\b(?:because|never|must not|should not|avoid|instead of|rather than|so that|otherwise"
    r"|on purpose|the reason)\b",
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
_QUESTION = pattern(r"[^\s?]{1,30}(?: [^\s?]{1,40}){3,16}\?\Z")
_ASKING = pattern(r"(?:why|how|what|when)\b", re.IGNORECASE)


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
        ages = version_ages(path for path in paths if _CHANGES.match(path))
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


def _is_below(reading: Reading, path: str, wanted: str) -> bool:
    folder = (reading.repository / wanted).resolve()
    return (reading.repository / path).resolve().is_relative_to(folder)


def _of_file(file: TextFile, ages: Mapping[str, int]) -> Iterator[Item | Skipped]:
    if _RECORD.match(file.path):
        yield from _record(file)
    elif _CHANGES.match(file.path):
        yield from changes_in(file, ages)
    else:
        yield from _telling(file)


def _record(file: TextFile) -> Iterator[Item | Skipped]:
    found = decision_in(file.path, file.text)
    if found is None:
        yield Skipped(file.path, "no decision in it")
        return
    yield item_of_file(
        file, file.path, found.title, found.body, "decisions", 0.95, is_rule=found.is_settled
    )


# Sections


def _telling(file: TextFile) -> Iterator[Item | Skipped]:
    """Yield sections whose heading says that they explain, or that something goes wrong."""
    is_telling = _is_telling(file.path)
    is_problems = is_telling and bool(
        _PROBLEMS.search(file.path.replace("_", " ").replace("-", " "))
    )
    is_guide = _GUIDE_NAME.match(file.path.rpartition("/")[2][:_MOST_NAME]) is not None
    count = 0
    for section in sections(file.text):
        heads = [unnumbered(heading) for heading in section.headings]
        problem = is_problems or any(_PROBLEMS.match(head) for head in heads)
        why = any(_WHY.match(head) for head in heads)
        question = bool(heads) and bool(_QUESTION.match(heads[-1]))
        rules = is_guide and _RULES.search(section.text) is not None
        if not (is_telling or problem or why or rules) or not section.text.strip():
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
            score = 0.5 if rules else 0.7 if why or is_telling else 0.66
            where = f"section “{heads[-1]}”" if heads else ""
            yield item_of_file(file, identity, title, body, kind, score, where=where)


def _statements(
    section: Section, heading: str, problem: bool, question: bool
) -> Iterator[tuple[str, str]]:
    text = plain_paragraphs(section.text)
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
            body = plain_paragraphs(entry)
            if len(body) >= 40:
                yield statement_in(body.replace("\n\n", " ")), body
        return
    title = fitted(own, "") if own else ""
    if not title and problem and not _PROBLEMS.match(heading) and 2 <= len(heading.split()) <= 12:
        title = statement_in(first) if len(heading.split()) < 3 else ""
        title = title or fitted(f"Known issue: {heading}", "")
    yield title or _under(heading, statement_in(first)), f"{heading}: {text}" if heading else text


def _under(heading: str, statement: str) -> str:
    """Return a statement with the heading that says what it is about, if there is room."""
    with_heading = f"{heading}: {statement}"
    has_room = statement and heading and len(with_heading) <= SUMMARY_LENGTH
    return with_heading if has_room else statement


SOURCE = Documents()
