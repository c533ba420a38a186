"""Make `granite/adapter.bin`: what is added to the last layers of the default model.

python -m benchmarks.embedding.train --talk TALK REPOSITORY...            # train, and print a loss
python -m benchmarks.embedding.train --talk TALK REPOSITORY... --write    # and write the adapter

It needs torch, which nothing else here does: `pip install torch` in an environment of its own that
has Recollect. The questions are those of `benchmarks/questions/training`; the repositories are
clones, whose histories have pairs of texts that say the same (`pairs.py`). TALK has a sentence of a
conversation in each line: vectors of talk must stay where they are.

The tuning half of `benchmarks/questions` is not trained on: the gate is fitted on it, and
`python -m benchmarks.centre` says how well vectors find there. After `--write`, put the hash into
`embedding/registry.py`, raise the number in the label, and do what CONTRIBUTING.md says about the
default model.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from benchmarks.embedding.pairs import Pair, pairs_of, without_shared
from benchmarks.prompts import QUESTIONS, read_projects
from recollect.embedding import registry
from recollect.embedding.granite.model import (
    ADAPTER_MARK,
    TUNED,
    Granite,
    granite,
)
from recollect.embedding.transformer import DIMENSIONS, HEADS, Affine, Layer

MODEL = registry.MODELS[registry.DEFAULT]
FOLDER = Path(registry.__file__).parent
FILE = FOLDER / "granite" / "adapter.bin"
RANK = 16
STEPS, WARM_UP = 150, 30
RATE, LEAST_RATE, DECAY = 1e-3, 0.05, 0.01
TEMPERATURE = 0.05
# Pairs of a batch: all of one project, so that the others are hard to tell from the right one.
BATCH = 64
OTHERS = 8
FROM_PROJECT = 400
ASKED_TOKENS, ANSWER_TOKENS = 32, 64
# How often a batch is written questions.
WRITTEN = 0.7
# How much vectors of talk may not move, and so many sentences of it in a batch.
STAY, APART, TALK = 2.0, 10.0, 32
MOST_TALK = 3_000
# How often shared words are dropped from a question, the part of them, and how often it is small.
DROPPED, DROPPED_PART, LOWERED = 0.6, 0.5, 0.3
Tensor = Any  # of torch, which the checks do not have


def columns_of(matrix: Any) -> Any:
    """Return a matrix that may be cut into blocks of columns as one."""
    return matrix if matrix.ndim == 2 else np.concatenate(list(matrix), axis=1)


def tensor(numbers: Any) -> Tensor:
    """Return a copy of some numbers."""
    return torch.from_numpy(np.array(numbers, dtype=np.float32))


class Adapted(nn.Module):
    """A matrix that stays as it is, and the thin ones whose product is added to it."""

    def __init__(self, affine: Affine) -> None:
        super().__init__()
        self.weight, self.bias = tensor(columns_of(affine.weight)), tensor(affine.bias)
        rows, columns = self.weight.shape
        self.down = nn.Parameter(torch.randn(rows, RANK) / math.sqrt(rows))
        self.up = nn.Parameter(torch.zeros(RANK, columns))

    def forward(self, x: Tensor) -> Tensor:
        """Apply both."""
        return torch.addmm(self.bias, x, self.weight) + x @ self.down @ self.up


class Block(nn.Module):
    """A layer of the model."""

    def __init__(self, layer: Layer) -> None:
        super().__init__()
        self.attend, self.join = Adapted(layer.attend), Adapted(layer.join)
        self.widen, self.narrow = Adapted(layer.widen), Adapted(layer.narrow)
        self.join_norm, self.narrow_norm = map(_norm, (layer.join_norm, layer.narrow_norm))

    def forward(self, x: Tensor, hidden: Tensor) -> Tensor:
        """Return what the layer makes of each token."""
        texts, longest, _ = x.shape
        x = x.reshape(-1, DIMENSIONS)
        heads = self.attend(x).view(texts, longest, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        # The scale is in the weights.
        seen = functional.scaled_dot_product_attention(*heads, attn_mask=hidden, scale=1.0)
        x = self.join_norm(x + self.join(seen.transpose(1, 2).reshape(-1, DIMENSIONS)))
        wide = functional.gelu(self.widen(x), approximate="tanh")
        done: Tensor = self.narrow_norm(x + self.narrow(wide))
        return done.view(texts, longest, -1)


def _norm(affine: Affine) -> partial[Tensor]:
    return partial(
        functional.layer_norm,
        normalized_shape=(DIMENSIONS,),
        weight=tensor(affine.weight),
        bias=tensor(affine.bias),
        eps=1e-12,
    )


class Tuned(nn.Module):
    """The model: the last layers in torch, on what the first ones make of a text, kept."""

    def __init__(self, model: Granite) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(Block(layer) for layer in model._network.layers[TUNED:])
        self._model = model
        self._kept: dict[tuple[str, int], Tensor] = {}

    def vectors(self, texts: Sequence[str], most: int) -> Tensor:
        """Return the vectors of the first tokens of texts, seen from the centre."""
        for text in texts:
            if (text, most) not in self._kept:
                self._kept[text, most] = self._first_layers(text, most)
        kept = [self._kept[text, most] for text in texts]
        x = nn.utils.rnn.pad_sequence(kept, batch_first=True).float()
        lengths = torch.tensor([len(rows) for rows in kept])
        hidden = torch.where(torch.arange(x.shape[1]) < lengths[:, None], 0.0, -1e9)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            for block in self.blocks:
                x = block(x, hidden[:, None, None, :])
        first = functional.normalize(x[:, 0].float(), dim=-1)
        return functional.normalize(first - tensor(self._model._centre), dim=-1)

    def _first_layers(self, text: str, most: int) -> Tensor:
        words = self._model._words
        ids = [words.first, *words.encode(text)[:most], words.last]
        *_, state = islice(self._model._states([ids], lambda: None), TUNED)
        return torch.from_numpy(state[0].astype(np.float16))


def packed(blocks: nn.ModuleList) -> bytes:
    """Return the file of the adapter."""
    parts = [
        matrix.detach().numpy().astype("<f2").tobytes()
        for block in blocks
        for name in ("attend", "join", "widen", "narrow")
        for matrix in (getattr(block, name).down, getattr(block, name).up)
    ]
    return ADAPTER_MARK + b"".join(parts)


class Data:
    """What is trained on."""

    def __init__(self, repositories: Sequence[Path], talk: Path, rng: random.Random) -> None:
        self._rng = rng
        self.written: list[Mapping[str, list[str]]] = []
        for project in read_projects(QUESTIONS / "training"):
            asked: dict[str, list[str]] = {}
            for prompt in project.prompts:
                for uid in prompt.gold:
                    record = project.records[uid]
                    text = f"{record['summary']}\n{record['body']}"
                    asked.setdefault(text, []).append(prompt.text)
            self.written.append(asked)
        found = [pairs_of(repository, rng) for repository in repositories]
        self.natural = [
            rng.sample(own, min(len(own), FROM_PROJECT)) for own in found if len(own) >= BATCH
        ]
        lines = talk.read_text("utf-8").splitlines()
        self.talk = rng.sample(lines, min(len(lines), MOST_TALK))

    def batch(self) -> tuple[list[Pair], list[str]]:
        """Return pairs of one project, and answers of another."""
        rng = self._rng
        others = [pair.answer for pair in rng.sample(rng.choice(self.natural), OTHERS)]
        if rng.random() < WRITTEN:
            (project,) = rng.choices(self.written, [len(own) for own in self.written])
            chosen = rng.sample(sorted(project), min(len(project), BATCH))
            pairs = [Pair(rng.choice(project[text]), text) for text in chosen]
            return [self._typed(pair) for pair in pairs], others
        (own,) = rng.choices(self.natural, [math.sqrt(len(own)) for own in self.natural])
        return [
            self._typed(without_shared(pair, DROPPED_PART, rng) if rng.random() < DROPPED else pair)
            for pair in rng.sample(own, BATCH)
        ], []

    def _typed(self, pair: Pair) -> Pair:
        return Pair(pair.asked.lower(), pair.answer) if self._rng.random() < LOWERED else pair


def loss_of(tuned: Tuned, before: Tuned, data: Data, rng: random.Random) -> Tensor:
    """Return how badly a batch is told apart, and how far talk moved."""
    pairs, others = data.batch()
    asked = tuned.vectors([pair.asked for pair in pairs], ASKED_TOKENS)
    answers = [*(pair.answer for pair in pairs), *others]
    scores = asked @ tuned.vectors(answers, ANSWER_TOKENS).T / TEMPERATURE
    right = torch.arange(len(pairs))
    found = functional.cross_entropy(scores, right)
    found = (found + functional.cross_entropy(scores.T[: len(pairs)], right)) / 2
    talk = rng.sample(data.talk, TALK)
    now = tuned.vectors(talk, ASKED_TOKENS)
    with torch.no_grad():
        then = before.vectors(talk, ASKED_TOKENS)
    moved = (1 - (now * then).sum(1)).mean()
    apart = ((now @ now.T - then @ then.T) ** 2).mean()
    return found + STAY * moved + STAY * APART * apart


def train(data: Data, rng: random.Random) -> bytes:
    """Return the file of an adapter."""
    weights, _ = registry._map(registry._packaged(MODEL))
    model = granite("without an adapter", (FOLDER / next(iter(MODEL.ours))).read_text(), weights)
    tuned, before = Tuned(model), Tuned(model)
    optimizer = torch.optim.AdamW(tuned.parameters(), lr=RATE, weight_decay=DECAY)
    for step in range(1, STEPS + 1):
        wave = (1 + math.cos(math.pi * step / STEPS)) / 2
        rate = min(1.0, step / WARM_UP) * (wave * (1 - LEAST_RATE) + LEAST_RATE)
        for group in optimizer.param_groups:
            group["lr"] = RATE * rate
        loss = loss_of(tuned, before, data, rng)
        loss.backward()
        nn.utils.clip_grad_norm_(tuned.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        if step % 25 == 0:
            print(f"step {step}: {loss.item():.3f}", flush=True)
    return packed(tuned.blocks)


def main() -> None:
    """Train, and write the file if asked to."""
    parser = argparse.ArgumentParser(prog="benchmarks.embedding.train", description=__doc__)
    parser.add_argument("repositories", nargs="+", type=Path)
    parser.add_argument("--talk", type=Path, required=True)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--write", action="store_true", help=f"write {FILE.name}")
    options = parser.parse_args()
    rng = random.Random(2)
    torch.manual_seed(2)
    torch.set_num_threads(options.threads)
    adapter = train(Data(options.repositories, options.talk, rng), rng)
    print(json.dumps({"bytes": len(adapter), "sha256": hashlib.sha256(adapter).hexdigest()}))
    if options.write:
        FILE.write_bytes(adapter)


if __name__ == "__main__":
    main()
