"""What a commit needs to make a memory: precision before volume, since search has every commit.

The weights of `commit_worth` order commits, but hardly tell good from bad among the best. These
rules do. Of 77 memories of commits in vim, celery and cargo that the eighth judge read, 65 % were
good; of the 16 that add more than 90 lines, 3 were; of the 16 with a list of three things, 4.
"""

from __future__ import annotations

import re
from typing import Final

from recollect.core.patterns import pattern
from recollect.importing.commit_body import MOST_BODY
from recollect.importing.commit_kinds import ADDS, HARD, TROUBLE, word_set
from recollect.importing.commit_message import Message, body_of
from recollect.importing.commit_survival import Survival
from recollect.importing.reasons import gives_reason
from recollect.importing.titles import is_sentence
from recollect.importing.verbs import first_verb, is_order

# Lines of the program that a commit adds, at most: more is a feature, which the code tells itself.
MOST_ADDED: Final = 90
# The share of its lines that must be left, if it added enough to tell by.
LEAST_KEPT: Final = 0.6
_TELLING = 10
_MOST_ITEMS = 2  # things in a list of what was done
_ITEM = pattern(r"^[ \t]{0,8}(?:[-*+•]|\(?\d{1,2}[.)])[ \t]+\S", re.MULTILINE)
_MOST_TEXT = 4_000
# What holds for a while, or is not there for all.
_UNSTABLE = pattern(
    r"(?<![a-z])experimental(?:ly)?(?![a-z])|\b(?:(?:(?:this|the) (?:PR|pull request)|it|that)"
    r" (?:will|should|can) (?:only )?be merged|part (?:one|two|three|\d) of"
    r"|follow[- ]?up (?:of|to|for) (?:PR|#|https?)|temporary (?:workaround|fix|solution|measure)"
    r"|haven['’]t yet|if people are|pacif(?:y|ies)|coverity"
    r"|(?:clang|static)[- ](?:tidy|anal\w{1,6})|unstable|nightly|prototype[sd]?|proof of concept"
    r"|feature (?:flag|toggle)|work in progress"
    r"|WIP|MVP|first (?:step|iteration|version|cut|pass)|(?:in|as) (?:a|the) (?:first|next|later"
    r"|follow-?up|future|subsequent) (?:PRs?|commits?|patch(?:es)?|step|change)"
    r"|future (?:PRs?|commits?|patch(?:es)?|work)|blocked on|still (?:todo|missing|needs?)|TODO"
    r"|to be (?:done|discussed|decided)|initial (?:implementation|support|version)|beta|alpha"
    r"|preview)\b",
    re.IGNORECASE,
)
# What a commit does to something that the title does not tell: how, and to what end.
_WEAK = word_set(
    "update clarify adjust improve rework refine tweak define align"
    " polish enhance refactor move clean simplify sync synchronize merge"
    " document mention test try get extend expand complete modernize"
    " reorganize restructure revamp revisit extract factor split prepare rename"
    " unify optimize introduce generalize tune streamline cover adapt bump"
    " format port reformat revise consolidate modify build work begin"
    " start"
)
# What says why or how, so that a weak verb is enough.
_SAYS_MORE = pattern(
    r"\b(?:because|since|so that|to (?:avoid|prevent|allow|keep|stop|make|match|not)|instead of"
    r"|rather than|in favou?r of|no longer|only|when|if|unless|without|even|by default|not)\b",
    re.IGNORECASE,
)
# Several things, or nothing in particular.
_VAGUE = pattern(
    r"\b(?:a few|several|various|some|many|multiple|misc\w*|minor|small|more)\s(?:\w{1,20}\s)?"
    r"(?:issues?|fixes|improvements?|bugs?|tweaks?|changes?|problems?|things?|cleanups?|corrections?|spots"
    r"|places|cases|tests?)\b|\b(?:and more|etc|parity|in general|stuff|things|part \d|\d/\d"
    r"|take two|phase \d|step \d|2nd try|another try|attempt)\b|[&+]\Z|\ba bit\b|\bbetter\Z",
    re.IGNORECASE,
)
# A sentence that says how it is now, not how it was.
_NOW = pattern(
    r"\b(?:now|no longer|must|should|instead|always|never|only|can|cannot)\b", re.IGNORECASE
)
_WENT_WRONG = pattern(
    r"\b(?:may|might|could|would|was|were|cannot|can't|doesn't|does not|don't|isn't|is not|not|no"
    r"|missing|lacking|hard|impossible|unable|limited|confus\w{1,6}|unexpected\w{0,2}|incorrectly"
    r"|wrongly|spurious|too)\b",
    re.IGNORECASE,
)
_HANGS = pattern(r"\b(?:a|an|and|as|at|by|for|from|in|of|on|or|the|to|with)\Z")
_FEWEST_WORDS = 3  # of a title without its area
_AREA = pattern(r"[^\s:][^:\n]{0,40}?: (?=\S)")
# "Fix a stability issue" names the issue by its kind only.
_KIND_ONLY = pattern(r"[^\n]{0,60}\b(?:issues?|bugs?|problems?|errors?|behaviou?r|handling)\Z")
_FEWEST_OF_KIND = 7  # words of a title that ends so
# "Logging levels of errors": something, not something that was done.
_DOING = pattern(r"[A-Za-z]{2,20}ing\b")
# A sentence that begins so tells what was meant to be better later.
_FOR_NOW = pattern(
    r"(?:^|[.!?]\s{1,2})(?:for now|for the moment|temporarily)\b",
    re.IGNORECASE | re.MULTILINE,
)
_NAMED = pattern(r"[^\W\d_]{4,}")
_STEM = 5  # letters of a word that are compared
_LEAST_TEXT = 0.5  # the share of a text that its body keeps
_FEWEST_NEW = 6  # words of a text that its title does not have
_FIRST_PERSON = pattern(r"\b(?:I|I['’](?:m|ve|d|ll)|my|me)\b")
_MOST_PERSON = 4
_PEOPLE = pattern(r"(?<![\w@/])@[A-Za-z][\w-]{1,38}(?![\w/.])")
_QUESTION = pattern(r"\?(?=\s|\Z)")


