"""What a surface may do with memories: one table, and the one check against it.

A surface is a way into the program. It can be given less than the table says, never more. Hooks and
Python act for the person who runs them; a client of MCP is an agent, and acts within its row.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final

from recollect.errors import ValidationError

READ: Final = "read"
WRITE: Final = "write"
ERASE: Final = "erase"
PRIVATE: Final = "private"
SYNC: Final = "sync"

CAPABILITIES: Final[Mapping[str, str]] = {
    READ: "find and show public memories",
    WRITE: "add memories, change them and their status",
    ERASE: "erase memories for good",
    PRIVATE: "read private and secret memories, if it asks for them",
    SYNC: "exchange memories with a remote",
}
MCP: Final = "mcp"
SURFACES: Final[Mapping[str, frozenset[str]]] = {
    "cli": frozenset(CAPABILITIES),
    "python": frozenset(CAPABILITIES),
    "hook": frozenset({READ, WRITE}),
    MCP: frozenset({READ, WRITE, ERASE, PRIVATE}),
}


def allowed_to(surface: str, given: str | None = None) -> frozenset[str]:
    """Return what a surface may do; `given` names less, separated by commas."""
    most = SURFACES[surface]
    if given is None:
        return most
    wanted = frozenset(filter(None, (name.strip().lower() for name in given.split(","))))
    beyond = sorted(wanted - most)
    if beyond or not wanted:
        raise ValidationError(
            f"The surface {surface} cannot be given {', '.join(beyond) or 'nothing'}.",
            "Use some of: " + ", ".join(name for name in CAPABILITIES if name in most),
        )
    return wanted


def require(allowed: Collection[str] | None, capability: str) -> None:
    """Refuse what a surface was not given; None stands for everything."""
    if allowed is not None and capability not in allowed:
        raise ValidationError(
            f"This client was not given the capability {capability!r}:"
            f" it may not {CAPABILITIES[capability].partition(',')[0]}.",
            "Ask the user: `recollect capabilities` shows what a client may do.",
        )
