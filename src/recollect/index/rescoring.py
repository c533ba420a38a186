"""The second scoring of keyword search, for every row that a backend found.

It is the same function on every backend: BM25 with our own idf and length normalisation, and what
ranking wants to know about the words of a row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

# Weights of summary, tags and files, date, body, and the questions that it answers; for these, 1 to
# 2 are equally good, and 3 is worse (2026, the tuning half of the question sets).
WEIGHTS = (2.0, 1.5, 2.0, 1.0, 1.5)
K1, B = 1.2, 0.4
# Two words stand side by side if there is at most one other between them.
_NEAR = 2

# The score, the evidence, that of the summary and of tags, the number of words and of words side by
# side, and the weight of each term.
Found = tuple[float, float, float, float, int, int, tuple[float, ...]]
# Where a phrase stands in each of the five columns.
Locations = Callable[[int], Sequence[Sequence[int]]]


_NO_PLACES: tuple[Sequence[int], Sequence[int]] = (), ()
_NOWHERE: list[list[int]] = [[] for _ in WEIGHTS]


def rescore(weights: Sequence[tuple[float, float]], locations: Locations, length: float) -> Found:
    """Score a row: `weights` has idf and proof of each phrase, `length` is relative to the mean."""
    norm = K1 * (1 - B + B * length)
    in_summary, in_tags, in_dates, in_body, in_asked = WEIGHTS
    total, proof, titled, tagged, words, beside, held = 0.0, 0.0, 0.0, 0.0, 0, 0, []
    before: tuple[Sequence[int], Sequence[int]] = _NO_PLACES
    for phrase, (idf, proves) in enumerate(weights):
        found = locations(phrase)
        if found == _NOWHERE:  # as most words of a query are in most rows
            held.append(0.0)
            before = _NO_PLACES
            continue
        summary, tags, dates, body, asked = found
        # Unrolled: this runs for every word of hundreds of rows while the user waits.
        frequency = (
            in_summary * len(summary)
            + in_tags * len(tags)
            + in_dates * len(dates)
            + in_body * len(body)
            + in_asked * len(asked)
        )
        if frequency:
            counts = frequency * (K1 + 1) / (frequency + norm)
            total += idf * counts
            proof += proves * counts
            if summary:
                titled += proves
            if tags:
                tagged += proves
            words += 1
            held.append(counts)
            if before[0] or before[1]:
                beside += _follow(before[0], summary) or _follow(before[1], body)
            before = summary, body
        else:
            held.append(0.0)
            before = _NO_PLACES
    return total, proof, titled, tagged, words, beside, tuple(held)


def _follow(before: Sequence[int], after: Sequence[int]) -> bool:
    """Return whether a place of one word is just after a place of another, in linear time."""
    places = {at + step for at in before for step in range(1, _NEAR + 1)}
    return not places.isdisjoint(after)
