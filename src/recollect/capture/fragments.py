"""Tells a statement from a piece of one, among what a wish is taken to ask for.

A model that rates words may cut a row of them that says nothing alone: "Love it", "unless the
locale says en-US", "applies to all my repos".
"""

from __future__ import annotations

from recollect.core.patterns import pattern
from recollect.index.text import query_terms

_FEWEST = 2  # words that mean something by themselves
# "Applies to all my repos" has no subject, "Unless …" no main clause, "Not in …" neither.
_HANGS = pattern(
    r"\W*(?:(?:that|this|it)(?:'s|’s| is) one (?:for|of|to)\b[^,;:]*\Z"
    r"|(?:applies|goes|holds|counts|same goes)\b"
    r"|(?:not|nor|neither|nowhere|also not|only) (?:in|on|at|for|with|from|to|by|even|here|there)\b"
    r"(?:(?!\b(?:is|are|was|has|have|must|may|can|should|do|does|will)\b).)*\Z"
    r"|(?:unless|because|since|when(?:ever)?|if|until|although|while|which|whose|und|oder|wenn|weil|falls)\b[^,;:]*\Z)",
)
_BREAKS_OFF = pattern(r"\b(?:an?|the|in|into|of|on|to|for|with|and|or|by|at|from|as|der|die|das)\Z")


def is_fragment(content: str) -> bool:
    """Return whether a text is only a piece of a statement."""
    said = content.strip().lower()
    if len(query_terms(said)) < _FEWEST:
        return True
    return _HANGS.match(said) is not None or _BREAKS_OFF.search(said) is not None
