"""One writer at a time per clone: for speed and for fair waiting.

Correctness does not depend on this lock but on the compare-and-swap of the refs. The operating
system drops the lock when its holder dies, so none is ever left behind.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from recollect.config.locate import make_private
from recollect.errors import LockTimeout, NotWritable

SYNC_LOCK = "sync.lock"  # held by a sync or a purge for its whole duration
_FIRST_WAIT = 0.002
_LONGEST_WAIT = 0.01

if sys.platform != "win32":
    import fcntl

    def try_lock(handle: int) -> None:
        """Lock an open file, or raise an `OSError` if another process holds it."""
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
else:  # Windows
    import msvcrt

    def try_lock(handle: int) -> None:
        """Lock an open file, or raise an `OSError` if another process holds it."""
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)


@contextmanager
def exclusive(path: Path, timeout: float) -> Iterator[None]:
    """Hold the lock file during the block; give up after `timeout` seconds.

    The next waiter holds the turnstile, so that a busy writer cannot take the lock back before
    anyone else gets it.
    """
    deadline = time.monotonic() + timeout
    lock = _open(path)
    try:
        turnstile = _open(path.with_suffix(".turn"))
        try:
            _wait(turnstile, deadline, timeout)
            _wait(lock, deadline, timeout)
        finally:
            os.close(turnstile)
        yield
    finally:
        os.close(lock)


def _open(path: Path) -> int:
    try:
        make_private(path.parent)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise NotWritable(f"Cannot write to the ledger: {error}") from None


def _wait(handle: int, deadline: float, timeout: float) -> None:
    pause = _FIRST_WAIT
    while True:
        try:
            try_lock(handle)
        except (BlockingIOError, PermissionError):
            if time.monotonic() >= deadline:
                raise LockTimeout(
                    f"Another process has been writing memories for more than {timeout:g} seconds."
                ) from None
            time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_WAIT)
        else:
            return
