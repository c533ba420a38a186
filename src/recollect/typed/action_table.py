"""Decides what happens with new information, from what is possible and what an agent proposes.

What is possible comes first. If the two disagree, the less destructive action wins: an update
instead of a deletion, a new memory instead of a change to one that does not exist, and nothing if
there is nothing to act on. A veto forbids one action and leaves the others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from recollect.errors import ValidationError

CREATE: Final = "CREATE"
UPDATE: Final = "UPDATE"
DELETE: Final = "DELETE"
NOOP: Final = "NOOP"
UPDATE_OR_DELETE: Final = "UPDATE_OR_DELETE"

# The actions that an agent may propose, and that can result.
ACTIONS: tuple[str, ...] = (CREATE, UPDATE, DELETE, NOOP)

# For each structural action: the proposed action, and the resulting one.
TABLE: Mapping[str, Mapping[str, str]] = {
    CREATE: {CREATE: CREATE, UPDATE: CREATE, DELETE: NOOP, NOOP: NOOP},
    UPDATE: {CREATE: CREATE, UPDATE: UPDATE, DELETE: UPDATE, NOOP: NOOP},
    UPDATE_OR_DELETE: {CREATE: CREATE, UPDATE: UPDATE, DELETE: DELETE, NOOP: NOOP},
    NOOP: {CREATE: NOOP, UPDATE: NOOP, DELETE: NOOP, NOOP: NOOP},
}
# The action that replaces a vetoed one. NOOP cannot be vetoed.
_INSTEAD: Mapping[str, str] = {CREATE: NOOP, UPDATE: NOOP, DELETE: UPDATE}


def resolve(structural: str, proposed: str, vetoes: Collection[str] = ()) -> str:
    """Return the action to take; `vetoes` are the forbidden actions."""
    row = TABLE[_one_of(TABLE, structural, "a structural action")]
    action = row[_one_of(ACTIONS, proposed, "an action")]
    while action in vetoes and action in _INSTEAD:
        action = _INSTEAD[action]
    return action


def _one_of(choices: Collection[str], name: str, what: str) -> str:
    """Return a name in capitals; agents may write it in lower case. Refuse unknown names."""
    found = name.strip().upper()
    if found not in choices:
        raise ValidationError(f"{name!r} is not {what}.", "Use one of: " + ", ".join(choices))
    return found
