"""The life of a memory: active, resolved, archived, retired, and the ways between them.

Archived is kept and hidden from everyday recall. Retired is a soft delete: it can be restored until
`recollect gc` purges it. Nothing here deletes anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from recollect.errors import IllegalTransition, ValidationError

ACTIVE: Final = "active"
RESOLVED: Final = "resolved"
ARCHIVED: Final = "archived"
RETIRED: Final = "retired"
# The way back, to where it leads: what a person hid becomes active.
RESTORED: Final = "restored"

STATUSES: tuple[str, ...] = (ACTIVE, RESOLVED, ARCHIVED, RETIRED)
VISIBLE: frozenset[str] = frozenset({ACTIVE, RESOLVED})
HIDDEN: frozenset[str] = frozenset({ARCHIVED, RETIRED})

TRANSITIONS: Mapping[str, tuple[str, ...]] = {
    ACTIVE: (RESOLVED, ARCHIVED, RETIRED),
    RESOLVED: (ACTIVE, ARCHIVED, RETIRED),
    ARCHIVED: (ACTIVE, RETIRED),
    RETIRED: (ACTIVE, ARCHIVED),
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
    """The status behind a name or alias; an unknown one, from a newer version, stays as it is."""
    lowered = name.strip().lower()
    return _ALIASES.get(lowered, lowered)


def status_named(name: str) -> str:
    """The status behind a name or alias; an unknown one is refused."""
    status = find_status(name)
    if status not in STATUSES:
        raise ValidationError(f"There is no status {name!r}.", "Use one of: " + ", ".join(STATUSES))
    return status


def check_transition(current: str, target: str) -> None:
    """Refuse a change of status that the machine does not have, naming those it has.

    A status this version does not know may be left for any other.
    """
    legal = TRANSITIONS.get(current)
    if legal is None or target in legal:
        return
    if current == target:
        raise IllegalTransition(
            f"The memory is {current} already.", f"From {current} it can become: {', '.join(legal)}"
        )
    raise IllegalTransition(
        f"A memory that is {current} cannot become {target}.",
        f"From {current} it can become: {', '.join(legal)}",
    )
