"""Makes the title of a memory from what somebody said: a whole statement, not the start of one."""

from __future__ import annotations

import re

from recollect.capture.sentences import sentences
from recollect.core.note import SUMMARY_LENGTH, summarize
from recollect.core.patterns import pattern

_SHORTEST = 25  # characters of a clause that says something
# Where the main clause of a long sentence ends. What follows gives a reason or a detail.
_CLAUSE = pattern(
    r";| [—–-]{1,2} | \(|,? (?:because|since|so that|which|where|although|unless|otherwise"
    r"|even though|rather than|instead of|in order to)\b|, (?:so|but|and|as|while|not|to|except|or"
    r"|then)\b|\. |, (?:it|it's|that's|they|we|there|this|he|she|you)\b|, the (?:\w{1,30} ){1,3}"
    r"(?:is|are|was|were|has|have|had|can|does|do|will|needs?|must)\b",
    re.IGNORECASE,
)


def title_and_body(text: str) -> tuple[str, str]:
    """Return a title of at most 100 characters, and the whole text if that says more."""
    text = " ".join(text.split())
    if len(text) <= SUMMARY_LENGTH:
        return text, ""
    first = sentences(text)[:1]
    if first and _SHORTEST <= len(first[0]) <= SUMMARY_LENGTH:
        return first[0], text
    ends = [end.start() for end in _CLAUSE.finditer(text, _SHORTEST, SUMMARY_LENGTH)]
    whole = [text[:end] for end in ends if _is_balanced(text[:end])]
    if whole:
        return whole[-1].rstrip(" ,;:") + ".", text
    return summarize(text)


def _is_balanced(text: str) -> bool:
    """Return whether no quotation, code or bracket is open at the end."""
    return (
        text.count("`") % 2 == 0
        and text.count('"') % 2 == 0
        and text.count("“") == text.count("”")
        and text.count("(") == text.count(")")
    )
