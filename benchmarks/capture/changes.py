"""Fits and measures the models of changed minds: `python -m benchmarks.capture.changes`.

A case is a prompt, what was known before it, and what of that it takes back. Cases come from the
tuning days of `benchmarks/day`, where a fact ends at a prompt, from `changes.jsonl`, and, for the
model that reads meaning, from `changes_terse.jsonl` and those after it. Each case is judged by a
fit without its day or project, and without a tenth of the others. `--write` writes the weights of
the model that reads meaning. With files of cases as arguments, both committed models are measured
on those: lines of JSON with `prompt`, `known` (a list) and `changed` (positions in it).
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
from recollect.capture import changed_meaning
from recollect.capture.changed_meaning import Weights, Words, features_of, finder_with, read_words
from recollect.capture.changed_minds import (
    changed_by,
    choose,
    features,
    told,
)
from recollect.capture.leads import tells_change
from recollect.embedding.granite.model import Granite
from recollect.embedding.registry import open_embedder

_FOLDS = 10
_DECAY = 1.0
_STEPS, _ENOUGH = 60, 1e-6
_SHOWN = 160
_WRITTEN = Path(__file__).with_name("changes.jsonl")
# Only for the model that reads meaning.
_MORE = [Path(__file__).with_name(f"changes_{name}.jsonl") for name in ("terse", "third", "fourth")]
_FIRST_PROJECT = 1000  # after all days
_DECAY_OF_WORDS = 100.0
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


def read_cases(path: Path, first: int = _FIRST_PROJECT) -> list[Case]:
    """Return the cases of a file. Those with a known text in common are of one project."""
    found: list[Case] = []
    project_of: dict[str, int] = {}
    for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        seen = [project_of[text] for text in row["known"] if text in project_of]
        number = seen[0] if seen else first + len(set(project_of.values()))
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


def fit(rows: Floats, labels: Floats, decay: float = _DECAY) -> Floats:
    """Return the coefficients, by Newton's method, all but the first pulled to zero."""
    weights = np.zeros(rows.shape[1])
    pull = np.eye(rows.shape[1]) * decay
    pull[0, 0] = 1e-6
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        curve = (rows * (chances * (1 - chances))[:, None]).T @ rows + pull
        step = np.linalg.solve(curve, rows.T @ (chances - labels) + pull @ weights)
        weights -= step
        if np.abs(step).max() < _ENOUGH:
            break
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


def _meant(
    cases: Sequence[Case], model: Granite, centre: Floats
) -> tuple[list[list[int]], Weights]:
    """Judge each case by a fit without its place; return what was chosen, and the final fit."""
    read: dict[str, Words] = {}

    def words(text: str, most: int) -> Words:
        if text[:most] not in read:
            read[text[:most]] = read_words(text[:most], model, centre)
        return read[text[:most]]

    most, of_known = changed_meaning.MOST_PROMPT, changed_meaning.MOST_KNOWN
    prompts = [words(case.prompt, most) for case in cases]
    layers = np.stack([np.append(1.0, one.layers) for one in prompts])
    spread = layers.std(0)
    spread[0] = 1.0
    layers /= spread
    changes = np.array([float(bool(case.changed)) for case in cases])
    fold_of = np.array([case.place % _FOLDS for case in cases])
    tells = np.zeros(len(cases))
    for fold in range(_FOLDS):
        out = fold_of == fold
        tells[out] = layers[out] @ fit(layers[~out], changes[~out], _DECAY_OF_WORDS)
    by_case = [
        features_of(
            case.prompt[:most],
            prompts[at],
            float(tells[at]),
            case.known,
            [words(text, of_known) for text in case.known],
        )
        for at, case in enumerate(cases)
    ]
    rows = np.array([row for rows in by_case for row in rows])
    labels = np.array([float(n in case.changed) for case in cases for n in range(len(case.known))])
    number = np.array([at for at, case in enumerate(cases) for _ in case.known])
    chances = np.zeros(len(labels))
    for fold in range(_FOLDS):
        out = fold_of[number] == fold
        scores = rows[out] @ fit(rows[~out], labels[~out])
        chances[out] = 1 / (1 + np.exp(-scores))
    chosen: list[list[int]] = []
    for at, case in enumerate(cases):
        own = [float(one) for one in chances[number == at]]
        likely = changed_meaning.LIKELY, changed_meaning.ALSO_LIKELY
        is_read = tells[at] >= changed_meaning.TELLS
        chosen.append(choose(own, case.known, *likely) if is_read else [])
    change = fit(layers, changes, _DECAY_OF_WORDS) / spread
    final = fit(rows, labels)
    return chosen, Weights(model.name, float(change[0]), list(final), centre, change[1:])


def _centre(cases: Sequence[Case], model: Granite) -> Floats:
    """Return the mean row of the tokens of all prompts."""
    layers = model.first(changed_meaning.LAYERS)
    rows = [
        model.read(case.prompt[: changed_meaning.MOST_PROMPT], layers)[1] for case in cases[::4]
    ]
    return np.asarray(np.concatenate(rows).mean(0), np.float64)


def main(arguments: Sequence[str]) -> int:
    """Measure on files, or fit on the days and print the coefficients."""
    model = open_embedder("default", threads=1)
    if not isinstance(model, Granite):
        sys.exit("The default embedder is needed.")
    names = [name for name in arguments if name != "--write"]
    for name in names:
        cases = read_cases(Path(name))
        _report(f"{name}, cold", cases, [set(changed_by(c.prompt, c.known)) for c in cases])
        look = finder_with(model)
        found = [look(case.prompt) if look else None for case in cases]
        _report(
            f"{name}, by meaning",
            cases,
            [
                {one.number for one in find(case.known)} if find else set()
                for case, find in zip(cases, found, strict=True)
            ],
        )
    if names:
        return 0
    days, written = cases_of_days(), read_cases(_WRITTEN)
    more = {
        file.name: read_cases(file, number * _FIRST_PROJECT) for number, file in enumerate(_MORE, 2)
    }
    _fit_cold(days, written)
    sets = {"days": days, _WRITTEN.name: written, **more}
    cases = [case for own in sets.values() for case in own]
    chosen, weights = _meant(cases, model, _centre(cases, model))
    at = 0
    for name, own in sets.items():
        _report(f"{name}, by meaning", own, [set(one) for one in chosen[at : at + len(own)]])
        at += len(own)
    if "--write" in arguments:
        changed_meaning.write(weights, f"{len(cases)} prompts: {', '.join(sets)}")
    return 0


def _fit_cold(days: Sequence[Case], written: Sequence[Case]) -> None:
    """Fit and judge the model of named features, and print its coefficients."""
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
    _report("days, cold", days, chosen[: len(days)])
    _report(f"{_WRITTEN.name}, cold", written, chosen[len(days) :])
    print("COEFFICIENTS: Final[Mapping[str, float]] = {")
    for name, value in zip(features(told(""), ""), fit(rows, labels), strict=True):
        print(f'    "{name}": {value:.3f},')
    print("}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
