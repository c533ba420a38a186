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
from recollect.core.patterns import pattern
from recollect.errors import ParseError
from recollect.hosts.instruction_files import AT_THE_ROOT, IN_WORDS, gives_instructions
from recollect.importing.contributor_rules import is_conditional_norm, norm_in
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
from recollect.importing.titles import fitted, named_by, one_line, stands
from recollect.importing.verbs import BASES, first_verb

MOST_OFFERED: Final = 100
_MATTER = pattern(r"\A---\n(?:[^\n]*\n){0,60}?---\n")
_FORBIDS = pattern(
    r"\b(?:never|must(?: not)?|mustn't|do not|don't|cannot|can't|forbidden|required|mandatory|only"
    r"|not allowed"
    r"|at most|at least|no more than|without|prohibited)\b",
    re.IGNORECASE,
)
# Headings and announcements of what is no rule: examples, templates, what to look out for.
_NO_RULES = pattern(
    r"[^\n]{0,120}\b(?:triggers?|look (?:for|out)|patterns?|examples?|such as|e\.g|signs?|symptoms"
    r"|check-?lists?|flag|detect\w{0,3}|smells?|suggested|commands?|templates?|formats?|structure"
    r"|layout|overview|architecture|key files|glossary|workflow|steps?|before submitting|gotchas?"
    r"|sample|questions?|includes?|persona|you might see|quick (?:start|reference))\b",
    re.IGNORECASE,
)
# An order for one case, a step of something, or what others were told.
_NO_ORDER = pattern(
    r"(?![^\n]{0,200}\b(?:before|after|instead of|rather than)\b)(?:see|read|refer|look"
    r"|check|visit|follow|ask|consult|review|note|remember|start|begin|open|go"
    r"|create|run|install|click|copy|clone|set|build|then|next|first|finally|add|update|identify"
    r"|understand|explore|consider|try|get|find|let|suggest|assist|help|provide|return|default|fix"
    r"|given|group|skip|narrow|support|implement)\b",
    re.IGNORECASE,
)
_PLACEHOLDER = pattern(
    r"[\"'“‘*]|[^\n]{0,200}(?:\bN{2,}\b|\bX{2,}\b|\bfoo\b|<[A-Za-z][^<>\n]{0,40}>|->|…|[—–-] must)"
)
# Headings of what must not be: below the first, an order says what not to do.
_NOT = pattern(r"(?:you )?(?:must not|never|do not|don['’]?t|don['’]?ts)\W{0,3}\Z", re.IGNORECASE)
_WRONG = pattern(
    r"[^\n]{0,80}\b(?:mistakes?|anti-?patterns?|pitfalls?|bad|wrong|avoid|forbidden|prohibited"
    r"|what not|not to|never|don['’]?ts?|red flags)\b",
    re.IGNORECASE,
)
# An order that names something in particular, or says what against: others hold everywhere.
_PARTICULAR = pattern(
    r"[`\d]|\w_\w|\w\(\)|--\w|\b(?:(?:for|in|on) (?:all|every|each|any)|everywhere|instead of|over"
    r"|rather than|not|never|only|without|unless|before|after|because|so that|in favou?r of)\b"
)
# Who writes rules for an agent may be brief: "Never push to main directly".
_CLEAR = pattern(
    r"(?:never|always|do not|don['’]t|no|avoid)"
    r" (?!(?:worry|forget|hesitate|problem|need|matter|be)\b)\S+ \S+",
    re.IGNORECASE,
)
_VENDORED = pattern(r"(?:[^\n]*/)?(?:vendor|deps|node_modules|third[-_]party|external)/")
_LISTING = pattern(r"[`*]{0,3}[\w./*@-]{1,60}[`*]{0,3}/?\s*(?:[-–—:→|]|\Z)")
# "Please review our policy for …": the rule stands elsewhere.
_POINTER = pattern(
    r"(?:please |also )?(?:review|see|read|refer to|consult|check out)\b[^\n]{0,80}"
    r"\b(?:polic(?:y|ies)|guide\w{0,6}|documentation|docs|readme|page|details|information)\b",
    re.IGNORECASE,
)
_COMMAND = pattern(r"\$ |```|\||<!--|@[\w./-]+\Z")
_FENCED = pattern(r"[ \t]{0,8}```[^`]{0,4000}```")
_MARKED = pattern(r"[ \t]{0,12}(?:[-*+•]|\d{1,3}[.)])[ \t]")
_FEWEST_WORDS, _FEWEST_OF_ORDER = 4, 5


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
    found = (path for path in tracked_files(reading) if gives_instructions(path))
    tracked = [path for path in found if not _VENDORED.match(path)]
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
    yield from _unannounced(section.text)
    in_code = False
    for block in section.text.split("\n\n"):
        in_code ^= block.count("```") % 2 == 1
        first = block.lstrip()[:1]
        if in_code or "```" in block or not first or first in "-*+|>#<" or first.isdigit():
            continue
        yield from split_line(one_line(plain(block)))


