"""Where notes are: the spaces of a ledger, and one note's place in it."""

from __future__ import annotations

from typing import NamedTuple

SHARED = "shared"
LOCAL = "local"
FOREIGN = "foreign"
# Our copies of memories that somebody else purged, until this clone's owner agrees. Never pushed.
HELD = "held"


class Place(NamedTuple):
    """Where a note is: the space (shared, local, foreign, held), the kind, and the anchor."""

    space: str
    kind: str
    anchor: str
