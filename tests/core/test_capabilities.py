"""What a surface may do is a table."""

from __future__ import annotations

import pytest

from recollect.core.capabilities import CAPABILITIES, MCP, SURFACES, allowed_to, require
from recollect.errors import ValidationError


def test_a_surface_can_be_given_less() -> None:
    """In any order and case; without a word, it has its row of the table."""
    assert allowed_to(MCP) == SURFACES[MCP]
    assert allowed_to(MCP, "Write, read") == {"read", "write"}


@pytest.mark.parametrize("given", ["sync", "read,sync", "fly", "", " , "])
def test_a_surface_cannot_be_given_more(given: str) -> None:
    """Nor what nobody knows, nor nothing."""
    with pytest.raises(ValidationError):
        allowed_to(MCP, given)


def test_the_table_knows_every_capability() -> None:
    """And no other."""
    assert frozenset().union(*SURFACES.values()) == frozenset(CAPABILITIES)


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_the_check(capability: str) -> None:
    """Refused with the way out, or nothing happens."""
    require({capability}, capability)
    require(None, capability)
    with pytest.raises(ValidationError, match="recollect capabilities"):
        require(frozenset(CAPABILITIES) - {capability}, capability)
