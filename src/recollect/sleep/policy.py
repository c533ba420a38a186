"""The settings of sleep that configuration can change."""

from __future__ import annotations

from collections.abc import Mapping

from recollect.core.named_tuple import NamedTuple
from recollect.core.strength import DECAY_PER_DAY
from recollect.core.unconfirmed import UNCONFIRMED_DAYS

NO_RETENTION: Mapping[str, float] = {}


class Policy(NamedTuple):
    """How long memories are kept. In days, unless a name says otherwise."""

    # By kind. 0 means forever, and so does a missing kind, which a newer version wrote.
    retention: Mapping[str, float] = NO_RETENTION
    decay_per_day: float = DECAY_PER_DAY
    # Younger memories are not merged, and not archived to make room.
    min_age: float = 7.0
    # Memories archived by age are retired after this long; retired ones may be purged after the
    # grace.
    archived: float = 180.0
    grace: float = 30.0
    # Unconfirmed memories are retired after this long without use.
    unconfirmed: float = UNCONFIRMED_DAYS
    # The cap of visible memories; 0 means no cap.
    most: int = 1000
    # The share of words that merged memories have in common, and how many memories a merge needs.
    similarity: float = 0.4
    least: int = 3
