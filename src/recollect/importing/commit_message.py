"""A commit message in parts: subject, area, prose, trailers, and what it takes back.

It also makes the title of a memory: the subject in the author's own words, without tickets and
numbers, as in "http2: stop reusing stream ids".
"""

from __future__ import annotations

import re
from typing import Final

from recollect.capture.sentences import paragraphs
from recollect.core.named_tuple import NamedTuple
from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.patterns import pattern
from recollect.importing.titles import fitted, is_statement, one_line, stands
from recollect.importing.verbs import first_verb, said_of_change

MOST_MESSAGE: Final = 20_000  # characters of a message that are read
MOST_BODY: Final = 1_200  # characters of a memory's body
_MOST_SUBJECT = 400  # characters
_MARKS = 3  # tickets and labels before and after a subject
_MOST_SENTENCES = 4_000  # characters of prose that titles and causes are looked for in

_CONVENTIONAL = pattern(
    r"(?P<type>build|chore|ci|docs?|feat|feature|fix|bugfix|perf|refactor|revert|style|tests?|deps"
    r"|release"
    r"|improvement|security|hotfix|wip)(?:\((?P<scope>[^()\n]{1,60})\))?(?P<breaking>!)?:\s+(?=\S)",
    re.IGNORECASE,
)
_AREA = pattern(
    r"(?P<area>[\w./*+@{},-]{1,40}(?:[ ,/]{1,2}[\w./*+@{}-]{1,24}){0,2})(?<![ ,]):\s+(?=\S)"
)
_BRACKETED = pattern(r"\[(?P<tag>[^\[\]\n]{1,40})\][:\s]*(?=\S)")
_TICKET = pattern(
    r"(?:(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|refs?|re|see|issue|bug|ticket|gh|pr)\b[ :]*+)?+"
    r"(?:(?:#|gh-|bpo-|issue |bug |ticket |pr )#?+\d{1,7}+(?:,? (?:and )?)?+){1,6}+"
    r"\s*+[-–—:.]*+\s*+(?=\S)",
    re.IGNORECASE,
)
_ENDING = pattern(
    r"\s{0,3}(?:\((?:(?:#|gh-|PR ?#?|pull request #?|closes? #?|fix(?:es)? #?|issue #?|refs? #?)"
    r"\d{1,7}+(?:,? )?+){1,6}+\)|\[(?:skip ci|ci skip|#\d{1,7})\])\s{0,3}\Z",
    re.IGNORECASE,
)
_TRAILER = pattern(
    r"(?:[A-Z][A-Za-z]{1,20}(?:-[A-Za-z]{1,20}){1,4}|Bug|Ref|Refs|Fixes|Closes|CC|Cc|URL|Link"
    r"|Issue|PR"
    r"|Change-Id|Reviewed|Assisted-by|Ticket|Backport|Backports|Test|See|Thanks)(?:: "
    r"|:\Z)[^\n]{0,400}\Z"
)
_CLOSING = pattern(
    r"(?:(?:also|this|it|which) )?(?:will )?(?:fix(?:e[sd])?|close[sd]?|resolve[sd]?|references"
    r"|refs?"
    r"|see|part of|related to|follow-?up (?:to|of|for)|re|pr|issue|bug|addresses)\b[ :]*+"
    r"(?:(?:https?://\S{1,200}+|[\w/-]{0,60}#\d{1,7}+|gh-\d{1,7}+|[0-9a-f]{7,40}+"
    r"|\d{1,7}+)(?![\w#])"
    r"[,. ]*+(?:and |& )?+){1,8}+\Z",
    re.IGNORECASE,
)
_NOISE = pattern(
    r"\(cherry picked from commit|backport of [0-9a-f]{7,40}|git-svn-id:|\[?skip ci\]?|-{3,}\Z"
    r"|={3,}\Z"
    r"|\* \w+\Z|conflicts:\Z|#\s*conflicts|https?://\S{1,300}\Z|reported by|patch by|thanks to"
    r"|found by|"
    r"closes #|fixes #|generated with|--hg--|branch : |🤖|!?\[[^\]\n]{0,100}\]\([^)\n]{0,300}\)\Z"
    r"|<!--",
    re.IGNORECASE,
)
_REVERTED = pattern(r"this reverts commit ([0-9a-f]{7,40})", re.IGNORECASE)
_REVERTS_LINE = pattern(
    r"(?:this )?(?:partially |partly )?reverts? (?:commit |parts? of (?:commit )?)?+[0-9a-f]{7,40}+"
    r"[^\n.,;:]{0,80}+[.,;:]?+\s{0,3}+",
    re.IGNORECASE,
)
_REVERT = pattern(r"(?:revert(?:s|ed|ing)?|back(?:s|ed)? out|undo)\b[:\s]+", re.IGNORECASE)
_MERGE_PULL = pattern(
    r"Merge (?:pull request|PR) #\d+|Merge branch|Merge remote|Merge topic|Merge '"
)
_BREAKING = pattern(
    r"^[ \t]*(?:\*\*)?BREAKING[ -]CHANGES?(?:\*\*)?\s*:?(?:\*\*)?[ \t]*", re.MULTILINE
)
_WORD = pattern(r"[^\W\d_]{2,}+")
_FEWEST_WORDS = 3  # of a subject that says something
_TEMPLATE = pattern(
    r"^[ \t]*#{1,4}[ \t]+(?:motivation|solution|description|summary|changes?|context|background"
    r"|problem"
    r"|rationale|why|what|overview|details?|approach|fix|cause|root cause)[^\n]{0,40}$",
    re.IGNORECASE | re.MULTILINE,
)


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

    @property
    def sentences(self) -> list[str]:
        """The sentences of the prose, without headings of templates."""
        text = _BREAKING.sub("", _TEMPLATE.sub("", self.prose))[:_MOST_SENTENCES]
        return [sentence for block in paragraphs(text) for sentence in block]


