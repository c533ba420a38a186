"""Sections of documents that explain: why something is so, what goes wrong, what the rules are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from recollect.core.patterns import pattern
from recollect.importing.commit_body import MOST_BODY
from recollect.importing.reasons import points_of_reasons
from recollect.importing.repository_files import TextFile, item_of_file
from recollect.importing.sections import (
    Section,
    first_paragraph,
    items,
    plain_paragraphs,
    sections,
    unnumbered,
)
from recollect.importing.source import Item, Skipped
from recollect.importing.titles import (
    fitted,
    is_past,
    is_statement,
    named_by,
    section_title,
    statement_in,
    tells,
)

MOST_OF_FILE: Final = 30
_MOST_BLOCKS = 6  # paragraphs of a section that a title is looked for in
_MOST_AROUND = MOST_BODY - 100  # characters of the paragraphs around it, below their heading
_SHORTEST = 65  # characters of a section that says enough
_MOST_NAME = 120  # characters of a file name
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
    r"|translat\w{0,6}|samples?|guides?|deploy\w{0,6}|usage|plans?)(?![a-z])",
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
_LEAST, _FULL = 4.6, 9.0
_LEAST_NAMED = 1.5  # of one whose heading or file says that it explains
_PROSE = 0.6  # the share of a text that is no code and no markup
_LONG = 5_000  # characters of a section that is a manual of its own
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
    r"(?:how to\b|(?:debugg|contribut|runn|sett|install|test|build|writ|releas|us|get|add|edit|mark"
    r"|configur|creat)ing\b)|[^\n]{0,60}\btranslat",
    re.IGNORECASE,
)
# What the manual says: how to use something, or which properties a type has.
_REFERENCE = pattern(
    r"(?:usage|properties|parameters|arguments|methods|return values?|syntax)\Z"
    r"|[^\n]{0,80} (?:type|interface|object|API)\Z",
    re.IGNORECASE,
)
# A paragraph that is a step or an item of a list says nothing without the others.
_ITEM = pattern(r"\s*(?:[-*+•] |\(?\d{1,3}[.)] )")
_DEPRECATES = pattern(r"deprecat", re.IGNORECASE)
# A heading that names nothing that could be deprecated.
_NO_NAME = pattern(
    r"(?:abstract|alternatives|background|context|deprecat\w{1,5}|discussion|implementation"
    r"|introduction|motivation|notes?|overview|policy|rationale|references?|summary|support)\b"
    r"|[^\n]{0,80}[—–]",
    re.IGNORECASE,
)
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
_MOST_CONTEXT = 45  # characters
_SMALL, _MOST_JOINED = 1_300, 2_000  # characters of a section that has no place of its own
_EXPLAINED = 0.9  # points of reasons of an item that explains itself
_QUESTION = pattern(r"[^\n?]{1,200}\?\Z")
_ASKING = pattern(r"(?:why|how|what|when)\b", re.IGNORECASE)


def is_telling(path: str) -> bool:
    """Whether a file is named after what goes wrong, or after reasons."""
    return _TELLING_NAME.search(path.rpartition("/")[2][:_MOST_NAME]) is not None


def sections_in(file: TextFile) -> Iterator[Item | Skipped]:
    """Yield sections whose heading says that they explain, or that something goes wrong."""
    is_named_so = is_telling(file.path)
    path = file.path.replace("_", " ").replace("-", " ")
    is_problems = is_named_so and bool(_PROBLEMS.search(path))
    deprecates = _DEPRECATES.search(file.path) is not None
    is_faq = _FAQ.search(file.path) is not None
    count = 0
    for section in _joined(sections(file.text)):
        heads = [unnumbered(heading) for heading in section.headings]
        if heads and _REFERENCE.match(heads[-1]):
            continue
        problem = is_problems or any(_PROBLEMS.match(head) for head in heads)
        why = any(_WHY.match(head) for head in heads[-2:])
        if is_faq and not (heads and _QUESTION.match(heads[-1])):
            continue
        question = bool(heads) and bool(_QUESTION.match(heads[-1]))
        known = _KNOWN.search(" ".join((path, *heads))) is not None
        points = _points(file.path, heads, section.text)
        is_named = (is_named_so or problem or why) and points >= _LEAST_NAMED
        # A manual has reasons in it, too, but says how to use something; so does a whole file
        # without headings.
        is_ours = bool(heads) and _OURS.match(file.path) and not _MANUAL.match(file.path)
        is_manual = _MANUAL.match(file.path) is not None and not is_named_so and not known
        is_told = not is_manual and (is_named or (is_ours and points >= _LEAST))
        if not is_told and not is_manual:
            yield from _reason_given(file, section, heads)
        if not is_told or not section.text.strip():
            continue
        if count >= (MOST_OF_FILE if is_named_so else _MOST_OF_OTHERS):
            return
        for title, body in _statements(
            section, heads[-1] if heads else "", problem, question, known, is_named=bool(is_named)
        ):
            identity = f"{file.path}#{'/'.join(heads)[-120:]}#{named_by(title)}"
            if not title and deprecates and heads and not _NO_NAME.match(heads[-1]):
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
    section: Section, heading: str, problem: bool, question: bool, known: bool, *, is_named: bool
) -> Iterator[tuple[str, str]]:
    """Yield titles and texts; of a section that is not named so, only with a title that tells."""
    text = plain_paragraphs(section.text)
    if len(text) < _SHORTEST:
        return
    first = first_paragraph(section.text)
    if question:
        # How to do something is in the manual; why something is as it is may be nowhere else.
        said = statement_in(first) if _WHY.match(heading) else ""
        if said and not tells(said):  # the reason may come later
            later = (statement_in(block) for block in text.split("\n\n") if not _ITEM.match(block))
            said = next(filter(tells, later), said)
        yield said, f"{heading}\n\n{text}"
        return
    is_own = is_statement(heading) and len(heading) > 24 and not _ASKING.match(heading)
    own = heading if is_own else ""
    listed = items(section.text)
    is_announced = first.endswith(":")  # the items need what announces them
    is_list = len(listed) >= 2 and len(" ".join(listed)) > len(section.text) * 0.6
    is_apart = problem or 2 * sum(_is_rule(entry) for entry in listed) >= len(listed)
    context = _context(section.headings)
    if is_list and is_apart and not own and not is_announced:
        for entry in listed:
            body = plain_paragraphs(entry)
            if len(body) >= _SHORTEST and (problem or _is_rule(body)):
                yield section_title(body.replace("\n\n", " "), context), body
        return
    title = fitted(own, "") if own else ""
    if not title and known and not _KNOWN.match(heading) and 3 <= len(heading.split()) <= 12:
        title = fitted(f"Known issue: {heading}", "")
    blocks = text.split("\n\n")
    at = 0
    if not title:
        titles = [
            "" if _ITEM.match(block) else section_title(block, context)
            for block in blocks[:_MOST_BLOCKS]
        ]
        found = [n for n, one in enumerate(titles) if one and not is_past(one)]
        telling = [n for n in found if tells(titles[n])]
        at = next(iter(telling or (found if is_named else ())), -1)
        title = titles[at] if at >= 0 else ""
    body = _around(blocks, max(at, 0))
    yield title, f"{heading}: {body}" if heading else body


def _around(blocks: Sequence[str], at: int) -> str:
    """Return the paragraphs around one that fit: with what leads to it, then what follows it."""
    first, last, size = at, at + 1, len(blocks[at])
    while True:
        before = len(blocks[first - 1]) + 2 if first else MOST_BODY
        after = len(blocks[last]) + 2 if last < len(blocks) else MOST_BODY
        if size + after <= _MOST_AROUND and last - at <= at - first + 1:
            last, size = last + 1, size + after
        elif size + before <= _MOST_AROUND:
            first, size = first - 1, size + before
        elif size + after <= _MOST_AROUND:
            last, size = last + 1, size + after
        else:
            return "\n\n".join(blocks[first:last])


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
