"""The coefficients of the gate, written by the code of `python -m benchmarks.gate --write`.

These were fitted on features that an earlier run had stored: benchmarks/README.md, "Injection".
"""

from __future__ import annotations

from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# Without vectors: a hook that has no time to load a model.
ABOUT_COLD: Final[Mapping[str, float]] = {
    "bias": -5.486,
    "most_evidence": 2.058,
    "most_worth": 2.135,
    "most_rare": 0.808,
    "most_beside": 3.011,
    "length": 1.010,
    "known": 4.068,
    "asked": 1.164,
    "size": -5.336,
    "length*size": 7.371,
    "known*size": -3.426,
    "most_worth*size": 1.176,
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
    "bias": -3.161,
    "share": 0.038,
    "margin": 1.951,
    "coverage": 0.830,
    "rarest": 1.604,
    "second": 0.303,
    "tagged": 2.907,
    "beside": 1.793,
    "match": 1.846,
    "lead": 0.759,
    "length": 0.200,
    "size": -2.968,
    "cosine": 0.463,
    "nearness": 0.445,
    "ahead": 3.887,
    "crowding": 0.032,
    "episode": 0.500,
    "at_hand": 1.000,
}
# With vectors.
ABOUT_WARM: Final[Mapping[str, float]] = {
    "bias": -6.147,
    "most_worth": 0.806,
    "most_beside": 1.909,
    "length": 2.731,
    "known": 1.380,
    "asked": 0.737,
    "size": -6.944,
    "length*size": 4.720,
    "known*size": -0.833,
    "most_worth*size": 2.747,
    "first_cosine": 5.589,
    "first_lead": 0.896,
    "most_cosine": 6.317,
    "three_cosines": 3.325,
    "most_cosine*size": -3.991,
}
ANSWERS_WARM: Final[Mapping[str, float]] = {
    "bias": -3.082,
    "share": 0.042,
    "margin": 1.600,
    "coverage": 0.649,
    "rarest": 1.100,
    "second": 0.129,
    "tagged": 2.166,
    "beside": 1.203,
    "match": 2.732,
    "length": -0.163,
    "size": -2.832,
    "nearness": 0.271,
    "ahead": 5.376,
    "stands_out": 0.848,
    "crowding": -1.033,
    "episode": 0.500,
    "at_hand": 1.000,
}
