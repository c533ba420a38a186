"""Fits the linear models of detection, with numpy only.

Rows are sparse: the numbers of their n-grams and one value each. A row's n-grams are scaled by the
root of their number, so that a long sentence weighs no more than a short one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from recollect.capture.features import NAMED, Said, bucket, vector

Floats = npt.NDArray[np.float64]
_MEMORY = 8  # steps that L-BFGS remembers


class Table(NamedTuple):
    """Rows of features: the row, the column and the value of each entry, by row."""

    row: npt.NDArray[np.int64]
    column: npt.NDArray[np.int64]
    value: Floats
    rows: int
    columns: int

    def times(self, weights: Floats) -> Floats:
        """Return the score of every row."""
        parts = self.value * weights[self.column]
        return np.asarray(np.bincount(self.row, parts, self.rows), np.float64)

    def transposed_times(self, errors: Floats) -> Floats:
        """Return the gradient of every weight."""
        parts = self.value * errors[self.row]
        return np.asarray(np.bincount(self.column, parts, self.columns), np.float64)


def tabulate(said: Sequence[Said], size: int) -> Table:
    """Return the features of sentences: words, characters (`size` columns each), named, 1."""
    rows: list[int] = []
    columns: list[int] = []
    values: list[float] = []
    for number, one in enumerate(said):
        parts = vector(one)
        for grams, start in ((parts.words, 0), (parts.characters, size)):
            if grams:
                columns += [start + bucket(gram, size) for gram in grams]
                values += [1 / math.sqrt(len(grams))] * len(grams)
                rows += [number] * len(grams)
        for at, value in enumerate((*parts.named, 1.0)):
            if value:
                rows.append(number)
                columns.append(2 * size + at)
                values.append(float(value))
    return Table(
        np.array(rows, np.int64),
        np.array(columns, np.int64),
        np.array(values, np.float64),
        len(said),
        2 * size + len(NAMED) + 1,
    )


def fit_binary(table: Table, wanted: Floats, weight: Floats, decay: Floats) -> Floats:
    """Return the weights of a logistic regression."""
    total = weight.sum()

    def loss(weights: Floats) -> tuple[float, Floats]:
        score = table.times(weights)
        cost = np.logaddexp(0.0, score) - wanted * score
        errors = weight * (sigmoid(score) - wanted) / total
        value = float((weight * cost).sum() / total + 0.5 * (decay * weights**2).sum())
        return value, table.transposed_times(errors) + decay * weights

    return minimise(loss, np.zeros(table.columns))


def fit_classes(
    table: Table, wanted: npt.NDArray[np.int64], weight: Floats, classes: int, decay: Floats
) -> Floats:
    """Return the weights of a softmax regression, one row per class."""
    total = weight.sum()
    target = np.zeros((classes, table.rows))
    target[wanted, np.arange(table.rows)] = 1.0

    def loss(flat: Floats) -> tuple[float, Floats]:
        weights = flat.reshape(classes, table.columns)
        chance = softmax(np.stack([table.times(one) for one in weights]))
        cost = -np.log(np.maximum(chance[wanted, np.arange(table.rows)], 1e-12))
        errors = weight * (chance - target) / total
        gradient = np.stack([table.transposed_times(one) for one in errors])
        value = float((weight * cost).sum() / total + 0.5 * (decay * weights**2).sum())
        return value, (gradient + decay * weights).ravel()

    return minimise(loss, np.zeros(classes * table.columns)).reshape(classes, table.columns)


def sigmoid(score: Any) -> Any:
    """Return the chance that belongs to a score."""
    return 0.5 * (1 + np.tanh(0.5 * score))


def softmax(scores: Floats) -> Floats:
    """Return the chances of classes (rows) for each column."""
    raised = np.exp(scores - scores.max(axis=0))
    return np.asarray(raised / raised.sum(axis=0))


def minimise(
    loss: Callable[[Floats], tuple[float, Floats]], start: Floats, steps: int = 60
) -> Floats:
    """Return the minimum of a smooth convex function (L-BFGS with backtracking)."""
    at = start
    value, gradient = loss(at)
    past: list[tuple[Floats, Floats, float]] = []
    for _ in range(steps):
        direction = -_along(past, gradient)
        slope = float(direction @ gradient)
        size = 1.0 if past else min(1.0, 1.0 / (float(np.abs(gradient).sum()) + 1e-12))
        while True:
            there = at + size * direction
            new_value, new_gradient = loss(there)
            if new_value <= value + 1e-4 * size * slope or size < 1e-10:
                break
            size *= 0.5
        moved, changed = there - at, new_gradient - gradient
        curve = float(moved @ changed)
        if curve > 1e-14:
            past = [*past[-_MEMORY + 1 :], (moved, changed, 1.0 / curve)]
        done = value - new_value < 1e-8 * max(1.0, abs(value))
        at, value, gradient = there, new_value, new_gradient
        if done:
            break
    return at


def _along(past: Sequence[tuple[Floats, Floats, float]], gradient: Floats) -> Floats:
    """Return the gradient, multiplied by the estimated inverse of the second derivative."""
    direction = gradient.copy()
    shares = []
    for moved, changed, inverse in reversed(past):
        share = inverse * float(moved @ direction)
        shares.append(share)
        direction -= share * changed
    if past:
        moved, changed, inverse = past[-1]
        direction *= 1.0 / (inverse * float(changed @ changed))
    for (moved, changed, inverse), share in zip(past, reversed(shares), strict=True):
        direction += moved * (share - inverse * float(changed @ direction))
    return direction
