"""New uids from the clock and the system's randomness, ever increasing within a process."""

from __future__ import annotations

import os
import time

from recollect.core.uid import make_uid


class UidMaker:
    """Makes uids; two from the same millisecond still sort in the order they were made."""

    def __init__(self) -> None:
        self._milliseconds = 0
        self._randomness = 0

    def __call__(self) -> str:
        """The next uid."""
        now = time.time_ns() // 1_000_000
        if now > self._milliseconds:
            self._milliseconds = now
            self._randomness = int.from_bytes(os.urandom(10), "big") >> 1
        else:
            self._randomness += 1 + int.from_bytes(os.urandom(4), "big")
        return make_uid(self._milliseconds, self._randomness)
