"""A commit message in parts: subject, area, prose, trailers, and what it takes back.

It also makes the title of a memory: the subject in the author's own words, without tickets and
numbers, as in "http2: stop reusing stream ids".
"""

from __future__ import annotations

import re
from itertools import chain
from typing import Final

from recollect.capture.sentences import paragraphs, split_line
from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.importing.commit_body import TRAILER, is_of_many, prose_of, shortened
from recollect.importing.problem_solution import solved_in
from recollect.importing.reasons import gives_reason
from recollect.importing.sections import without_roles
from recollect.importing.titles import (
    one_line,
)
from recollect.importing.verbs import first_verb

MOST_MESSAGE: Final = 20_000  # characters of a message that are read
_MOST_SUBJECT = 400  # characters
_SHORT_LINE = 50  # characters of a first line that ends with a statement
_MOST_FIRST = 500  # characters of a first paragraph
_MARKS = 3  # tickets and labels before and after a subject
# Labels in brackets that say what a change does, not what it is about.
_TAGS = {
    **dict.fromkeys(("change", "enhancement", "performance", "perf", "breaking", "security"), ""),
    "bugfix": "fix", "fix": "fix", "feature": "feat", "build": "build", "ci": "ci", "docs": "docs",
    "doc": "docs", "test": "test", "tests": "test", "chore": "chore", "release": "release",
}  # fmt: skip
# What scientific projects write before a subject: what a change does, not what it is about.
_SHOUTED = {
    **dict.fromkeys(("API", "DEPR", "DEP", "PERF", "COMPAT"), ""), "ENH": "feat",
    "BUG": "fix", "REGR": "fix",
    **dict.fromkeys(("CLN", "MAINT", "REF", "STY", "TYP"), "chore"), "DOC": "docs", "DOCS": "docs",
    "TST": "test", "TEST": "test", "BENCH": "test", "CI": "ci", "BLD": "build", "REL": "release",
}  # fmt: skip
_MOST_SENTENCES = 4_000  # characters of prose that titles and causes are looked for in

