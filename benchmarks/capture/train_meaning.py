"""Trains what prompts ask for by their meaning: src/recollect/capture/wish_meaning.bin.

python -m benchmarks.capture.train_meaning [--sessions FOLDER ...] [--without FILE ...] [--out FILE]

It needs PyTorch, which is no dependency of the project: see README.md beside this module.

It learns from the same prompts as `train_wishes`. A row says what a prompt asks to keep, not which
of its words ask. So the rating of a prompt is the soft maximum of those of its words, and the words
that ask emerge. Which words are to be kept is known, and learned beside it. The network that rates
the words is trained together with updates of low rank for every matrix of the first layers of the
embedder, whose own weights stay as they are.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import numpy as np

from benchmarks.capture.requests import Prompt
from benchmarks.capture.train_wishes import all_prompts, unkept_weights
from recollect.capture.requests import typed_sentences
from recollect.capture.wish_meaning import FILE, HIDDEN, LAYERS, MAGIC, OUTPUTS, RANK, windows
from recollect.embedding import open_embedder
from recollect.embedding.granite.model import Granite
from recollect.embedding.transformer import DIMENSIONS, HEADS, WINDOW, Affine

COMMAND = "python -m benchmarks.capture.train_meaning"
EPOCHS, RATE, RATE_ABOVE, DECAY, DECAY_ABOVE, DROPPED = 5, 1e-3, 2e-3, 0.01, 0.1, 0.2
MOST_TOKENS, MOST_PROMPTS = 1_600, 64  # of a step, padding included
AVERAGE = 24.0  # prompts of a step
WARM = 50  # steps until the full rate
# The rate sinks to a share of it, and the weights of the last steps are averaged: the last of them
# alone depend on which prompts came last.
LEAST_RATE, AVERAGED = 0.2, 0.4
STEEPEST = 2.0
START = (-4.0, -5.0, 0.0)  # the log odds of a word that nothing is known about
KEPT = 1.2  # the weight of what is to be kept, beside what is asked
RECORDED = 0.6  # of a recorded prompt: a few of them may ask for something after all
# So that it does not learn how long who asks talks, and that people dictate without punctuation:
JOINED, SPOKEN = 0.2, 0.1  # the share of prompts that get another one beside them, or lose it
_LONGEST_BESIDE, _LONGEST = 300, 880
_SIGNS = re.compile(r"[,;:.!?\"()]+(?=\s|$)|(?<!\S)[\"(]+")
_FAR = -1e9

torch: Any = importlib.import_module("torch") if find_spec("torch") else None


class Example(NamedTuple):
    """A prompt as it is read, what to keep of it, what it asks for (to keep, not to), weights."""

    text: str
    wishes: Sequence[str]
    wanted: tuple[float, float]
    weight: tuple[float, float]
    is_recorded: bool


class Encoded(NamedTuple):
    """An example as tokens. `kept`: 1 for a word to keep, 0 for another, NaN if nobody knows."""

    ids: Sequence[int]
    kept: Any
    example: Example


def examples(prompts: Sequence[Prompt], recorded: int) -> list[Example]:
    """Return the prompts as they are read; the last `recorded` ones are other people's."""
    weights = unkept_weights(prompts)
    own = len(prompts) - recorded
    found = []
    for at, prompt in enumerate(prompts):
        said = typed_sentences(prompt.text) or [prompt.text[:200]]
        text = " ".join(said[number] for number in next(windows(said)))
        weight = (1.0, float(weights[at])) if at < own else (RECORDED, RECORDED)
        wanted = float(bool(prompt.wishes)), float(prompt.unkept)
        found.append(Example(text, prompt.wishes, wanted, weight, at >= own))
    return [one for one in found if one.text.strip()]


def encoded(given: Sequence[Example], model: Granite, random: Random) -> Iterator[Encoded]:
    """Yield the examples as tokens, some of them with another prompt, or without punctuation."""
    beside = [one for one in given if len(one.text) < _LONGEST_BESIDE and not any(one.wanted)]
    for one in given:
        text, wishes = one.text, one.wishes
        if beside and not one.wanted[1] and not one.is_recorded and random.random() < JOINED:
            both = [text, random.choice(beside).text]
            random.shuffle(both)
            text = " ".join(both) if len(" ".join(both)) < _LONGEST else text
        if random.random() < SPOKEN:
            text, wishes = spoken(text), [spoken(wish) for wish in wishes]
        ids, places = tokens(text, model)
        if places:
            yield Encoded(ids, kept_places(text, places, wishes), one)


def spoken(text: str) -> str:
    """Return a text as if somebody dictated it."""
    return " ".join(_SIGNS.sub("", text).lower().split())


def tokens(text: str, model: Granite) -> tuple[list[int], list[tuple[int, int]]]:
    """Return the ids of a text with the markers at its ends, and where each word stands."""
    words = model._words
    return [words.first, *words.encode(text)[:WINDOW], words.last], words.places(text)[:WINDOW]


