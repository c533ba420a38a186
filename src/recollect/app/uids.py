"""New uids from the clock and the system's randomness, ever increasing within a process."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass

from recollect.core.uid import make_uid

_RANDOM_BITS = 80


@dataclass
class UidMaker:
    """Makes uids; two from the same millisecond still sort in the order they were made."""

    _milliseconds: int = 0
    _randomness: int = 0

    def __call__(self) -> str:
        """The next uid."""
        now = time.time_ns() // 1_000_000
        if now > self._milliseconds:
            self._milliseconds = now
            self._randomness = secrets.randbits(_RANDOM_BITS - 1)
        else:
            self._randomness += 1 + secrets.randbits(32)
        return make_uid(self._milliseconds, self._randomness)
