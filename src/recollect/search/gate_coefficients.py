"""The coefficients of the gate, made by `python -m benchmarks.gate --write`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Without vectors: a hook that has no time to load a model.
ABOUT_COLD: Final[Mapping[str, float]] = {
    "bias": -5.471,
    "most_evidence": 2.285,
    "most_worth": 2.018,
    "most_rare": 0.757,
    "most_beside": 3.289,
    "length": 1.168,
    "known": 3.877,
    "asked": 1.053,
    "size": -4.363,
    "length*size": 5.718,
    "known*size": -3.573,
    "most_worth*size": 1.607,
}
ANSWERS_COLD: Final[Mapping[str, float]] = {
    "bias": -2.569,
    "share": 0.799,
    "margin": 2.922,
    "evidence": 1.376,
    "rarest": 1.644,
    "second": 0.395,
    "titled": 0.395,
    "tagged": 2.570,
    "beside": 1.951,
    "lead": 1.011,
    "length": 0.007,
    "size": -3.005,
    "episode": 0.500,
    "at_hand": 1.000,
}
# The same, with the vectors of single words.
ANSWERS_WORD_VECTORS: Final[Mapping[str, float]] = {
    "bias": -3.577,
    "share": 0.282,
    "margin": 1.751,
    "evidence": 0.291,
    "coverage": 0.352,
    "rarest": 1.603,
    "second": 0.366,
    "tagged": 1.755,
    "beside": 2.326,
    "match": 1.428,
    "lead": 1.130,
    "length": -0.704,
    "size": -1.670,
    "nearness": 1.898,
    "crowding": -1.610,
    "episode": 0.500,
    "at_hand": 1.000,
}
# With vectors.
ABOUT_WARM: Final[Mapping[str, float]] = {
    "bias": -4.701,
    "most_worth": 1.708,
    "most_beside": 2.623,
    "length": 0.371,
    "known": 1.631,
    "asked": 0.635,
    "size": -5.489,
    "length*size": 1.091,
    "known*size": -2.126,
    "most_worth*size": 3.209,
    "most_cosine": 6.654,
    "three_cosines": 2.921,
    "most_outstanding": 0.545,
    "most_cosine*size": 0.354,
}
ANSWERS_WARM: Final[Mapping[str, float]] = {
    "bias": -4.850,
    "share": 0.072,
    "margin": 1.623,
    "coverage": 0.646,
    "rarest": 1.211,
    "second": 0.217,
    "tagged": 1.132,
    "beside": 1.949,
    "match": 3.252,
    "lead": 0.503,
    "length": -0.345,
    "size": -2.194,
    "nearness": 1.853,
    "stands_out": 1.424,
    "crowding": -3.081,
    "episode": 0.500,
    "at_hand": 1.000,
}