def _unannounced(text: str) -> Iterator[str]:
    """Yield the items of lists, unless what announces a list says that they are no rules."""
    held: list[str] = []
    is_left_out = False
    for line in [*text.split("\n"), ""]:
        is_prose = line.strip() and not line[:1].isspace() and not _MARKED.match(line)
        if is_prose:
            if not is_left_out:
                yield from items("\n".join(held))
            held = []
            is_left_out = line.rstrip().endswith(":") and _NO_RULES.match(line) is not None
        held.append(line)
    if not is_left_out:
        yield from items("\n".join(held))


def _item(file: TextFile, section: Section, rule: str, also: Sequence[str]) -> Item | Skipped:
    text = plain(_FENCED.sub("", rule).partition("\n\n")[0].replace("\n", " "))
    heads = [unnumbered(heading) for heading in section.headings]
    identity = f"{file.path}#{'/'.join(heads)[-120:]}#{named_by(text)}"
    sentence = next(iter(split_line(text)), "").strip().rstrip(".")
    words = sentence.split()
    if len(words) < _FEWEST_WORDS or sentence.endswith(":") or _COMMAND.match(rule):
        return Skipped(identity, "too short to be a rule")
    if any(_NO_RULES.match(head) for head in heads[-2:]) or _PLACEHOLDER.match(sentence):
        return Skipped(identity, "a list or an example, not a rule")
    if heads and _NOT.match(heads[-1]) and not norm_in(sentence):
        sentence = f"Do not {sentence[:1].lower()}{sentence[1:]}"
    elif heads and _WRONG.match(heads[-1]) and not _FORBIDS.match(sentence):
        return Skipped(identity, "what is wrong, not a rule")
    if not _demands(sentence):
        return Skipped(identity, "a description, not a rule")
    if _LISTING.match(sentence) and not norm_in(sentence.partition(" ")[2]):
        return Skipped(identity, "a list of files or commands")
    if _POINTER.match(sentence) and not _FORBIDS.search(sentence):
        return Skipped(identity, "a pointer, not a rule")
    title = fitted(sentence[:1].upper() + sentence[1:], "")
    if not title or (len(title) < len(sentence) and not _demands(title)):
        return Skipped(identity, "no sentence that stands alone")
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


def _demands(sentence: str) -> bool:
    """Whether a sentence is a norm or an order that stands alone."""
    is_norm = norm_in(sentence) > 0 or is_conditional_norm(sentence) or _CLEAR.match(sentence)
    return (bool(is_norm) and _stands(sentence)) or _orders(sentence)


def _orders(sentence: str) -> bool:
    """Whether a sentence is an order that holds always: "Prefer X to Y"."""
    verb = sentence.partition(" ")[0].lower()
    is_order = (
        BASES.get(verb, "") == verb and first_verb(sentence) and not _NO_ORDER.match(sentence)
    )
    is_long = len(sentence.split()) >= _FEWEST_OF_ORDER
    return bool(is_order and is_long and _PARTICULAR.search(sentence)) and _stands(sentence)


def _stands(sentence: str) -> bool:
    return stands(sentence[:1].upper() + sentence[1:]) or sentence.startswith("`")


SOURCE = Instructions()
