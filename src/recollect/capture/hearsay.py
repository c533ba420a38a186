"""Tells what others think, refusals and tasks from what the speakers mean for longer.

"A colleague says we should move to Kotlin" is neither a decision nor a preference of the person
who reports it. What a boss, a customer or the law wants is: it binds.
"""

from __future__ import annotations

import re

from recollect.capture.sentences import sentences
from recollect.core.patterns import pattern

_SOMEBODY = (
    r"\b(?:(?:an?|my|some|the|one|another|this|our) (?:\w{1,20} ){0,2}?(?:colleagues?"
    r"|co-?workers?|friends?|buddy|brother|sister|dad|mom|guys?|dude|intern|neighbou?r"
    r"|blog(?: post)?|article|tweet|video|podcast|post|forum|thread)|some(?:one|body)|people|folks"
    r"|he|she|reddit|stack ?overflow|twitter|hacker news|the internet|friends)\b"
)
_THINKS = (
    r"(?: \w{1,20}){0,3} (?:say|says|said|think|thinks|thought|wrote|writes|claims?|claimed"
    r"|told me|tells me|suggest|suggests|suggested|recommends?|recommended|believes?|swears?"
    r"|argues?|insists?|keeps? (?:saying|telling))\b"
)
_OPINION = pattern(
    rf"{_SOMEBODY}{_THINKS}[^.!?\n]{{0,200}}(?:\b(?:should|ought|could|must|need to|better|best"
    r"|let's|would|move|switch|use|is dead|is the future|instead)\b|[\"“«])",
    re.IGNORECASE,
)
# "Some dude on steam: 'always use …'", "his notes say 'remember to …'": somebody else's words.
_QUOTES = pattern(
    rf"(?:(?<!\bi )(?<!\bwe )\b(?:says?|said|saying|told|wrote|writes|states?|stated|reads?|claims?"
    r"|claimed|quote|insists?|suggests?|suggested|ends? with)\b[^.!?\n]{0,60}"
    rf"|{_SOMEBODY}[^.!?\n]{{0,40}}:)\s['\"“‘«]\w",
    re.IGNORECASE,
)
_BINDS = pattern(
    r"\b(?:customers?|clients?|legal|lawyers?|law|compliance|security|auditors?|regulators?"
    r"|management|product|contract|spec|rfc|error|log|test|message|button|label|docs)\b",
    re.IGNORECASE,
)
_DECLINES = pattern(
    r"(?:(?:there(?:'s| is)|i (?:see|found|have)) )?(?:nothing|none|no (?:new )?(?:memor|draft"
    r"|note))[^.!?\n]{0,80}\b(?:kept|keep(?:ing)?|saved?|saving|stored?|storing|remember(?:ed)?"
    r"|worth|drafts?)\b",
    re.IGNORECASE,
)
_SETTLED = pattern(
    r"\b(?:decided|agreed|chose|chosen|settled|went with|go(?:ing)? with|stick(?:ing)? (?:to|with)"
    r"|switched|we (?:use|keep|stay))\b",
    re.IGNORECASE,
)

_IDLE = pattern(
    r"\W{0,3}(?:(?:haha|lol|hey|so|and|ok)[, ]{1,2})?(?:imagine|suppose|what if|picture this"
    r"|if (?:this|it|we|i) ever)\b",
    re.IGNORECASE,
)
_PROPOSES = pattern(
    r"(?:(?:so|then|and|but|personally|alternatively|otherwise)[, ]{1,2})?(?:(?:i'd|i would)"
    r"(?! (?:not|never)\b)|(?:we|you|one) (?:could|might)|i (?:suggest|recommend|propose)"
    r"|my (?:suggestion|recommendation|proposal|preference))\b",
    re.IGNORECASE,
)

