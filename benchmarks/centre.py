"""Measure the centre of the default model's vectors, and what it is worth to take it off.

RECOLLECT_DATA=/path/to/data python -m benchmarks.centre            # print how well vectors find
RECOLLECT_DATA=/path/to/data python -m benchmarks.centre --write    # and write granite/centre.txt

The texts are those of the tuning half with 1,000 memories (`benchmarks.prompts`): memories and the
prompts about them count the same. After `--write`, put the hash that it prints into
`embedding/registry.py`, and raise the number in the label of the model, so that vectors with
different centres are never compared.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from itertools import accumulate
from pathlib import Path
from typing import Any

from benchmarks.datasets import NoData
from benchmarks.metrics import judge, summarize
from benchmarks.prompts import mixed
from recollect.embedding import chunks, registry
from recollect.embedding.granite.model import granite
from recollect.embedding.transformer import DIMENSIONS

MEMORIES = 1000
RESULTS = 10
FILE = Path(registry.__file__).parent / next(iter(registry.MODELS[registry.DEFAULT].ours))


def run(*, write: bool) -> None:
    """Measure, and write the file if asked to."""
    import numpy as np

    model = registry.MODELS[registry.DEFAULT]
    data, _ = registry._map(registry._packaged(model))
    _, *added = ((FILE.parents[1] / name).read_bytes() for name in model.ours)
    embedder = granite("without a centre", " ".join(["0"] * DIMENSIONS), data, *added, threads=2)
    setting = mixed("tuning", MEMORIES)
    prompts = [prompt for prompt in setting.prompts if prompt.gold]
    pieces = [chunks(r["body"], embedder, title=r["summary"]) for r in setting.records.values()]
    starts = [0, *accumulate(map(len, pieces))][:-1]

    def vectors(texts: list[str]) -> Any:
        return np.frombuffer(b"".join(embedder.embed(texts)), "<f4").reshape(len(texts), -1)

    memories = vectors([text for own in pieces for text in own])
    asked = vectors([prompt.text for prompt in prompts])
    centre = (memories.mean(axis=0) + asked.mean(axis=0)) / 2
    names = list(setting.records)
    for label, off in (("as they are", 0 * centre), ("without the centre", centre)):
        near = _unit(asked - off) @ _unit(memories - off).T
        best = np.maximum.reduceat(near, starts, axis=1)
        found = [
            (p.sort, judge([names[n] for n in np.argsort(-row)[:RESULTS]], p.gold))
            for p, row in zip(prompts, best, strict=True)
        ]
        print(f"{label}: cosines {best.mean():.2f} ± {best.std():.2f}")
        for sort, scores in summarize(found).items():
            print(f"  {sort:<12}", *(f"{name} {100 * value:.1f}" for name, value in scores.items()))
    if write:
        FILE.write_text("\n".join(f"{number:.4f}" for number in centre) + "\n", "utf-8")
        print(FILE, hashlib.sha256(FILE.read_bytes()).hexdigest())


def _unit(vectors: Any) -> Any:
    import numpy as np

    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(prog="benchmarks.centre", description=__doc__)
    parser.add_argument("--write", action="store_true", help=f"write {FILE.name}")
    try:
        run(write=parser.parse_args().write)
    except NoData as problem:
        sys.exit(str(problem))


if __name__ == "__main__":
    main()
