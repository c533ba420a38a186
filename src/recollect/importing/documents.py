"""The source `docs`: decision records, changelogs, and sections that say why or what goes wrong."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from recollect.core.patterns import pattern
from recollect.errors import ParseError
from recollect.importing.changelogs import age_of, changes_in, version_ages
from recollect.importing.decision_records import decision_in
from recollect.importing.reasons import points_of_reasons
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
    section_title,
    statement_in,
)

MOST_FILES: Final = 2_000
MOST_OF_FILE: Final = 30
MOST_OFFERED: Final = 170
_MOST_BLOCKS = 6  # paragraphs of a section that a title is looked for in
_SHORTEST = 65  # characters of a section that says enough
_MOST_NAME = 120  # characters of a file name
_DOCUMENT = pattern(
    r"[^\n]+\.(?:md|markdown|mdx|rst|txt|adoc)\Z|(?:[^\n]*/)?(?-i:[A-Z_]{4,20})\Z", re.IGNORECASE
)
_RECORD = pattern(
    r"(?:^|[^\n]*/)(?:adrs?|decisions?|decision-records?|decision-log|architecture[-_]decisions?)/"
    r"(?!readme|index|template|0000-template)[^/\n]+\.(?:md|rst|adoc|txt)\Z",
    re.IGNORECASE,
)
_CHANGES = pattern(
    r"(?:[^\n]*/)?(?:change(?:s|log)|history|news|[\w.]{0,12}rel(?:ease)?[-_ ]?notes"
    r"|upgrad\w{2,5}|migrat\w{2,5}|whats[-_]?new"
    r"|breaking[-_ ]changes)(?:[-_.][\w.-]{0,20})?\Z"
    r"|(?:[^\n]*/)?(?:releases?|changelogs?|rel(?:ease)?[-_]?notes|whatsnew)/[^/\n]+\.(?:md|rst|txt|adoc)\Z",
    re.IGNORECASE,
)
_TELLING_NAME = pattern(
    r"(?<![a-z])(?:known[-_ ]?(?:bugs?|issues?|problems?|limitations?)|troubleshoot\w{0,9}"
    r"|rationale"
    r"|gotchas?|pitfalls?|design[-_ ]?(?:decisions?|philosoph\w{1,5}|rationale|principles|notes?)"
    r"|philosophy|deprecat\w{0,6}|caveats?|why)(?![a-z])",
    re.IGNORECASE,
)
# For those who work on the project, or decide about it.
_OURS = pattern(
    r"(?:[^\n]*[/_.-])?(?:contribut\w{0,6}|architecture|internals?|hacking|maintain\w{0,6}|design"
    r"|coding|style|develop\w{0,6}|dev|postmortems?|post-mortems?|incidents?|threat|governance"
    r"|polic\w{1,3}|compat\w{0,9}|stability|security|proposals?|rfcs?|principles|roadmap|process"
    r"|technical|backports?)(?![a-z])",
    re.IGNORECASE,
)
# For those who use it: how, not why.
_MANUAL = pattern(
    r"(?:[^\n]*[/_.-])?(?:man|manual|tutorials?|howto|how-to|examples?|getting|quick\w{0,6}|intro"
    r"|reference|api|cli|cmd\w{0,5}|options?|topics?|templates?|blog|website|site|locale|historical|archived?|reports|minutes"
    r"|translat\w{0,6}|samples?)(?![a-z])",
    re.IGNORECASE,
)
_RULES = pattern(
    r"\b(because|never|must(?: not)?|should not|do not|avoid|instead of|rather than|so that"
    r"|otherwise|on purpose|by design|the reason|not (?:allowed|supported|accepted)|only if"
    r"|decided|we (?:do not|don't|prefer|want)|at least|deprecat\w{1,5}|considered)\b",
    re.IGNORECASE,
)
_MOST_RULES = 5
# Points of a section that explains enough, and of the best.
_LEAST, _FULL = 4.0, 9.0
_LEAST_NAMED = 0.5  # of one whose heading or file says that it explains
_PROSE = 0.6  # the share of a text that is no code and no markup
_LONG = 5_000  # characters of a section that is a manual of its own
# Sections that have a place, however many changes there are.
_MOST_SECTIONS = 45
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
    r"|alternatives?(?: considered)?|lessons|root cause)",
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
_DEPRECATES = pattern(r"deprecat", re.IGNORECASE)
_LESSON = pattern(r"post-?mortem|incident|lessons?|root cause|what went", re.IGNORECASE)
_STYLE = pattern(r"coding|style|contribut|hacking|threat|polic", re.IGNORECASE)
_SHORTEST_EXPLAINED = 80  # characters
_MOST_OF_OTHERS = 10  # sections of a file that is not named after what it tells
# Headings that say only what kind of section it is.
_GENERAL = pattern(
    r"(?:known |design |common )?(?:why|rationale|motivation|reasons?|decisions?|trade-?offs?"
    r"|lessons|root cause|summary|overview|background|discussion|introduction|notes?|details?"
    r"|caveats?|limitations?|problems?|issues?|bugs?|troubleshooting|alternatives?"
    r"|what |where |goals?|faq|general|impact|trigger|detection|context|description)\b",
    re.IGNORECASE,
)
_OF_VERSION = pattern(r" \([\w.-]{1,20}\)\Z")
_MOST_CONTEXT = 45  # characters
_SMALL, _MOST_JOINED = 1_300, 2_000  # characters of a section that has no place of its own
_EXPLAINED = 0.9  # points of reasons of an item that explains itself
_QUESTION = pattern(r"[^\n?]{1,200}\?\Z")
_ASKING = pattern(r"(?:why|how|what|when)\b", re.IGNORECASE)


_TEMPLATE = pattern(
    r"(?:[^\n]*/)?(?:pull_request_template|issue_template|template|license|copying|authors"
    r"|contributors|security|code_of_conduct|thanks|todo|requirements[\w-]*|cmakelists)(?:\.\w{1,8})?\Z"
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
        said_in: dict[str, str] = {}
        changes = [path for path in paths if _CHANGES.match(path)]
        ages = version_ages(changes)
        released = released_versions(reading) if changes else {}
        newest_first = sorted(changes, key=lambda path: age_of(path, ages))
        paths = [*newest_first, *(path for path in paths if not _CHANGES.match(path))]
        for number, file in enumerate(read_files(reading, paths)):
            if number % 20 == 0:
                reading.progress(number, len(paths))
            for one in _of_file(file, ages, released):
                if isinstance(one, Skipped):
                    yield one
                    continue
                said = _OF_VERSION.sub("", one.summary).casefold()
                if said_in.get(said, file.path) != file.path:
                    yield Skipped(one.identity, "the same change in another version")
                elif one.identity not in identities:
                    identities.add(one.identity)
                    said_in[said] = file.path
                    found.append(one)
        reading.progress(len(paths), len(paths))
        found.sort(key=lambda item: -item.score)
        chosen = _chosen(found)
        yield from dated(reading, chosen)
        kept = {item.identity for item in chosen}
        for item in found:
            if item.identity not in kept:
                yield Skipped(item.identity, "others tell more")


def _chosen(found: Sequence[Item]) -> list[Item]:
    """Return the best: sections have their share, since a long changelog has many more entries."""
    own = [item for item in found if not _CHANGES.match(str(item.fields["files_read"][0]))]
    sections_kept = {item.identity for item in own[:_MOST_SECTIONS]}
    room = MOST_OFFERED - len(sections_kept)
    rest = [item.identity for item in found if item.identity not in sections_kept][:room]
    kept = sections_kept.union(rest)
    return [item for item in found if item.identity in kept]


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
    deprecates = _DEPRECATES.search(file.path) is not None
    is_faq = _FAQ.search(file.path) is not None
    count = 0
    for section in _joined(sections(file.text)):
        heads = [unnumbered(heading) for heading in section.headings]
        problem = is_problems or any(_PROBLEMS.match(head) for head in heads)
        why = any(_WHY.match(head) for head in heads[-2:])
        if is_faq and not (heads and _QUESTION.match(heads[-1])):
            continue
        question = bool(heads) and bool(_QUESTION.match(heads[-1]))
        known = _KNOWN.search(" ".join((path, *heads))) is not None
        points = _points(file.path, heads, section.text)
        is_named = (is_telling or problem or why) and points >= _LEAST_NAMED
        if not is_named and points < _LEAST:
            yield from _reason_given(file, section, heads)
        if not (is_named or points >= _LEAST) or not section.text.strip():
            continue
        if count >= (MOST_OF_FILE if is_telling else _MOST_OF_OTHERS):
            return
        for title, body in _statements(
            section, heads[-1] if heads else "", problem, question, known
        ):
            identity = f"{file.path}#{'/'.join(heads)[-120:]}#{named_by(title)}"
            if not title and deprecates and heads:
                title = fitted(f"Deprecated: {heads[-1]}", "")
            if not title:
                yield Skipped(identity, "no sentence that stands alone")
                continue
            count += 1
            kind = _kind(file.path, heads, is_problem=problem)
            score = min(0.9, 0.1 * is_named + 0.8 * max(points, 0.0) / _FULL)
            where = f"section “{heads[-1]}”" if heads else ""
            item = item_of_file(file, identity, title, body, kind, score, where=where)
            if question:  # somebody will ask it again
                item = item._replace(fields={**item.fields, "asked_as": [heads[-1]]})
            yield item


def _points(path: str, heads: list[str], text: str) -> float:
    """Return how much a section explains about the project, in points."""
    prose = plain_paragraphs(text)
    if len(prose) < _SHORTEST:
        return 0.0
    rules = {found[1].lower() for found in _RULES.finditer(prose[:_MOST_OF_REASON])}
    points = points_of_reasons(prose[:_MOST_OF_REASON]) + 0.6 * min(len(rules), _MOST_RULES)
    points += 1.5 * bool(_OURS.match(path)) + 0.5 * ("/" not in path)
    points -= 1.5 * bool(_MANUAL.match(path))
    points -= 1.5 * bool(heads and _HOW_TO.match(heads[-1])) + 1.0 * (len(prose) > _LONG)
    return points - 1.5 * (len(prose) < _PROSE * len(text))


def _kind(path: str, heads: list[str], *, is_problem: bool) -> str:
    """Return the kind of memory that a section makes: a lesson, a rule, or a decision."""
    if is_problem or _LESSON.search(" ".join((path, *heads))):
        return "learnings"
    return "constraints" if _STYLE.search(path) else "decisions"


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
    context = _context(section.headings)
    if is_list and not own and not is_announced:
        for entry in listed:
            body = plain_paragraphs(entry)
            if len(body) >= _SHORTEST and (problem or _is_rule(body)):
                yield section_title(body.replace("\n\n", " "), context), body
        return
    title = fitted(own, "") if own else ""
    if not title and known and not _KNOWN.match(heading) and 3 <= len(heading.split()) <= 12:
        title = fitted(f"Known issue: {heading}", "")
    titles = (section_title(block, context) for block in text.split("\n\n")[:_MOST_BLOCKS])
    title = title or next((one for one in titles if one and not is_past(one)), "")
    yield title, f"{heading}: {text}" if heading else text


def _is_rule(text: str) -> bool:
    """Whether an item of a list explains what it asks for."""
    return len(text) >= _SHORTEST_EXPLAINED and points_of_reasons(text) >= _EXPLAINED


def _context(headings: Sequence[str]) -> str:
    """Return what a section is about: its heading, or that of the document if it is no name."""
    heads = [unnumbered(heading) for heading in headings]
    own = [head for head in reversed(heads) if not _GENERAL.match(head)]
    return next((head for head in own if len(head) <= _MOST_CONTEXT), "")


def _joined(found: Iterable[Section]) -> Iterator[Section]:
    """Yield sections; the short ones below a heading together, with their headings in the text."""
    held: Section | None = None
    for section in found:
        if held is not None:
            size = len(held.headings)
            is_below = size > 1 and section.headings[:size] == held.headings  # no whole document
            whole = f"{held.text}\n\n{section.heading}:\n\n{section.text.strip()}".strip()
            is_small = len(section.text) <= _SMALL
            if is_below and is_small and len(whole) <= _MOST_JOINED:
                held = held._replace(text=whole)
                continue
            yield held
        held = section
    if held is not None:
        yield held


SOURCE = Documents()
