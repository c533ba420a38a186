"""Kinds of memory: the one table that all other code refers to.

A kind has one notes ref in each space, and a folder in the mirror. You can type an alias instead of
the name. A kind from a newer version that this one does not know is kept and shown, but you cannot
type it.

To add a kind, add a row here, then follow CONTRIBUTING.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from recollect.core.named_tuple import NamedTuple
from recollect.errors import UnknownKind

# The model of a kind that names none: `triage.default_model`.
DEFAULT_MODEL = "default"


class Drafting(NamedTuple):
    """The defaults for drafts by agents: the score that triage needs, and the model."""

    threshold: float
    model: str


class Kind(NamedTuple):
    """One kind: its name, aliases and purpose, and how its memories are kept and drafted."""

    name: str
    aliases: tuple[str, ...]
    purpose: str
    permanent: bool = False
    # Set for the kinds that agents draft.
    drafting: Drafting | None = None
    # Its name in the claude-memory plugin, if that is not the shortest alias.
    plugin_name: str = ""
    # Whether the guides for agents name it among the kinds to save.
    in_guide: bool = True


# Kinds that code refers to by name.
SESSIONS = "sessions"
FACTS = "facts"

KINDS: tuple[Kind, ...] = (
    Kind("decisions", ("decision",), "what was chosen, and why", True, Drafting(0.4, "sonnet")),
    Kind(
        "preferences",
        ("preference",),
        "how you want things done",
        True,
        Drafting(0.4, DEFAULT_MODEL),
    ),
    Kind("constraints", ("constraint",), "limits to respect", True, Drafting(0.45, "sonnet")),
    Kind("runbooks", ("runbook",), "steps for a known problem", True, Drafting(0.4, DEFAULT_MODEL)),
    Kind(
        "tech-debt",
        ("tech_debt", "debt"),
        "shortcuts to fix later",
        True,
        Drafting(0.4, DEFAULT_MODEL),
        "tech_debt",
    ),
    Kind(
        SESSIONS,
        ("session", "session_summary"),
        "what a session did",
        drafting=Drafting(0.6, DEFAULT_MODEL),
        plugin_name="session_summary",
        in_guide=False,
    ),
    Kind("learnings", ("learning",), "insights gained", drafting=Drafting(0.5, DEFAULT_MODEL)),
    Kind(
        "patterns", ("pattern",), "solutions that generalise", drafting=Drafting(0.5, DEFAULT_MODEL)
    ),
    Kind(
        "solutions",
        ("solution",),
        "problems and what fixed them",
        drafting=Drafting(0.5, DEFAULT_MODEL),
    ),
    Kind("research", (), "findings from outside", in_guide=False),
    Kind("reviews", ("review",), "findings of a review", in_guide=False),
    Kind("retrospective", ("retrospectives",), "lessons from a project", in_guide=False),
    Kind("inception", ("inceptions",), "problem, scope, success criteria", in_guide=False),
    Kind("elicitation", ("elicitations",), "clarified requirements", in_guide=False),
    Kind("progress", (), "milestones reached", drafting=Drafting(0.6, DEFAULT_MODEL)),
    Kind("blockers", ("blocker",), "what blocks the work", drafting=Drafting(0.5, DEFAULT_MODEL)),
    Kind("notes", ("note",), "anything else worth keeping"),
    Kind(FACTS, ("fact",), "subject, predicate, object", True, in_guide=False),
)

BY_NAME: Mapping[str, Kind] = {kind.name: kind for kind in KINDS}
_BY_ANY_NAME: Mapping[str, Kind] = {
    name: kind for kind in KINDS for name in (kind.name, *kind.aliases)
}


def find_kind(name: str) -> Kind | None:
    """Return the kind with this name or alias, ignoring case; None if there is none."""
    return _BY_ANY_NAME.get(name) or _BY_ANY_NAME.get(name.strip().lower())


def kind_named(name: str) -> Kind:
    """Return the kind with this name or alias; raise an error if there is none."""
    kind = find_kind(name)
    if kind is None:
        what = f"There is no kind {name!r}." if name.strip() else "The kind is empty."
        raise UnknownKind(what, "Use one of: " + ", ".join(k.name for k in KINDS))
    return kind
