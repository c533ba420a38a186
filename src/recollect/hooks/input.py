"""What a hook can tell of its input before it parses it."""

from __future__ import annotations

import os

from recollect.hosts.environment import PROJECT_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_INPUT = 32 << 20
CLIENT_WAITS = 4.2  # seconds of the five that the agent waits for a hook, its input included
IN_DOUBT = (
    "Recollect: it took too long. If this is not kept yet, one of the next events keeps it."
    " Look with: recollect list"
)


def asks(given: bytes) -> bool:
    """Whether something may be marked to be remembered."""
    return b"[remember" in given.lower()


def existing(directory: str, environment: Mapping[str, str]) -> str:
    """The directory of an event; where it is gone, that of the project."""
    if not directory or os.path.isdir(directory):  # noqa: PTH112
        return directory
    return environment.get(PROJECT_VARIABLE, directory)