# "Write the paragraph in docs/limits.rst": what to do now, with one certain thing.
_TASK = pattern(
    r"(?:(?:please|pls|now|then|next|ok(?:ay)?|and|also|first|phew|cool|great|good|fine|nice|so"
    r"|well|(?:can|could|would|will) you)[, ]{1,2}){0,4}(?:add|adjust|bump|change|check|clean up"
    r"|commit|convert|copy|create|debug"
    r"|delete|document|draft|edit|explain|extend|extract|find|finish|fix|generate|implement|improve|inline|insert"
    r"|investigate|list|look|make|merge|move|open|port|print|push|read|refactor|remove|rename"
    r"|replace|review|revert|rewrite|run|set up|show|simplify|sort|split|start|summari[sz]e|test"
    r"|translate|try|update|upgrade|wire|write) (?:\w{1,20} ){0,2}?(?:an?|the|this|that|these|those"
    r"|my|our|its|some|another|[\w-]{1,60}[/.]\S{1,100})\b",
    re.IGNORECASE,
)
_LASTING = pattern(
    r"\b(?:always|never|ever|every|each|all|any|only|must|should|shall|don't|do not|not|no|prefer"
    r"|rather|instead|when(?:ever)?|if|unless|until|before|after|from now on|by default|in future"
    r"|usually|generally|in general|rule|convention|because|since|so that|otherwise|without)\b",
    re.IGNORECASE,
)

# "Yes, keep them": the answer to a question, which says nothing without it.
_ANSWERS = pattern(
    r"(?:(?:yes|yeah|yep|yup|no|ok(?:ay)?|sure|fine|great|good|alright|all right|go ahead|please"
    r"|pls)[,.!;: ]{1,3}){0,4}(?:(?:just|only|please|then|you can|you may|do) ){0,2}"
    r"(?:keep|retain|accept|take|store|save|import|leave|drop|skip|reject|discard|improve|rewrite)"
    r" (?:(?:only|just) )?(?:them\b"
    r"|(?:all|both|none|most|some|any|each|half|the rest)(?: \w{1,12})? of"
    r" (?:them|those|these|it)\b"
    r"|(?:those|these|(?:them |it )?all|both|everything|nothing|none)"
    r"(?=\s*(?:[.,;:!?]|\Z)| (?:and|but|or|then|please|except)\b"
    r"| (?:from|of|in) (?:the |my |our )?(?:git|docs?|documents?|documentation|history|commits?"
    r"|sessions?|transcripts?|instructions?|changelogs?)\b))",
    re.IGNORECASE,
)


def only_answers(sentence: str) -> bool:
    """Return whether a sentence only says what to do with "them", whatever they are."""
    return _ANSWERS.match(sentence.replace("’", "'")) is not None


def is_task(sentence: str) -> bool:
    """Return whether a sentence orders one thing to be done now, and says nothing for later."""
    plain = sentence.replace("’", "'")
    return _TASK.match(plain) is not None and _LASTING.search(plain) is None


def is_idle(sentence: str) -> bool:
    """Return whether a person only plays with a thought."""
    return _IDLE.match(sentence.replace("’", "'")) is not None


def proposes(sentence: str) -> bool:
    """Return whether an agent says what it would do, or what one could: nobody has chosen it."""
    return _PROPOSES.match(sentence.replace("’", "'")) is not None


def is_settled(sentence: str) -> bool:
    """Return whether a sentence says that something was chosen."""
    return _SETTLED.search(sentence) is not None


def is_hearsay(sentence: str) -> bool:
    """Return whether a sentence reports what somebody else thinks."""
    sentence = sentence.replace("’", "'")
    if _OPINION.search(sentence):
        return True
    quoted = _QUOTES.search(sentence)
    # Who says it may bind; what they are quoted with does not.
    return quoted is not None and not _BINDS.search(sentence, 0, quoted.end() - 1)


def declines(sentence: str) -> bool:
    """Return whether an agent says that there is nothing to keep."""
    return _DECLINES.match(sentence.replace("’", "'")) is not None


def without_hearsay(text: str) -> str:
    """Return a prompt without the sentences that report what somebody else thinks."""
    if not is_hearsay(text):
        return text
    return " ".join(one for one in sentences(text) if not is_hearsay(one))
