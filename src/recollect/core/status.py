"""The lifecycle of a memory: active, resolved, unconfirmed, archived, retired; the transitions.

Archived memories are kept but hidden from everyday search. Retired is a soft delete: you can
restore the memory until `recollect gc` purges it. Nothing here deletes anything.

Unconfirmed is a status that only a creation gives: something was noticed, and nobody has confirmed
it. Confirming is no change of status: it creates another memory, in the shared space.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.errors import IllegalTransition, ValidationError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

ACTIVE: Final = "active"
RESOLVED: Final = "resolved"
ARCHIVED: Final = "archived"
RETIRED: Final = "retired"
UNCONFIRMED: Final = "unconfirmed"
# The way back: what a person hid becomes active.
RESTORED: Final = "restored"

# The field of a change that retired a memory before it was sent.
WITHDRAWN: Final = "withdrawn"

STATUSES: tuple[str, ...] = (ACTIVE, RESOLVED, UNCONFIRMED, ARCHIVED, RETIRED)
# What counts as known: confirmed, and not hidden.
VISIBLE: frozenset[str] = frozenset({ACTIVE, RESOLVED})
HIDDEN: frozenset[str] = frozenset({ARCHIVED, RETIRED})

TRANSITIONS: Mapping[str, tuple[str, ...]] = {
    ACTIVE: (RESOLVED, ARCHIVED, RETIRED),
    RESOLVED: (ACTIVE, ARCHIVED, RETIRED),
    ARCHIVED: (ACTIVE, RETIRED),
    RETIRED: (ACTIVE, ARCHIVED),
    UNCONFIRMED: (ARCHIVED, RETIRED),
}

_ALIASES: Mapping[str, str] = {
    "tombstone": RETIRED,
    "tombstoned": RETIRED,
    "deleted": RETIRED,
    "done": RESOLVED,
    "open": ACTIVE,
    RESTORED: ACTIVE,
}


def find_status(name: str) -> str:
    """Return the status for a name or alias; an unknown one, from a newer version, is unchanged."""
    lowered = name.strip().lower()
    return _ALIASES.get(lowered, lowered)


def status_named(name: str) -> str:
    """Return the status for a name or alias; raise an error if it is unknown."""
    status = find_status(name)
    if status not in STATUSES:
        raise ValidationError(f"There is no status {name!r}.", "Use one of: " + ", ".join(STATUSES))
    return status


def check_transition(current: str, target: str) -> None:
    """Reject an illegal status transition, and list the legal ones.

    A status that this version does not know may change to any other.
    """
    legal = TRANSITIONS.get(current)
    if legal is None or target in legal:
        return
    if current == target:
        raise IllegalTransition(
            f"The memory is {current} already.", f"From {current} it can become: {', '.join(legal)}"
        )
    hint = f"From {current} it can become: {', '.join(legal)}"
    if current == UNCONFIRMED:
        hint += ". To confirm it, run: recollect review accept ID"
    raise IllegalTransition(f"A memory that is {current} cannot become {target}.", hint)