_CONVENTIONAL = pattern(
    r"(?P<type>build|chore|ci|docs?|feat|feature|fix|bugfix|perf|refactor|revert(?:s|ed)?|style|tests?|deps"
    r"|release"
    r"|improvement|security|hotfix|wip)(?:\((?P<scope>[^()\n]{1,60})\))?(?P<breaking>!)?:\s+(?=\S)",
    re.IGNORECASE,
)
_AREA = pattern(
    r"(?P<area>[\w./*+@{},-]{1,40}(?:[ ,/]{1,2}[\w./*+@{}-]{1,24}){0,2}"
    r"(?:\([\w ,./-]{1,24}\))?+)(?<![ ,]):\s+(?=\S)"
)
_BRACKETED = pattern(r"\[(?P<tag>[^\[\]\n]{1,40})\][:\s]*(?=\S)")
_TICKET = pattern(
    r"(?:(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|re|see|issue|bug|ticket|gh|pr)\b[ :]*+)?+"
    r"(?:(?:(?:issue|bug|ticket|pr) (?:#|gh-|bpo-)?+#?+|(?:#|gh-|bpo-)#?+)\d{1,7}+"
    r"(?:,? (?:and )?)?+){1,6}+"
    r"\s*+[-–—:.]*+\s*+(?=\S)",
    re.IGNORECASE,
)
# "KAFKA-1234", as trackers name tickets; standards, ciphers and proposals have such names, too.
_NO_TRACKER = (
    r"(?!(?:ADR|AES|ANSI|ARM|AVX|CRC|CVE|CWE|DES|FLIP|GPT|HTTP|IEC|IEEE|IPV|ISO|JEP|JSR|[BEKS]IP|MD|MIPS"
    r"|PEP|RFC|RSA|RV|SHA|SSE|SSL|TLS|UCS|USB|UTF)-)"
)
_TRACKED = rf"(?-i:{_NO_TRACKER}[A-Z]{{2}}[A-Za-z\d]{{0,14}}+-\d{{1,7}}+)(?![\w-])"
TRACKED: Final = pattern(rf"(?<![\w/-]){_TRACKED}")
_TRACKED_FIRST = pattern(
    rf"{_TRACKED}(?:[ ]?[,/&+][ ]?{_TRACKED}){{0,5}}+(?P<mark>[ ]?[:;]|[ ][-–—])?\s++(?=\S)"
)
_ENDING = pattern(
    r"\s{0,3}(?:\((?:(?:#|gh-|PR ?#?|pull request #?|closes? #?|fix(?:es)? #?|issue #?|refs? #?)"
    r"\d{1,7}+(?:,? )?+){1,6}+\)"
    rf"|[(\[](?:{_TRACKED}(?:,? )?+){{1,4}}+[)\]]"
    r"|\[(?:skip ci|ci skip|(?:(?:fix(?:es)?|closes?) )?#\d{1,7})\]"
    r"|, (?:fix(?:es)?|closes?) #\d{1,7})\s{0,3}\Z",
    re.IGNORECASE,
)
# "Fixed bug #71 (X)": X is what was wrong.
_FIXED_TICKET = pattern(r"fix(?:e[sd])?\b", re.IGNORECASE)
_IN_BRACKETS = pattern(r"\((?P<what>[^\n]{3,})\)\.?\Z")
# What git writes below the subject of a merge, if `merge.log` is set.
_MERGED = pattern(
    r"(?:\* [^\n]{1,200}:\n(?:[ \t]{1,8}[^\n]*\n?)+\n?)+|^(?:# )?Conflicts:(?:\n[#\t ][^\n]*)*",
    re.MULTILINE,
)
_NUMBER_LAST = pattern(r"(?<=\w) #\d{2,7}\Z")
_REVERTED = pattern(r"this reverts commit ([0-9a-f]{7,40})", re.IGNORECASE)
# A sentence of its own, neither about a part of it nor an indented example.
_REVERTED_WHOLE = pattern(
    r"^this reverts commit ([0-9a-f]{7,40}+)(?:,? reversing\b[^\n]{0,80})?[ \t.]*+$",
    re.IGNORECASE | re.MULTILINE,
)
_REVERTS_LINE = pattern(
    r"^[ \t]*(?:this )?(?:partially |partly )?reverts? (?:commits? )?+[0-9a-f]{7,40}+"
    r"(?:,? reversing\s{1,2}changes made to [0-9a-f]{7,40}+)?+[ \t.,;:]*+$",
    re.IGNORECASE | re.MULTILINE,
)
REVERT = pattern(
    r"(?:revert(?:s|ed|ing)?|back(?:s|ed)? out)\b[:,\s]+(?!--?[\w-]{1,30}:\s)"
    r"|undo\b[:,\s]+(?=[\"“']|commits?\b|[0-9a-f]{7})",
    re.IGNORECASE,
)
_BACK_TO = pattern(r"(?:back )?to\b", re.IGNORECASE)
_NUMBERS = pattern(r"(?:(?:PRs? )?#\d{1,7}+(?:,? and )?[, ]{0,2}){1,4}", re.IGNORECASE)
QUOTES = "\"“”'`"
_NO_CAUSE = pattern(r"(?:(?:this|it|also|partially) ){0,2}reverts?\b|https?://|see\b|conflicts\b")
_MERGE_PULL = pattern(
    r"Merge (?:pull request|PR) #\d+|Merge branch|Merge remote|Merge topic|Merge '"
    r"|Merge commit from fork\Z"  # as security advisories of GitHub write them
    r"|(?i:(?:auto|rollup) merge of #\d+|merge #\d+\b(?! ?\w))"  # as bots write them
)
_BREAKING = pattern(
    r"^[ \t]*(?:\*\*)?BREAKING[ -]CHANGES?(?:\*\*)?\s*:?(?:\*\*)?[ \t]*", re.MULTILINE
)
_FIX = pattern(r"\A(?:fix(?:e[sd])?|bug)\b|^(?:fixes|bug)(?::| #?\d)", re.IGNORECASE | re.MULTILINE)
_THANKS = pattern(r"(?<=[.,;]) {1,2}(?:many )?thanks?\b[^\n]{0,300}\Z", re.IGNORECASE)
_LIST_BELOW = pattern(r"\n[ \t]{0,4}[-*•] ")
_PATCH = pattern(r"\Apatch \d[\w.]{0,20}: (?=\S)", re.IGNORECASE)  # each has a number
_BULLET = pattern(r"\A[-*•]\s+(?=\S)")
WORD = pattern(r"[^\W\d_]{2,}+")
_SHORT_CAUSE = 30  # characters of a cause that is not marked as one
FEWEST_WORDS = 3  # of a subject that says something


