"""What sleep goes by: the figures that configuration may change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from recollect.core.strength import DECAY_PER_DAY

NO_RETENTION: Mapping[str, float] = {}


class Policy(NamedTuple):
    """How long what is kept. Days, unless a name says otherwise."""

    # By kind; 0 is for ever, and so is a kind that is not named: a newer version wrote it.
    retention: Mapping[str, float] = NO_RETENTION
    decay_per_day: float = DECAY_PER_DAY
    # Nothing younger is merged or archived to make room.
    min_age: float = 7.0
    # What age archived is retired after so long, and what is retired may be purged after the grace.
    archived: float = 180.0
    grace: float = 30.0
    # As many memories as recall should have to look at; 0 is any number.
    most: int = 1000
    # How much of their words memories share that are merged, and how many it takes.
    similarity: float = 0.4
    least: int = 3
