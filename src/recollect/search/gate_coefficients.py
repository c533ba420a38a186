"""The coefficients of the gate, made by `python -m benchmarks.gate --write`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

# Without vectors: a hook that has no time to load a model.
COLD: Final[Mapping[str, float]] = {"bias": -5.0, "share": 2.0, "coverage": 4.0, "titled": 2.0}
# With vectors.
WARM: Final[Mapping[str, float]] = {"bias": -5.0, "share": 2.0, "coverage": 4.0, "cosine": 4.0}