class Message(NamedTuple):
    """A commit message in parts."""

    subject: str  # without type, area, ticket and numbers
    area: str
    type: str
    prose: str  # without trailers
    is_breaking: bool
    breaking: str  # what a BREAKING CHANGE footer says
    reverts: str  # the subject of what it reverts; empty if it is no revert
    reverted: str  # the id of the commit that it reverts
    is_backport: bool
    is_merge: bool
    is_fix: bool  # it says that it fixes something
    is_squashed: bool = False  # it is the messages of several commits
    begins_fix: bool = False  # its first word says that it fixes something
    solution: str = ""  # what it names as the solution of its problem

    @property
    def sentences(self) -> list[str]:
        """The sentences of the prose."""
        text = _BREAKING.sub("", self.prose)[:_MOST_SENTENCES]
        return [sentence for block in paragraphs(text) for sentence in block]


# Bytes that no text has; a tool that read "\\f" wrote one.
_CONTROL = pattern(r"[\x00-\x08\x0b-\x1f\x7f]")


def parse_message(message: str) -> Message:
    """Split a message into its parts."""
    message = message[:MOST_MESSAGE].replace("\r\n", "\n").replace("\r", "\n").strip()
    message = without_roles(_CONTROL.sub("", message))
    first, _, rest = message.partition("\n")
    is_merge = bool(_MERGE_PULL.match(first))
    if is_merge:  # a merge names its branch first; what it says follows
        first, _, rest = _MERGED.sub("", rest.strip("\n")).strip("\n").partition("\n")
    first, rest = _unfolded(first, rest)
    solved = solved_in(rest)
    prose = prose_of(rest if solved is None else solved.text, first)
    subject, area, kind, breaking = subject_of(first)
    footer = _BREAKING.search(message)
    what = ""
    if footer:
        what = one_line(message[footer.end() :].partition("\n\n")[0])[:600]
    if kind == "revert" and not _is_revert(first, subject, area, message):
        kind, area = "", "revert"
    subject, reverts = _taken_back(subject, kind)
    mark = _REVERTED.search(message) if reverts else _REVERTED_WHOLE.search(message)
    reverted = mark[1] if mark else ""
    cleaned = _REVERTS_LINE.sub("", prose) if reverts or reverted else prose
    return Message(
        subject, area, kind, cleaned.strip(),
        breaking or bool(footer), what, reverts, reverted,
        "backport of" in message.lower() or "cherry picked from" in message, is_merge,
        _FIX.search(message) is not None, is_of_many(rest), _FIX.match(message) is not None,
        "" if solved is None else solved.solution,
    )  # fmt: skip


def _is_revert(first: str, subject: str, area: str, message: str) -> bool:
    """Whether "revert: …" takes something back; else it is about a command of that name.

    It does if it names a commit, a pull request or a scope, or has the whole subject of a commit.
    """
    has_whole = area != "" or subject[:1] in QUOTES or REVERT.match(subject)
    return bool(has_whole or _ENDING.search(first) or _REVERTED_WHOLE.search(message))


def _taken_back(subject: str, kind: str) -> tuple[str, str]:
    """Return the subject, and what it says that it reverts; empty if it reverts nothing.

    "Revert to X" does X, and so does "revert #12, X".
    """
    revert = REVERT.match(subject)
    if not revert:
        return subject, _unquoted(subject) if kind.startswith("revert") else ""
    said = subject[revert.end() :]
    if _BACK_TO.match(said):
        return subject, ""
    numbers = _NUMBERS.match(said)
    if numbers and len(WORD.findall(said[numbers.end() :])) >= FEWEST_WORDS:
        return said[numbers.end() :], ""
    return subject, _unquoted(said) or "a change"


def _unquoted(said: str) -> str:
    return _ENDING.sub("", said.strip().strip(QUOTES)).strip().strip(f"{QUOTES}.")


def first_of_message(message: str) -> str:
    """Return the first line of a message, with what it goes on with on the lines below."""
    first, _, rest = message[:MOST_MESSAGE].strip().partition("\n")
    return _unfolded(first, rest)[0]


