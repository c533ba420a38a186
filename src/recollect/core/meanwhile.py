"""Runs work beside other work, in a thread of its own.

That pays where most of the time goes into C code, beside which other threads can run: the model's
matrices, a hash, a process of git.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar, overload

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
        run()

    def result() -> T:
        if thread.ident is not None:
            thread.join()
        if failed:
            raise failed[0]
        return made[0]

    return result


def in_turn(make: Callable[[int], T], count: int, name: str) -> Sequence[T]:
    """Start to make things, one after the other. Whoever asks for one waits for it alone."""
    found: list[Callable[[], T]] = []

    def work(number: int, before: Callable[[], T] | None) -> T:
        if before is not None:
            before()
        return make(number)

    for number in range(count):
        before = found[-1] if found else None
        found.append(meanwhile(partial(work, number, before), name))
    return _Coming(found)


class _Coming(Sequence["T"]):
    """Things that may still be made."""

    def __init__(self, found: Sequence[Callable[[], T]]) -> None:
        self._found = found

    def __len__(self) -> int:
        return len(self._found)

    if TYPE_CHECKING:

        @overload
        def __getitem__(self, at: int) -> T: ...
        @overload
        def __getitem__(self, at: slice) -> Sequence[T]: ...

    def __getitem__(self, at: int | slice) -> T | Sequence[T]:
        """Return one, or some in a list."""
        if isinstance(at, slice):
            return [one() for one in self._found[at]]
        return self._found[at]()
