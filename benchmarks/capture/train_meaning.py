"""Trains how wishes are told by their meaning: src/recollect/capture/wish_meaning.bin.

python -m benchmarks.capture.train_meaning [--sessions FOLDER ...] [--out FILE]

It learns from the same prompts as `train_wishes`, and in the same way: a row says what a prompt
asks to keep, not which of its clauses asks. So the first model takes every clause that is no part
of what to keep, and each later one the clause that the model before rated highest.
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
from benchmarks.capture.train_wishes import KEPT, OTHERS, ROUNDS, all_prompts, folded, likeliest
from recollect.capture.learned_requests import clauses
from recollect.capture.request_text import split_prompt
from recollect.capture.wish_meaning import FILE, MAGIC, MOST_CLAUSES, Embed, Place, named_features
from recollect.embedding import open_embedder

COMMAND = "python -m benchmarks.capture.train_meaning"
DECAY = 2.0
STEPS = 8  # of Newton's method
MOST_SENTENCES = 12  # of a prompt
BATCH = 32


class Clauses(NamedTuple):
    """The clauses of prompts: their features, their prompts, and whether they may ask."""

    features: Floats
    owner: Any
    may_ask: Any


def tabulate(prompts: Sequence[Prompt], embed: Embed) -> Clauses:
    """Return the features of every clause of every prompt."""
    found: list[tuple[str, str, tuple[float, ...]]] = []
    owner: list[int] = []
    may_ask: list[bool] = []
    for number, prompt in enumerate(prompts):
        wanted = [folded(wish) for wish in prompt.wishes]
        own: list[bool] = []
        said = split_prompt(prompt.text)[:MOST_SENTENCES]
        for at, one in enumerate(said):
            parts = [one.text[start:end].strip() for start, end in clauses(one)]
            named = named_features(Place(at, len(said), one.masked.endswith("?")), len(parts))
            for part in parts[:MOST_CLAUSES] or [one.text]:
                found.append((part, one.text, named))
                own.append(not any(folded(part) in wish for wish in wanted))
        owner += [number] * len(own)
        may_ask += own if any(own) else [True] * len(own)
    vectors = _vectors({text for part, whole, _ in found for text in (part, whole)}, embed)
    features = [np.concatenate([vectors[a], vectors[b], named]) for a, b, named in found]
    return Clauses(np.array(features), np.array(owner), np.array(may_ask))


def _vectors(texts: set[str], embed: Embed) -> dict[str, Floats]:
    ordered = sorted(texts, key=lambda text: (len(text), text))  # equal lengths need no padding
    found: dict[str, Floats] = {}
    for start in range(0, len(ordered), BATCH):
        some = ordered[start : start + BATCH]
        for text, vector in zip(some, embed(some), strict=True):
            found[text] = np.frombuffer(vector, "<f4").astype(np.float64)
    return found


def fit(features: Floats, wanted: Floats, weight: Floats) -> Floats:
    """Return the weights of a logistic regression; the last one, of the bias, is hardly decayed."""
    decay = np.full(features.shape[1], DECAY)
    decay[-1] = DECAY / 1000
    weights = np.zeros(features.shape[1])
    for _ in range(STEPS):
        chance = sigmoid(features @ weights)
        slope = features.T @ (weight * (chance - wanted)) + decay * weights
        bend = (features * (weight * chance * (1 - chance))[:, None]).T @ features
        weights -= np.linalg.solve(bend + np.diag(decay), slope)
    return weights


def train(prompts: Sequence[Prompt], recorded: int, embed: Embed) -> Floats:
    """Return the weights; the last `recorded` prompts are other people's."""
    said = tabulate(prompts, embed)
    asks = np.array([bool(prompt.wishes) for prompt in prompts])[said.owner]
    can = asks & said.may_ask
    weight = np.where(asks & ~can, KEPT, 1.0)
    weight[said.owner >= len(prompts) - recorded] = OTHERS
    weight[can] = 1 / np.bincount(said.owner[can], minlength=len(prompts))[said.owner[can]]
    wanted = can.astype(np.float64)
    weights = fit(said.features, wanted, weight)
    for _ in range(ROUNDS - 1):
        scores = said.features @ weights
        chosen = likeliest(scores, said.owner, can)
        wanted[:] = 0.0
        weight[can] = OTHERS
        wanted[chosen] = weight[chosen] = 1.0
        weights = fit(said.features, wanted, weight)
    return weights


def packed(weights: Floats, embedder: str, sources: dict[str, Any]) -> bytes:
    """Return the file."""
    header = {"made by": COMMAND, "made from": sources, "embedder": embedder}
    text = json.dumps(header, sort_keys=True).encode()
    return b"".join([MAGIC, len(text).to_bytes(4), text, weights.astype("<f4").tobytes()])


def main(arguments: list[str] | None = None) -> None:
    """Train, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sessions", nargs="*", type=Path, default=[])
    parser.add_argument("--out", type=Path, default=FILE)
    options = parser.parse_args(arguments)
    prompts, recorded, sources = all_prompts(options.sessions)
    embedder = open_embedder("default")
    if embedder is None:
        raise SystemExit("There is no embedder.")
    weights = train([*prompts, *recorded], len(recorded), embedder.embed)
    data = packed(weights, embedder.name, sources)
    options.out.write_bytes(data)
    print(f"{options.out}: {len(data)} bytes from {len(prompts)} + {len(recorded)} prompts")


if __name__ == "__main__":
    main()
