"""Phrases with which people ask for memories, and questions that are about no topic at all.

"Why did we …" makes it likelier that a memory answers. "Where were we?" has no words to search for:
its answer is a matter of kind and time.
"""

from __future__ import annotations

import re

from recollect.core.named_tuple import NamedTuple
from recollect.core.patterns import pattern
from recollect.index.text import query_terms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_TRIGGER = pattern(
    r"\bwhy (?:did|do|are|were|is|was) (?:we|it|this|that)\b"
    r"|\bwhat (?:was|were|is) the (?:decision|reason|rationale)"
    r"|\bwhat did we (?:decide|agree|choose|pick|say|learn)|\bhow did we\b|\bwhat do we know\b"
    r"|\bremind me\b|\bdo (?:you|we) remember\b|\bremember (?:when|how|why|what)\b"
    r"|\bcontinue (?:from|where)\b|\bwhere (?:did we|were we)\b|\bpick up where\b"
    r"|\blast (?:time|session|week)\b|\bprevious(?:ly)?\b|\bthe blockers?\b"
    r"|\bwhat happened (?:with|to)\b|\bhave we (?:already|ever)\b|\bdid we (?:already|ever)\b",
    re.IGNORECASE,
)


def asks_for_memory(prompt: str, phrases: str = "") -> bool:
    """Return whether a prompt asks for memories.

    `phrases` are more ways to ask, separated by commas, from `recall.triggers`.
    """
    return _TRIGGER.search(prompt) is not None or (bool(phrases) and _contains(prompt, phrases))


def _contains(prompt: str, phrases: str) -> bool:
    """Return whether a prompt has one of the phrases, by whole words."""
    said = f" {_plain(prompt)} "
    return any(f" {phrase} " in said for phrase in map(_plain, phrases.split(",")) if phrase)


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


_WORD = pattern(r"[\w'’]+")
_LATEST = pattern(
    r"\b(?:latest|newest|most recent(?:ly)?|recent(?:ly)?|right now|currently|at the moment"
    r"|these days|lately|today|yesterday|this (?:week|morning|month)"
    r"|last (?:time|session|week|month|change|commit|release))\b",
    re.IGNORECASE,
)


def asks_for_latest(query: str) -> bool:
    """Return whether a query asks for what is new, so that age counts."""
    return _LATEST.search(query) is not None


_ABOUT_MEMORY = pattern(
    r"\b(?:remember(?:ed|s)?|remind(?:ed|er|s)?|recall(?:ed|s)?|forg[eo]t(?:ten|s)?|memor(?:y|ies))\b",
    re.IGNORECASE,
)


def asked_for(prompt: str) -> str:
    """Return a prompt without the words that only ask to remember."""
    text = _ABOUT_MEMORY.sub(" ", prompt)
    if leaning_of(prompt) is None:
        return text
    about = _without_questions(text)
    return about if query_terms(about) else text


# Questions by kind and time

LAST: Final = "last"  # what was done, where the work stopped
BLOCKED: Final = "blocked"
LEFT: Final = "open"
_LONGEST = 200  # characters; a longer prompt has a topic
_SMALL_TALK = frozenset(
    [
        "afternoon",
        "again",
        "back",
        "break",
        "call",
        "coffee",
        "day",
        "desk",
        "dinner",
        "evening",
        "everyone",
        "finally",
        "folks",
        "great",
        "happy",
        "here",
        "holiday",
        "holidays",
        "home",
        "kids",
        "late",
        "long",
        "lunch",
        "meeting",
        "meetings",
        "monday",
        "new",
        "nice",
        "night",
        "office",
        "online",
        "sick",
        "sorry",
        "standup",
        "there",
        "tea",
        "train",
        "travel",
        "trip",
        "vacation",
        "weekend",
    ]
)
_SENTENCE = pattern(r"[.!?\n]+")

