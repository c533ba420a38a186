"""How well automatic capture tells what is worth keeping.

python -m benchmarks.capture [--half tune|held-out|fresh|unseen|all] [--errors 30] [--json FILE]

Precision and recall on the labelled set; where RECOLLECT_DATA says, also the time that detection
takes over recorded sessions and how much it finds in them. Text of those sessions is never printed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.capture.labelled import HALVES, LATER, Row, file_of, load
from benchmarks.capture.scoring import Decide, Detect, Judged, by_type, judge, overall, worst
from benchmarks.capture.transcripts import measure as measure_transcripts
from benchmarks.capture.transcripts import messages
from benchmarks.datasets import NoData, data_folder

AIMS = {"auto precision": 0.95, "suggest or better precision": 0.7, "explicit recall": 1.0}


def rules() -> tuple[Detect, Decide, Callable[[str], Any]]:
    """What is measured: the detector, the decision, and the reader of markers."""
    detect: Detect = import_module("recollect.capture.signals").detect
    decide: Decide = import_module("recollect.capture.decide").decide
    marked: Callable[[str], Any] = import_module("recollect.capture.markers").find_marked
    return detect, decide, marked


def measure(judged: list[Judged]) -> dict[str, Any]:
    """All figures of some rows."""
    origins = sorted({j.row.origin for j in judged})
    return {
        **overall(judged),
        "types": by_type(judged),
        "origins": {name: overall([j for j in judged if j.row.origin == name]) for name in origins},
    }


def shown(fraction: dict[str, Any]) -> str:
    """`0.93 (40 of 43)`, or a dash where there is nothing to count."""
    if fraction["share"] is None:
        return "   - (0 of 0)"
    return f"{fraction['share']:.2f} ({fraction['is']} of {fraction['of']})"


def print_half(name: str, figures: dict[str, Any]) -> None:
    """The tables of one half."""
    print(f"{name}: {figures['rows']} rows")
    for label, fraction in figures.items():
        if isinstance(fraction, dict) and "share" in fraction:
            aim = f"  aim {AIMS[label]:.2f}" if label in AIMS else ""
            print(f"  {label:<28}{shown(fraction)}{aim}")
    for label, row in figures["types"].items():
        print(
            f"  {label:<12}precision {shown(row['precision']):<19}"
            f" recall {shown(row['recall']):<19} kept as anything {shown(row['kept as anything'])}"
        )
    for label, row in figures["origins"].items():
        print(
            f"  {label:<12}auto precision {shown(row['auto precision']):<19}"
            f" suggest or better {shown(row['suggest or better precision']):<19}"
            f" recall {shown(row['suggest or better recall'])}"
        )


def print_errors(judged: list[Judged], most: int) -> None:
    """The worst errors with what was found."""
    for name, j in worst(judged)[:most]:
        found = ", ".join(f"{f.type} {f.confidence:.2f} {f.decision}" for f in j.findings) or "-"
        print(f"  {name}: {j.row.text!r}\n      is {j.row.type}, found {found}  [{j.row.source}]")


def print_transcripts(figures: dict[str, Any]) -> None:
    """Cost and yield over recorded sessions."""
    print(
        f"recorded sessions: {figures['messages']} messages,"
        f" {figures['median ms']:.3f} ms each (worst {figures['worst ms']:.2f}),"
        f" {figures['ratio']:.1f} times a plain regex pass;"
        f" for 100 messages {figures['auto per 100']:.1f} auto,"
        f" {figures['suggest per 100']:.1f} suggested"
    )


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", choices=(*HALVES, *LATER, "all"), default="all")
    parser.add_argument("--errors", type=int, nargs="?", const=30, default=0, metavar="MOST")
    parser.add_argument("--json", type=Path, help="save the figures in this file")
    options = parser.parse_args(arguments)
    detect, decide, marked = rules()
    result: dict[str, Any] = {}
    for half in (*HALVES, *LATER) if options.half == "all" else (options.half,):
        rows: list[Row] = load(file_of(half), [half])
        judged = judge(rows, detect, decide, marked)
        result[half] = measure(judged)
        print_half(half, result[half])
        print_errors(judged, options.errors)
    try:
        texts = list(messages(data_folder()))
    except NoData as error:
        print(f"recorded sessions: not measured. {error}")
    else:
        if texts:
            result["recorded sessions"] = measure_transcripts(texts, detect, decide, marked)
            print_transcripts(result["recorded sessions"])
        else:
            print("recorded sessions: not measured. There are none in the data folder.")
    if options.json is not None:
        options.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
