"""How well detection tells what is worth keeping.

python -m benchmarks.capture [--half NAME ...] [--rows FILE] [--sessions FOLDER ...]
    [--labels FILE] [--threshold P] [--errors [MOST]] [--show] [--json FILE]

Precision and recall on the labelled sets; `unseen` only if you name it. `--rows` takes any file of
rows ({"text", "speaker", "kind" or null}). Over recorded sessions (`--sessions`, or those of
RECOLLECT_DATA) it prints the share of sentences that are flagged and, with `--labels`
({"session": file name, "sentence", "kind"}), precision and recall. Text of sessions is printed only
with `--show`.
"""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.capture.evaluation import (
    Judged,
    files_below,
    judge,
    of_rows,
    of_sessions,
    read_labels,
)
from benchmarks.capture.rows import FOLDER, load
from benchmarks.capture.sessions import conversation
from benchmarks.capture.transcripts import TRANSCRIPTS
from benchmarks.datasets import VARIABLE
from recollect.capture.conversation import Turn
from recollect.capture.detect import THRESHOLD, Detected, detect

SETS = ("labelled", "fresh", "written")
LATER = ("unseen",)


def shown(fraction: dict[str, Any]) -> str:
    """`0.93 (40 of 43)`, or a dash where there is nothing to count."""
    if fraction["share"] is None:
        return "   - (0 of 0)"
    return f"{fraction['share']:.2f} ({fraction['is']} of {fraction['of']})"


def print_figures(name: str, figures: dict[str, Any]) -> None:
    """The table of one set."""
    print(f"{name}: " + ", ".join(f"{v} {k}" for k, v in figures.items() if isinstance(v, int)))
    for label, value in figures.items():
        if isinstance(value, float):
            print(f"  {label:<24}{value:.0f}")
        elif isinstance(value, dict) and "share" in value:
            print(f"  {label:<24}{shown(value)}")
    for kind, row in figures["kinds"].items():
        rest = f"  as itself {shown(row['as itself'])}" if "as itself" in row else ""
        print(f"  {kind:<24}recall {shown(row['recall']):<20}{rest}")


def print_errors(judged: Sequence[Judged], most: int) -> None:
    """The worst errors: junk by its probability, then what was missed."""
    junk = [one for one in judged if one.found and not one.row.kind]
    junk.sort(key=lambda one: -max(one.found.values()))
    missed = [one for one in judged if one.row.kind and not one.found]
    for one in junk[:most]:
        print(f"  junk {max(one.found.values()):.2f}: {one.row.said.text!r}")
    for one in missed[:most]:
        print(f"  missed {one.row.kind}: {one.row.said.text!r}")


def main(arguments: list[str] | None = None) -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--half", nargs="*", choices=(*SETS, *LATER), default=None)
    parser.add_argument("--rows", type=Path, help="another file of rows")
    parser.add_argument("--sessions", nargs="*", type=Path, default=[])
    parser.add_argument("--labels", type=Path, help="what readers marked in these sessions")
    parser.add_argument("--threshold", type=float, default=THRESHOLD)
    parser.add_argument("--errors", type=int, nargs="?", const=30, default=0, metavar="MOST")
    parser.add_argument("--show", action="store_true", help="print what is found in sessions")
    parser.add_argument("--json", type=Path, help="save the figures in this file")
    options = parser.parse_args(arguments)

    def find(turns: Sequence[Turn]) -> list[Detected]:
        return detect(turns, threshold=options.threshold)

    result: dict[str, Any] = {}
    only_given = options.rows is not None or options.labels is not None
    chosen = options.half if options.half is not None else (() if only_given else SETS)
    paths = [FOLDER / f"{name}.jsonl" for name in chosen]
    for path in [*paths, *([options.rows] if options.rows else [])]:
        judged = judge(load(path), find)
        result[path.stem] = of_rows(judged)
        print_figures(path.stem, result[path.stem])
        print_errors(judged, options.errors)
    folders = list(options.sessions)
    if not folders and VARIABLE in os.environ:
        folders.append(Path(os.environ[VARIABLE]) / TRANSCRIPTS)
    files = files_below(folders)
    labels = read_labels(options.labels) if options.labels else {}
    if labels:
        files = [path for path in files if path.name in labels]
    if files:
        result["recorded sessions"] = of_sessions(files, find, labels)
        print_figures("recorded sessions", result["recorded sessions"])
        if options.show:
            _show(files, find)
    else:
        print(f"recorded sessions: not measured. Set {VARIABLE}, or give --sessions.")
    if options.json is not None:
        options.json.write_text(json.dumps(result, indent=2) + "\n", "utf-8")


def _show(files: Sequence[Path], find: Any) -> None:
    for path in files:
        for one in find(conversation(path)):
            print(f"  {one.score:.2f} {one.kind} {one.speaker}: {one.sentence}")


if __name__ == "__main__":
    main()
