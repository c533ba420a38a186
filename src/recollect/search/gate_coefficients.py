"""The coefficients of the gate, written by the code of `python -m benchmarks.gate --write`.

They were fitted on features that one run had stored: benchmarks/README.md, "Injection".
"""

from __future__ import annotations

from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# Without vectors: a hook that has no time to load a model.
ABOUT_COLD: Final[Mapping[str, float]] = {
    "bias": -5.127,
    "most_evidence": 3.340,
    "most_worth": 1.488,
    "most_rare": 0.688,
    "most_beside": 3.004,
    "length": 1.145,
    "known": 3.712,
    "asked": 0.828,
    "size": -6.209,
    "length*size": 7.709,
    "known*size": -3.026,
    "most_worth*size": 1.570,
}
ANSWERS_COLD: Final[Mapping[str, float]] = {
    "bias": -2.934,
    "share": 0.841,
    "margin": 2.881,
    "evidence": 1.308,
    "coverage": 0.206,
    "rarest": 1.668,
    "second": 0.356,
    "titled": 0.526,
    "tagged": 2.954,
    "beside": 1.796,
    "lead": 0.937,
    "length": 0.599,
    "size": -3.224,
    "episode": 0.500,
    "at_hand": 1.000,
}
# The same, with the vectors of single words.
ABOUT_WORD_VECTORS: Final[Mapping[str, float]] = {
    "bias": -5.442,
    "most_worth": 1.125,
    "most_rare": 0.467,
    "most_beside": 2.803,
    "length": 1.099,
    "known": 2.316,
    "asked": 0.680,
    "size": -6.483,
    "length*size": 7.754,
    "known*size": -1.248,
    "most_worth*size": 2.360,
    "first_cosine": 1.290,
    "first_lead": 1.558,
    "most_cosine": 4.859,
    "three_cosines": 2.750,
    "most_cosine*size": -5.523,
}
ANSWERS_WORD_VECTORS: Final[Mapping[str, float]] = {
    "bias": -2.892,
    "margin": 1.853,
    "coverage": 0.741,
    "rarest": 1.465,
    "second": 0.349,
    "tagged": 3.241,
    "beside": 1.824,
    "match": 2.487,
    "lead": 0.321,
    "length": -0.060,
    "size": -2.977,
    "cosine": 0.088,
    "ahead": 5.314,
    "crowding": 0.069,
    "episode": 0.500,
    "at_hand": 1.000,
}
# With vectors.
ABOUT_WARM: Final[Mapping[str, float]] = {
    "bias": -5.824,
    "most_worth": 0.521,
    "most_rare": 0.355,
    "most_beside": 2.027,
    "length": 1.869,
    "known": 1.452,
    "asked": 0.528,
    "size": -8.067,
    "length*size": 6.878,
    "known*size": -0.599,
    "most_worth*size": 2.673,
    "first_cosine": 5.174,
    "first_lead": 1.339,
    "most_cosine": 6.863,
    "three_cosines": 2.335,
    "most_cosine*size": -4.333,
}
ANSWERS_WARM: Final[Mapping[str, float]] = {
    "bias": -2.798,
    "margin": 1.208,
    "coverage": 0.297,
    "rarest": 1.192,
    "second": 0.230,
    "tagged": 2.952,
    "beside": 1.186,
    "match": 2.746,
    "length": -0.381,
    "size": -2.960,
    "ahead": 6.445,
    "stands_out": 0.986,
    "crowding": -0.650,
    "episode": 0.500,
    "at_hand": 1.000,
}
