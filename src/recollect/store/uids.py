"""New nonces, from which records get their uids: the clock and the system's randomness."""

from __future__ import annotations

import os
import time

from recollect.core.uid import make_uid


class NonceMaker:
    """Makes nonces with increasing times, so that records sort in writing order."""

    def __init__(self) -> None:
        self._milliseconds = 0

    def __call__(self) -> str:
        """Return the next nonce."""
        self._milliseconds = max(time.time_ns() // 1_000_000, self._milliseconds + 1)
        return make_uid(self._milliseconds, int.from_bytes(os.urandom(10), "big"))
