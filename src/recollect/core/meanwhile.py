"""Runs work beside other work, in a thread of its own.

That pays where most of the time goes into C code, beside which other threads can run: the model's
matrices, a hash, a process of git.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar, overload

    T = TypeVar("T")


def meanwhile(work: Callable[[], T], name: str) -> Callable[[], T]:
    """Start some work; return what waits for its result, or raises its error."""
    return InTurn(name).begin(work)


class InTurn:
    """Runs works one after the other in a thread, which ends after the last one.

    Whoever waits for one goes on as soon as that one is done, while the thread does the next.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._works: deque[Callable[[], None]] = deque()
        self._lock = threading.Lock()
        self._is_running = False

    def begin(self, work: Callable[[], T]) -> Callable[[], T]:
        """Do some work after what was begun before; return what waits for its result."""
        made: list[T] = []
        failed: list[BaseException] = []
        is_done = threading.Lock()
        is_done.acquire()

        def run() -> None:
            try:
                made.append(work())
            except BaseException as error:
                failed.append(error)
            is_done.release()

        def result() -> T:
            with is_done:
                if failed:
                    raise failed[0]
                return made[0]

        with self._lock:
            self._works.append(run)
            starts, self._is_running = not self._is_running, True
        if starts:
            try:
                threading.Thread(
                    target=self._run, name=f"recollect-{self._name}", daemon=True
                ).start()
            except RuntimeError:  # no memory for a thread
                self._run()
        return result

    def _run(self) -> None:
        while True:
            with self._lock:
                if not self._works:
                    self._is_running = False
                    return
                run = self._works.popleft()
            run()


def in_turn(make: Callable[[int], T], count: int, name: str) -> Sequence[T]:
    """Start to make things, one after the other. Whoever asks for one waits for it alone."""
    turn = InTurn(name)
    found: list[Callable[[], T]] = []

    def work(number: int, before: Callable[[], T] | None) -> T:
        if before is not None:
            before()
        return make(number)

    for number in range(count):
        before = found[-1] if found else None
        found.append(turn.begin(partial(work, number, before)))
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
