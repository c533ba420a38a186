"""What becomes of a signal: kept, suggested or left.

Each signal is judged for itself, and each sentence becomes at most one memory. Who asks for
something to be kept gets at least a suggestion, whatever the thresholds are.
"""

from __future__ import annotations

from typing import Any

from recollect.capture.signal_rules import EXPLICIT
from recollect.capture.signals import Signal, tags_of
from recollect.core.note import summarize

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
    sentence = " ".join(signal.sentence.split())
    summary, body = summarize(sentence)
    return {
        "kind": signal.kind,
        "summary": summary,
        "body": body,
        "tags": tags_of(sentence),
        "confidence": signal.confidence,
    }
