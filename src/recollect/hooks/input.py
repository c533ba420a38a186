"""What a hook knows about its input before it parses it."""

from __future__ import annotations

import os

from recollect.hosts.environment import project_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_INPUT = 32 << 20
CLIENT_WAITS = 4.2  # seconds, input included; the agent waits five for a hook
IN_DOUBT = (
    "Recollect: this took too long. If it is not saved yet, one of the next events saves it."
    " Check with: recollect list"
)


def asks(given: bytes) -> bool:
    """Whether the input may hold marked text (`[remember]`)."""
    return b"[remember" in given.lower()


def existing(directory: str, environment: Mapping[str, str]) -> str:
    """Return the directory of an event; if it no longer exists, that of the project."""
    if not directory or os.path.isdir(directory):  # noqa: PTH112
        return directory
    return project_in(environment) or directory
