"""A simulated year with sleep and without it, and how the work of a night grows.

    python -m benchmarks.sleep                              # both, some twenty minutes
    python -m benchmarks.sleep --events 2000 --days 40 --sizes 1000,10000

Writes `year.svg` and `report.json` beside this file, or where `--out` says, and prints tables.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.sleep.growth import Night, exponent, measure
from benchmarks.sleep.plots import Chart, draw
from benchmarks.sleep.simulation import Life, Month, Outcome
from benchmarks.sleep.year import make_year

WITHOUT, WITH = "without sleep", "with sleep"
# The last months of the year are what the months before have led to.
_LAST = 3


def live(arm: str, seed: int, events: int, days: int) -> Outcome:
    """One arm, in a repository of its own."""
    with tempfile.TemporaryDirectory() as folder:
        life = Life(Path(folder) / "repo", sleeping=arm == WITH)
        return life.live(
            make_year(seed, events, days),
            lambda month: print(f"{arm}: {month}", file=sys.stderr, flush=True),
        )


def charts(arms: dict[str, Outcome]) -> list[Chart]:
    """The year in four pictures."""

    def lines(pick: str) -> dict[str, list[float]]:
        return {
            arm: [float(getattr(month, pick)) for month in outcome.months]
            for arm, outcome in arms.items()
        }

    labels = [month.month[5:] for month in arms[WITH].months]
    return [
        Chart("memories in everyday recall", labels, lines("visible")),
        Chart("tokens injected per session", labels, lines("tokens_per_session")),
        Chart("junk among what is injected", labels, lines("injected_junk"), percent=True),
        Chart("planted facts that a question brings", labels, lines("recall_by_prompt"), True),
    ]


def table(arms: dict[str, Outcome]) -> list[str]:
    """What the last months were like, and the end."""
    rows: list[tuple[str, list[str]]] = []
    for label, pick, shown in (
        ("tokens injected per session", "tokens_per_session", "{:,.0f}"),
        ("junk among what is injected", "injected_junk", "{:.1%}"),
        ("junk among what recall can find", "visible_junk", "{:.1%}"),
        ("memories in everyday recall", "visible", "{:,.0f}"),
        ("planted facts that a question brings", "recall_by_prompt", "{:.1%}"),
        ("found by everyday search", "recall_by_search", "{:.1%}"),
        ("found by search --status all", "recall_by_search_of_all", "{:.1%}"),
    ):
        rows.append((label, [shown.format(_mean(o.months, pick)) for o in arms.values()]))
    for label, pick in (
        ("memories at the end", "memories"),
        ("of these merged from others", "merged"),
        ("planted", "planted"),
    ):
        rows.append((label, [f"{getattr(o, pick):,}" for o in arms.values()]))
    rows.append(("planted and lost", [str(len(o.lost)) for o in arms.values()]))
    head = f"| the last {_LAST} months | " + " | ".join(arms) + " |"
    lines = [head, "|---|" + "---:|" * len(arms)]
    return lines + [f"| {label} | {' | '.join(values)} |" for label, values in rows]


def _mean(months: Sequence[Month], pick: str) -> float:
    last = months[-_LAST:]
    return sum(float(getattr(month, pick)) for month in last) / len(last)


def grown(nights: Sequence[Night]) -> list[str]:
    """How long a night takes, and by which power of the size that grows."""
    lines = [
        "| memories | planning | merges | a whole night | steps |",
        "|---:|---:|---:|---:|---:|",
    ]
    lines += [
        f"| {n.memories:,} | {n.planning:.1f} s | {n.merges:,} | {n.whole:.1f} s | {n.steps:,} |"
        for n in nights
    ]
    if len(nights) > 1:
        first, last = nights[0], nights[-1]
        planning = exponent((first.memories, first.planning), (last.memories, last.planning))
        whole = exponent((first.memories, first.whole), (last.memories, last.whole))
        lines.append(f"\nExponent: planning {planning:.2f}, a whole night {whole:.2f}")
    return lines


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=20_000)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--sizes", default="1000,10000,100000", help="for growth; empty: none")
    parser.add_argument("--only-growth", action="store_true")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if not given.only_growth:
        with ProcessPoolExecutor(2) as pool:
            running = {
                arm: pool.submit(live, arm, given.seed, given.events, given.days)
                for arm in (WITHOUT, WITH)
            }
            arms = {arm: future.result() for arm, future in running.items()}
        (given.out / "year.svg").write_text(draw(charts(arms)), "utf-8")
        report = {
            arm: {**o._asdict(), "months": [m._asdict() for m in o.months]}
            for arm, o in arms.items()
        }
        (given.out / "report.json").write_text(json.dumps(report, indent=1), "utf-8")
        print("\n".join(table(arms)))
    nights = [measure(int(size)) for size in given.sizes.split(",") if size]
    if nights:
        print("\n" + "\n".join(grown(nights)))


if __name__ == "__main__":
    main()
