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
    "bias": -3.222,
    "margin": 1.854,
    "coverage": 0.529,
    "rarest": 1.730,
    "second": 0.325,
    "tagged": 1.997,
    "beside": 2.121,
    "match": 1.922,
    "lead": 0.781,
    "length": -0.267,
    "size": -2.085,
    "cosine": 0.656,
    "nearness": 0.456,
    "ahead": 3.718,
    "crowding": -0.488,
    "episode": 0.500,
    "at_hand": 1.000,
}
# With vectors.
ABOUT_WARM: Final[Mapping[str, float]] = {
    "bias": -6.173,
    "most_worth": 0.890,
    "most_beside": 2.559,
    "length": 3.008,
    "known": 1.111,
    "asked": 0.588,
    "size": -6.065,
    "length*size": 1.277,
    "known*size": -1.179,
    "most_worth*size": 3.035,
    "first_cosine": 5.621,
    "first_lead": 1.130,
    "most_cosine": 5.781,
    "three_cosines": 4.255,
    "most_cosine*size": -0.675,
}
ANSWERS_WARM: Final[Mapping[str, float]] = {
    "bias": -3.178,
    "share": 0.040,
    "margin": 1.464,
    "coverage": 0.554,
    "rarest": 1.097,
    "second": 0.260,
    "tagged": 1.307,
    "beside": 1.650,
    "match": 2.889,
    "length": -0.370,
    "size": -2.384,
    "nearness": 0.132,
    "ahead": 5.139,
    "stands_out": 1.026,
    "crowding": -1.575,
    "episode": 0.500,
    "at_hand": 1.000,
}
