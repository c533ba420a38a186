"""The source `docs`: decision records, changelogs, and sections that say why or what goes wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from recollect.core.patterns import pattern
from recollect.errors import ParseError
from recollect.importing.changelogs import age_of, changes_in, version_ages
from recollect.importing.contributor_rules import (
    is_for_contributors,
    is_guide_for_contributors,
    rules_in,
)
from recollect.importing.decision_records import decision_in
from recollect.importing.document_bar import is_lasting, without_numbers
from recollect.importing.explaining_sections import is_telling, sections_in
from recollect.importing.repository_files import (
    TextFile,
    dated,
    item_of_file,
    path_in_tree,
    read_files,
    released_versions,
    tracked_files,
)
from recollect.importing.source import Item, Place, Reading, Skipped, how_many

MOST_FILES: Final = 2_000
MOST_OFFERED: Final = 170
# Rules for those who work on the project, which are worth more than what explains.
_MOST_RULES = 40
# Sections that have a place, however many changes there are.
_MOST_SECTIONS = 45 + _MOST_RULES
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
_TEMPLATE = pattern(
    r"(?:[^\n]*/)?(?:[\w-]{0,60}template|license|copying|authors"
    r"|contributors|security|code_of_conduct|thanks|todo|requirements[\w-]*|cmakelists)(?:\.\w{1,8})?\Z"
    r"|[^\n]*\.github/"
    # What somebody thought of at a time, and was built differently.
    r"|(?:[^\n]*/)?(?:design[-_ ]thoughts|drafts?|brainstorm\w{0,5}|ideas|wip)"
    r"(?:/|[-_.][^/\n]{0,60}\Z)"
    r"|(?:[^\n]*/)?(?:roadmap|notes)(?:[-_.][^/\n]{0,60})?\.txt\Z"
    r"|(?:[^\n]*/)?roadmap\.\w{1,8}\Z|[^\n]*(?<![a-z])prompts?/"
    # Enhancement proposals (NEP, PEP, KEP) argue at length about what was built otherwise.
    r"|(?:[^\n]*/)?[a-z]eps?/",
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
                said = without_numbers(one.summary)
                is_older = said in said_in and "#" in said  # another version is required
                if not is_lasting(one.identity, one.summary) and not one.is_rule:
                    yield Skipped(one.identity, "no sentence that lasts")
                elif is_older or said_in.get(said, file.path) != file.path:
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
    rules = [item for item in found if is_for_contributors(str(item.fields["files_read"][0]))]
    beyond = {item.identity for item in rules[_MOST_RULES:]}
    found = [item for item in found if item.identity not in beyond]
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
    names.sort(key=lambda p: (not (_RECORD.match(p) or _CHANGES.match(p) or is_telling(p)), p))
    return names[:MOST_FILES]


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
    elif is_for_contributors(file.path):
        yield from rules_in(file)
        if is_guide_for_contributors(file.path):
            yield from sections_in(file)
    else:
        yield from sections_in(file)


def _record(file: TextFile) -> Iterator[Item | Skipped]:
    found = decision_in(file.path, file.text)
    if found is None:
        yield Skipped(file.path, "no decision in it")
        return
    yield item_of_file(
        file, file.path, found.title, found.body, "decisions", 0.95, is_rule=found.is_settled
    )


SOURCE = Documents()