def parse_message(message: str) -> Message:
    """Split a message into its parts."""
    message = message[:MOST_MESSAGE].replace("\r\n", "\n").replace("\r", "\n").strip()
    first, _, rest = message.partition("\n")
    is_merge = bool(_MERGE_PULL.match(first))
    if is_merge:  # a merge names its branch first; what it says follows
        first, _, rest = rest.strip("\n").partition("\n")
    elif rest and not rest.startswith("\n") and len(first) > 60:  # a subject of several lines
        more, _, later = rest.partition("\n\n")
        if (
            "\n" not in more
            and len(first) + len(more) < 160
            and not more.startswith(("-", "*", "#"))
        ):
            first, rest = f"{first} {more}", later
    prose = _prose(rest)
    subject, area, kind, breaking = _subject(first)
    footer = _BREAKING.search(message)
    what = ""
    if footer:
        what = one_line(message[footer.end() :].partition("\n\n")[0])[:600]
    reverts, reverted = "", ""
    revert = _REVERT.match(subject)
    if revert or kind == "revert":
        said = subject[revert.end() :] if revert else subject
        reverts = (
            _ENDING.sub("", said.strip().strip("\"“”'`")).strip().strip("\"“”'`.") or "a change"
        )
        mark = _REVERTED.search(message)
        reverted = mark[1] if mark else ""
    cleaned = _REVERTS_LINE.sub("", prose) if reverts else prose
    return Message(
        subject, area, kind, cleaned.strip(),
        breaking or bool(footer), what, reverts, reverted,
        "backport of" in message.lower() or "cherry picked from" in message, is_merge,
    )  # fmt: skip


def _subject(first: str) -> tuple[str, str, str, bool]:
    """Return a subject without what stands around it: subject, area, type, whether it breaks."""
    subject, area, kind, breaking = first[:_MOST_SUBJECT].strip().removeprefix("# "), "", "", False
    for _ in range(_MARKS):
        subject = _ENDING.sub("", subject)
    for _ in range(_MARKS):
        bracketed = _BRACKETED.match(subject)
        if bracketed:
            area = area or (bracketed["tag"] if bracketed["tag"].isidentifier() else "")
            subject = subject[bracketed.end() :]
        ticket = _TICKET.match(subject)
        if ticket:
            subject = subject[ticket.end() :]
    typed = _CONVENTIONAL.match(subject)
    if typed:
        kind, area, breaking = (
            typed["type"].lower(),
            typed["scope"] or area,
            bool(typed["breaking"]),
        )
        subject = subject[typed.end() :]
    ticket = _TICKET.match(subject)
    subject = subject[ticket.end() :] if ticket else subject
    named = _AREA.match(subject)
    if named and first_verb(subject) == "":
        area = area or named["area"]
        subject = subject[named.end() :]
    return one_line(subject).rstrip(" ."), area.strip(), kind, breaking


