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
    released_versions,
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
    is_past,
    is_statement,
    named_by,
    statement_in,
)

MOST_FILES: Final = 2_000
MOST_OF_FILE: Final = 30
MOST_OFFERED: Final = 150
_MOST_BLOCKS = 3  # paragraphs of a section that a title is looked for in
_SHORTEST = 65  # characters of a section that says enough
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
    r"(?<![a-z])(?:known[-_ ]?(?:bugs?|issues?|problems?|limitations?)|troubleshoot\w{0,9}"
    r"|rationale"
    r"|gotchas?|pitfalls?|design[-_ ]?(?:decisions?|philosoph\w{1,5}|rationale|principles|notes?)"
    r"|philosophy|deprecat\w{0,6}|caveats?|why)(?![a-z])",
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
    r"|troubleshooting|common (?:problems?|errors?|mistakes|pitfalls?|issues?)|workarounds?"
    r"|non-goals?|what (?:doesn't|does not) work)\b",
    re.IGNORECASE,
)
_FAQ = pattern(r"(?<![a-z])faq(?![a-z])", re.IGNORECASE)
_KNOWN = pattern(r"\bknown[-_ ](?:issues?|bugs?|limitations?|problems?)\b", re.IGNORECASE)
_WHY = pattern(
    r"(?:why\b|rationale|motivation|reasons?\b|(?:the |our )?(?:key |main |design |architectur\w+ "
    r"|technical )?decisions?\b"
    r"|design (?:rationale|philosoph\w*|principles?|goals?|choices)|trade-?offs?"
    r"|alternatives?(?: considered)?|lessons)",
    re.IGNORECASE,
)
# "The reason X does not … is because …": X is what somebody asks about.
_REASON_FOR = pattern(
    r"\bThe (?:main |only )?reason (?:that |why )?(?P<what>(?!for\b|is\b|was\b)[^\n.]{20,140}?)"
    r" (?:is|was) (?:because|that|to)\b"
)
_MOST_OF_REASON = 20_000  # characters of a section in which it is looked for
# How to do something is in the manual.
_HOW_TO = pattern(
    r"(?:how to\b|(?:debugg|contribut|runn|sett|install|test|build|writ|releas|us|get)ing\b)",
    re.IGNORECASE,
)
_QUESTION = pattern(r"[^\n?]{1,200}\?\Z")
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
        changes = [path for path in paths if _CHANGES.match(path)]
        ages = version_ages(changes)
        released = released_versions(reading) if changes else {}
        for number, file in enumerate(read_files(reading, paths)):
            if number % 20 == 0:
                reading.progress(number, len(paths))
            for one in _of_file(file, ages, released):
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


def _of_file(
    file: TextFile, ages: Mapping[str, int], released: Mapping[str, str]
) -> Iterator[Item | Skipped]:
    if _RECORD.match(file.path):
        yield from _record(file)
    elif _CHANGES.match(file.path):
        yield from changes_in(file, ages, released)
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
    path = file.path.replace("_", " ").replace("-", " ")
    is_problems = is_telling and bool(_PROBLEMS.search(path))
    is_guide = _GUIDE_NAME.match(file.path.rpartition("/")[2][:_MOST_NAME]) is not None
    is_faq = _FAQ.search(file.path) is not None
    count = 0
    for section in sections(file.text):
        heads = [unnumbered(heading) for heading in section.headings]
        problem = is_problems or any(_PROBLEMS.match(head) for head in heads)
        why = any(_WHY.match(head) for head in heads[-2:])
        if is_faq and not (heads and _QUESTION.match(heads[-1])):
            continue
        question = bool(heads) and bool(_QUESTION.match(heads[-1]))
        known = _KNOWN.search(" ".join((path, *heads))) is not None
        is_how_to = bool(heads) and bool(_HOW_TO.match(heads[-1]))
        rules = is_guide and not is_how_to and _RULES.search(section.text) is not None
        if not (is_telling or problem or why or rules):
            yield from _reason_given(file, section, heads)
        if not (is_telling or problem or why or rules) or not section.text.strip():
            continue
        if count >= MOST_OF_FILE:
            return
        for title, body in _statements(
            section, heads[-1] if heads else "", problem, question, known
        ):
            identity = f"{file.path}#{'/'.join(heads)[-120:]}#{named_by(title)}"
            if not title:
                yield Skipped(identity, "no sentence that stands alone")
                continue
            count += 1
            kind = "learnings" if problem else "decisions"
            score = 0.4 if rules or problem else 0.5
            where = f"section “{heads[-1]}”" if heads else ""
            item = item_of_file(file, identity, title, body, kind, score, where=where)
            if question:  # somebody will ask it again
                item = item._replace(fields={**item.fields, "asked_as": [heads[-1]]})
            yield item


def _reason_given(file: TextFile, section: Section, heads: list[str]) -> Iterator[Item]:
    """Yield the paragraphs of a section from where it gives the reason for something."""
    text = plain_paragraphs(section.text[:_MOST_OF_REASON])
    found = _REASON_FOR.search(text)
    title = fitted(found["what"], "") if found else ""
    if found and title and is_statement(title):
        start = text.rfind("\n\n", 0, found.start())
        identity = f"{file.path}#{'/'.join(heads)[-120:]}#{named_by(title)}"
        where = f"section “{heads[-1]}”" if heads else ""
        body = text[max(0, start) :]
        yield item_of_file(file, identity, title, body, "decisions", 0.5, where=where)


def _statements(
    section: Section, heading: str, problem: bool, question: bool, known: bool
) -> Iterator[tuple[str, str]]:
    text = plain_paragraphs(section.text)
    if len(text) < _SHORTEST:
        return
    first = first_paragraph(section.text)
    if question:
        # How to do something is in the manual; why something is as it is may be nowhere else.
        said = statement_in(first) if _WHY.match(heading) else ""
        yield said, f"{heading}\n\n{text}"
        return
    is_own = is_statement(heading) and len(heading) > 24 and not _ASKING.match(heading)
    own = heading if is_own else ""
    listed = items(section.text)
    is_announced = first.endswith(":")  # the items need what announces them
    is_list = len(listed) >= 2 and len(" ".join(listed)) > len(section.text) * 0.6
    if problem and is_list and not own and not is_announced:
        for entry in listed:
            body = plain_paragraphs(entry)
            if len(body) >= _SHORTEST:
                yield statement_in(body.replace("\n\n", " ")), body
        return
    title = fitted(own, "") if own else ""
    if not title and known and not _KNOWN.match(heading) and 3 <= len(heading.split()) <= 12:
        title = fitted(f"Known issue: {heading}", "")
    yield title or _under(heading, _new_state(text)), f"{heading}: {text}" if heading else text


def _new_state(text: str) -> str:
    """Return a title from the first paragraphs of a text that say how something is now."""
    said = (statement_in(block) for block in text.split("\n\n")[:_MOST_BLOCKS])
    return next((title for title in said if title and not is_past(title)), "")


def _under(heading: str, statement: str) -> str:
    """Return a statement with the heading that says what it is about, if there is room."""
    if _PROBLEMS.match(heading) or _WHY.match(heading):  # says only what kind of section it is
        return statement
    with_heading = f"{heading}: {statement}"
    has_room = statement and heading and len(with_heading) <= SUMMARY_LENGTH
    return with_heading if has_room else statement


SOURCE = Documents()
