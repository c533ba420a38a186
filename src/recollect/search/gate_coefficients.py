"""The coefficients of the gate, made by `python -m benchmarks.gate --write`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Without vectors: a hook that has no time to load a model.
COLD: Final[Mapping[str, float]] = {
    "bias": -5.595,
    "share": 0.619,
    "margin": 0.640,
    "evidence": 6.004,
    "rarest": 1.699,
    "tagged": 0.393,
    "words": 1.993,
    "lead": 2.897,
    "length": -0.667,
    "asked": 0.658,
    "size": -2.434,
    "episode": 0.500,
    "at_hand": 1.000,
}
# With vectors.
WARM: Final[Mapping[str, float]] = {
    "bias": -5.234,
    "margin": 0.859,
    "evidence": 1.141,
    "coverage": 1.516,
    "rarest": 0.846,
    "words": 1.191,
    "cosine": 4.942,
    "nearest": 0.605,
    "stands_out": 2.375,
    "crowding": -1.396,
    "lead": 3.220,
    "length": -0.456,
    "size": -2.206,
    "episode": 0.500,
    "at_hand": 1.000,
}
