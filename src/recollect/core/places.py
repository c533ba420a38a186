"""Where notes are: the spaces of a ledger, and one note's place in it."""

from __future__ import annotations

from typing import NamedTuple

SHARED = "shared"
LOCAL = "local"
FOREIGN = "foreign"


class Place(NamedTuple):
    """Where a note is: the space (shared, local, foreign), the kind, and the anchor it is on."""

    space: str
    kind: str
    anchor: str
