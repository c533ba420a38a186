"""The patches with which several agents change files: `*** Update File: path` and so on."""

from __future__ import annotations

import re

from recollect.core.patterns import pattern

_PATCHED = pattern(r"^\*\*\* (?:Add|Update|Delete) File: (.+)$", re.MULTILINE)


def patched_files(patch: str) -> tuple[str, ...]:
    """Return the files that a patch changes."""
    return tuple(path for path in _PATCHED.findall(patch) if "\0" not in path)
