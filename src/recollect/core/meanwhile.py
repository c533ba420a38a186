"""Runs work beside other work, in a thread of its own.

That pays where most of the time goes into C code, beside which other threads can run: the model's
matrices, a hash, a process of git.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    T = TypeVar("T")


def meanwhile(work: Callable[[], T], name: str) -> Callable[[], T]:
    """Start some work; return what waits for its result, or raises its error."""
    made: list[T] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            made.append(work())
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=run, name=f"recollect-{name}", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # no memory for a thread
        return work

    def result() -> T:
        thread.join()
        if failed:
            raise failed[0]
        return made[0]

    return result