_WE = r"(?:we|i|you|us|the team)"
_WHERE_LAST: Final = (
    r"\b(?:continue|carry on|go on|resume|start|begin|proceed|pick (?:it |things |this )?up)"
    rf" (?:again )?(?:from )?where {_WE}(?:'d| had| have|'ve)?"
    r" (?:left|stopped|were|was|got)(?: off| it| at| to)?"
    rf"|\bwhere (?:were|are|was) {_WE}\b"
    rf"|\bwhere did {_WE} (?:leave|stop|get|end)(?: off| it| at| to| up)?"
    r"|\bpick up (?:the )?(?:thread|work)\b"
)
_WHAT_LAST: Final = (
    rf"|\bwhat (?:did|have|had|were|was) {_WE} (?:do(?:ing|ne)?|work(?:ed|ing)? on|get done"
    r"|got done|finish(?:ed)?|accomplish(?:ed)?|achieved?|up to|changed?)"
    r"|\bwhat (?:happened|was done|got done|changed)\b"
    r"|\b(?:the |our |my |in |during |from )?(?:last|previous|prior|earlier)"
    r" (?:time|session|sessions|chat|conversation)\b"
    r"|\bremind me\b|\brefresh my memory\b|\bcatch me up\b"
    r"|\b(?:get|bring) me up to (?:speed|date)\b|\brecap\b|\bso far\b"
    r"|\b(?:what(?:'s| is) (?:the |our )?)?(?:current )?"
    r"(?:status|state of (?:the work|things|play))(?: update| report)?\b"
)
_WHAT_LEFT: Final = (
    r"\bwhat(?:'s| is| are| was| else is)? (?:still |currently )?(?:open|left|missing|pending"
    r"|unfinished|outstanding|remaining|undone|not done|to do|todo|to be done|unresolved|unsolved"
    r"|failing|broken)\b"
    r"|\bwhat(?:'s| is| comes)? (?:up )?next\b|\bwhat remains\b"
    rf"|\bwhat (?:should|do|can|must|shall) {_WE} (?:still )?(?:(?:have|need) (?:to|left to) )?"
    r"(?:do|work on|tackle|finish) ?(?:next|now|still)?"
    r"|\b(?:next|open|remaining|outstanding|unfinished)"
    r" (?:steps?|items?|points?|tasks?|issues?|questions|work|todos?|things)\b"
    r"|\b(?:the |our |my |any )?(?:to-?dos?|loose ends|tech(?:nical)? debt)\b|\bstill open\b"
)
_QUESTIONS: Final = (
    (LAST, pattern(_WHERE_LAST + _WHAT_LAST, re.IGNORECASE)),
    (
        BLOCKED,
        pattern(
            r"\bblock(?:ers?|ing|ed)\b|\bin (?:the|our|my) way\b"
            rf"|\bholding {_WE} (?:up|back)\b",
            re.IGNORECASE,
        ),
    ),
    (LEFT, pattern(_WHAT_LEFT, re.IGNORECASE)),
)
_EMPTY = frozenset(
    [
        "tell",
        "show",
        "give",
        "list",
        "hey",
        "hi",
        "hello",
        "ok",
        "okay",
        "quick",
        "quickly",
        "current",
        "currently",
        "exactly",
        "claude",
        "far",
        "project",
        "repo",
        "repository",
        "work",
        "working",
        "worked",
        "session",
        "sessions",
        "time",
        "summary",
        "recap",
        "update",
        "everything",
        "thing",
        "things",
        "stuff",
        "still",
        "yet",
        "next",
        "left",
        "today",
        "yesterday",
        "week",
        "last",
        "previous",
        "prior",
        "remind",
        "remember",
        "recall",
        "want",
        "like",
        "know",
        "need",
        "go",
        "start",
        "morning",
        "good",
        "thanks",
        "done",
        "briefly",
        "short",
        "question",
        "anything",
        "something",
        "open",
        "status",
        "report",
        "right",
        "continue",
        "resume",
        "state",
        "tasks",
        "task",
        "items",
        "item",
        "ago",
        "memory",
        "earlier",
        "stopped",
        "stop",
        "chat",
        "conversation",
    ]
)


# Without one of these, a text names no time; `search/periods.py` knows more.
_TIME_CUES = (
    *("yesterday", "today", "morning", "week", "month", "quarter", "year", " ago", "past", "last"),
    *("since", "after", "before", "until", "during", "19", "20", "in ", "this "),
)


class Plan(NamedTuple):
    """What a question asks for, if not for a topic: what was last, what blocks, what is open."""

    asks: tuple[str, ...]
    # The words for a period of time, such as `yesterday`.
    period: str = ""


def find_period(text: str) -> str:
    """Return the words of a text that name a time; empty if there are none."""
    low = text.lower()
    if not any(cue in low for cue in _TIME_CUES):
        return ""
    from recollect.search import periods  # few prompts name a time

    return periods.find_period(text)


def without_period(text: str) -> str:
    """Return a text without the words that name a time."""
    period = find_period(text)
    return text.replace(period, " ", 1) if period else text


def plan_of(prompt: str) -> Plan | None:
    """Return what a prompt asks for by kind and time, whatever its topic; None if it does not."""
    text = prompt[: _LONGEST + 1].replace("’", "'")
    if len(text) > _LONGEST:
        return None
    asks = tuple(name for name, question in _QUESTIONS if question.search(text))
    return Plan(asks, find_period(text)) if asks else None


def leaning_of(prompt: str) -> Plan | None:
    """Return the kind and time that a question about a topic also names; None if it names none.

    Without a phrase that asks for memories, such words are part of the topic: a status page.
    """
    if not asks_for_memory(prompt):
        return None
    period = find_period(prompt[:_LONGEST])
    return plan_of(prompt) or (Plan((), period) if period else None)


def topicless(prompt: str) -> Plan | None:
    """Return what a question without a topic asks for; None if the prompt has a topic."""
    plan = plan_of(prompt)
    if plan is None or _is_empty(_without_questions(prompt)):
        return plan
    # "Back from lunch. Where were we?": small talk in a sentence of its own is no topic.
    *before, asked = filter(str.strip, _SENTENCE.split(prompt))
    terms = [term for term in query_terms(" ".join(before)) if term not in _EMPTY]
    if not _SMALL_TALK.issuperset(terms) or not _is_empty(_without_questions(asked)):
        return None
    return plan_of(asked)


def only_period(query: str) -> Plan | None:
    """Return the plan of a query that is nothing but the words for a time: "last week"."""
    period = find_period(query[: _LONGEST + 1])
    is_all = period != "" and len(query) <= _LONGEST and _is_empty(without_period(query))
    return Plan((), period) if is_all else None


def _is_empty(text: str) -> bool:
    return all(term in _EMPTY for term in query_terms(text))


def _without_questions(text: str) -> str:
    text = text.replace("’", "'")
    for _, question in _QUESTIONS:
        text = question.sub(" ", text)
    return without_period(text)