def _prose(rest: str) -> str:
    """Return what a message says below its subject, without trailers and references."""
    lines = []
    for line in rest.split("\n"):
        bare = line.strip()
        if _TRAILER.match(bare) or _CLOSING.match(bare) or _NOISE.match(bare):
            continue
        lines.append(line.rstrip())
    return "\n".join(lines).strip("\n")


def title_of(message: Message) -> str:
    """Return the author's subject as a title; if it says too little, a sentence of the text.

    Empty if neither says something.
    """
    if message.reverts:
        return _reverted(message)
    if _says_something(message.subject, message.area):
        return _short(message.subject, message.area)
    sentences = message.sentences
    for sentence in sentences[:3]:
        said = said_of_change(sentence) or (sentence if first_verb(sentence) else "")
        if said:
            return fitted(said, message.area)
    for sentence in sentences[:2]:
        if 30 <= len(sentence) <= SUMMARY_LENGTH and is_statement(sentence) and stands(sentence):
            return fitted(sentence, message.area)
    if sentences and _WORD.search(message.subject):
        return shorten_line(f"{message.subject[:1].upper()}{message.subject[1:]}: {sentences[0]}")
    return ""


def _says_something(subject: str, area: str) -> bool:
    """Whether a subject has enough words to be a title; its area counts as one."""
    words = _WORD.findall(subject)
    return len(words) + (1 if area else 0) >= _FEWEST_WORDS and len(words) >= 2


def _short(subject: str, area: str) -> str:
    """Return a subject with its area; of a long one, its first clauses or words."""
    return fitted(subject, area) or shorten_line(subject[:1].upper() + subject[1:].rstrip(" :,("))


def _reverted(message: Message) -> str:
    again = _REVERT.match(message.reverts)
    what = message.reverts[again.end() :].strip("\"“”'`") if again else message.reverts
    done = "Restored" if again else "Reverted"
    cause = cause_of(message).rstrip(".")
    if len(_WORD.findall(what)) < 2:  # "Revert #322" says nothing without its cause
        return fitted(f"{done} {what}: {cause}", "") if cause else ""
    return _short(f"{done}: {what}", "")


def cause_of(message: Message) -> str:
    """Return the sentence that says why something was reverted; empty if none does."""
    said = [
        s for s in message.sentences if len(s) > 15 and not s.lower().startswith("this reverts")
    ]
    return said[0] if said else ""


def body_of(message: Message) -> str:
    """Return what a memory keeps of the text below the subject, in whole paragraphs."""
    kept: list[str] = []
    size = 0
    for block in _shown(message.prose).split("\n\n"):
        block = block.strip("\n")
        if not block.strip():
            continue
        if size + len(block) > MOST_BODY:
            if not kept:
                kept.append(block[: MOST_BODY - 1].rsplit(" ", 1)[0] + "…")
            break
        kept.append(block)
        size += len(block) + 2
    return "\n\n".join(kept)


def _shown(prose: str) -> str:
    """Return prose without long code, which the commit has anyway."""
    lines: list[str] = []
    run: list[str] = []
    for line in [*prose.split("\n"), ""]:
        if line.startswith(("    ", "\t", ">", "|", "$ ")) or (run and not line):
            run.append(line)
            continue
        if len(run) <= 8:
            lines += run
        run = []
        lines.append(line)
    text = "\n".join(lines)
    parts = text.split("```")
    kept = [
        part if n % 2 == 0 else f"```{part}```" if part.count("\n") <= 10 else ""
        for n, part in enumerate(parts)
    ]
    return "".join(kept)
