"""The title of a memory of a commit: what its author wrote, if that stands alone."""

from __future__ import annotations

import re

from recollect.core.note import SUMMARY_LENGTH, shorten_line
from recollect.core.patterns import pattern
from recollect.importing.commit_message import (
    FEWEST_WORDS,
    QUOTES,
    REVERT,
    WORD,
    Message,
    cause_of,
    subject_of,
)
from recollect.importing.problem_solution import title_of_solution
from recollect.importing.titles import capitalized, fitted, is_sentence, is_statement, stands
from recollect.importing.verbs import first_verb, is_order, said_of_change

_ABOUT_ITSELF = pattern(
    r"(?:this|these|the) (?:change|commit|patch)\w{0,2} (?:is|was|are)\b", re.IGNORECASE
)
_ALSO = pattern(r"[^\n]{0,60}\balso\b", re.IGNORECASE)
_CODE = pattern(r"[^\s,]{2,60}(?:_[^\s,]|\(\)|::)|[^\s,]{1,60}[a-z][A-Z]")
# "Fixed CVE-2024-1 -- Prevented …": the number goes to the end.
_HOLE_FIRST = pattern(
    r"(?:(?:fix(?:e[sd])?|refs?)[ :]{1,2})?(?P<cve>CVE-\d{4}-\d{3,7})(?:[ :]{0,2}[-–—]{1,3}[ ]?|: )"
    r"(?=\w)",
    re.IGNORECASE,
)
_ID = pattern(r"\b[0-9a-f]{7,40}\b")
_NEW_STATE = pattern(r"\b(?:now|no longer|must|should|instead|always|never|only)\b")
_OF_TICKET = pattern(r"#\d{1,7}(?: ?\([^()\n]{1,40}\))?")
_QUOTED_TWICE = pattern(r"[\"”] (?:and|, ) ?[\"“]")
_TICKET_LAST = pattern(r"[\"“”]? #\d{1,7}\Z")


def title_of(message: Message) -> str:
    """Return the author's subject as a title; if it says too little, a sentence of the text.

    Empty if neither says something.
    """
    if message.reverts:
        return _reverted(message)
    if message.solution and not is_order(message.subject):
        return title_of_solution(message.subject, message.area, message.solution)
    subject = _HOLE_FIRST.sub("", message.subject, count=1)
    is_said = _says_something(subject, message.area) and not _ABOUT_ITSELF.match(subject)
    if is_said and is_sentence(subject):
        return _with_hole(_short(subject, message.area), message.subject)
    said = _said_below(message, is_said=is_said)
    return said or (_short(subject, message.area) if is_said else "")


def _with_hole(title: str, subject: str) -> str:
    """Return a title with the number of the hole that its subject begins with."""
    hole = _HOLE_FIRST.match(subject)
    named = f"{title} ({hole['cve']})" if hole else title
    return named if len(named) <= SUMMARY_LENGTH else title


def _said_below(message: Message, *, is_said: bool) -> str:
    """Return a title from the text; `is_said`: the subject could be one, if need be."""
    if message.area and first_verb(message.subject) and " " not in message.subject:
        return fitted(f"{message.subject} {message.area}", "")  # "metalink: remove"
    sentences = message.sentences
    for sentence in sentences[:3]:
        if _ALSO.match(sentence):
            continue
        said = said_of_change(sentence) or ("" if is_said or not first_verb(sentence) else sentence)
        title = fitted(said, message.area) if said else ""
        if title:
            return title
    for sentence in sentences[:2]:
        is_whole = 30 <= len(sentence) <= SUMMARY_LENGTH and stands(sentence)
        if is_whole and is_statement(sentence) and _NEW_STATE.search(sentence):
            return fitted(sentence, message.area)
    is_named = _OF_TICKET.sub("", message.subject) == message.subject
    if sentences and WORD.search(message.subject) and not is_said and is_named:
        return shorten_line(f"{capitalized(message.subject)}: {sentences[0]}")
    return ""


def _says_something(subject: str, area: str) -> bool:
    """Whether a subject has enough words to be a title; its area counts as one.

    "Fix #71 (edge case)" says nothing without the ticket.
    """
    words = WORD.findall(_OF_TICKET.sub("", subject))
    is_named = area != "" or _CODE.match(subject) is not None
    return len(words) + is_named >= FEWEST_WORDS and len(words) >= 2


def _short(subject: str, area: str) -> str:
    """Return a subject with its area; of a long one, its first clauses or words."""
    return fitted(subject, area) or shorten_line(capitalized(subject.rstrip(" :,(")))


def _reverted(message: Message) -> str:
    """Return what was taken back; empty if only a number says it, and nothing says why."""
    again = REVERT.match(message.reverts)
    what = message.reverts[again.end() :].strip(QUOTES) if again else message.reverts
    done = "Restored" if again else "Reverted"
    own = REVERT.match(message.subject)
    is_quoted = own is None or message.subject[own.end() :][:1] in QUOTES
    if len(WORD.findall(_ID.sub("", what if is_quoted else message.subject))) < FEWEST_WORDS:
        cause = cause_of(message).rstrip(".")  # "Revert #322" says nothing without it
        return fitted(f"{done} {what}: {cause}", "") if cause else ""
    if not is_quoted or _QUOTED_TWICE.search(what):
        return _short(message.subject, message.area)
    subject, area, *_ = subject_of(what)
    subject = subject if subject.count('"') % 2 == 0 else subject.replace('"', "")
    what = _TICKET_LAST.sub("", f"{area}: {subject}" if area else subject).strip(QUOTES)
    what = shorten_line(what, SUMMARY_LENGTH - len(done) - 3)
    title = f"{done} “{what}”"
    cause = cause_of(message).rstrip(".")
    with_cause = f"{title}: {cause}"
    return with_cause if cause and len(with_cause) <= SUMMARY_LENGTH else title
