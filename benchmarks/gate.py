"""Fit the gate: how likely a memory answers a prompt, from the features of a hit.

RECOLLECT_DATA=/path/to/data python -m benchmarks.gate            # print coefficients and a report
RECOLLECT_DATA=/path/to/data python -m benchmarks.gate --write    # and write gate_coefficients.py

It reads only the tuning halves: every project of `benchmarks/questions/tuning` by itself, some of
its memories in small stores, and all of them among commits of PostgreSQL. Each store counts the
same, whatever its number of prompts, and in it the prompts that are about a memory count as a fixed
share. `python -m benchmarks.injection` measures the result.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.datasets import NoData
from benchmarks.injection import candidates_of, latest
from benchmarks.prompts import (
    QUESTIONS,
    Prompt,
    Setting,
    build,
    commit_prompts,
    mixed,
    read_projects,
    unrelated,
)
from benchmarks.quality import open_cached, talk, temporary_folder
from recollect.search.gate import BIAS, Features

SIZES = (20, 100, 1000)
# A large store, without vectors, which take long.
LARGE = 10_000
GONE = 150
# Prompts of another project, and their characters.
FOREIGN, LENGTHS = 100, (160, 400, 1200)
SMALL = (3, 10, 25)
# The share of prompts that are about a memory of the store: fewer in a small store. Without
# vectors, a small store brought more for nothing than a large one, so there it counts for less.
ABOUT, ABOUT_SMALL, ABOUT_SMALL_COLD = 0.5, 0.25, 0.15
# Features that each fit uses. `episode` and `at_hand` have no data: their coefficients are
# judgements, at the end of this file.
WORDS = ("share", "margin", "evidence", "coverage", "rarest", "titled", "tagged", "words")
MEANING = ("cosine", "nearest", "stands_out", "crowding", "agree")
BOTH = ("match", "lead")
AROUND = ("length", "asked", "size")
# What speaks for a memory, so that a negative coefficient is chance.
EVIDENCE = frozenset({*WORDS, *MEANING, *BOTH, "asked"}) - {"crowding"}
JUDGED = {"episode": 0.5, "at_hand": 1.0}
# Pulls coefficients towards 0, as so many prompts would.
RIDGE = 1.0
MODULE = Path(__file__).parents[1] / "src" / "recollect" / "search" / "gate_coefficients.py"


class Row(NamedTuple):
    """A hit: its features, whether it is what the prompt should bring, and its weight."""

    features: Features
    right: bool
    weight: float


def settings() -> Iterable[Setting]:
    """Return the stores to fit on."""
    others = unrelated("tuning")
    # Long and technical, but about another project.
    foreign = [
        Prompt(prompt.text[: LENGTHS[number % len(LENGTHS)]], sort="foreign")
        for number, prompt in enumerate(commit_prompts("tuning", LENGTHS[-1])[1][:FOREIGN])
    ]
    others = [*foreign, *others]
    for project in read_projects(QUESTIONS / "tuning"):
        yield Setting(project.name, project.records, [*project.prompts, *others[:200]])
        for size in SMALL:
            rng = random.Random(f"{project.name} {size}")
            some = dict(rng.sample(sorted(project.records.items()), size))
            about = [p for p in project.prompts if not p.gold or p.gold <= some.keys()]
            # A prompt about a memory that is not there should bring nothing either.
            gone = [p._replace(gold=frozenset()) for p in project.prompts if p not in about]
            more = rng.sample(gone, min(len(gone), 2 * size))
            yield Setting(f"{project.name} {size}", some, [*about, *more, *others[:150]])
    for size in SIZES:
        yield mixed("tuning", size, gone=GONE)


def rows_of(folder: Path, setting: Setting, *, warm: bool) -> list[Row]:
    """Return the hits of every prompt of a setting."""
    store, names = build(folder, setting, vectors=warm)
    now = latest(setting)
    about = sum(1 for prompt in setting.prompts if prompt.gold)
    small = ABOUT_SMALL if warm else ABOUT_SMALL_COLD
    share = small if len(setting.records) <= max(SMALL) else ABOUT
    weights = {True: share / about, False: (1 - share) / (len(setting.prompts) - about)}
    rows = []
    for prompt in setting.prompts:
        for hit in candidates_of(store, prompt.text, now, warm=warm):
            right = names[hit.memory.uid] in prompt.gold
            rows.append(Row(hit.features, right, weights[bool(prompt.gold)]))
    store.close()
    talk(f"{setting.name}: {len(rows)} hits of {len(setting.prompts)} prompts")
    return rows


def fit(rows: Sequence[Row], names: Sequence[str]) -> dict[str, float]:
    """Return the coefficients of a logistic regression; evidence never counts against a memory."""
    while True:
        found = _fit(rows, names)
        against = [name for name in names if name in EVIDENCE and found[name] < 0]
        if not against:
            return found
        talk(f"left out, because it would count against: {', '.join(against)}")
        names = [name for name in names if name not in against]


def _fit(rows: Sequence[Row], names: Sequence[str]) -> dict[str, float]:
    """Fit by Newton's method."""
    import numpy as np

    matrix = np.array([[1.0, *(getattr(row.features, name) for name in names)] for row in rows])
    right = np.array([row.right for row in rows], float)
    weights = np.array([row.weight for row in rows])
    weights *= sum(1 for row in rows if row.right) / (weights * right).sum()
    ridge = np.diag([1e-6, *[RIDGE] * len(names)])
    beta = np.zeros(len(names) + 1)
    for _ in range(30):
        likely = 1 / (1 + np.exp(-np.clip(matrix @ beta, -30, 30)))
        slope = matrix.T @ (weights * (right - likely)) - ridge @ beta
        curve = (matrix * (weights * likely * (1 - likely))[:, None]).T @ matrix + ridge
        step = np.linalg.solve(curve, slope)
        beta += step
        if abs(step).max() < 1e-6:
            break
    return dict(zip((BIAS, *names), map(float, beta), strict=True))


