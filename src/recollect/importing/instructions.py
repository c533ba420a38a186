"""The source `instructions`: the rules that a project gives to agents.

Agents read these files anyway. So each memory names the files that say it, and hooks leave it out
for a host that reads one of them; search still finds it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from recollect.capture.sentences import split_line
from recollect.core.marks import without_own_text
from recollect.core.memory import READ_IN
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.patterns import pattern
from recollect.errors import ParseError
from recollect.hosts.instruction_files import AT_THE_ROOT, IN_WORDS, gives_instructions
from recollect.importing.repository_files import (
    TextFile,
    dated,
    path_in_tree,
    read_files,
    read_text,
    real_path,
    tracked_files,
)
from recollect.importing.sections import Section, items, plain, sections, unnumbered
from recollect.importing.source import Item, Place, Reading, Skipped
from recollect.importing.titles import fitted, named_by, one_line
from recollect.importing.verbs import BASES, first_verb

MOST_OFFERED: Final = 100
_MATTER = pattern(r"\A---\n(?:[^\n]*\n){0,60}?---\n")
_FORBIDS = pattern(
    r"\b(?:never|must(?: not)?|mustn't|do not|don't|cannot|can't|forbidden|required|mandatory|only"
    r"|not allowed"
    r"|at most|at least|no more than|without|prohibited)\b",
    re.IGNORECASE,
)
_DIRECTS = pattern(
    r"\b(?:always|never|must|should|prefer|avoid|do not|don't|use|ensure|make sure|required"
    r"|forbidden|only|please"
    r"|instead of|before (?:commit|push|merg|submit|open)\w*|after (?:chang|edit|add)\w*)\b",
    re.IGNORECASE,
)
_LISTING = pattern(r"[`*]{0,3}[\w./*@-]{1,60}[`*]{0,3}/?\s*(?:[-–—:→|]|\Z)")
# "Please review our policy for …": the rule stands elsewhere.
_POINTER = pattern(
    r"(?:please |also )?(?:review|see|read|refer to|consult|check out)\b[^\n]{0,80}"
    r"\b(?:polic(?:y|ies)|guide\w{0,6}|documentation|docs|readme|page|details|information)\b",
    re.IGNORECASE,
)
_COMMAND = pattern(r"\$ |```|\||<!--|@[\w./-]+\Z")
_FENCED = pattern(r"[ \t]{0,8}```[^`]{0,4000}```")
_FEWEST_WORDS = 4


class Instructions:
    """Reads the files with a project's standing instructions."""

    name = "instructions"
    about = f"rules in {IN_WORDS}"

    def find(self, reading: Reading) -> Sequence[Place]:
        """Return the files with instructions."""
        return [Place(path, path) for path in _files(reading)]

    def read(self, reading: Reading, place: Place) -> Iterator[Item | Skipped]:
        """Yield the rules of one file."""
        path = path_in_tree(reading.repository, place.path)
        if read_text(reading.repository, path) is None:
            raise ParseError(f"{place.path} is not a text file.", "Name a file with instructions.")
        also = [p for p in _named(reading) if p != path and _same(reading, p, path)]
        count = 0
        rules: list[Item] = []
        for file in read_files(reading, [path]):
            for section in sections(_MATTER.sub("", without_own_text(file.text), count=1)):
                for rule in _rules(section):
                    found = _item(file, section, rule, also)
                    if isinstance(found, Item):
                        count += 1
                        if count <= MOST_OFFERED:
                            rules.append(found)
                            continue
                        found = Skipped(found.identity, "others rank higher")
                    yield found
        yield from dated(reading, rules)


def _named(reading: Reading) -> list[str]:
    tracked = [path for path in tracked_files(reading) if gives_instructions(path)]
    here = [path for path in AT_THE_ROOT if read_text(reading.repository, path) is not None]
    return list(dict.fromkeys((*sorted(tracked, key=lambda p: (p.count("/"), p)), *here)))


def _files(reading: Reading) -> list[str]:
    """Return the files to read; of several names of one file, the first."""
    seen: set[str] = set()
    found = []
    for path in _named(reading):
        real = real_path(reading.repository, path)
        if real is not None and real not in seen:
            seen.add(real)
            found.append(path)
    return found


def _same(reading: Reading, one: str, other: str) -> bool:
    return real_path(reading.repository, one) == real_path(reading.repository, other)


def _rules(section: Section) -> Iterator[str]:
    """Yield what a section may demand: its list items and, without any, its sentences."""
    listed = items(section.text)
    yield from listed
    in_code = False
    for block in section.text.split("\n\n"):
        in_code ^= block.count("```") % 2 == 1
        first = block.lstrip()[:1]
        if in_code or "```" in block or not first or first in "-*+|>#<" or first.isdigit():
            continue
        yield from split_line(one_line(plain(block)))


def _item(file: TextFile, section: Section, rule: str, also: Sequence[str]) -> Item | Skipped:
    text = plain(_FENCED.sub("", rule).partition("\n\n")[0].replace("\n", " "))
    heads = [unnumbered(heading) for heading in section.headings]
    identity = f"{file.path}#{'/'.join(heads)[-120:]}#{named_by(text)}"
    sentence = next(iter(split_line(text)), "").strip().rstrip(".")
    words = sentence.split()
    if len(words) < _FEWEST_WORDS or sentence.endswith(":") or _COMMAND.match(rule):
        return Skipped(identity, "too short to be a rule")
    directs = bool(first_verb(sentence)) and words[0].lower() in BASES.values()
    if not directs and not _DIRECTS.search(sentence):
        return Skipped(identity, "a description, not a rule")
    if _LISTING.match(sentence) and not _FORBIDS.search(sentence):
        return Skipped(identity, "a list of files or commands")
    if _POINTER.match(sentence) and not _FORBIDS.search(sentence):
        return Skipped(identity, "a pointer, not a rule")
    title = sentence[:1].upper() + sentence[1:]
    if len(title) > SUMMARY_LENGTH:
        title = _shortened(title)
    kind = "constraints" if _FORBIDS.search(sentence) else "preferences"
    heading = f", section “{' > '.join(heads[-2:])}”" if heads else ""
    more = "" if one_line(plain(rule)).rstrip(".") == title else one_line(plain(rule))[:1200]
    return Item(
        identity=identity,
        kind=kind,
        summary=title,
        body="\n\n".join(filter(None, (more, f"From {file.path}{heading}"))),
        score=0.9,
        is_rule=True,
        fields={
            "files_read": [file.path],
            "provenance": {READ_IN: [file.path, *also]},
        },
    )


def _shortened(title: str) -> str:
    return fitted(title, "") or shorten_line(title)


SOURCE = Instructions()
