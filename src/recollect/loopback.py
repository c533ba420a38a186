"""How hooks reach the engine where there are no Unix sockets, as on Windows: TCP on 127.0.0.1.

Every user of the machine can connect to the port, and when the engine has ended, any program can
get the same port. So before anything else, each end proves to the other that it knows the token in
a file that only its user can read. Neither sends the token:

    hook    32 random bytes
    engine  32 random bytes, and a code of both and the token
    hook    another code of both and the token

On Windows, nothing checks that only the user can read the file: it is in a folder of the user's
profile, which Windows keeps from other users.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from socket import socket

_HOST = "127.0.0.1"
_SIZE = 32  # bytes of the token, of a challenge and of a code
_HOOK, _ENGINE = b"hook", b"engine"
_MOST_WAITING = 16
_HANDSHAKE_SECONDS = 1.0
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)


def connect(path: str, seconds: float) -> socket | None:
    """Connect to the engine that wrote a file; None if it is not there or cannot prove itself."""
    port, token = _read(path)
    if not port:
        return None
    import _socket

    engine = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM)
    try:
        engine.settimeout(seconds)
        engine.connect((_HOST, port))
        engine.setsockopt(_socket.IPPROTO_TCP, _socket.TCP_NODELAY, 1)
        mine = os.urandom(_SIZE)
        engine.sendall(mine)
        said = _receive(engine, 2 * _SIZE, seconds)  # type: ignore[arg-type]
        theirs, proof = said[:_SIZE], said[_SIZE:]
        if _is_same(proof, _code(token, _ENGINE, mine + theirs)):
            engine.settimeout(seconds)
            engine.sendall(_code(token, _HOOK, mine + theirs))
            return engine  # type: ignore[return-value]
    except OSError:
        pass  # nobody is there, or somebody else
    engine.close()
    return None


class Loopback:
    """The end of the engine: a port, and the file that tells hooks about it."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._token = os.urandom(_SIZE)

    def listen(self) -> socket:
        """Listen on a free port, then write the file."""
        import socket as sockets

        found = sockets.socket(sockets.AF_INET, sockets.SOCK_STREAM)
        try:
            # Without it, another program on Windows could listen on the same port.
            exclusive = getattr(sockets, "SO_EXCLUSIVEADDRUSE", None)
            if exclusive is not None:
                found.setsockopt(sockets.SOL_SOCKET, exclusive, 1)
            found.bind((_HOST, 0))
            found.listen(_MOST_WAITING)
            self._write(f"{found.getsockname()[1]} {self._token.hex()}\n".encode())
        except OSError:
            found.close()
            raise
        return found

    def admits(self, connection: socket) -> bool:
        """Whether a hook of this user is at the other end."""
        import socket as sockets

        connection.setsockopt(sockets.IPPROTO_TCP, sockets.TCP_NODELAY, 1)
        mine = os.urandom(_SIZE)
        both = _receive(connection, _SIZE, _HANDSHAKE_SECONDS) + mine
        connection.sendall(mine + _code(self._token, _ENGINE, both))
        proof = _receive(connection, _SIZE, _HANDSHAKE_SECONDS)
        return _is_same(proof, _code(self._token, _HOOK, both))

    def _write(self, text: bytes) -> None:
        if os.path.lexists(self._path):
            os.unlink(self._path)  # noqa: PTH108  (of an engine that was killed)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW
        file = os.open(self._path, flags, 0o600)
        try:
            os.write(file, text)
        finally:
            os.close(file)


def _read(path: str) -> tuple[int, bytes]:
    """Return the port and the token in a file of this user; no port if it is not one."""
    try:
        file = os.open(path, os.O_RDONLY | _NO_FOLLOW)
    except OSError:
        return 0, b""
    try:
        found = os.fstat(file)
        if sys.platform != "win32" and (found.st_mode & 0o077 or found.st_uid != os.geteuid()):
            return 0, b""
        port, token = os.read(file, 200).decode("ascii").split()
        number, key = int(port), bytes.fromhex(token)
        return (number, key) if 0 < number < 1 << 16 and len(key) == _SIZE else (0, b"")
    except (OSError, ValueError):
        return 0, b""
    finally:
        os.close(file)


def _receive(connection: socket, size: int, seconds: float) -> bytes:
    """Receive exactly so many bytes, within so many seconds in all."""
    end, received = time.monotonic() + seconds, b""
    while len(received) < size:
        connection.settimeout(max(0.001, end - time.monotonic()))
        part = connection.recv(size - len(received))
        if not part:
            raise ConnectionError
        received += part
    return received


def _code(token: bytes, who: bytes, both: bytes) -> bytes:
    """Return what proves that somebody knows the token; each end has its own."""
    from _blake2 import blake2b  # `hashlib` takes a hook too long

    return blake2b(both, key=token, person=who, digest_size=_SIZE).digest()


def _is_same(one: bytes, other: bytes) -> bool:
    from _operator import _compare_digest  # `hmac` takes a hook too long

    return _compare_digest(one, other)