def kept_places(text: str, places: Sequence[tuple[int, int]], wishes: Sequence[str]) -> Any:
    """Return which words are part of the wishes, if these stand in the text."""
    found = np.zeros(len(places), np.float32)
    known = False
    for wish in filter(None, wishes):
        at = text.lower().find(wish.lower().rstrip(".!"))
        if at >= 0:
            known = True
            found += [at - 1 <= start and end <= at + len(wish) for start, end in places]
    return np.minimum(found, 1) if known else np.full(len(places), np.nan, np.float32)


def steps(rows: Sequence[Encoded], random: Random) -> list[list[Encoded]]:
    """Group examples of similar length, in random order."""
    found: list[list[Encoded]] = [[]]
    for one in sorted(rows, key=lambda one: len(one.ids) + 6 * random.random()):
        longest = max([len(one.ids), *(len(other.ids) for other in found[-1])])
        if longest * (len(found[-1]) + 1) > MOST_TOKENS or len(found[-1]) == MOST_PROMPTS:
            found.append([])
        found[-1].append(one)
    random.shuffle(found)
    return found


class Reader:
    """The first layers of the embedder with their updates, and the network above them."""

    def __init__(self, model: Granite) -> None:
        self._model = model
        self._is_training = False
        self._layers = [
            [_fixed(one) for one in (layer.attend, layer.join, layer.widen, layer.narrow)]
            for layer in model._network.layers[:LAYERS]
        ]
        self._norms = [
            [_numbers(one) for one in (layer.join_norm, layer.narrow_norm)]
            for layer in model._network.layers[:LAYERS]
        ]
        self._norm = _numbers(model._network.norm)
        shapes = [one.shape for layer in self._layers for one, _ in layer]
        self.updates = [
            (
                (torch.randn(rows, RANK) * rows**-0.5).requires_grad_(),
                torch.zeros(RANK, columns).requires_grad_(),
            )
            for rows, columns in shapes
        ]
        wide = LAYERS * DIMENSIONS
        self.above = [
            (torch.randn(wide, HIDDEN) * wide**-0.5).requires_grad_(),
            torch.zeros(HIDDEN).requires_grad_(),
            (torch.randn(HIDDEN, OUTPUTS) * HIDDEN**-0.5).requires_grad_(),
            torch.tensor(START).requires_grad_(),
        ]
        self._mean, self._deviation = torch.zeros(wide), torch.ones(wide)

    def fit(self, given: Sequence[Example]) -> None:
        """Train on examples (AdamW, with a rate that sinks), and average the last weights."""
        random = Random(0)
        with torch.no_grad():
            some = [tokens(one.text, self._model)[0] for one in given[::40]]
            rows = torch.cat([self._rows([ids])[0, 1:-1] for ids in some])
            self._mean, self._deviation = rows.mean(0), rows.std(0) + 1e-3
        pairs = [one for pair in self.updates for one in pair]
        groups: list[dict[str, Any]] = [
            {"params": pairs, "lr": RATE, "weight_decay": DECAY},
            {"params": self.above[::2], "lr": RATE_ABOVE, "weight_decay": DECAY_ABOVE},
            {"params": self.above[1::2], "lr": RATE_ABOVE, "weight_decay": 0.0},
        ]
        rates = [group["lr"] for group in groups]
        optimizer = torch.optim.AdamW(groups)
        self._is_training = True
        everything = [*pairs, *self.above]
        sums, count = [torch.zeros_like(one) for one in everything], 0
        step = total = 0
        for epoch in range(EPOCHS):
            chosen = steps(list(encoded(given, self._model, random)), random)
            total = total or EPOCHS * len(chosen)
            losses = []
            for rows in chosen:
                now = min(1.0, step / WARM) * max(LEAST_RATE, 1 - step / total)
                for group, rate in zip(optimizer.param_groups, rates, strict=True):
                    group["lr"] = now * rate
                loss = self._loss(rows)
                optimizer.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(everything, STEEPEST)
                optimizer.step()
                if step >= (1 - AVERAGED) * total:
                    count += 1
                    for place, one in zip(sums, everything, strict=True):
                        place += one.detach()
                losses.append(float(loss.detach()))
                step += 1
            print(f"epoch {epoch + 1} of {EPOCHS}: loss {np.mean(losses):.3f}", flush=True)
        with torch.no_grad():
            for place, one in zip(sums, everything, strict=True):
                one.copy_(place / max(1, count))
        self._is_training = False

    def folded(self) -> list[Any]:
        """Return the weights for rows as they are read, then the updates of each matrix."""
        first, first_bias, second, second_bias = (one.detach() for one in self.above)
        scaled = first / self._deviation[:, None]
        above = [scaled, first_bias - self._mean @ scaled, second, second_bias]
        pairs = [one.detach() for pair in self.updates for one in pair]
        return [one.numpy() for one in (*above, *pairs)]

    def _loss(self, given: Sequence[Encoded]) -> Any:
        functional = torch.nn.functional
        rated = self._rate([one.ids for one in given])[:, 1:-1]
        counts = torch.tensor([len(one.kept) for one in given])
        inside = torch.arange(rated.shape[1])[None] < counts[:, None]
        highest = torch.logsumexp(rated[..., :2] + torch.where(inside, 0.0, _FAR)[..., None], 1)
        wanted = torch.tensor([one.example.wanted for one in given])
        weight = torch.tensor([one.example.weight for one in given])
        entropy = functional.binary_cross_entropy_with_logits
        asked = entropy(highest, wanted, weight, reduction="sum")
        kept = torch.full(rated.shape[:2], float("nan"))
        for row, one in zip(kept, given, strict=True):
            row[: len(one.kept)] = torch.from_numpy(one.kept)
        known = ~torch.isnan(kept)
        each = entropy(rated[..., 2], torch.nan_to_num(kept), reduction="none")
        return (asked + KEPT * (each * known / counts[:, None]).sum()) / AVERAGE

    def _rate(self, ids: Sequence[Sequence[int]]) -> Any:
        first, first_bias, second, second_bias = self.above
        rows = (self._rows(ids) - self._mean) / self._deviation
        if self._is_training:  # the same inputs for all words of a prompt
            rows = rows * _dropped(rows.shape[0], 1, rows.shape[2])
        inner = torch.relu(rows @ first + first_bias)
        if self._is_training:
            inner = inner * _dropped(*inner.shape)
        return inner @ second + second_bias

    def _rows(self, given: Sequence[Sequence[int]]) -> Any:
        """Return what each layer makes of each token, beside each other, as `Granite.read` does.

        In numbers of 16 bits, which takes a fifth of the time.
        """
        functional = torch.nn.functional
        count, longest = len(given), max(map(len, given))
        ids = np.zeros((count, longest), np.intp)
        for row, one in zip(ids, given, strict=True):
            row[: len(one)] = one
        lengths = torch.tensor([len(one) for one in given])
        hidden = torch.where(torch.arange(longest)[None] < lengths[:, None], 0.0, _FAR)
        x = torch.from_numpy(_word_rows(ids, self._model)).reshape(-1, DIMENSIONS)
        x = functional.layer_norm(x, (DIMENSIONS,), *self._norm, 1e-12)
        found = []
        for number, layer in enumerate(self._layers):
            pairs = self.updates[4 * number : 4 * number + 4]
            heads = _apply(x, layer[0], pairs[0]).reshape(count, longest, 3, HEADS, -1)
            query, key, value = heads.permute(2, 0, 3, 1, 4)
            share = (query @ key.transpose(2, 3)).float() + hidden[:, None, None, :]
            mean = share.softmax(-1).bfloat16() @ value
            mean = mean.transpose(1, 2).reshape(-1, DIMENSIONS)
            joined = x + _apply(mean, layer[1], pairs[1]).float()
            x = functional.layer_norm(joined, (DIMENSIONS,), *self._norms[number][0], 1e-12)
            wide = functional.gelu(_apply(x, layer[2], pairs[2]), approximate="tanh")
            joined = x + _apply(wide, layer[3], pairs[3]).float()
            x = functional.layer_norm(joined, (DIMENSIONS,), *self._norms[number][1], 1e-12)
            found.append(x)
        return torch.cat(found, 1).reshape(count, longest, -1)


