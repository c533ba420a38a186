"""Unconfirmed memories: how long they live without use, and what they become."""

from __future__ import annotations

import math

from recollect.core.age import seconds_of
from recollect.core.status import UNCONFIRMED
from recollect.core.uid import derive_uid, uid_milliseconds

# The configuration imports this module, so it loads little.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from recollect.core.memory import Memory

# Three weeks: long enough for a holiday, short enough that nobody has to tidy up. A judgement.
UNCONFIRMED_DAYS: Final = 21.0
# How the `via` of an imported memory begins; the name of the source follows.
VIA_IMPORT: Final = "import:"
_DAY = 86_400.0


def ends_at(memory: Memory, last_use: float | None, days: float = UNCONFIRMED_DAYS) -> float:
    """Return when an unconfirmed memory expires: so many days after its last change or use.

    An imported one never does: it is old when it arrives, and the question that needs it is rare.
    """
    if is_imported(memory):
        return math.inf
    moments = [seconds_of(memory.status_changed), seconds_of(memory.updated), last_use]
    known = [moment for moment in moments if moment is not None]
    return max(known) + days * _DAY if known else math.inf


def has_expired(
    memory: Memory, last_use: float | None, now: float, days: float = UNCONFIRMED_DAYS
) -> bool:
    """Whether a memory is unconfirmed and its time is over."""
    return memory.status == UNCONFIRMED and ends_at(memory, last_use, days) <= now


def is_imported(memory: Memory) -> bool:
    """Whether a memory came from a source, such as the git history, and not from a session."""
    return str(memory.provenance.get("via", "")).startswith(VIA_IMPORT)


def confirmed_nonce(memory: Memory) -> str:
    """Return the nonce of the memory that an unconfirmed one becomes: always the same.

    It is a hash, so that nobody learns the uid of the unconfirmed one from it.
    """
    return derive_uid(f"confirmed {memory.uid}", uid_milliseconds(memory.uid))
