"""Precision and recall of capture over labelled rows, counted by row.

What capture would store by itself is AUTO, what it would show for review SUGGEST. A row is right to
be found when it is worth keeping, whatever its type; the table by type also asks for the type.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from benchmarks.capture.labelled import NONE, TYPES, Row

RANKS = {"skip": 0, "suggest": 1, "auto": 2}


class Signal(Protocol):
    """What the harness needs to know of a signal."""

    @property
    def type(self) -> str:
        """One of the six types."""

    @property
    def confidence(self) -> float:
        """How sure the rules are."""


Detect = Callable[[str], Iterable[Signal]]
Decide = Callable[[Any], str]


class Finding(NamedTuple):
    """A signal and what becomes of it."""

    type: str
    decision: str
    confidence: float


class Judged(NamedTuple):
    """A row and everything that capture found in it."""

    row: Row
    findings: tuple[Finding, ...]

    @property
    def decision(self) -> str:
        """The best that happens to the row."""
        return max((f.decision for f in self.findings), key=RANKS.__getitem__, default="skip")

    @property
    def found(self) -> bool:
        """Whether somebody would see the row again."""
        return self.decision != "skip"

    @property
    def types(self) -> frozenset[str]:
        """The types it would be kept as."""
        return frozenset(f.type for f in self.findings if f.decision != "skip")

    @property
    def confidence(self) -> float:
        """Of the surest finding."""
        return max((f.confidence for f in self.findings), default=0.0)


def find(text: str, detect: Detect, decide: Decide, marked: Callable[[str], Any]) -> list[Finding]:
    """What capture makes of a text; a marker is an explicit request that nothing doubts."""
    findings = [Finding("explicit", "auto", 1.0)] if marked(text) else []
    for signal in detect(text):
        decision = str(decide(signal)).lower()
        findings.append(Finding(str(signal.type).lower(), decision, signal.confidence))
    return findings


def judge(
    rows: Iterable[Row], detect: Detect, decide: Decide, marked: Callable[[str], Any]
) -> list[Judged]:
    """Run capture over every row."""
    return [Judged(row, tuple(find(row.text, detect, decide, marked))) for row in rows]


def share(part: int, whole: int) -> dict[str, float | int | None]:
    """A fraction that does not hide how few it was counted on."""
    return {"of": whole, "is": part, "share": part / whole if whole else None}


def overall(judged: Sequence[Judged]) -> dict[str, Any]:
    """AUTO precision, SUGGEST or better, explicit requests, and the junk that gets through."""
    auto = [j for j in judged if j.decision == "auto"]
    found = [j for j in judged if j.found]
    worth = [j for j in judged if j.row.worth_keeping]
    explicit = [j for j in judged if j.row.explicit]
    junk = [j for j in judged if not j.row.worth_keeping]
    return {
        "rows": len(judged),
        "auto precision": share(sum(j.row.worth_keeping for j in auto), len(auto)),
        "auto recall": share(sum(j.row.worth_keeping for j in auto), len(worth)),
        "suggest or better precision": share(sum(j.row.worth_keeping for j in found), len(found)),
        "suggest or better recall": share(sum(j.found for j in worth), len(worth)),
        "explicit recall": share(sum(j.found for j in explicit), len(explicit)),
        "junk let through": share(sum(j.found for j in junk), len(junk)),
    }


def by_type(judged: Sequence[Judged]) -> dict[str, dict[str, Any]]:
    """Precision and recall of each type, SUGGEST or better.

    An explicit request may also be found as what it says, a decision for instance: that is neither
    right nor wrong for decisions.
    """
    table: dict[str, dict[str, Any]] = {}
    for name in TYPES:
        claimed = [
            j
            for j in judged
            if name in j.types and (name == "explicit" or j.row.type != "explicit")
        ]
        truly = [j for j in judged if j.row.type == name]
        right = sum(j.row.type == name for j in claimed)
        table[name] = {
            "precision": share(right, len(claimed)),
            "recall": share(right, len(truly)),
            "kept as anything": share(sum(j.found for j in truly), len(truly)),
        }
    return table


def worst(judged: Sequence[Judged]) -> list[tuple[str, Judged]]:
    """The errors, those that hurt most first: stored junk, missed wishes, shown junk, misses."""
    errors: list[tuple[int, str, Judged]] = []
    for j in judged:
        if j.row.type == NONE and j.decision == "auto":
            errors.append((0, "junk stored", j))
        elif j.row.explicit and not j.found:
            errors.append((1, "wish missed", j))
        elif j.row.type == NONE and j.found:
            errors.append((2, "junk suggested", j))
        elif j.row.worth_keeping and not j.found:
            errors.append((3, "missed", j))
        elif j.found and j.row.type not in j.types:
            errors.append((4, "other type", j))
    errors.sort(key=lambda error: (error[0], -error[2].confidence, error[2].row.text))
    return [(name, j) for _, name, j in errors]
