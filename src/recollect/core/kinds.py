"""The kinds of memory: the one list that everything else points into.

A kind is a namespace (a notes ref) and later a folder of the mirror. Every other name, from any of
the seed systems, is an alias and is accepted wherever a kind is typed. A kind that a newer version
wrote and this one does not know is kept and shown, but cannot be typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from recollect.errors import UnknownKind


class Kind(NamedTuple):
    """One kind: its name, its aliases, its purpose, and how long its memories are kept."""

    name: str
    aliases: tuple[str, ...]
    purpose: str
    typed: bool = False
    permanent: bool = False


# Kinds that code refers to by name.
SESSIONS = "sessions"
FACTS = "facts"

KINDS: tuple[Kind, ...] = (
    Kind("decisions", ("decision",), "what was chosen, and why", typed=True, permanent=True),
    Kind("preferences", ("preference",), "how people like it done", typed=True, permanent=True),
    Kind("constraints", ("constraint",), "limits that must be kept", typed=True, permanent=True),
    Kind("runbooks", ("runbook",), "steps that solve a known problem", typed=True, permanent=True),
    Kind(
        "tech-debt", ("tech_debt", "debt"), "what is owed to the code", typed=True, permanent=True
    ),
    Kind(SESSIONS, ("session", "session_summary"), "what a session did", typed=True),
    Kind("learnings", ("learning",), "insights gained"),
    Kind("patterns", ("pattern",), "solutions that generalise"),
    Kind("solutions", ("solution",), "problems and what fixed them"),
    Kind("research", (), "findings from outside"),
    Kind("reviews", ("review",), "findings of a review"),
    Kind("retrospective", ("retrospectives",), "what a project taught"),
    Kind("inception", ("inceptions",), "problem, scope, criteria of success"),
    Kind("elicitation", ("elicitations",), "requirements made clear"),
    Kind("progress", (), "milestones reached"),
    Kind("blockers", ("blocker",), "what stands in the way"),
    Kind("notes", ("note",), "anything else worth keeping"),
    Kind(FACTS, ("fact",), "subject, predicate, object", typed=True, permanent=True),
)

BY_NAME: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}
_BY_ANY_NAME: Mapping[str, Kind] = {
    name: kind for kind in KINDS for name in (kind.name, *kind.aliases)
}


def find_kind(name: str) -> Kind | None:
    """Return the kind with this name or alias, ignoring case; None if there is none."""
    return _BY_ANY_NAME.get(name.strip().lower())


def kind_named(name: str) -> Kind:
    """Return the kind with this name or alias; raise an error if there is none."""
    kind = find_kind(name)
    if kind is None:
        what = f"There is no kind {name!r}." if name.strip() else "The kind is empty."
        raise UnknownKind(what, "Use one of: " + ", ".join(k.name for k in KINDS))
    return kind
