"""Finds the lines of a text that somebody else wrote: quotations, code, and pasted text.

Whoever pastes an issue, a log or a mail does not say what is in it. If a pasted text has a visible
end (a fence, a tag, a quotation), it ends there. If not, everything after its beginning belongs to
it, because its author also wrote its last line.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from recollect.core.marks import MARKER
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern

_FENCE = pattern(r"[ \t]{0,3}(```{0,20}|~~~{0,20})")
_QUOTE = pattern(r"[ \t]{0,8}>")
_INDENTED = pattern(r"(?: {4}|[ ]{0,3}\t)[ \t]{0,99}\S")
_OPEN_TAG = pattern(r"[ \t]{0,8}<([A-Za-z][\w:.-]{0,40})(?:[ \t][^<>\n]{0,300})?>")
_CLOSING_TAG = pattern(r"</([A-Za-z][\w:.-]{0,40})")
_VOID = frozenset("br hr img input link meta source area base col wbr private".split())  # noqa: SIM905
_DIFF = pattern(r"diff --git |--- (?:a/|/dev/null)|\+\+\+ (?:b/|/dev/null)|@@ -\d")
_DIFF_LINE = pattern(r"[-+ \\]|@@|diff |index |new file|deleted file|similarity |rename |old mode")
# A line of a log or a trace; these come without blank lines between them.
_LOG = pattern(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?"
    r"|ERROR|FATAL)\b"
    r"|[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d |Traceback \(most recent"
    r"|[ \t]{1,20}at [\w.$<>]{1,200}\("
    r"|[ \t]{1,8}File \"[^\"\n]{1,300}\", line \d|npm ERR!|\$ \w|>>> "
)
# The start of a report, a ticket, a mail or a thread: somebody else's text begins here.
_REPORT = pattern(
    r"[ \t#*_>\-]{0,12}(?:steps to reproduce|expected (?:behaviou?r|results?)"
    r"|actual (?:behaviou?r|results?)"
    r"|describe the (?:bug|issue|feature)|to reproduce|acceptance criteria|additional context"
    r"|affected versions?|what happened|reported by|assignees?|reporter"
    r"|milestone)[*_ \t]{0,4}(?::|\Z|\?)"
    r"|[ \t#*_]{0,8}(?:issue|bug|ticket|pull request|pr|merge request|jira"
    r"|incident)[ \t]{0,2}[#!]\d{1,9}\b"
    r"|[ \t#*_]{0,8}[A-Z][A-Z0-9]{1,9}-\d{1,6}[:\]]"
    r"|.{0,80}\b(?:opened this issue|opened this pull request|commented \d{1,3} (?:minute|hour"
    r"|day|week|month)"
    r"|commented on [A-Z][a-z]{2} \d|opened on [A-Z][a-z]{2} \d)"
    r"|On .{5,120} wrote:[ \t]{0,4}\Z|-{2,12} ?(?:Original|Forwarded) [Mm]essage",
    re.IGNORECASE,
)
_MAIL = pattern(r"(?:From|To|Cc|Subject|Date|Sent|Message-ID|Reply-To): \S", re.IGNORECASE)
# "Here is the issue:" on a line, and the issue below.
_INTRODUCED = pattern(
    r".{0,200}\b(?:here(?:['’]s| is| are)|this|these|the following|following|below|pasted?"
    r"|copied|attached|"
    r"got|says|said|from)\b.{0,80}\b(?:issues?|tickets?|bug reports?|reports?|e-?mails?|mails?"
    r"|messages?|"
    r"comments?|threads?|pages?|articles?|readme|docs?|documents?|documentation|outputs?|logs?"
    r"|paste|"
    r"text|slack|reviews?|description|transcript|wiki|post|changelog|file)\b.{0,60}:[ \t*_]{0,4}\Z",
    re.IGNORECASE,
)
# A text with this many lines was hardly typed; only its first and last paragraphs may be.
_LONG = 60
_LONGEST_INTRODUCTION = 300


class Origin(NamedTuple):
    """Return for each line whether somebody else wrote it, and where an unclosed text begins."""

    foreign: Sequence[bool]
    begins: int


PASTED = "pasted"  # the source, if somebody else wrote it


def origin_of(lines: Sequence[str]) -> Origin:
    """Return who wrote the lines of a text."""
    foreign = [False] * len(lines)
    _mark_fences(lines, foreign)
    _mark_tags(lines, foreign)
    _mark_quotes(lines, foreign)
    _mark_code(lines, foreign)
    _mark_diffs(lines, foreign)
    _mark_logs(lines, foreign)
    begin = _beginning(lines, foreign)
    if begin is not None:
        foreign[begin:] = [True] * (len(lines) - begin)
    if sum(map(_is_prose, lines)) >= _LONG:
        _mark_middle(lines, foreign)
    return Origin(foreign, len(lines) if begin is None else begin)


def _is_prose(line: str) -> bool:
    """Whether a line is neither blank nor a marker: a long list of markers is somebody's own."""
    text = line.strip()
    return bool(text) and text[: len(MARKER)].lower() != MARKER


