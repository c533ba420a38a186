"""Reversals: a newer memory says that an older one no longer holds.

The newer one records the uid of the older one. What follows from that is decided by every clone for
itself: only a person's own word replaces something here. Whoever can push cannot hide what others
wrote by claiming to reverse it.
"""

from __future__ import annotations

from recollect.core.authority import is_same_person
from recollect.core.memory import Memory
from recollect.core.status import ARCHIVED, RETIRED, UNCONFIRMED, VISIBLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

# In the provenance of a memory: the uids of the memories that it reverses.
REVERSES: Final = "reverses"
# How the reason of a status begins that a reversal gave; the id of the newer memory follows.
SUPERSEDED: Final = "superseded by "
# Sessions are what happened, and facts have rules of their own.
_NEVER_REVERSED = ("sessions", "facts")


def may_reverse(said_by: object, old: Memory) -> bool:
    """Whether what somebody says can reverse a memory: an agent does not overrule a person."""
    if old.kind in _NEVER_REVERSED:
        return False
    return said_by == "user" or (said_by == "agent" and old.provenance.get("said_by") == "agent")


def reversed_uids(memory: Memory) -> list[str]:
    """Return the uids of the memories that a memory says it reverses."""
    named = memory.provenance.get(REVERSES)
    return [uid for uid in named if isinstance(uid, str)] if isinstance(named, list | tuple) else []


def replaces(new: Memory, old: Memory, owner: str) -> bool:
    """Whether a memory takes the place of an older one, as the owner of this clone sees it."""
    if old.uid not in reversed_uids(new) or new.uid == old.uid or new.altered:
        return False
    if new.project != old.project or new.status not in (*VISIBLE, UNCONFIRMED):
        return False
    has_authority = is_same_person(new.author, owner) or is_same_person(new.author, old.author)
    return has_authority and may_reverse(new.provenance.get("said_by"), old)


def is_superseded(memory: Memory) -> bool:
    """Whether a memory is hidden because a newer one reversed it."""
    reason = memory.status_reason or ""
    return memory.status in (ARCHIVED, RETIRED) and reason.startswith(SUPERSEDED)
