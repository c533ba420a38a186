"""Where the engine of a repository listens, and whether it answers.

A hook reads this before anything else, so it imports little.
"""

from __future__ import annotations

import os

from recollect.config.locate import common_dir
from recollect.hosts.environment import PROJECT_VARIABLE
from recollect.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from socket import socket

PROTOCOL = f"recollect 2 {__version__}"
PING = "ping"
# Seconds: for the engine to be ready, and for its first word after that.
READY, FIRST_WORD = 0.05, 2.0
_MOST_PATH = 103  # bytes, with the NUL that ends them, that every system takes for a socket
_PRIME = (1 << 61) - 1


def ping(environment: Mapping[str, str], patience: float = FIRST_WORD) -> tuple[int, int] | None:
    """Which process is the engine of the project at hand, and how many events it has served.

    It answers when it has done what it was doing. None where there is none, or it hangs.
    """
    engine = connect(environment)
    if engine is None:
        return None
    try:
        engine.settimeout(patience)
        engine.sendall(f"{PROTOCOL} {PING} 0 0 0\n".encode())
        _, process, served = Lines(engine).line().split()
        return int(process), int(served)
    except (OSError, ValueError):
        return None
    finally:
        engine.close()


class Lines:
    """What comes in, line by line."""

    def __init__(self, engine: socket) -> None:
        self._engine = engine
        self._rest = b""

    def line(self) -> bytes:
        """The next line; an error where none comes."""
        while b"\n" not in self._rest:
            self._receive()
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def exactly(self, size: int) -> bytes:
        """The next bytes."""
        while len(self._rest) < size:
            self._receive()
        return self._rest[:size]

    def _receive(self) -> None:
        part = self._engine.recv(1 << 16)
        if not part:
            raise ConnectionError
        self._rest += part


def connect(environment: Mapping[str, str]) -> socket | None:
    """A connection to the engine of the project at hand."""
    for path in addresses(environment):
        folder = path.rpartition("/")[0]
        if not is_private(folder):
            continue
        import _socket

        engine = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        try:
            engine.settimeout(READY)
            engine.connect(path)
        except OSError:
            engine.close()
        else:
            return engine  # type: ignore[return-value]
    return None


def is_private(folder: str) -> bool:
    """Whether a directory is there, ours, and nobody else's."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return found.st_mode & 0o170077 == 0o040000 and found.st_uid == os.geteuid()


def addresses(environment: Mapping[str, str]) -> Iterator[str]:
    """Where the engine of the project at hand may listen; the engine takes the first it can."""
    project = environment.get(PROJECT_VARIABLE) or _here()
    key = int.from_bytes(os.fsencode(common_dir(project)), "big") % _PRIME
    for folder in _folders(environment):
        path = f"{folder}/{key:016x}.sock"
        if len(os.fsencode(path)) < _MOST_PATH:
            yield path


def _here() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return "/"


def _folders(environment: Mapping[str, str]) -> Iterator[str]:
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        yield f"{runtime}/recollect"
    cache = environment.get("XDG_CACHE_HOME") or environment.get("HOME", "") + "/.cache"
    if cache.startswith("/"):
        yield f"{cache}/recollect/run"
    yield f"/tmp/recollect-{os.geteuid()}"  # noqa: S108  (only if it is ours, and private)
