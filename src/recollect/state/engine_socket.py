"""The socket of a repository's engine: where it listens, and whether it answers.

A hook reads this before anything else, so it imports little.
"""

from __future__ import annotations

import os

from recollect.config.locate import common_dir
from recollect.hosts.environment import project_in
from recollect.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from socket import socket

PROTOCOL = f"recollect 2 {__version__}"
PING = "ping"
# Seconds: until the engine is ready, and until its first reply after that.
READY, FIRST_WORD = 0.05, 2.0
_MOST_PATH = 103  # bytes, including the final NUL, that every system accepts for a socket path
_PRIME = (1 << 61) - 1


def ping(environment: Mapping[str, str], patience: float = FIRST_WORD) -> tuple[int, int] | None:
    """Return the engine's process id and how many events it has served.

    It answers when it has finished its current work. None if there is no engine, or it hangs.
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
    """Buffered input, line by line."""

    def __init__(self, engine: socket) -> None:
        self._engine = engine
        self._rest = b""

    def line(self) -> bytes:
        """Return the next line; raise an error if none comes."""
        while b"\n" not in self._rest:
            self._receive()
        line, _, self._rest = self._rest.partition(b"\n")
        return line

    def exactly(self, size: int) -> bytes:
        """Return exactly the next bytes."""
        while len(self._rest) < size:
            self._receive()
        return self._rest[:size]

    def _receive(self) -> None:
        part = self._engine.recv(1 << 16)
        if not part:
            raise ConnectionError
        self._rest += part


def connect(environment: Mapping[str, str]) -> socket | None:
    """Connect to the engine of the current project."""
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
    """Whether a directory exists, is ours, and is closed to everyone else."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    return found.st_mode & 0o170077 == 0o040000 and found.st_uid == os.geteuid()


def addresses(environment: Mapping[str, str]) -> Iterator[str]:
    """Return where the engine of the current project may listen; it uses the first that works."""
    project = project_in(environment) or _here()
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