def _unfolded(first: str, rest: str) -> tuple[str, str]:
    """Return subject and text of a message, also if its first line goes on without an empty one."""
    if not rest or rest.startswith("\n") or len(first) <= _SHORT_LINE:
        return first, rest
    more, gap, later = rest.partition("\n\n")
    listed = _LIST_BELOW.search(more)
    if listed:
        later, gap, more = rest[listed.start() + 1 :], "\n", more[: listed.start()]
    if more.startswith(("-", "*", "#", ">", " ")) or TRAILER.match(more.partition("\n")[0]):
        return first, rest
    whole = one_line(f"{first} {more}")
    sentence = next(iter(split_line(whole)), whole)
    if len(whole) - len(sentence) < _SHORT_LINE:
        return whole[:_MOST_SUBJECT], later
    return sentence[:_MOST_SUBJECT], f"{whole[len(sentence) :].strip()}{gap}{later}"


def subject_of(first: str) -> tuple[str, str, str, bool]:
    """Return a subject without what stands around it: subject, area, type, whether it breaks."""
    subject = _BULLET.sub("", first[:_MOST_SUBJECT].strip().removeprefix("# "), count=1)
    subject = _PATCH.sub("", subject, count=1)
    area, kind, breaking, is_cure = "", "", False, False
    subject = _THANKS.sub("", subject)
    for _ in range(_MARKS):
        subject = _ENDING.sub("", subject)
    for _ in range(_MARKS):
        bracketed = _BRACKETED.match(subject)
        if bracketed:
            tag = bracketed["tag"]
            kind = kind or _TAGS.get(tag.casefold(), "")
            is_area = tag.isidentifier() and tag.casefold() not in _TAGS
            area = area or (tag if is_area else "")
            subject = subject[bracketed.end() :]
        ticket = _TICKET.match(subject)
        if ticket:
            is_cure = is_cure or _FIXED_TICKET.match(subject) is not None
            subject = subject[ticket.end() :]
        subject = _without_tracked(subject)
    typed = _CONVENTIONAL.match(subject)
    if typed:
        kind, area, breaking = (
            typed["type"].lower(),
            typed["scope"] or area,
            bool(typed["breaking"]),
        )
        subject = subject[typed.end() :]
    ticket = _TICKET.match(subject)
    subject = _without_tracked(subject[ticket.end() :] if ticket else subject)
    named = _AREA.match(subject)
    if named and first_verb(subject) == "":
        if named["area"] in _SHOUTED:
            kind = kind or _SHOUTED[named["area"]]
        else:
            area = area or named["area"]
        subject = subject[named.end() :]
    bare = _NUMBER_LAST.sub("", subject)
    if len(WORD.findall(bare)) >= FEWEST_WORDS:
        subject = bare
    if is_cure and not area:
        subject = _cured(subject)
    return one_line(subject).rstrip(" ."), area.strip(), kind, breaking


def _without_tracked(subject: str) -> str:
    """Return a subject without the tickets of a tracker that it begins with.

    Without a mark behind it, what follows is what was done: "UI-2 looks better" is about a UI.
    """
    tickets = _TRACKED_FIRST.match(subject)
    rest = subject[tickets.end() :] if tickets else subject
    return rest if tickets is None or tickets["mark"] or first_verb(rest) else subject


def _cured(subject: str) -> str:
    """Return what was fixed, after "Fixed bug #71": with a verb, without brackets around it."""
    bracketed = _IN_BRACKETS.match(subject)
    what = bracketed["what"] if bracketed else subject
    if first_verb(what):
        return what
    return f"Fix {what[:1].lower()}{what[1:]}" if what[1:2].islower() else f"Fix {what}"


def cause_of(message: Message) -> str:
    """Return the sentence that says why something was reverted; empty if none does."""
    said = [s for s in message.sentences if len(s) > 15 and not _NO_CAUSE.match(s.lower())]
    reasons = (sentence for sentence in said if gives_reason(sentence))
    whole = (sentence for sentence in said if len(sentence) >= _SHORT_CAUSE)
    return next(chain(reasons, whole), "")


def first_of(message: Message) -> str:
    """Return the first paragraph of the text, on one line, if it is short."""
    said = one_line(message.prose.strip().partition("\n\n")[0])
    is_whole = len(said) <= _MOST_FIRST and not said.endswith(":")  # what it announces is not here
    return said if is_whole else ""


def body_of(message: Message) -> str:
    """Return what a memory keeps of the text below the subject."""
    return shortened(message.prose)