def is_firm_title(title: str, message: Message) -> bool:
    """Whether a title says something particular that was done or is so now.

    A sentence without an order must not say what went wrong, for that is gone.
    """
    if _HANGS.search(title):
        return False
    if message.reverts:
        return True
    area = _AREA.match(title)
    said = title[area.end() :] if area else title
    if len(said.split()) < _FEWEST_WORDS or _VAGUE.search(title) or _DOING.match(said):
        return False
    if len(said.split()) < _FEWEST_OF_KIND and _KIND_ONLY.match(said):
        return False
    verb = first_verb(said)
    if verb in _WEAK and not _SAYS_MORE.search(said):
        return False
    if verb in ADDS and not gives_reason(f"{said}\n{message.prose[:_MOST_TEXT]}"):
        return False
    if is_order(said):
        return True
    if verb and not (HARD.match(said) or TROUBLE.match(said)):
        return True
    return is_sentence(said) and bool(_NOW.search(said)) and not _WENT_WRONG.search(said)


def is_firm(message: Message) -> bool:
    """Whether a message tells one thing that is settled, to whoever reads it later."""
    if message.reverts:
        return True
    text = message.prose[:_MOST_TEXT]
    if message.is_backport or _UNSTABLE.search(f"{message.subject}\n{text}"):
        return False
    if _FOR_NOW.search(text) or len(_words(text) - _words(message.subject)) < _FEWEST_NEW:
        return False
    if sum(1 for _ in _ITEM.finditer(text)) > _MOST_ITEMS:
        return False
    if len(body_of(message)) < _LEAST_TEXT * min(len(text), MOST_BODY):
        return False  # it was mostly code and figures
    is_chat = len(_FIRST_PERSON.findall(text)) > _MOST_PERSON
    return not (is_chat or _PEOPLE.search(text) or _QUESTION.search(text))


def _words(text: str) -> set[str]:
    """Return the beginnings of the longer words of a text."""
    return {word[:_STEM].lower() for word in _NAMED.findall(text)}


def still_stands(survival: Survival) -> bool:
    """Whether a commit is small enough to be one decision, and most of it is still there."""
    if survival.added > MOST_ADDED:
        return False
    return survival.added < _TELLING or survival.share >= LEAST_KEPT
