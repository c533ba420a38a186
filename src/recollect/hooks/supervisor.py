r"""A deadline that holds whatever happens: the work runs in a child, and this process waits for it.

A timer in Python cannot fire while something in C holds the interpreter's lock, such as a slow
regular expression. So the hook forks while it is still small. The child does the work and tells the
parent how it stands; the parent prints the answer whole or not at all, and always exits with 0:

    child   wait MILLISECONDS\n: the time it has from now on
            ready BYTES\n and what to say if it gets no further
            say BYTES\n and the answer

When the time is over the kernel ends the child (SIGALRM with its default action), and should that
fail the parent does. Where a process cannot fork, as on Windows, the work runs in this process and
only the timer in Python is left.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` itself takes a hook too long
import os
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Seconds that the child has beyond its own deadline, at which it answers by itself; and that the
# parent waits beyond that before it ends the child.
_GRACE, _PARENT_GRACE = 0.3, 0.3
_NEEDS = ("fork", "pipe", "waitpid")
_LAST_LOOKS = 500  # milliseconds for the system to end a process
LATE = "Deadline"


class Relay:
    """The child's end: what it tells the process that waits for it."""

    def __init__(self, pipe: int) -> None:
        self._pipe = pipe
        self.is_ready = False  # there is something to say whatever happens

    def wait(self, seconds: float) -> None:
        """Let this process end when this time is over, at the latest a moment later."""
        _signal.setitimer(_signal.ITIMER_REAL, max(0.001, seconds + _GRACE))
        self._send(b"wait %d\n" % int(seconds * 1000))

    def ready(self, answer: bytes) -> None:
        """What to say if there is no more time for the rest."""
        self.is_ready = bool(answer)
        self._send(b"ready %d\n%b" % (len(answer), answer))

    def write(self, answer: bytes) -> None:
        """Give the answer."""
        self._send(b"say %d\n%b" % (len(answer), answer))

    def flush(self) -> None:
        """It has been given."""

    def _send(self, message: bytes) -> None:
        try:
            while message:
                message = message[os.write(self._pipe, message) :]
        except OSError:
            return  # nobody waits any more


def supervise(
    work: Callable[[Relay | None], None], show: Callable[[bytes], None], seconds: float
) -> str:
    """Run `work` in a child, and `show` what it answers; why it did not come to its end, if so.

    It has so many seconds, until it says how many it takes.
    """
    if not all(hasattr(os, name) for name in _NEEDS):
        work(None)
        return ""
    ours, theirs = os.pipe()
    try:
        child = os.fork()
    except OSError:  # too many processes: better without a supervisor than not at all
        os.close(ours)
        os.close(theirs)
        work(None)
        return ""
    if child == 0:
        _work(work, ours, theirs, seconds)
    os.close(theirs)
    _end_together(child)
    heard = _Heard(ours, show, seconds)
    while heard.listen():
        pass
    return _why_it_ended(child, is_late=heard.is_late)


def _work(work: Callable[[Relay | None], None], ours: int, theirs: int, seconds: float) -> None:
    """The child's life. It ends here: what the parent was about to do is not done twice."""
    try:
        os.close(ours)
        for number in (_signal.SIGALRM, _signal.SIGTERM):
            _signal.signal(number, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_UNBLOCK, (_signal.SIGALRM,))
        relay = Relay(theirs)
        relay.wait(seconds)
        work(relay)
    finally:
        os._exit(0)


def _end_together(child: int) -> None:
    """Whoever ends the hook ends its work."""

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
        return  # it is gone


def _why_it_ended(child: int, *, is_late: bool) -> str:
    """See the child off; empty where it ended by itself."""
    if is_late:
        _kill(child)
    for _ in range(_LAST_LOOKS):
        try:
            found, status = os.waitpid(child, os.WNOHANG)
        except ChildProcessError:
            return LATE if is_late else ""
        if found:
            code = os.waitstatus_to_exitcode(status)
            if is_late or code == -_signal.SIGALRM:
                return LATE
            return f"Ended({code})" if code else ""
        time.sleep(0.001)
    return LATE  # it hangs in the kernel, where nobody can end it, and nobody waits for it


class _Heard:
    """The parent's end: what the child has said so far."""

    def __init__(self, pipe: int, show: Callable[[bytes], None], seconds: float) -> None:
        self._pipe = pipe
        self._show = show
        self._rest = b""
        self._ready = b""
        self._end = time.monotonic() + seconds + _GRACE + _PARENT_GRACE
        self.is_answered = False
        self.is_late = False

    def listen(self) -> bool:
        """Hear a little more; whether there may be more to come."""
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
        """Take one whole message, if there is one."""
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
