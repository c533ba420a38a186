"""Tells whether a prompt takes back what the agent has just reported as done.

"No, use cents", "revert that", "that's wrong": whatever the agent said it did is not what the
person wanted, so no summary may state it. A task that only mentions such words ("add an undo
button") takes nothing back.
"""

from __future__ import annotations

import re

from recollect.core.patterns import pattern

_LOOKED_AT = 300  # characters; who corrects says so at once

_LEAD = (
    r"(?:(?:hm+|uh+|um|oh|ah|ok(?:ay)?|well|sorry|wait|hey|please|but|and|so|then|actually|argh|ugh"
    r"|can you|could you|would you)\b[\s,.!…:—–-]{0,4}){0,4}"
)
_IT = r"(?:it|that|this|them|those|these|your|the (?:last|change|changes|commit|edit|edits))\b"
_TAKES_BACK = pattern(
    r"\s{0,9}" + _LEAD + r"(?:"
    # "no, …", unless it is thanks
    r"(?:no|nope|nah|non|nein)\b(?=[\s,.!:;—–-])(?![\s,]{1,4}(?:problem|worries|need|issue|issues|rush"
    r"|idea|more|one|thanks|thank|that'?s (?:fine|ok|okay|good|great|all|right|it)|it'?s (?:fine"
    r"|ok|okay|good|great)))(?!\s{1,4}\w{1,20}\s{1,4}(?:at all|needed|necessary))"
    r"|(?:that|this|it)(?:'s| is| was| looks| seems)(?: completely| totally| just| all| still)?"
    r" (?:wrong|incorrect|broken|not (?:right|correct|what|how|working|it\b))"
    r"|(?:that|this|it) (?:broke|breaks|fails|does(?:n't| not) (?:work|compile|build)"
    r"|did(?:n't| not) (?:work|help|fix))"
    r"|(?:that|this)(?:'s| is) the opposite"
    r"|not (?:what|how) i (?:asked|meant|wanted|said)"
    r"|wrong\b|incorrect\b"
    r"|(?:revert|undo|unwind|discard|drop|remove|delete|scrap|back out|take back|roll back"
    r"|rollback)(?: all(?: of)?)? " + _IT + r"|(?:revert|undo|rollback|roll back)[\s.!]{0,4}\Z"
    r"|(?:roll|take|back|put|change|turn|switch) (?:it|that|this|them|the \w{1,30}) (?:back|out)\b"
    r"|(?:i )?(?:said|asked for|meant|wanted) (?!to\b)[^.!?\n]{1,80}\b(?:not|instead)\b"
    r"|i did(?:n't| not) (?:ask|want|mean)"
    r"|you (?:misunderstood|misread|got (?:it|that) wrong|should(?:n't| not) have|forgot)"
    r"|(?:don't|do not|never) (?:do|touch|change|use) (?:it|that|this)\b"
    r"|stop\b"
    r")",
    re.IGNORECASE,
)
_INSTEAD = pattern(
    r"\s{0,9}(?:(?:hm+|no|ok(?:ay)?|well|sorry|wait|oh)[\s,.!]{1,4}){0,2}"
    r"(?:actually\b|let'?s|on second thought|rather\b|please )?[\s,]{0,3}"
    r"(?:let'?s |we should |please |i(?:'d| would) rather |just )?"
    r"(?:use|make|keep|go with|do|put|call|name|take|try|stay with|stick with|switch to)\b"
    r"[^.!?\n]{1,120}\binstead\b(?! of (?:the old|failing|crashing|raising|returning))",
    re.IGNORECASE,
)
_ACTUALLY = pattern(
    r"\s{0,9}(?:(?:hm+|ok(?:ay)?|well|sorry|wait|oh)[\s,.!]{1,4}){0,2}"
    r"(?:actually|on second thought)[\s,]{1,3}(?:no\b|don't|do not|not\b"
    r"|let'?s (?:not|keep|use|go|stay|stick)|use\b|keep\b|leave\b|go with"
    r"|it should|it must|we (?:use|need|want|don't|should))",
    re.IGNORECASE,
)


def takes_back(prompt: str) -> bool:
    """Whether a prompt corrects what was done in the turn before it."""
    text = prompt[:_LOOKED_AT].replace("’", "'")
    return any(one.match(text) for one in (_TAKES_BACK, _INSTEAD, _ACTUALLY))
