"""The kind of memory that a commit makes, and the words that tell it.

A change of course is a decision, a bug and its cure are a solution, and a revert is a learning.
"""

from __future__ import annotations

import re
from typing import Final

from recollect.core.patterns import pattern
from recollect.importing.commit_message import Message
from recollect.importing.verbs import first_verb

DECISION: Final = "decisions"
SOLUTION: Final = "solutions"
LEARNING: Final = "learnings"
MOST_RATED: Final = 4_000  # characters of a text that is rated


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text."""
    return frozenset(text.split())


DECIDES: Final = word_set(
    "abandon adopt ban choose deprecate disallow eliminate forbid prohibit require"
    " retire switch migrate restrict reject refuse prefer revert stop transition discourage enforce"
    " reinstate undeprecate rewrite relax withdraw disable"
)
# Often a decision, and often only cleaning.
TAKES_AWAY: Final = word_set("drop remove replace delete")
REPAIRS: Final = word_set(
    "fix repair correct prevent handle protect guard solve resolve restore address mitigate harden"
)
HARD: Final = pattern(
    r"\b(?:race(?: condition)?s?|deadlock\w*|leak\w*|overflow\w*|underflow\w*|crash\w*|regress\w+"
    r"|corrupt\w*"
    r"|CVE-\d{4}-\d+|vulnerab\w+|use[- ]after[- ]free|double[- ]free|data loss|infinite loop"
    r"|hang(?:s|ing)?"
    r"|seg-?fault\w*|injection|bypass|denial of service|DoS|out[- ]of[- ]bounds|null (?:ptr "
    r"|pointer )?deref\w*|panic\w*|starv\w+"
    r"|quadratic"
    r"|exponential\w*|memory usage|undefined behaviou?r|time-?out|stack exhaustion)\b",
    re.IGNORECASE,
)
# What nobody may forget: a hole in the security.
GRAVE: Final = pattern(
    r"\bCVE-\d{4}-\d|\bsecurity (?:issue|fix|hole|bug|flaw|problem|vulnerab)|\bvulnerabilit",
    re.IGNORECASE,
)
# What a cure cures.
TROUBLE: Final = pattern(
    r"\b(?:bugs?|regress\w{1,7}|crash\w{0,5}|fail(?:s|ed|ure|ures|ing)?|wrong(?:ly)?"
    r"|incorrect\w{0,2}"
    r"|broken|breaks?|errors?|exception|leak\w{0,5}|race|deadlock\w{0,5}|hang(?:s|ing)?|hung"
    r"|corrupt\w{0,5}|assert\w{0,6}|segfault\w{0,3}|panic\w{0,5}|infinite|mistake|problem)\b",
    re.IGNORECASE,
)
# A fault that a text tells of, where the subject only says what to do.
_FAULT = pattern(
    r"\b(?:wrong(?:ly)?|incorrect(?:ly)?|would fail"
    r"|fail(?:s|ed|ure) (?:to|with|when|if|on)|crash\w{0,5}"
    r"|not correctly|but missed|silently|swallow(?:s|ed|ing)|undesired|swapped|inverted|dead for"
    r"|(?:was|were) never (?:called|checked|rejected|set|used|run|reached)"
    r"|caus(?:es|ed|ing) (?:a |an )?(?:problem|race|issue|leak|error)s?"
    r"|corrupt\w{0,5}|seg-?fault\w{0,3}|bugs?|panic\w{0,5}|regress\w{1,7}|hangs?"
    r"|uninitiali[sz]ed|undefined behaviou?r|deadlock\w{0,3}|race conditions?|data race"
    r"|memory leaks?"
    r"|double[- ]free|use[- ]after[- ]free|starv(?:es?|ing|ation)|unhandled|misbehav\w{1,5}"
    r"|(?:do|did|does)(?:n't| not) work|(?:was|were|is|are) (?:not (?:honou?red|called|set|updated"
    r"|reported|respected|checked|applied|considered|taken into account"
    r"|released|freed)|broken|lost|ignored)|traceback)\b",
    re.IGNORECASE,
)
# What was removed because it did harm.
# A text that begins with the bug.
_FIXED = pattern(
    r"(?:this (?:commit|change|patch) )?(?:fix(?:e[sd])?|repair(?:s|ed)?) (?:an? |the |some )?"
    r"(?:[\w-]{1,20} ){0,2}(?:issues?|bugs?|regressions?|problems?|crash\w{0,3}|race|leaks?)\b",
    re.IGNORECASE,
)
# "With this commit we're fixing this", "…, fix that".
_CURES = pattern(
    r"\b(?:we(?:'re| are)? (?:now )?fix(?:ing)? (?:this|that|the|it)|(?:so|let's|thus,?) fix\b"
    r"|(?:commit|change|patch)(?: \w{1,12}){0,2} fix(?:es|ing)?\b|,? fix (?:this|that|it)\b"
    r"|fix (?:this|that|it|the (?:issue|bug|problem)) by\b)",
    re.IGNORECASE,
)
# "Add missing check", which was a bug; "X may reset Y", which says what was wrong.
_MISSING = pattern(r"add(?:s|ed)? (?:an? |the |some )?missing\b", re.IGNORECASE)
_PROBLEM = pattern(r"[*#\s]{0,6}problem\b[*\s]{0,4}:", re.IGNORECASE)
_FALSE = pattern(
    r"\b(?:incorrect|wrong|bogus|(?<!longer )reachable|erroneous|false)\b", re.IGNORECASE
)
# A check that was there and did not work is a bug; one that is new is a decision.
_CHECKS = word_set("reject refuse enforce stop")
_OFFERS = word_set("enable show expose provide offer allow create reintroduce")
_BY_DEFAULT = pattern(r"\b(?:by|the) default\b|\bdefaults? to\b", re.IGNORECASE)
_RID = pattern(r"(?:get|getting|got) rid of\b", re.IGNORECASE)
_OFFERED = pattern(r"(?:new|support for|initial|experimental|implementation)\b", re.IGNORECASE)
_CAUSE = pattern(
    r"\b(?:(?:the|this) (?:problem|issue|bug|root cause|culprit|crash|regression)\b|root cause"
    r"|caused by|caused a|introduced (?:in|by)|regress\w{1,7}|this (?:fixes|fix|resolves"
    r"|solves))\b",
    re.IGNORECASE,
)
FIX_TYPES: Final = word_set("fix bugfix hotfix")
ADDS: Final = word_set("add implement introduce improve optimize speed support")


def verb_of(subject: str) -> str:
    """Return the base of the verb that a subject starts with; empty if it starts with none."""
    return "remove" if _RID.match(subject) else first_verb(subject)


def kind_of(message: Message) -> str:
    """Return whether a message tells of a decision, of a cure, or of something learned."""
    if message.reverts:
        return LEARNING
    verb = verb_of(message.subject)
    text = message.prose[:MOST_RATED]
    whole = f"{message.subject}\n{text}"
    is_fix = message.type in FIX_TYPES or verb in REPAIRS
    is_default = verb in _OFFERS and _BY_DEFAULT.search(message.subject) is not None
    if GRAVE.search(whole) and verb not in TAKES_AWAY and not is_default:
        return SOLUTION
    if _FIXED.match(text):
        return SOLUTION
    if verb in TAKES_AWAY and _FALSE.search(message.subject):
        return SOLUTION
    if message.begins_fix and not message.is_breaking and verb not in DECIDES | TAKES_AWAY:
        return SOLUTION
    if verb in _CHECKS and _FAULT.search(text) and not message.is_breaking:
        return SOLUTION
    if is_default or verb in DECIDES or (verb in TAKES_AWAY and not is_fix) or message.is_breaking:
        return DECISION
    if is_fix or HARD.search(message.subject) or _MISSING.match(message.subject):
        return SOLUTION
    if _PROBLEM.match(text) and verb not in ADDS:
        return SOLUTION
    if verb in ADDS or verb in _OFFERS or _OFFERED.match(message.subject):
        return DECISION
    if message.is_fix and TROUBLE.search(whole):
        return SOLUTION
    if (_CAUSE.search(text) or first_verb(text) in REPAIRS) and TROUBLE.search(text):
        return SOLUTION
    is_cure = _FAULT.search(text) or _CURES.search(whole)
    return SOLUTION if is_cure else DECISION
