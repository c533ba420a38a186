"""Kinds: which names are accepted, and what a refusal says."""

from __future__ import annotations

import pytest

from recollect.core.kinds import KINDS, find_kind, kind_named
from recollect.errors import UnknownKind

# Every name that earlier memory systems use for a kind of memory must lead somewhere.
SIGNAL_MAP = ["decisions", "learnings", "blockers", "solutions", "preferences", "notes"]
CATEGORY_MAP = ["decision", "preference", "constraint", "runbook", "tech_debt", "session_summary"]
NAMESPACES = [
    "inception",
    "elicitation",
    "research",
    "decisions",
    "progress",
    "blockers",
    "reviews",
    "learnings",
    "retrospective",
    "patterns",
]


@pytest.mark.parametrize("name", [*SIGNAL_MAP, *CATEGORY_MAP, *NAMESPACES, "fact", "debt"])
def test_every_name_of_earlier_systems_resolves(name: str) -> None:
    """One vocabulary takes in all four."""
    assert find_kind(name) is not None


def test_names_and_aliases_are_unique() -> None:
    """No two kinds answer to one name."""
    names = [name for kind in KINDS for name in (kind.name, *kind.aliases)]

    assert len(names) == len(set(names))


def test_an_unknown_kind_is_refused_with_the_valid_ones() -> None:
    """The error names what can be typed."""
    with pytest.raises(UnknownKind) as caught:
        kind_named("dreams")

    assert all(kind.name in caught.value.hint for kind in KINDS)
