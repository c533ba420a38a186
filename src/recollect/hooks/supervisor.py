r"""Enforces the deadline of a hook: the work runs in a child process, and the parent waits for it.

A timer in Python cannot fire while C code holds the interpreter's lock, such as a slow regular
expression. So the hook forks while it is still small. The child does the work and reports to the
parent, which prints the reply complete or not at all, and always exits with 0:

    child   wait MILLISECONDS\n: the time it has from now on
            ready BYTES\n and the reply to print if the child gets no further
            say BYTES\n and the reply

When the time is up, by the clock or of the processor, the kernel ends the child (SIGALRM or SIGPROF
with its default action). If that fails, the parent kills it. On systems without fork, such as
Windows, the work runs in this process, and only the timer in Python remains.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself takes a hook too long
import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Seconds after the child's own deadline until the kernel ends it, and after that until the parent
# kills it. At its own deadline the child replies by itself.
_GRACE, _PARENT_GRACE = 0.3, 0.3
_REAP_ATTEMPTS = 500  # one per millisecond, while the system ends the child
_NO_HANG = getattr(os, "WNOHANG", 0)
LATE = "Deadline"
_TIMERS = (_signal.SIGALRM, _signal.SIGPROF) if sys.platform != "win32" else ()


class Relay:
    """The child's end of the pipe to its parent."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self.is_ready = False  # the parent has a reply to print if this process ends

    def wait(self, seconds: float, processor: float) -> None:
        """Set the time after which this process is ended, and tell the parent.

        It is also ended when it has used so many seconds of the processor.
        """
        _signal.setitimer(_signal.ITIMER_REAL, max(0.001, seconds + _GRACE))
        _signal.setitimer(_signal.ITIMER_PROF, max(0.001, processor + _GRACE))
        self._send(b"wait %d\n" % int(seconds * 1000))

    def ready(self, answer: bytes) -> None:
        """Give the parent the reply to print if this process gets no further."""
        self.is_ready = bool(answer)
        self._send(b"ready %d\n%b" % (len(answer), answer))

    def write(self, answer: bytes) -> None:
        """Send the reply."""
        self._send(b"say %d\n%b" % (len(answer), answer))

    def flush(self) -> None:
        """Do nothing: `write` sends at once."""

    def _send(self, message: bytes) -> None:
        try:
            while message:
                message = message[os.write(self._pipe, message) :]
        except OSError:
            return  # the parent no longer waits


def supervise(
    work: Callable[[Relay | None], None], show: Callable[[bytes], None], seconds: float
) -> str:
    """Run `work` in a child and `show` its reply; return why it was ended, empty if it was not.

    The child has `seconds` until it sets another time.
    """
    if sys.platform == "win32":
        work(None)
        return ""
    ours, theirs = os.pipe()
    try:
        child = os.fork()
    except OSError:  # too many processes: work without a supervisor
        os.close(ours)
        os.close(theirs)
        work(None)
        return ""
    if child == 0:
        _work(work, ours, theirs, seconds)
    os.close(theirs)
    _forward_signals(child)
    messages = _Messages(ours, show, seconds)
    while messages.receive():
        pass
    return _why_it_ended(child, is_late=messages.is_late)


def _work(work: Callable[[Relay | None], None], ours: int, theirs: int, seconds: float) -> None:
    """Run the child. It exits here, so that it never returns to the parent's code."""
    try:
        os.close(ours)
        for number in (*_TIMERS, _signal.SIGTERM):
            _signal.signal(number, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, _TIMERS)
        relay = Relay(theirs)
        relay.wait(seconds, seconds)
        work(relay)
    finally:
        os._exit(0)


def _forward_signals(child: int) -> None:
    """Kill the child when the hook gets a signal to end."""

    def end(number: int, _: object) -> None:
        _kill(child)
        _signal.signal(number, _signal.SIG_DFL)
        os.kill(os.getpid(), number)

    for number in (_signal.SIGTERM, _signal.SIGHUP, _signal.SIGINT):
        if _signal.getsignal(number) != _signal.SIG_IGN:
            _signal.signal(number, end)


def _kill(child: int) -> None:
    try:
        os.kill(child, _signal.SIGKILL)
    except OSError:
        return  # it has already ended


def _why_it_ended(child: int, *, is_late: bool) -> str:
    """Reap the child; return why it was ended, empty if it ended by itself."""
    if is_late:
        _kill(child)
    for _ in range(_REAP_ATTEMPTS):
        try:
            found, status = os.waitpid(child, _NO_HANG)
        except ChildProcessError:
            return LATE if is_late else ""
        if found:
            code = os.waitstatus_to_exitcode(status)
            if is_late or -code in _TIMERS:
                return LATE
            return f"Ended({code})" if code else ""
        time.sleep(0.001)
    return LATE  # it hangs in the kernel; do not wait for it


class _Messages:
    """The parent's end of the pipe: the messages of the child."""

    def __init__(self, pipe: int, show: Callable[[bytes], None], seconds: float) -> None:
        self._pipe = pipe
        self._show = show
        self._rest = b""
        self._ready = b""
        self._end = time.monotonic() + seconds + _GRACE + _PARENT_GRACE
        self.is_answered = False
        self.is_late = False

    def receive(self) -> bool:
        """Receive more of the messages; return whether more may come."""
        import select

        left = self._end - time.monotonic()
        self.is_late = left <= 0 or not select.select([self._pipe], [], [], left)[0]
        part = b"" if self.is_late else os.read(self._pipe, 1 << 16)
        if not part:
            if not self.is_answered and self._ready:
                self._show(self._ready)
            os.close(self._pipe)
            return False
        self._rest += part
        while self._take():
            pass
        return True

    def _take(self) -> bool:
        """Process one complete message, if there is one."""
        head, end, rest = self._rest.partition(b"\n")
        word, _, number = head.partition(b" ")
        if not end:
            return False
        if word == b"wait":
            self._rest = rest
            self._end = time.monotonic() + int(number) / 1000 + _GRACE + _PARENT_GRACE
            return True
        size = int(number)
        if len(rest) < size:
            return False
        self._rest = rest[size:]
        if word == b"ready":
            self._ready = rest[:size]
        elif not self.is_answered:
            self.is_answered = True
            self._show(rest[:size])
        return True
