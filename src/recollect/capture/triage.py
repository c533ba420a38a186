"""Finds whether a part of a conversation has something worth keeping, and of which kind.

There are six categories. Five look for words: a line with a word of the category counts, and counts
more if a supporting word is within four lines ("failed", and two lines later "the fix"). The sixth,
the session summary, only measures how much was done since the last summary.

Only statements count. Code, quotations, questions, denials ("no errors") and announcements ("let me
check the error") contain nothing to keep.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from recollect.core.kinds import KINDS, SESSIONS
from recollect.core.patterns import pattern

SESSION_SUMMARY: Final = "SESSION_SUMMARY"

_WINDOW = 4  # lines before and after
_MOST_PLAIN, _MOST_BACKED = 3, 2  # matches that count
_FEWEST_WORDS = 4
_LONGEST_SENTENCE, _LONGEST_SNIPPET, _LONGEST_LINE = 300, 500, 4000
# A shorter line ends where its writer wanted; the second limit applies before lower case.
_WRAPPED, _GOES_ON = 60, 40


class Finding(NamedTuple):
    """Something that may be worth keeping; the snippet of a session summary is empty."""

    category: str
    kind: str
    score: float
    snippet: str


class _Category(NamedTuple):
    name: str
    kind: str
    words: re.Pattern[str]
    backing: re.Pattern[str]
    plain: float
    backed: float
    # Whether the supporting word belongs to it even on another line, as a fix does to a failure.
    answered: bool = False


def _any_of(words: str) -> re.Pattern[str]:
    """Return a pattern for any of some whole words; a part of a name or a path does not count."""
    return pattern(rf"(?<![\w./\\-])(?:{words})(?![\w/\\-]|\.\w)", re.IGNORECASE)


_CATEGORIES = (
    _Category(
        "DECISION",
        "decisions",
        _any_of(r"decided|chose|selected|went with|picked(?! up)"),
        _any_of(r"because|due to|reasons?|rationale|over|instead of|rather than"),
        plain=0.3,
        backed=0.5,
    ),
    _Category(
        "RUNBOOK",
        "runbooks",
        _any_of(
            r"errors?(?! (?:handl|path|code|type|class|report))|exceptions?(?! of\b)|tracebacks?"
            r"|stack ?traces?|failed|failures?|crash(?:e[ds])?"
        ),
        _any_of(r"fixed by|resolved|root cause|solution|workaround|the fix"),
        plain=0.2,
        backed=0.6,
        answered=True,
    ),
    _Category(
        "CONSTRAINT",
        "constraints",
        _any_of(
            r"limitations?|api limits?|cannot|restricted|not supported|quotas?"
            r"|rate[ -]limit(?:s|ed|ing)?"
        ),
        _any_of(r"discovered|found that|turns out|permanently|enduring|platforms?"),
        plain=0.3,
        backed=0.5,
    ),
    _Category(
        "TECH_DEBT",
        "tech-debt",
        # A to-do list may be in lower case; debt is not.
        _any_of(
            r"(?-i:TODOs?)|deferred|tech(?:nical)? debt|workarounds?|hacks?|will address later"
        ),
        _any_of(r"because|for now|temporary|acknowledged|deferring|costs?|risks?"),
        plain=0.3,
        backed=0.5,
    ),
    _Category(
        "PREFERENCE",
        "preferences",
        _any_of(
            r"always use|never use|prefer(?:s|red)?|conventions?|from now on|established"
            # "the standard library" is not a standard of the project
            r"|standards?(?= (?:practice|way|here|for|is|are)\b|[.,;:)]|\s*\Z)"
        ),
        _any_of(r"agreed|going forward|consistently|rules?|practices?|workflows?"),
        plain=0.35,
        backed=0.5,
    ),
)

# Kind → the confidence that it needs, unless the configuration says otherwise.
_THRESHOLDS = {kind.name: kind.drafting.threshold for kind in KINDS if kind.drafting}

# The kind of memory that each category leads to.
KIND_OF_CATEGORY: Mapping[str, str] = {
    **{category.name: category.kind for category in _CATEGORIES},
    SESSION_SUMMARY: SESSIONS,
}

_FENCE = pattern(r"[ \t]{0,3}(```+|~~~+)")
_INLINE_CODE = pattern(r"(`{1,2})[^`]++\1")
_NOT_OWN = pattern(r"\s*[>|]")  # a quotation, a table row
# Where something new begins, so that the previous line does not continue here.
_ITEM = pattern(r"\s*(?:[-+•]\s|[*#\[]|\d+[.)]\s)")
_ITEM_MARK = pattern(r"\s*(?:(?:[-*+•]|\d+[.)]|\[[ x]\])\s+)*")
_END = pattern(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+(?=\s|\Z)")
_ABBREVIATION = pattern(r"\b(?:e\.g|i\.e|etc|vs|cf|approx)\.\Z", re.IGNORECASE)
_CLOSING = "\"'”’)]*_"
_FINISHED, _UNFINISHED = (".", "!", "?", "…"), (":", ",", ";", "(", "-", "—", "=")
_WORD = pattern(r"\w+")
_DENIAL = pattern(
    r"(?:\b(?:no|not|never|without|zero|neither|nor|any)|\b0|n['’]t)\s+(?:\S+\s+)?\Z", re.IGNORECASE
)
_PLAN = pattern(r"\blet (?:me|us)\b|\blet['’]s\b", re.IGNORECASE)
_POINTS = pattern(
    r"(?:it|its|it['’]s|this|that|these|those|they|he|she|there|here|so|but|and|or|also)\b",
    re.IGNORECASE,
)
_INVISIBLE = ("Cc", "Cf", "Co", "Cs")


class _Text(NamedTuple):
    """A line or sentence as written, and with its inline code blanked at the same length."""

    role: str
    said: str
    prose: str


_BLANK = _Text("", "", "")


class _Evidence(NamedTuple):
    """A statement that counts, and whether something near supports it."""

    snippet: str
    backed: bool


def triage(
    messages: Sequence[tuple[str, str]],
    *,
    tools: int = 0,
    exchanges: int = 0,
    distinct: int = 0,
    thresholds: Mapping[str, float] | None = None,
) -> list[Finding]:
    """Return what (role, text) pairs and the work since the last summary point to, best first.

    `distinct` is the number of different tools used. A category may have several findings, one per
    statement; no statement is returned twice. Snippets are not redacted. A category may have its
    own threshold.
    """
    asked = {name.upper(): value for name, value in (thresholds or {}).items()}
    lines = list(_lines(messages))
    found: list[Finding] = []
    for category in _CATEGORIES:
        evidence = _evidence(category, lines)
        score = _score(category, evidence)
        if evidence and score >= _threshold(asked.get(category.name), _THRESHOLDS[category.kind]):
            backed = [one for one in evidence if one.backed] or evidence
            found += (Finding(category.name, category.kind, score, e.snippet) for e in backed)
    score = round(min(1.0, tools * 0.05 + distinct * 0.1 + exchanges * 0.02), 4)
    if score > 0 and score >= _threshold(asked.get(SESSION_SUMMARY), _THRESHOLDS[SESSIONS]):
        found.append(Finding(SESSION_SUMMARY, SESSIONS, score, ""))
    best: dict[str, Finding] = {}
    for finding in sorted(found, key=lambda finding: -finding.score):
        best.setdefault(finding.snippet, finding)
    return list(best.values())


def is_whole(finding: Finding) -> bool:
    """Return whether somebody who was not there can use it; RUNBOOK may join unrelated lines."""
    alone = finding.category in ("DECISION", "CONSTRAINT", "TECH_DEBT")
    return alone and bool(finding.snippet) and not _POINTS.match(finding.snippet)


def _threshold(asked: object, usual: float) -> float:
    """Return the requested threshold if it is a number, otherwise the default."""
    if isinstance(asked, bool) or not isinstance(asked, int | float) or not math.isfinite(asked):
        return usual
    return min(1.0, max(0.0, float(asked)))


def _score(category: _Category, evidence: Sequence[_Evidence]) -> float:
    backed = sum(one.backed for one in evidence)
    most = _MOST_PLAIN * category.plain + _MOST_BACKED * category.backed
    raw = (len(evidence) - backed) * category.plain + backed * category.backed
    return round(min(1.0, raw / most), 4)


def _evidence(category: _Category, lines: Sequence[_Text]) -> list[_Evidence]:
    """Return the statements that count, in order: one per line, each once, up to the limits."""
    found: list[_Evidence] = []
    seen: set[str] = set()
    known: dict[int, _Text | None] = {}
    plain = backed = 0
    for number, line in enumerate(lines):
        if not line.said:
            continue
        statement = next(filter(_is_whole, _claims(category.words, line)), None)
        if statement is None or statement.said in seen:
            continue
        seen.add(statement.said)
        place, support = _support(category.backing, lines, number, statement, known)
        if support is not None and backed < _MOST_BACKED:
            backed += 1
            belongs = place == number or category.answered
            both = _in_order(lines, number, statement, place, support) if belongs else [statement]
            found.append(_Evidence(_snippet(both) or _snippet([statement]), True))
        elif plain < _MOST_PLAIN:
            plain += 1
            found.append(_Evidence(_snippet([statement]), False))
        elif backed >= _MOST_BACKED:
            break
    return found


def _support(
    backing: re.Pattern[str],
    lines: Sequence[_Text],
    number: int,
    statement: _Text,
    known: dict[int, _Text | None],
) -> tuple[int, _Text | None]:
    """Return the nearest claim that supports a statement, and its line number."""
    if backing.search(statement.prose):
        return number, statement
    for distance in range(_WINDOW + 1):
        for place in (number + distance, number - distance):
            if not 0 <= place < len(lines):
                continue
            if place not in known:
                known[place] = next(_claims(backing, lines[place]), None)
            if known[place] is not None:
                return place, known[place]
    return number, None


def _in_order(
    lines: Sequence[_Text], number: int, statement: _Text, place: int, support: _Text
) -> list[_Text]:
    """Join a statement and its support in their order; once, if they are the same."""
    if support == statement or not _is_whole(support):
        return [statement]
    if place == number:
        first = lines[place].said.find(support.said) < lines[place].said.find(statement.said)
    else:
        first = place < number
    return [support, statement] if first else [statement, support]


def _claims(words: re.Pattern[str], line: _Text) -> Iterator[_Text]:
    """Yield the sentences of a line that claim something with one of the words."""
    if not words.search(line.prose):
        return
    for sentence in _sentences(line):
        prose = sentence.prose
        if prose.rstrip(_CLOSING).endswith("?"):
            continue
        if sentence.role == "assistant" and _PLAN.search(prose):
            continue
        starts = (match.start() for match in words.finditer(prose))
        if any(not _DENIAL.search(prose[max(0, start - 40) : start]) for start in starts):
            yield sentence


def _is_whole(sentence: _Text) -> bool:
    """Return whether it can stand alone: not a heading, not an introduction."""
    said = sentence.said
    return (
        len(said) <= _LONGEST_SENTENCE
        and not said.startswith("#")
        and not said.rstrip("*_").endswith(_UNFINISHED)
        and len(_WORD.findall(said)) >= _FEWEST_WORDS
    )


def _sentences(line: _Text) -> Iterator[_Text]:
    mark = _ITEM_MARK.match(line.prose)
    start = mark.end() if mark else 0
    ends = [end.end() for end in _END.finditer(line.prose, start)]
    for end in (*ends, len(line.prose)):
        if _ABBREVIATION.search(line.prose[max(start, end - 8) : end]):
            continue
        said = line.said[start:end]
        if said.strip():
            lead = len(said) - len(said.lstrip())
            yield _Text(line.role, said.strip(), line.prose[start + lead : end].rstrip())
        start = end


def _lines(messages: Sequence[tuple[str, str]]) -> Iterator[_Text]:
    """Return the lines of all messages; code and quotations are blank."""
    for role, text in messages:
        for said in _unwrapped(_without_code(text.splitlines())):
            said = said[:_LONGEST_LINE]
            if "`" not in said:
                yield _Text(role, said, said) if said else _BLANK
                continue
            yield _Text(role, said, _INLINE_CODE.sub(lambda code: " " * len(code[0]), said))


def _without_code(lines: Sequence[str]) -> Iterator[str]:
    fence = ""
    for line in lines:
        opened = _FENCE.match(line)
        if opened:
            fence = "" if fence and opened[1].startswith(fence) else fence or opened[1]
            yield ""
        elif not fence:
            yield "" if _NOT_OWN.match(line) else line


def _unwrapped(lines: Iterator[str]) -> Iterator[str]:
    """Rejoin lines that were only wrapped."""
    whole, last = "", ""
    for line in lines:
        goes_on = (
            len(last) >= (_GOES_ON if line.lstrip()[:1].islower() else _WRAPPED)
            and len(whole) < _LONGEST_LINE
            and not last.rstrip().endswith((".", "!", "?", ":", ";", "|"))
            and not last.lstrip().startswith("#")
        )
        if goes_on and line.strip() and not _ITEM.match(line):
            whole += " " + line.strip()
        else:
            yield whole
            whole = line
        last = line
    yield whole


def _snippet(sentences: Sequence[_Text]) -> str:
    """Return sentences for display: visible, on one line, without marks; empty if too long."""
    *before, last = (sentence.said.replace("`", "").replace("**", "") for sentence in sentences)
    ended = (text if text.rstrip(_CLOSING).endswith(_FINISHED) else text + "." for text in before)
    text = " ".join((*ended, last))
    if not (text.isascii() and text.isprintable()):
        text = "".join(
            c if c.isspace() or unicodedata.category(c) not in _INVISIBLE else "" for c in text
        )
    text = " ".join(text.split())
    return text if len(text) <= _LONGEST_SNIPPET else ""
