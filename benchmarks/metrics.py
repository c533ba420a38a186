"""How good a ranking is, averaged over queries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

COLUMNS = ("hit@5", "all@5", "recall@10", "ndcg@10", "r@1")


def judge(ranking: Sequence[str], gold: AbstractSet[str]) -> dict[str, float]:
    """The five numbers of one query, each from 0 to 1."""
    if not gold:
        raise ValueError("A query without gold items cannot be judged.")
    if len(set(ranking)) < len(ranking):
        raise ValueError("A ranking names an item twice.")
    first_five, first_ten = set(ranking[:5]), set(ranking[:10])
    gain = sum(_discount(rank) for rank, item in enumerate(ranking[:10]) if item in gold)
    ideal = sum(_discount(rank) for rank in range(min(len(gold), 10)))
    return {
        "hit@5": float(bool(first_five & gold)),
        "all@5": float(gold <= first_five),
        "recall@10": len(first_ten & gold) / len(gold),
        "ndcg@10": gain / ideal,
        "r@1": float(bool(ranking) and ranking[0] in gold),
    }


def _discount(rank: int) -> float:
    return 1 / math.log2(rank + 2)


def average(judged: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The mean of every column; of nothing, zeros."""
    rows = list(judged)
    return {
        column: math.fsum(row[column] for row in rows) / len(rows) if rows else 0.0
        for column in COLUMNS
    }


def summarize(judged: Sequence[tuple[str, Mapping[str, float]]]) -> dict[str, dict[str, float]]:
    """The means over all queries (under "all") and over each category that has a name."""
    table = {"all": average(row for _, row in judged)}
    for category in sorted({category for category, _ in judged} - {""}):
        table[category] = average(row for name, row in judged if name == category)
    return table