def render(cold: Mapping[str, float], warm: Mapping[str, float]) -> str:
    """Return the module with the coefficients."""
    head = MODULE.read_text("utf-8").partition("# Without vectors")[0]
    parts = []
    for about, name, values in (
        ("Without vectors: a hook that has no time to load a model.", "COLD", cold),
        ("With vectors.", "WARM", warm),
    ):
        lines = "".join(f'    "{key}": {value:.3f},\n' for key, value in values.items())
        parts.append(f"# {about}\n{name}: Final[Mapping[str, float]] = {{\n{lines}}}\n")
    return head + "".join(parts)


def run(cache: Path) -> tuple[dict[str, float], dict[str, float]]:
    """Fit both sets of coefficients."""
    found: dict[bool, list[Row]] = {False: [], True: []}
    with temporary_folder() as scratch:
        if open_cached(cache) is None:
            raise NoData("The gate is fitted with vectors, too: install the model.")
        for setting in settings():
            for warm, rows in found.items():
                rows += rows_of(scratch, setting, warm=warm)
        found[False] += rows_of(scratch, mixed("tuning", LARGE, gone=GONE), warm=False)
    by_words = fit(found[False], (*WORDS, *BOTH, *AROUND)) | JUDGED
    return by_words, fit(found[True], (*WORDS, *MEANING, *BOTH, *AROUND)) | JUDGED


def main() -> None:
    """Print the coefficients, and write them if asked to."""
    parser = argparse.ArgumentParser(prog="benchmarks.gate", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {MODULE.name}")
    parser.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir()) / "recollect-bench-cache",
        help="where vectors are kept between runs",
    )
    options = parser.parse_args()
    try:
        text = render(*run(options.cache))
    except NoData as problem:
        sys.exit(str(problem))
    print(text)
    if options.write:
        MODULE.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
