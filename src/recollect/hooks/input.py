"""What a hook can tell of its input before it parses it."""

from __future__ import annotations

MOST_INPUT = 32 << 20


def asks(given: bytes) -> bool:
    """Whether something may be marked to be remembered."""
    return b"[remember" in given.lower()
