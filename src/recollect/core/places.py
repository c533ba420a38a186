"""Places: the spaces of a ledger, and where one note is."""

from __future__ import annotations

from recollect.core.named_tuple import NamedTuple

SHARED = "shared"
LOCAL = "local"
FOREIGN = "foreign"
# Our copies of memories that someone else purged, until this clone's owner agrees. Never pushed.
HELD = "held"


class Place(NamedTuple):
    """The location of a note: its space (shared, local, foreign, held), kind and anchor."""

    space: str
    kind: str
    anchor: str
