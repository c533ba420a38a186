"""The place where the engine receives hooks: private, and of one process at a time.

It is a Unix socket, or where there are none a port on this machine and a file that names it. The
process that holds the lock file beside that path owns it. The operating system drops
the lock when that process ends, however it ends. So the next server replaces a socket that was left
behind, and two servers of one repository never take it from each other.
"""

from __future__ import annotations

import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from recollect.config.locate import make_private
from recollect.hook_client import (
    MOST_INPUT,
    NO_HOST,
    PING,
    PROTOCOL,
    addresses,
    is_by_tcp,
    is_private,
)
from recollect.hosts.protocol import EVENTS
from recollect.ledger.lock import try_lock

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

_MOST_CALLS = 16
_MOST_SETTINGS = 1 << 20
_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
_REQUEST_SECONDS = 1.0  # how long a hook may take to send its request


class Call:
    """A request of a hook, and the connection to answer it."""

    def __init__(
        self,
        connection: socket.socket,
        event: str,
        host: str,
        moment: int,
        settings: Mapping[str, str],
        given: bytes,
    ) -> None:
        self.event, self.host = event, host
        self.moment = moment
        self.settings = settings
        self.given = given
        self._connection = connection
        self._lock = threading.Lock()
        self._is_answered = False

    def send_line(self, line: str) -> None:
        """Send a line. Any line other than `ready` makes the hook serve the event itself."""
        with suppress(OSError):
            self._connection.sendall(f"{line}\n".encode())

    def accept(self) -> bool:
        """Offer to serve the event. Return whether the hook still wants that."""
        try:
            self._connection.sendall(b"ready\n")
            return self._connection.recv(3) == b"go\n"
        except OSError:
            return False

    def wait(self, seconds: float) -> None:
        """Tell the hook how long the reply may take."""
        with self._lock, suppress(OSError):
            if not self._is_answered:
                self._connection.sendall(f"wait {int(seconds * 1000)}\n".encode())

    def write(self, answer: bytes) -> None:
        """Send the reply, once. A hook that has ended is no error."""
        with self._lock, suppress(OSError):
            if not self._is_answered:
                self._is_answered = True
                self._connection.sendall(f"say {len(answer)}\n".encode() + answer)

    def flush(self) -> None:
        """Do nothing: `write` sends at once."""


class Transport(Protocol):
    """How hooks reach a path: `UnixSocket` or `Loopback`."""

    def listen(self) -> socket.socket:
        """Listen, and make the path."""

    def admits(self, connection: socket.socket) -> bool:
        """Whether a hook of this user is at the other end. Nothing was read before."""


class Listener:
    """A socket that accepts hooks, in its own thread."""

    def __init__(
        self, path: str, transport: Transport, lock: int, serve: Callable[[Call], None]
    ) -> None:
        self._path = path
        self._lock = lock
        self._serve = serve
        self._transport = transport
        self._socket = transport.listen()
        self._room = threading.BoundedSemaphore(_MOST_CALLS)
        self._is_closed = False

    @classmethod
    def open(cls, environment: Mapping[str, str], serve: Callable[[Call], None]) -> Listener | None:
        """Listen at the first usable address. None if another server does, or none is usable."""
        for path in addresses(environment):
            folder = Path(path).parent
            try:
                make_private(folder)
                if not is_private(str(folder)):
                    continue
                lock = os.open(f"{path}.lock", _LOCK_FLAGS, 0o600)
            except OSError:
                continue
            try:
                try_lock(lock)
                listener = cls(path, transport_at(path, environment), lock, serve)
            except OSError:
                os.close(lock)  # another server serves the hooks of this repository
                return None
            threading.Thread(target=listener._accept, name="recollect-listen", daemon=True).start()
            return listener
        return None

    def close(self) -> None:
        """Stop listening. Remove the socket first, so that no hook waits for an answer."""
        self._is_closed = True
        with suppress(OSError):
            Path(self._path).unlink(missing_ok=True)
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        os.close(self._lock)

    def _accept(self) -> None:
        while not self._is_closed:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            if not self._room.acquire(blocking=False):
                connection.close()
                continue
            threading.Thread(target=self._handle, args=(connection,), daemon=True).start()

    def _handle(self, connection: socket.socket) -> None:
        try:
            connection.settimeout(_REQUEST_SECONDS)
            if not self._transport.admits(connection):
                return
            call = _read_call(connection)
            if call is None:
                return
            self._serve(call)
        except (OSError, ValueError):
            return  # the connection closes, so the hook serves the event itself
        finally:
            connection.close()
            self._room.release()


def _read_call(connection: socket.socket) -> Call | None:
    """Read a request; None if it is of another version."""
    with BufferedReader(_TimedReader(connection)) as stream:
        words = stream.readline(1000).decode("ascii").split()
        if len(words) != 8 or " ".join(words[:3]) != PROTOCOL:
            return None
        event, host, moment = words[3], words[4].removeprefix(NO_HOST), int(words[5])
        sizes = (int(words[6]), int(words[7]))
        if event not in (*EVENTS, PING) or not 0 <= sizes[0] <= _MOST_SETTINGS:
            return None
        if not 0 <= sizes[1] <= MOST_INPUT:
            return None
        settings, given = stream.read(sizes[0]), stream.read(sizes[1])
    if (len(settings), len(given)) != sizes:
        return None
    pairs = settings.decode("utf-8", "surrogateescape").split("\0")
    named = {name: value for name, _, value in (pair.partition("=") for pair in pairs) if name}
    return Call(connection, event, host, moment, named, given)


def transport_at(path: str, environment: Mapping[str, str]) -> Transport:
    """Return how hooks reach a path of `addresses`."""
    if sys.platform != "win32" and not is_by_tcp(environment):
        from recollect.engine.unix_socket import UnixSocket

        return UnixSocket(path)
    from recollect.loopback import Loopback

    return Loopback(path)


class _TimedReader(RawIOBase):
    """Reads from a connection with one time limit for the whole request."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._end = time.monotonic() + _REQUEST_SECONDS

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, room: WriteableBuffer) -> int:
        """Read what has arrived, at most what the buffer holds."""
        left = self._end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
        try:
            return self._connection.recv_into(room)
        finally:
            self._connection.settimeout(_REQUEST_SECONDS)
