"""Decides whether the agent is asked to draft memories, and of which kinds.

Detection scores single sentences. Triage combines what it found in the last messages of a session:
two hints of one kind, in two turns, count more than each of them alone. The score of a kind is the
probability that at least one of its findings is worth keeping. The session summary has no
sentences: it measures how much was done since the last one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from recollect.core.kinds import KINDS, SESSIONS
from recollect.core.named_tuple import NamedTuple

# Every kind that agents draft, and the score that it needs unless the configuration says otherwise.
THRESHOLDS: Final[Mapping[str, float]] = {
    kind.name: kind.drafting.threshold for kind in KINDS if kind.drafting
}
# What a tool call, another tool and an exchange add to the score of the session summary.
_PER_TOOL, _PER_DISTINCT, _PER_EXCHANGE = 0.05, 0.1, 0.02


class Found(NamedTuple):
    """A sentence that detection found: its kind, its score, and the text of the memory."""

    kind: str
    score: float
    text: str


class Finding(NamedTuple):
    """A kind that the talk holds something of; the session summary has no texts."""

    kind: str
    score: float
    texts: Sequence[str] = ()


class WorkDone(NamedTuple):
    """How much was done since the last summary."""

    tools: int = 0
    distinct: int = 0
    exchanges: int = 0


def triage(
    found: Sequence[Found], work: WorkDone, thresholds: Mapping[str, float] | None = None
) -> list[Finding]:
    """Return the kinds that reach their threshold, the highest score first.

    `thresholds` replaces the default of a kind; a value that is no number is ignored.
    """
    asked = {**THRESHOLDS, **{k: v for k, v in (thresholds or {}).items() if _is_number(v)}}
    findings = []
    for kind, threshold in asked.items():
        if kind == SESSIONS:
            finding = Finding(kind, _amount(work))
        else:
            own = [one for one in found if one.kind == kind]
            best = sorted(own, key=lambda one: -one.score)
            finding = Finding(kind, _at_least_one(own), [one.text for one in best])
        if finding.score > 0 and finding.score >= threshold:
            findings.append(finding)
    return sorted(findings, key=lambda finding: -finding.score)


def _at_least_one(found: Sequence[Found]) -> float:
    """Return the probability that at least one finding is right, if they were independent."""
    wrong = math.prod(1.0 - min(1.0, max(0.0, one.score)) for one in found)
    return round(1.0 - wrong, 4)


def _amount(work: WorkDone) -> float:
    done = work.tools * _PER_TOOL + work.distinct * _PER_DISTINCT + work.exchanges * _PER_EXCHANGE
    return round(min(1.0, done), 4)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
