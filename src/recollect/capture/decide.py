"""What becomes of a signal: kept, suggested or left.

Each signal is judged for itself, and each sentence becomes at most one memory. Who asks for
something to be kept gets at least a suggestion, whatever the thresholds are.
"""

from __future__ import annotations

import re
from typing import Any

from recollect.capture.sentences import sentences
from recollect.capture.signal_rules import EXPLICIT
from recollect.capture.signals import Signal
from recollect.capture.tags import tags_of
from recollect.core.note import SUMMARY_LENGTH, summarize
from recollect.core.patterns import pattern

# How people begin to talk; nobody remembers it. "No force push" begins with no such word.
_FILLER = pattern(
    r"(?:(?:h+m+|u+h+|u+m+|ok(?:ay)?|ah+|oh+|btw|hey|yeah|yep|nope)[,.:!…—–-]*\s+"
    r"|(?:no|yes|right|well|actually|sure|so|fine|sorry)[,.:!…—–-]+\s+)+",
    re.IGNORECASE,
)
AUTO_FROM = 0.95
SUGGEST_FROM = 0.70


class Action:
    """The three things that can be done with a signal."""

    AUTO = "auto"
    SUGGEST = "suggest"
    SKIP = "skip"


def decide(signal: Signal, *, auto: float = AUTO_FROM, suggest: float = SUGGEST_FROM) -> str:
    """What to do with a signal, by how sure it is."""
    if signal.confidence >= auto:
        return Action.AUTO
    if signal.confidence >= suggest or signal.type == EXPLICIT:
        return Action.SUGGEST
    return Action.SKIP


def draft(signal: Signal) -> dict[str, Any]:
    """The memory that a signal would become; it has a body when the summary is not all of it."""
    text = without_filler(" ".join(signal.sentence.split()))
    summary, body = summarize(text)
    first = sentences(text)[:1]
    if body and first and len(first[0]) <= SUMMARY_LENGTH:
        summary = first[0]  # a whole sentence reads better than as much of two as there is room for
    return {
        "kind": signal.kind,
        "summary": summary,
        "body": body,
        "tags": tags_of(text),
        "confidence": signal.confidence,
    }


def without_filler(text: str) -> str:
    """A text without the sounds that people make before they say something."""
    filler = _FILLER.match(text)
    return text[filler.end() :] or text if filler else text
