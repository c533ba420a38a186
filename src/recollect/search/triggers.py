"""Phrases with which people ask for memories. They lower the floor of a search, nothing else."""

from __future__ import annotations

import re

from recollect.core.patterns import pattern

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


def asks_for_memory(prompt: str) -> bool:
    """Return whether a prompt asks for memories."""
    return _TRIGGER.search(prompt) is not None


_ABOUT_MEMORY = pattern(
    r"\b(?:remember(?:ed|s)?|remind(?:ed|er|s)?|recall(?:ed|s)?|forg[eo]t(?:ten|s)?|memor(?:y|ies))\b",
    re.IGNORECASE,
)


def asked_for(prompt: str) -> str:
    """Return a prompt without the words that only ask to remember."""
    return _ABOUT_MEMORY.sub(" ", prompt)
