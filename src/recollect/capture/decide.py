"""Decides what happens to a signal: capture, suggest or ignore it.

Each signal is judged by itself, and each sentence becomes at most one memory. An explicit request
becomes at least a suggestion, whatever the thresholds are.
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

# Filler words at the start of a sentence. "No force push" does not start with one.
_FILLER = pattern(
    r"(?:(?:h+m+|u+h+|u+m+|ok(?:ay)?|ah+|oh+|btw|hey|yeah|yep|nope)[,.:!…—–-]*\s+"
    r"|(?:no|yes|right|well|actually|sure|so|fine|sorry)[,.:!…—–-]+\s+)+",
    re.IGNORECASE,
)
AUTO_FROM = 0.95
SUGGEST_FROM = 0.70


class Action:
    """What can be done with a signal."""

    AUTO = "auto"
    SUGGEST = "suggest"
    SKIP = "skip"


def decide(signal: Signal, *, auto: float = AUTO_FROM, suggest: float = SUGGEST_FROM) -> str:
    """Return what to do with a signal, by its confidence."""
    if signal.confidence >= auto:
        return Action.AUTO
    if signal.confidence >= suggest or signal.type == EXPLICIT:
        return Action.SUGGEST
    return Action.SKIP


def draft(signal: Signal) -> dict[str, Any]:
    """Return the draft of a signal; it has a body if the summary does not contain all of it."""
    text = without_filler(" ".join(signal.sentence.split()))
    summary, body = summarize(text)
    first = sentences(text)[:1]
    if body and first and len(first[0]) <= SUMMARY_LENGTH:
        summary = first[0]  # one whole sentence reads better than parts of two
    return {
        "kind": signal.kind,
        "summary": summary,
        "body": body,
        "tags": tags_of(text),
        "confidence": signal.confidence,
    }


def without_filler(text: str) -> str:
    """Return a text without filler words at its start."""
    filler = _FILLER.match(text)
    return text[filler.end() :] or text if filler else text