def _word_rows(ids: Any, model: Granite) -> Any:
    """Return the rows of the word table and of the places, as the transformer begins."""
    network = model._network
    scales = network.scales[ids]
    parts = network.words[ids].reshape(*scales.shape, -1)
    rows = np.multiply(parts, scales[..., None], dtype=np.float32).reshape(*ids.shape, DIMENSIONS)
    return rows + network.positions[: ids.shape[1]]


def _apply(x: Any, fixed: tuple[Any, Any], update: tuple[Any, Any]) -> Any:
    weight, bias = fixed
    x = x.bfloat16()
    change = (x @ update[0].bfloat16()) @ update[1].bfloat16()
    return torch.addmm(bias, x, weight) + change


def _fixed(affine: Affine) -> tuple[Any, Any]:
    """Return a matrix in one piece, and its bias."""
    weight = affine.weight
    if weight.ndim > 2:
        weight = weight.transpose(1, 0, 2).reshape(weight.shape[1], -1)
    return torch.tensor(weight).bfloat16(), torch.tensor(affine.bias).bfloat16()


def _numbers(norm: Affine) -> tuple[Any, Any]:
    return torch.tensor(norm.weight), torch.tensor(norm.bias)


def _dropped(*shape: int) -> Any:
    return (torch.rand(shape) > DROPPED) / (1 - DROPPED)


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
    if torch is None:
        raise SystemExit("Install PyTorch in this environment: pip install torch")
    torch.manual_seed(0)
    torch.set_num_threads(1)
    prompts, recorded, sources = all_prompts(options.sessions, options.without)
    embedder = open_embedder("default")
    if not isinstance(embedder, Granite):
        raise SystemExit("There is no embedder.")
    reader = Reader(embedder)
    reader.fit(examples([*prompts, *recorded], len(recorded)))
    data = packed(reader.folded(), embedder.name, sources)
    options.out.write_bytes(data)
    print(f"{options.out}: {len(data)} bytes from {len(prompts)} + {len(recorded)} prompts")


if __name__ == "__main__":
    main()
