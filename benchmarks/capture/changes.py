"""Fits and measures the model of changed minds: `python -m benchmarks.capture.changes`.

A case is a prompt, what was known before it, and what of that it takes back. Cases come from the
tuning days of `benchmarks/day`, where a fact ends at a prompt, and from `changes.jsonl`. Each case
is judged by a fit without its day or project, and without a tenth of the others. With files of
cases as arguments, the committed coefficients are measured on those: lines of JSON with `prompt`,
`known` (a list) and `changed` (positions in it).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.day.scripts import TUNING, all_days, read_day
from recollect.capture.changed_minds import (
    changed_by,
    choose,
    features,
    told,
)
from recollect.capture.leads import tells_change

_FOLDS = 10
_DECAY = 1.0
_STEPS = 60
_SHOWN = 160
_WRITTEN = Path(__file__).with_name("changes.jsonl")
_FIRST_PROJECT = 1000  # after all days
Floats = npt.NDArray[np.float64]


class Case(NamedTuple):
    """A prompt, what was known before it, and which of that it takes back."""

    place: int  # the day or the project
    prompt: str
    known: Sequence[str]
    changed: frozenset[int]


def cases_of_days() -> list[Case]:
    """Return a case for each prompt of the tuning days."""
    found = []
    for path in all_days():
        day = read_day(path)
        if day.split != TUNING:
            continue
        for s, session in enumerate(day.sessions, 1):
            for t, turn in enumerate(session.turns, 1):
                at = (s, t)
                known = [
                    fact
                    for fact in day.facts
                    if fact.draft and fact.said < at and (fact.until is None or fact.until >= at)
                ]
                changed = frozenset(n for n, fact in enumerate(known) if fact.until == at)
                texts = [fact.draft for fact in known]
                found.append(Case(day.number, turn.user, texts, changed))
    return found


def read_cases(path: Path) -> list[Case]:
    """Return the cases of a file. Those with a known text in common are of one project."""
    found: list[Case] = []
    project_of: dict[str, int] = {}
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        seen = [project_of[text] for text in row["known"] if text in project_of]
        number = seen[0] if seen else _FIRST_PROJECT + len(set(project_of.values()))
        project_of |= dict.fromkeys(row["known"], number)
        found.append(Case(number, row["prompt"], row["known"], frozenset(row["changed"])))
    return found


def _table(cases: Sequence[Case]) -> tuple[Floats, Floats, list[tuple[int, int]]]:
    rows, labels, places = [], [], []
    for number, case in enumerate(cases):
        read = told(case.prompt)
        for at, text in enumerate(case.known):
            rows.append(list(features(read, text).values()))
            labels.append(float(at in case.changed))
            places.append((number, at))
    return np.array(rows), np.array(labels), places


def fit(rows: Floats, labels: Floats) -> Floats:
    """Return the coefficients, by Newton's method, all but the first pulled to zero."""
    weights = np.zeros(rows.shape[1])
    pull = np.eye(rows.shape[1]) * _DECAY
    pull[0, 0] = 1e-6
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-rows @ weights))
        curve = (rows * (chances * (1 - chances))[:, None]).T @ rows + pull
        weights -= np.linalg.solve(curve, rows.T @ (chances - labels) + pull @ weights)
    return np.asarray(weights, np.float64)


def _chosen(case: Case, chances: Sequence[float]) -> set[int]:
    if not tells_change(case.prompt):
        return set()
    return set(choose(chances, case.known))


def _report(name: str, cases: Sequence[Case], chosen: Sequence[set[int]]) -> None:
    wanted = sum(len(case.changed) for case in cases)
    right = sum(len(case.changed & got) for case, got in zip(cases, chosen, strict=True))
    wrong = sum(len(got - case.changed) for case, got in zip(cases, chosen, strict=True))
    calm = [
        (case, got) for case, got in zip(cases, chosen, strict=True) if not case.changed and got
    ]
    print(
        f"{name}: {len(cases)} prompts, {right} of {wanted} changes found, {wrong} found and wrong,"
        f" {len(calm)} of them in prompts that change nothing"
    )
    for case, got in zip(cases, chosen, strict=True):
        prompt = " ".join(case.prompt.split())[:_SHOWN]
        for at in sorted(case.changed - got):
            print(f"  missed: {case.known[at][:_SHOWN]}\n          by {prompt}")
        for at in sorted(got - case.changed):
            print(f"  wrong: {case.known[at][:_SHOWN]}\n         by {prompt}")


def main(arguments: Sequence[str]) -> int:
    """Measure on files, or fit on the days and print the coefficients."""
    for name in arguments:
        cases = read_cases(Path(name))
        _report(name, cases, [set(changed_by(case.prompt, case.known)) for case in cases])
    if arguments:
        return 0
    days, written = cases_of_days(), read_cases(_WRITTEN)
    cases = [*days, *written]
    rows, labels, places = _table(cases)
    places_of = np.array([cases[number].place for number, _ in places])
    chances = np.zeros(len(labels))
    for fold in range(_FOLDS):
        out = places_of % _FOLDS == fold
        chances[out] = 1 / (1 + np.exp(-rows[out] @ fit(rows[~out], labels[~out])))
    by_case: list[list[float]] = [[] for _ in cases]
    for (number, _), value in zip(places, chances, strict=True):
        by_case[number].append(float(value))
    chosen = [_chosen(case, values) for case, values in zip(cases, by_case, strict=True)]
    _report("days", days, chosen[: len(days)])
    _report(_WRITTEN.name, written, chosen[len(days) :])
    print("COEFFICIENTS: Final[Mapping[str, float]] = {")
    for name, value in zip(features(told(""), ""), fit(rows, labels), strict=True):
        print(f'    "{name}": {value:.3f},')
    print("}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
