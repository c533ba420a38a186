"""A deadline is one of the clock and of the processor. The test has both clocks in its hands."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from recollect.hooks import deadline as module
from recollect.hooks.deadline import Deadline


class Clocks:
    """The time, and what the event has used of the processor; timers run when the test says so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = self.used = 0.0
        self.timers: list[tuple[float, Any]] = []
        monkeypatch.setattr("recollect.hooks.deadline.time.monotonic", lambda: self.now)
        monkeypatch.setattr(module, "_processor_clock", lambda: lambda: self.used)
        monkeypatch.setattr(module, "_Timer", self._timer)

    def _timer(self, seconds: float, work: Any) -> threading.Event:
        self.timers.append((self.now + seconds, work))
        timer: Any = threading.Event()
        timer.cancel = timer.set
        return timer  # type: ignore[no-any-return]

    def run(self, share: float, deadline: Over) -> float:
        """Let the time pass; the event gets a share of the processor. Return when it was ended."""
        while not deadline.is_over:
            at, work = self.timers.pop()
            self.used += (at - self.now) * share
            self.now = at
            work()
        return self.now


class Over(Deadline):
    """A deadline that ends nothing."""

    def _over(self) -> None:
        self.is_over = True


@pytest.mark.parametrize(
    ("seconds", "share", "ended"),
    [
        (0.3, 1.0, 0.3),  # nobody else wants the processor
        (0.3, 0.8, 0.3),
        (0.3, 0.4, 0.6),  # two others do
        (0.3, 0.1, 1.2),  # or many: four times the deadline
        (0.3, 0.0, 1.2),  # it waits for something else
        (1.0, 0.1, 2.5),  # and never longer than this
        (4.0, 0.1, 4.0),
    ],
)
def test_an_event_that_waits_for_the_processor_is_not_late(
    seconds: float, share: float, ended: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It may use four fifths of its deadline as processor time, and then it ends."""
    clocks = Clocks(monkeypatch)
    deadline = Over("prompt", _Nothing())
    deadline.set(seconds)

    assert clocks.run(share, deadline) == pytest.approx(ended, abs=0.021)


class _Nothing:
    def write(self, answer: bytes) -> object:
        """Write nothing."""
        return None

    def flush(self) -> None:
        """Nothing to send."""
