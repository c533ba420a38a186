"""How hooks reach the engine on systems with Unix sockets: in a folder that only its user enters.

`recollect.loopback` has the same for the others.
"""

from __future__ import annotations

import os
import socket
import struct
import sys
from pathlib import Path

assert sys.platform != "win32"
_MOST_WAITING = 16


class UnixSocket:
    """The end of the engine."""

    def __init__(self, path: str) -> None:
        self._path = path

    def listen(self) -> socket.socket:
        """Listen at the path. What an engine that was killed left there is removed."""
        Path(self._path).unlink(missing_ok=True)
        found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            found.bind(self._path)
            found.listen(_MOST_WAITING)
        except OSError:
            found.close()
            raise
        return found

    def admits(self, connection: socket.socket) -> bool:
        """Whether a process of this user is at the other end."""
        return peer_of(connection) == os.geteuid()


def peer_of(connection: socket.socket) -> int | None:
    """Return the user id of the process at the other end; None if the system cannot tell."""
    if hasattr(socket, "SO_PEERCRED"):
        raw = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", raw)[1])
    if sys.platform == "darwin":
        raw = connection.getsockopt(0, 1, 76)  # SOL_LOCAL, LOCAL_PEERCRED: a struct xucred
        return int(struct.unpack_from("=II", raw)[1])
    return None
