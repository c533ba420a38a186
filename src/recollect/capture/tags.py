"""Finds the technologies that a text mentions, by their names and those of their tools."""

from __future__ import annotations

import re

from recollect.core.patterns import pattern

MAX_TAGS = 5
_TAGS = {
    "python": r"python3?|pip|pytest|django|flask",
    "javascript": r"javascript|js|node(?:js)?|npm|react|vue",
    "typescript": r"typescript|ts",
    "database": r"databases?|sql|postgres(?:ql)?|mysql|sqlite3?|mongodb",
    "api": r"apis?|(?-i:REST)|graphql|endpoints?",
    "docker": r"docker|containers?|kubernetes|k8s",
    "git": r"git|commits?|branch(?:es)?|merges?|rebase",
    "testing": r"tests?|unittests?|pytest|jest|testing",
    "performance": r"performance|optimi[sz]ations?|caches?|fast|slow",
    "security": r"security|auth|authentication|encryption",
}
_TAG = pattern(
    r"(?<![\w-])(?:"
    + "|".join(f"(?P<{tag}>{text})" for tag, text in _TAGS.items())
    + r")(?![\w-])",
    re.IGNORECASE,
)


def tags_of(text: str) -> tuple[str, ...]:
    """Return the technologies that a text mentions, at most five, in order."""
    found = dict.fromkeys(match.lastgroup or "" for match in _TAG.finditer(text))
    if "python" in found and "pytest" in text.lower():
        found["testing"] = None
    return tuple(found)[:MAX_TAGS]
