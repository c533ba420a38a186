"""What a hook can tell of its input before it parses it."""

from __future__ import annotations

import os

from recollect.hosts.environment import PROJECT_VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST_INPUT = 32 << 20


def asks(given: bytes) -> bool:
    """Whether something may be marked to be remembered."""
    return b"[remember" in given.lower()


def existing(directory: str, environment: Mapping[str, str]) -> str:
    """The directory of an event; where it is gone, that of the project."""
    if not directory or os.path.isdir(directory):  # noqa: PTH112
        return directory
    return environment.get(PROJECT_VARIABLE, directory)