def _mark_fences(lines: Sequence[str], foreign: list[bool]) -> None:
    fence = ""
    for at, line in enumerate(lines):
        opened = _FENCE.match(line)
        if opened or fence:
            foreign[at] = True
        if opened:
            fence = "" if fence and opened[1].startswith(fence) else fence or opened[1]


def _mark_tags(lines: Sequence[str], foreign: list[bool]) -> None:
    """Mark up to the last closing tag with the name: an inner one may be an attempt to escape."""
    closing: dict[str, int] = {}
    for at, line in enumerate(lines):
        if "</" in line:
            for name in _CLOSING_TAG.findall(line):
                closing[name.lower()] = at
    at = 0
    while at < len(lines):
        tag = _OPEN_TAG.match(lines[at])
        name = tag[1].lower() if tag else ""
        end = closing.get(name, -1) if name not in _VOID else -1
        if tag and end > at:
            foreign[at : end + 1] = [True] * (end + 1 - at)
            at = end
        at += 1


def _mark_quotes(lines: Sequence[str], foreign: list[bool]) -> None:
    """Mark lines that begin with `>`, and those that continue a quoted line."""
    for at, line in enumerate(lines):
        if _QUOTE.match(line):
            foreign[at] = True


def _mark_code(lines: Sequence[str], foreign: list[bool]) -> None:
    """Mark code that is indented by four after a blank line, as Markdown allows."""
    least = min((_indent(line) for line in lines if line.strip()), default=0)
    for at, line in enumerate(lines):
        if _indent(line) - least < 4 or not line.strip():
            continue
        before = lines[at - 1] if at else "x"
        continues = at > 0 and foreign[at - 1] and bool(_INDENTED.match(before))
        foreign[at] = foreign[at] or continues or not before.strip()


def _indent(line: str) -> int:
    expanded = line[:100].expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def _mark_diffs(lines: Sequence[str], foreign: list[bool]) -> None:
    inside = False
    for at, line in enumerate(lines):
        if _DIFF.match(line):
            inside = True
        elif inside and line and not _DIFF_LINE.match(line):
            inside = _follows(lines, at, _DIFF)
        foreign[at] = foreign[at] or inside


def _follows(lines: Sequence[str], at: int, what: re.Pattern[str]) -> bool:
    """Return whether a line occurs again within a few lines."""
    return any(what.match(line) for line in lines[at : at + 12])


def _mark_logs(lines: Sequence[str], foreign: list[bool]) -> None:
    """Mark paragraphs that contain lines of a log, and paragraphs between two of them."""
    logs = [at for at, line in enumerate(lines) if _LOG.match(line)]
    if not logs:
        return
    first, last = logs[0], logs[-1]
    foreign[first : last + 1] = [True] * (last + 1 - first)
    for at in range(last + 1, len(lines)):
        if not lines[at].strip():
            break
        foreign[at] = True


def _beginning(lines: Sequence[str], foreign: Sequence[bool]) -> int | None:
    """Return where a text without a visible end begins."""
    for at, line in enumerate(lines):
        if foreign[at]:
            continue
        if _REPORT.match(line):
            return at
        if _MAIL.match(line) and at + 1 < len(lines) and _MAIL.match(lines[at + 1]):
            return at
        is_short = len(line) <= _LONGEST_INTRODUCTION and ":" in line[-6:]
        if is_short and _INTRODUCED.match(line) and _is_bare(lines, foreign, at + 1):
            return at + 1
    return None


def _is_bare(lines: Sequence[str], foreign: Sequence[bool], at: int) -> bool:
    """Return whether the introduced text follows as plain lines, more than one."""
    while at < len(lines) and not lines[at].strip():
        at += 1
    if at >= len(lines) or foreign[at]:
        return False
    return sum(1 for line in lines[at:] if line.strip()) > 1


def _mark_middle(lines: Sequence[str], foreign: list[bool]) -> None:
    """Mark all but the first and the last paragraph of a long text."""
    blank = [at for at, line in enumerate(lines) if not line.strip()]
    if len(blank) >= 2:
        start, end = blank[0], blank[-1]
        foreign[start:end] = [True] * (end - start)
