"""What is done with new information: the structure says what is possible, an agent what it wants.

What is possible goes first. Where the two disagree, the way that destroys less is taken: an update
rather than a deletion, a new memory rather than a change of one that does not exist, and nothing
where the wish has no object. A veto forbids one action and leaves the others.
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

# What an agent may propose, and what comes of it.
ACTIONS: tuple[str, ...] = (CREATE, UPDATE, DELETE, NOOP)

# By what the structure permits: the proposal, and what becomes of it.
TABLE: Mapping[str, Mapping[str, str]] = {
    CREATE: {CREATE: CREATE, UPDATE: CREATE, DELETE: NOOP, NOOP: NOOP},
    UPDATE: {CREATE: CREATE, UPDATE: UPDATE, DELETE: UPDATE, NOOP: NOOP},
    UPDATE_OR_DELETE: {CREATE: CREATE, UPDATE: UPDATE, DELETE: DELETE, NOOP: NOOP},
    NOOP: {CREATE: NOOP, UPDATE: NOOP, DELETE: NOOP, NOOP: NOOP},
}
# What is done instead of an action that is vetoed; nobody can forbid to do nothing.
_INSTEAD: Mapping[str, str] = {CREATE: NOOP, UPDATE: NOOP, DELETE: UPDATE}


def resolve(structural: str, proposed: str, vetoes: Collection[str] = ()) -> str:
    """The action to take; `vetoes` are the actions that are forbidden."""
    row = TABLE[_one_of(TABLE, structural, "what the structure permits")]
    action = row[_one_of(ACTIONS, proposed, "an action")]
    while action in vetoes and action in _INSTEAD:
        action = _INSTEAD[action]
    return action


def _one_of(choices: Collection[str], name: str, what: str) -> str:
    """A name in capitals, as agents may write it; one that is not among the choices is refused."""
    found = name.strip().upper()
    if found not in choices:
        raise ValidationError(f"{name!r} is not {what}.", "Use one of: " + ", ".join(choices))
    return found
