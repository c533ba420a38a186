"""The coefficients of the gate, made by `python -m benchmarks.gate --write`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Without vectors: a hook that has no time to load a model.
COLD: Final[Mapping[str, float]] = {
    "bias": -8.644,
    "share": 0.852,
    "margin": 1.218,
    "evidence": 3.397,
    "coverage": 1.417,
    "rarest": 1.600,
    "words": 0.914,
    "match": 0.182,
    "lead": 3.278,
    "length": 4.978,
    "asked": 0.429,
    "size": -1.578,
    "episode": 0.500,
    "at_hand": 1.000,
}
# With vectors.
WARM: Final[Mapping[str, float]] = {
    "bias": -8.690,
    "share": 0.281,
    "margin": 1.042,
    "coverage": 2.001,
    "rarest": 0.239,
    "words": 0.971,
    "cosine": 2.337,
    "nearest": 0.917,
    "stands_out": 2.908,
    "crowding": -1.791,
    "lead": 3.259,
    "length": 6.071,
    "size": -2.093,
    "episode": 0.500,
    "at_hand": 1.000,
}
