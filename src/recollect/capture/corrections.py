"""Finds what a person had to tell the agent: a statement that the agent conceded.

"The proxy strips that header." "You're right, then it must be the cookie." What the agent could not
know, the next one cannot know either. The words of such a statement reveal nothing; the answer
does. The statement must make sense to somebody who was not there: requests, questions, stories of
the moment and references to something unseen do not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from recollect.capture.decide import without_filler
from recollect.capture.sentences import sentences, words
from recollect.capture.signal_rules import DECISION, KIND_OF_TYPE, LEARNING, PREFERENCE
from recollect.capture.signals import Signal, is_question
from recollect.core.patterns import pattern

_SURE = 0.75  # enough for a suggestion, not for automatic capture
_LONGEST_PROMPT, _LONGEST = 400, 300  # characters; longer text was pasted
_FEWEST_WORDS = 4

_GIVES_IN = pattern(
    r"(?:(?:ah+|oh|yes|hmm|no|ok|okay)[,.!—– -]+)*(?:"
    r"you(?:'re| are) (?:absolutely |completely |totally |quite |of course )?(?:right|correct)\b"
    r"|(?:good|great|excellent|fair) (?:catch|point|call|thinking|enough|observation|insight)\b"
    r"|that(?:'s| is) (?:a |an |the )?(?:really |very )?"
    r"(?:key|crucial|critical|important|good|great|valid|excellent)"
    r" (?:clue|detail|distinction|finding|insight|observation|point)\b)",
    re.IGNORECASE,
)
_LEAD = pattern(
    r"(?:(?:q:|i (?:think|feel like|believe)|imo|imho|actually|have in mind that|given [^,]{3,80},"
    r"|it(?:'?s| is| would be) better)[, ]+)*",
    re.IGNORECASE,
)
# Words that depend on what was said before.
_POINTS = words(
    "also and because but he her his it it's its or she so that that's them then there there's"
    " these they they're this those though what which"
)
_DOES = words(
    "add change check commit consider create delete do fix go log look make move open please push"
    " put remove rename revert run set show start stop test try update wait write yes yeah no nope"
    " thanks"
)
# What somebody did, or will do next, is only true for a day.
_STORY = pattern(
    r"i\b|we(?!(?:'d| would| also| always| never| only| don't| do not| cannot| can't)*"
    r" (?:always|deploy|have to|keep|must|need|never|only|prefer|run|ship|should|store|support|use"
    r"|want)\b)"
    r"|(?:we|you) (?:should|need to|have to) (?:also |first )?"
    r"(?:begin|check|do|focus|go|investigate|look|see|start|stop|test|try|wait)\b",
    re.IGNORECASE,
)
_ASKS = pattern(
    r"\b(?:can|could|would|will) (?:you|we|i)\b|\bplease\b|\blet me\b|\blet's\b", re.IGNORECASE
)
_DOUBT = pattern(
    r"\?|\b(?:maybe|perhaps|not sure|i guess|i wonder|probably|might|seem)\b"
    # a state of today
    r"|\b(?:has|have) been\b|(?<!for )(?<!from )\bnow\b|\b(?:today|ready|done)\b",
    re.IGNORECASE,
)
_ALWAYS = pattern(r"\b(?:always|never|from now on|prefer)\b", re.IGNORECASE)
_TO_BE = pattern(
    r"\b(?:should(?:n't)?|must(?:n't)?|better|instead|rather|keep|want)\b", re.IGNORECASE
)
_WORD = pattern(r"[^\W\d_][\w.'-]*")
_EMPTY = words(
    "a about all also am an and any are as at be been but by can could did do does even for from"
    " get got had has have here how i if in is it its just like me more my no not now of on one or"
    " our out really same should so some still than that the their them then there these they"
    " thing things think this those to too up us very was we well were what when where which while"
    " who why will with would you your wrong right"
)


def corrections(said: Sequence[tuple[str, str]]) -> list[Signal]:
    """Return what a person told the agent in a conversation of (role, text) pairs."""
    return [
        Signal(kind, KIND_OF_TYPE[kind], best, _SURE)
        for (one, told), (other, answer) in pairwise(said)
        if one == "user" and other == "assistant" and len(told) <= _LONGEST_PROMPT
        if _GIVES_IN.match(answer.lstrip(" *\n").replace("’", "'")[:80])
        for best, kind in _best(told)
    ]


def _best(told: str) -> Iterator[tuple[str, str]]:
    """Return the most meaningful statement and its type; none if the text asks something."""
    statements = [without_filler(one) for one in sentences(told)]
    asks = any(map(is_question, statements))
    statements = [one for one in statements if _is_statement(one)]
    if statements and not asks:
        best = max(statements, key=_content)
        yield (
            best,
            PREFERENCE if _ALWAYS.search(best) else (DECISION if _TO_BE.search(best) else LEARNING),
        )


def _is_statement(sentence: str) -> bool:
    """Return whether a sentence is a statement that makes sense to somebody who was not there."""
    text = sentence.replace("’", "'")
    lead = _LEAD.match(text)
    rest = text[lead.end() :] if lead else text
    first = rest.split(None, 1)[0].lower().strip(",.:") if rest.strip() else ""
    return (
        len(text) <= _LONGEST
        and (text[0].isalpha() or text[0] in "`'\"")
        and first not in _POINTS
        and first not in _DOES
        and not text.endswith((":", "..."))
        and not _STORY.match(rest)
        and not _ASKS.search(text)
        and not _DOUBT.search(text)
        and _content(text) >= _FEWEST_WORDS
    )


def _content(text: str) -> int:
    """Return the number of meaningful words."""
    return sum(word not in _EMPTY for word in _WORD.findall(text.lower()))
