"""Recognises what an agent says only to the person it works with.

Agents think aloud: about intentions ("I need to"), about themselves, about things that only the two
can see ("your path", "option B"), about a fix for nobody knows what. None of it means anything to
the next session.
"""

from __future__ import annotations

import re

from recollect.capture.signal_rules import EXPLICIT, PREFERENCE, RESOLUTION
from recollect.core.patterns import pattern

_BECAUSE = (
    r"because|since|instead of|rather than|so that|otherwise|to avoid|to prevent|which|where"
    r"|requires?|actually|caused?|due to"
)
_REASON = pattern(rf"\b(?:{_BECAUSE})\b", re.IGNORECASE)
_TELLS_WHY = pattern(
    rf"\b(?:{_BECAUSE}|but|so|only|never|not|too|undefined|missing|wrong)\b|n't\b", re.IGNORECASE
)
_BETWEEN_US = pattern(
    r"^(?:it(?! turn)|it's|its|this|that|that's|these|those|they|he|she|both|still|also|so|but|and"
    r"|or)\b|^(?-i:[A-Z]{1,3}\d+)\b|\b(?:you|you're|your|my|the agents|red herring"
    r"|(?:option|step|task) (?:[a-z]|\d+)"
    r"|i (?:was|had|did|checked|forgot|looked|missed|ran|tried|used|wrote))\b",
    re.IGNORECASE,
)
_WAS_DONE = pattern(r"(?:i(?:'ve| have)? )?(?:also )?(?:fixed|resolved|solved)\b", re.IGNORECASE)
LABELLED = pattern(
    r"(?:the )?(?:actual |real |underlying )?(?:root cause|(?:key|critical|major|main|important)"
    r" (?:finding|discovery|insight|takeaway|learning))(?::| (?:is|was)\b)",
    re.IGNORECASE,
)


def is_chatter(type_: str, sentence: str) -> bool:
    """Return whether a signal of an agent is worthless to others."""
    if type_ in (PREFERENCE, EXPLICIT) or _BETWEEN_US.search(sentence):
        return True
    bare = type_ == RESOLUTION and (_WAS_DONE.match(sentence) or not _REASON.search(sentence))
    label = LABELLED.match(sentence)
    empty = label is not None and not _TELLS_WHY.search(sentence, label.end())
    return bool(bare or empty)
