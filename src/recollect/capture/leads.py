"""The words before what a sentence says: fillers, and what announces a correction."""

from __future__ import annotations

import re

from recollect.core.patterns import pattern

# Filler words at the start of a sentence. "No force push" does not start with one.
_FILLER = pattern(
    r"(?:(?:h+m+|m+h+|mm+|u+h+|u+m+|ok(?:ay)?|kk?|ah+|oh+|btw|hey|yeah|yep|yup|nope|no{2,}|nah|great|perfect"
    r"|thanks|lol|haha|sick|by the way|fyi|anyway|please|pls)[,.:!…—–-]*\s+"
    r"|(?:no|yes|right|well|actually|sure|so|fine|sorry|also|and|but|plus|wait|super|cool|nice|good"
    r"|wonderful|agreed|hang on|hold on|no wait|one more thing|for the record|in any case)"
    r"[,.:!…—–-]+\s+|(?:and|but|so|also) "
    # Who corrects says what is right after it: "no, that's wrong: …".
    r"|(?:no )?(?:(?:that|this|it)(?:'s|’s| is| was)|you(?:'re|’re| are)|you got (?:that|it|this))"
    r" (?:just |still |all |completely |totally |simply )?"
    r"(?:wrong|incorrect|mistaken|outdated|not (?:quite )?(?:right|true|correct|it))"
    r"[,.:;!…—–-]+\s+"
    r"|(?:wrong|incorrect|not (?:quite|true|exactly))[,.:;!…—–-]+\s+"
    # Who takes something back says what holds after it.
    r"|(?:scratch|strike) (?:that|it)[,.:;!…—–-]+\s+|on second thoughts?[,:—–-]*\s+"
    # What was chosen by its number follows in words.
    r"|(?:let's |we'll |i'd )?(?:go with|take|do|use|pick) the (?:first|second|third|last|other)"
    r" (?:one|option|way)[,:;—–-]+\s+(?=\w+ \w+ \w+ ))+",
    re.IGNORECASE,
)
# "Scratch that, …": what was kept just now does not hold; what holds may follow.
_SCRATCHES = pattern(
    r"\s{0,9}(?:(?:oh|ah|hm+|m+h+|no|ok(?:ay)?|sorry|wait|actually|well)[\s,.!…—–-]{1,4}){0,3}"
    r"(?:scratch|strike) (?:that|it)\b",
    re.IGNORECASE,
)
# What is left to do, and what others settled, is told, and not asked to be kept.
_TELLS = pattern(
    r"\s{0,9}(?:(?:so|ok(?:ay)?|and|also|btw|well)[\s,.:]{1,3}){0,2}"
    r"(?:(?P<left>(?:still (?:to do|open|missing)|to-?do|left to do"
    r"|open (?:points?|items?|ends?))\s{0,3}:)"
    r"|(?:we|the team|they)(?:'ve| have)? (?:decided|agreed|settled)\b)",
    re.IGNORECASE,
)
# A task in the middle of what seems to be a wish: "…, can you run it and have a look".
_NOW = pattern(
    r"\b(?:can|could|would|will) you (?:please )?"
    r"(?:run|look|check|fix|see|find|have a look|try|add)\b"
    r"|\bplease (?:run|look|check|fix|find|try|have a look|give me)\b|\b(?:write|give|show) me\b",
    re.IGNORECASE,
)


def without_filler(text: str) -> str:
    """Return a text without filler words at its start."""
    filler = _FILLER.match(text)
    return text[filler.end() :] or text if filler else text


def scratches(prompt: str) -> bool:
    """Return whether a prompt begins by taking back what was said just before."""
    return _SCRATCHES.match(prompt) is not None


def tells(sentence: str) -> bool:
    """Return whether a sentence tells what was decided or is left to do: that is no wish."""
    return _TELLS.match(sentence) is not None


def tells_open(sentence: str) -> bool:
    """Return whether a sentence begins by saying that something is left to do."""
    found = _TELLS.match(sentence)
    return found is not None and found["left"] is not None


def asks_now(text: str) -> bool:
    """Return whether a text asks the agent to do something now, which is over when it is done."""
    return _NOW.search(text) is not None
