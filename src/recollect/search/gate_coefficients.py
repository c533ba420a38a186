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
    "bias": -8.683,
    "share": 0.252,
    "margin": 1.048,
    "coverage": 1.924,
    "rarest": 0.260,
    "words": 1.010,
    "cosine": 2.011,
    "nearest": 0.897,
    "stands_out": 3.195,
    "crowding": -1.222,
    "lead": 3.239,
    "length": 5.959,
    "size": -2.383,
    "episode": 0.500,
    "at_hand": 1.000,
}
