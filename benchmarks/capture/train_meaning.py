"""Trains what prompts ask for by their meaning: src/recollect/capture/wish_meaning.bin.

python -m benchmarks.capture.train_meaning [--sessions FOLDER ...] [--without FILE ...] [--out FILE]

It learns from the same prompts as `train_wishes`. A row says what a prompt asks to keep, not which
of its words ask. So the rating of a prompt is the soft maximum of those of its words, and the words
that ask emerge. Which words are to be kept is known, and learned beside it.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.capture.fitting import Floats, sigmoid
from benchmarks.capture.requests import Prompt
from benchmarks.capture.train_wishes import OTHERS, all_prompts, unkept_weights
from recollect.capture.requests import typed_sentences
from recollect.capture.wish_meaning import FILE, HIDDEN, LAYERS, MAGIC, OUTPUTS, windows
from recollect.embedding import open_embedder
from recollect.embedding.granite.model import Granite

COMMAND = "python -m benchmarks.capture.train_meaning"
EPOCHS, BATCH, RATE, DECAY, DROPPED = 10, 64, 2e-3, 0.1, 0.2
SPREAD = (0.9, 0.999)  # how much of the mean and of the square of a slope stays (Adam)
START = (-4.0, -5.0, 0.0)  # the log odds of a word that nothing is known about
KEPT = 1.2  # the weight of what is to be kept, beside what is asked


class Read(NamedTuple):
    """The words of prompts: a row for each, the first row and number of rows of each prompt.

    `kept`: 1 for a word of what is to be kept, 0 for another one, NaN where nobody knows.
    """

    rows: Any
    start: Any
    count: Any
    kept: Any


def read(prompts: Sequence[Prompt], model: Granite) -> Read:
    """Read the prompts with the first layers of the embedder."""
    rows: list[Any] = []
    kept: list[Any] = []
    for prompt in prompts:
        said = typed_sentences(prompt.text) or [prompt.text[:200]]
        for numbers in list(windows(said))[:1]:
            text = " ".join(said[at] for at in numbers)
            places, states = model.read(text, LAYERS)
            rows.append(states.astype(np.float16))
            kept.append(_kept(text, places, prompt.wishes))
    count = np.array([len(one) for one in rows])
    return Read(np.concatenate(rows), np.cumsum(count) - count, count, np.concatenate(kept))


def _kept(text: str, places: Sequence[tuple[int, int]], wishes: Sequence[str]) -> Floats:
    """Return which words are part of the wishes, if these stand in the text."""
    found = np.zeros(len(places))
    known = False
    for wish in filter(None, wishes):
        at = text.lower().find(wish.lower().rstrip(".!"))
        if at >= 0:
            known = True
            found += [at - 1 <= start and end <= at + len(wish) for start, end in places]
    return np.minimum(found, 1) if known else np.full(len(places), np.nan)


class Network:
    """The weights, and how they are fitted (Adam, with dropout and decay)."""

    def __init__(self, said: Read) -> None:
        some = said.rows[::7].astype(np.float32)
        self.mean, self.deviation = some.mean(0), some.std(0) + 1e-3
        random = np.random.default_rng(0)
        wide = said.rows.shape[1]
        self.values = [
            random.normal(0, wide**-0.5, (wide, HIDDEN)).astype(np.float32),
            np.zeros(HIDDEN, np.float32),
            random.normal(0, HIDDEN**-0.5, (HIDDEN, OUTPUTS)).astype(np.float32),
            np.array(START, np.float32),
        ]

    def fit(self, said: Read, wanted: Floats, weight: Floats) -> None:
        """Fit to what each prompt asks for: a row with two labels, and their weights."""
        random = np.random.default_rng(0)
        means = [np.zeros_like(one) for one in self.values]
        squares = [np.zeros_like(one) for one in self.values]
        total = len(said.count)
        steps, step = EPOCHS * -(-total // BATCH), 0
        for _ in range(EPOCHS):
            order = random.permutation(total)
            for first in range(0, total, BATCH):
                chosen = order[first : first + BATCH]
                slopes = self._slopes(said, chosen, wanted[chosen], weight[chosen], random)
                step += 1
                rate = RATE * (1 - step / steps)
                for at, slope in enumerate(slopes):
                    means[at] += (1 - SPREAD[0]) * (slope - means[at])
                    squares[at] += (1 - SPREAD[1]) * (slope**2 - squares[at])
                    mean = means[at] / (1 - SPREAD[0] ** step)
                    size = np.sqrt(squares[at] / (1 - SPREAD[1] ** step)) + 1e-8
                    decay = DECAY * self.values[at] * (at % 2 == 0)
                    self.values[at] -= (rate * (mean / size + decay)).astype(np.float32)

    def _slopes(
        self, said: Read, chosen: Any, wanted: Floats, weight: Floats, random: np.random.Generator
    ) -> list[Any]:
        rows = np.concatenate(
            [np.arange(said.start[at], said.start[at] + said.count[at]) for at in chosen]
        )
        count = said.count[chosen]
        start = np.cumsum(count) - count
        given = (said.rows[rows].astype(np.float32) - self.mean) / self.deviation
        given *= _dropped(given.shape, random)
        first, first_bias, second, second_bias = self.values
        inner = given @ first + first_bias
        passes = (inner > 0) * _dropped(inner.shape, random)
        inner *= passes
        out = inner @ second + second_bias
        back = np.zeros_like(out)
        for at in range(2):
            most = np.maximum.reduceat(out[:, at], start)
            raised = np.exp(out[:, at] - np.repeat(most, count))
            sums = np.add.reduceat(raised, start)
            error = weight[:, at] * (sigmoid(most + np.log(sums)) - wanted[:, at])
            back[:, at] = np.repeat(error / sums, count) * raised
        known = ~np.isnan(said.kept[rows])
        error = sigmoid(out[known, 2]) - said.kept[rows][known]
        back[known, 2] = KEPT * error / np.repeat(count, count)[known]
        back /= len(chosen)
        inward = (back @ second.T) * passes
        return [given.T @ inward, inward.sum(0), inner.T @ back, back.sum(0)]

    def folded(self) -> list[Any]:
        """Return the weights for rows as they are read, which are not brought to one scale."""
        first, first_bias, second, second_bias = self.values
        scaled = first / self.deviation[:, None]
        return [scaled, first_bias - self.mean @ scaled, second, second_bias]


def _dropped(shape: tuple[int, ...], random: np.random.Generator) -> Any:
    return (random.random(shape, dtype=np.float32) > DROPPED) / np.float32(1 - DROPPED)


def train(prompts: Sequence[Prompt], recorded: int, model: Granite) -> list[Any]:
    """Return the weights; the last `recorded` prompts are other people's."""
    said = read(prompts, model)
    wanted = np.array([[bool(one.wishes), one.unkept] for one in prompts], np.float64)
    weight = np.stack([np.ones(len(prompts)), unkept_weights(prompts)], axis=1)
    weight[len(prompts) - recorded :] = OTHERS
    network = Network(said)
    network.fit(said, wanted, weight)
    return network.folded()


def packed(weights: Sequence[Any], embedder: str, sources: dict[str, Any]) -> bytes:
    """Return the file."""
    shapes = [one.shape for one in weights]
    header = {"made by": COMMAND, "made from": sources, "embedder": embedder, "shapes": shapes}
    text = json.dumps(header, sort_keys=True).encode()
    parts = [one.astype("<f2").tobytes() for one in weights]
    return b"".join([MAGIC, len(text).to_bytes(4), text, *parts])


def main(arguments: list[str] | None = None) -> None:
    """Train, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", nargs="*", type=Path, default=[])
    parser.add_argument("--without", nargs="*", default=[], help="names of files to leave out")
    parser.add_argument("--out", type=Path, default=FILE)
    options = parser.parse_args(arguments)
    prompts, recorded, sources = all_prompts(options.sessions, options.without)
    embedder = open_embedder("default")
    if not isinstance(embedder, Granite):
        raise SystemExit("There is no embedder.")
    weights = train([*prompts, *recorded], len(recorded), embedder)
    data = packed(weights, embedder.name, sources)
    options.out.write_bytes(data)
    print(f"{options.out}: {len(data)} bytes from {len(prompts)} + {len(recorded)} prompts")


if __name__ == "__main__":
    main()
