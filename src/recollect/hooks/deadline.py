"""The deadline of an event: by the clock, and by what the event has used of the processor."""

from __future__ import annotations

import _thread  # `threading` itself takes a hook too long
import os
import sys
import time
from collections.abc import Callable, Mapping, Sequence

from recollect.hook_client import IN_DOUBT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from recollect.hooks.pipeline import Work
    from recollect.hooks.supervisor import Relay
    from recollect.hosts.protocol import Event, Host, Reply

    class Output(Protocol):
        """Where the reply goes."""

        def write(self, answer: bytes, /) -> object:
            """Write the reply."""

        def flush(self) -> None:
            """Make sure that the reply is sent."""


# Seconds to capture marked text, even on a busy machine. The agent waits 5 seconds for a hook, and
# an engine that stopped answering may have used some of them.
CAPTURE_SECONDS, CAPTURE_SECONDS_AGAIN = 4.0, 2.0
# On a busy machine a hook waits for the processor, which doesn't make it slow. So at its deadline
# it may go on until it has used this share of the deadline as processor time, checked in steps of
# so many seconds; but for no more than this many times the deadline and, if the deadline is
# shorter, this many seconds.
_BUSY_SHARE, _BUSY_STEP, _BUSY_TIMES, _BUSY_SECONDS = 0.8, 0.02, 4, 2.5


class _Timer:
    """Calls a function after some seconds, in a thread that no process waits for."""

    def __init__(self, seconds: float, work: Callable[[], None]) -> None:
        self._seconds, self._work = seconds, work
        self._cancelled = _thread.allocate_lock()
        self._cancelled.acquire()
        self._is_cancelled = False
        _thread.start_new_thread(self._wait, ())

    def _wait(self) -> None:
        if not self._cancelled.acquire(timeout=self._seconds):
            self._work()

    def cancel(self) -> None:
        """Do not call it, if that has not happened yet."""
        if not self._is_cancelled:
            self._is_cancelled = True
            self._cancelled.release()


class Deadline:
    """Ends the process when its time is up, with the reply as it is by then.

    Its time is that of the clock and of the processor: see `_BUSY_SHARE`.
    """

    def __init__(self, name: str, output: Output, relay: Relay | None = None) -> None:
        self._name = name
        self._output = output
        self._relay = relay
        self._lock = _thread.allocate_lock()
        self._is_answered = False
        self._timer: _Timer | None = None
        self._start = time.monotonic()
        self._processor = _processor_clock()
        self._used_before = self._processor()
        self._seconds = self._latest = 0.0
        self.is_over = False
        self.reply: Reply | None = None
        self.host: Host | None = None
        self.folder: str | None = None
        # The event and its work, to note what was left undone.
        self.event: Event | None = None
        self.work: Work | None = None
        self.is_done = False
        # Whether the event holds marked text: the user must know if it may not be captured.
        self.asks = False
        # How long capturing marked text may take if the deadline is shorter.
        self.capture_seconds = CAPTURE_SECONDS

    def set(self, seconds: float) -> None:
        """Set the deadline, in seconds since the start."""
        if self._timer is not None:
            self._timer.cancel()
        self._seconds = seconds
        self._latest = self._start + max(seconds, min(_BUSY_TIMES * seconds, _BUSY_SECONDS))
        if self._relay is not None:
            self._relay.wait(max(0.001, self._latest - time.monotonic()), seconds)
        self._check_after(self._start + seconds - time.monotonic())

    def _check_after(self, seconds: float) -> None:
        self._timer = _Timer(max(0.001, seconds), self._check)

    def _check(self) -> None:
        """End the process, unless it only waits for the processor."""
        left = self._latest - time.monotonic()
        used = self._processor() - self._used_before
        if left <= 0 or used >= _BUSY_SHARE * self._seconds:
            self._over()
        else:
            self._check_after(min(left, _BUSY_STEP))

    def milliseconds(self) -> float:
        """How long the event has taken so far."""
        return (time.monotonic() - self._start) * 1000

    def say(self, text: str) -> bool:
        """Print the reply, once and complete. Return whether this call printed it."""
        with self._lock:
            if self._is_answered:
                return False
            self._is_answered = True
            if text or self._relay is not None:
                self._output.write(text.encode("ascii"))
                self._output.flush()
            return True

    def ready(self) -> None:
        """Give the parent the reply so far, in case this process gets no further."""
        if self._relay is None or self._is_answered:
            return
        self._relay.ready(self._render().encode("ascii"))

    def _render(self) -> str:
        """Format the reply so far for the host."""
        from recollect.hosts.registry import host_of

        return (self.host or host_of({}, {})).write_reply(self._name, self._so_far())

    def _so_far(self) -> Reply:
        """Return the reply so far, with a warning if marked text may not be captured."""
        from recollect.hosts.protocol import Reply

        reply = self.reply or Reply()
        if not self.asks or reply.notice or reply.alarm:
            return reply
        doubted = Reply()
        vars(doubted).update(vars(reply), alarm=[IN_DOUBT])
        return doubted

    def _over(self) -> None:
        from pathlib import Path

        from recollect.state.failures import note_failure
        from recollect.state.unfinished import RAN_OUT

        try:
            self.is_over = True
            is_cut = self.say(self._render())
            if is_cut and self.folder is not None:
                note_failure(Path(self.folder), self._name, {"error": "Deadline"})
            if self.event is not None and not self.is_done:
                during = "" if self.work is None else self.work.stage
                step = {"what": RAN_OUT, "during": during or "opening the store"}
                if not is_cut:
                    step["reason"] = "after the reply"
                done = [] if self.work is None else self.work.untold
                note_cut(self.event, [*done, step], self.milliseconds())
        finally:
            self._end()

    def _end(self) -> None:
        from recollect.ledger.git import kill_running

        try:
            kill_running()
        finally:
            os._exit(0)


def _processor_clock() -> Callable[[], float]:
    """Return a clock of the processor time of this thread, which every thread can read."""
    if sys.platform == "win32" or not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    clock = time.pthread_getcpuclockid(_thread.get_ident())
    return lambda: time.clock_gettime(clock)


def note_cut(event: Event, steps: Sequence[Mapping[str, Any]], milliseconds: float) -> None:
    """Record for `recollect why` that an event was ended before it was done."""
    from recollect.config.locate import git_state
    from recollect.state.sessions import Trace
    from recollect.state.unfinished import note_unfinished

    folder = git_state(event.directory)
    if folder is not None and not event.ignored:  # outside a repository, only `doctor` tells
        at, taken = event.moment / 1000, round(milliseconds, 1)
        note_unfinished(folder, Trace(at, event.session, event.name, taken, list(steps)))
