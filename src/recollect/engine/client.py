r"""How a hook asks the warm engine, before it imports anything else.

The engine is the agent's own MCP server, `recollect mcp`, which listens on a Unix socket in a
private directory. Where there is none, or it is busy, slow or of another version, the hook does the
work itself. What is asked is done once:

    hook    recollect 2 VERSION EVENT MOMENT BYTES BYTES\n, its environment, its input
    engine  ready\n: it holds everything it needs, and does nothing yet; or anything else: no
    hook    go\n, from now on it waits; without it the engine drops the event
    engine  wait MILLISECONDS\n any number of times, then say BYTES\n and the answer

An engine that ends between `go` and the answer may have done half: the hook then brings what the
engine left in the spool to the ledger and does the work itself, which keeps nothing twice. The same
where it falls silent and something is marked to be remembered: the moment of an event is part of
the identity of what is kept at it, so that an engine that comes back to life keeps the same again.
"""

from __future__ import annotations

import os
import sys
import time

from recollect import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from socket import socket

    from recollect.hooks.supervisor import Relay

PROTOCOL = f"recollect 2 {__version__}"
PING = "ping"
MOST_INPUT = 32 << 20
# Seconds: for the engine to be ready, for its first word after that, and more than it asks for.
_READY, _FIRST_WORD, _GRACE = 0.05, 2.0, 0.5
_INPUT = 3.0  # seconds in which the agent hands over the input
CLIENT_WAITS = 4.2  # seconds of the five that the agent waits for a hook, its input included
_MOST_PATH = 103  # bytes, with the NUL that ends them, that every system takes for a socket
_PRIME = (1 << 61) - 1
_OFF = ("0", "false", "no", "off")
# What may change how a hook works.
PREFIXES = ("RECOLLECT_", "GIT_", "XDG_")
NAMES = ("HOME", "PATH", "LOCALAPPDATA", "APPDATA")
_OF_THE_AGENT = ("CLAUDE_PROJECT_DIR", "CURSOR_VERSION")


def main(arguments: list[str]) -> int:
    """Serve one event, by the engine or in a child of this process; always exit code 0."""
    start, moment = time.monotonic(), time.time_ns() // 1_000_000
    if len(arguments) != 1 or os.name != "posix" or sys.stdin is None:
        from recollect.hooks.runner import main as serve

        return serve(arguments, moment)
    given, was_taken = _read_input(), False
    if not asks(given):  # else to put it aside comes first, which takes a while
        answer, was_taken = ask(arguments[0], moment, given, os.environ)
        if answer is not None:
            _print(answer)
            return 0
    from recollect.hooks.supervisor import supervise

    def work(relay: Relay | None) -> None:
        _serve(arguments, moment, given, start, relay, was_taken=was_taken)

    left = max(0.1, CLIENT_WAITS - (time.monotonic() - start))
    why = supervise(work, _print, left)
    if why:
        from recollect.hooks.runner import note_end

        note_end(arguments[0], why, os.environ)
    return 0


def _serve(
    arguments: list[str],
    moment: int,
    given: bytes,
    start: float,
    relay: Relay | None,
    *,
    was_taken: bool,
) -> None:
    """Do what no engine has done."""
    if not was_taken and asks(given):
        from recollect.hooks.stash import put_aside

        put_aside(arguments[0], moment, given, os.environ, relay)
        answer, was_taken = ask(arguments[0], moment, given, os.environ)
        if answer is not None:
            (_print if relay is None else relay.write)(answer)
            return
    from recollect.hooks.runner import main as serve

    spent = time.monotonic() - start
    serve(arguments, moment, given, again=was_taken, relay=relay, spent=spent)


def _read_input() -> bytes:
    """What the agent gives us; what came until then if it does not come to an end."""
    import select

    parts, size, end = [], 0, time.monotonic() + _INPUT
    while size < MOST_INPUT:
        if not select.select([0], [], [], max(0.0, end - time.monotonic()))[0]:
            break
        part = os.read(0, 1 << 16)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _print(answer: bytes) -> None:
    while answer:
        try:
            answer = answer[os.write(1, answer) :]
        except OSError:
            return  # nobody listens


def ask(
    event: str, moment: int, given: bytes, environment: Mapping[str, str]
) -> tuple[bytes | None, bool]:
    """The engine's answer, or None where the hook has to do the work; whether it was begun."""
    if environment.get("RECOLLECT_ENGINE_ENABLED", "").strip().lower() in _OFF:
        return None, False
    engine = connect(environment)
    if engine is None:
        return None, False
    has_begun = False
    try:
        settings = "\0".join(
            f"{name}={value}"
            for name, value in environment.items()
            if name in NAMES or name in _OF_THE_AGENT or name.startswith(PREFIXES)
        ).encode("utf-8", "surrogateescape")
        head = f"{PROTOCOL} {event} {moment} {len(settings)} {len(given)}\n".encode()
        engine.sendall(head + settings + given)
        heard = _Lines(engine)
        if heard.line() != b"ready":
            return None, False
        engine.settimeout(_FIRST_WORD)
        engine.sendall(b"go\n")
        has_begun = True
        while True:
            word, _, number = heard.line().partition(b" ")
            if word == b"say":
                return heard.exactly(int(number)), True
            if word != b"wait":
                return None, True
            engine.settimeout(int(number) / 1000 + _GRACE)
    except TimeoutError:
        # One that has begun and hangs still has the event, and two would do what one must. Only
        # what somebody asked to keep is better done twice than not at all.
        return (b"", True) if has_begun and not asks(given) else (None, has_begun)
    except (OSError, ValueError):
        return None, has_begun
    finally:
        engine.close()


def asks(given: bytes) -> bool:
    """Whether something may be marked to be remembered."""
    return b"[remember" in given.lower()


def ping(environment: Mapping[str, str], patience: float = _FIRST_WORD) -> tuple[int, int] | None:
    """Which process is the engine of the project at hand, and how many events it has served.

    It answers when it has done what it was doing. None where there is none, or it hangs.
    """
    engine = connect(environment)
    if engine is None:
        return None
    try:
        engine.settimeout(patience)
        engine.sendall(f"{PROTOCOL} {PING} 0 0 0\n".encode())
        _, process, served = _Lines(engine).line().split()
        return int(process), int(served)
    except (OSError, ValueError):
        return None
    finally:
        engine.close()


class _Lines:
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
            engine.settimeout(_READY)
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
    project = environment.get("CLAUDE_PROJECT_DIR") or _here()
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


def common_dir(directory: str) -> str:
    """The git directory that all worktrees around a directory share; outside of any, itself."""
    start = path = os.path.realpath(directory)
    while True:
        found = os.path.join(path, ".git")  # noqa: PTH118
        try:
            if os.stat(found).st_mode & 0o170000 == 0o040000:  # noqa: PTH116
                return found
            linked = os.path.join(path, _content(found).removeprefix("gitdir:").strip())  # noqa: PTH118
            return os.path.realpath(os.path.join(linked, _shared(linked)))  # noqa: PTH118
        except OSError:
            above = os.path.dirname(path)  # noqa: PTH120
            if above == path:
                return start
            path = above


def _shared(linked: str) -> str:
    """Where the git directory of a worktree says the shared one is; a submodule has none."""
    try:
        return _content(os.path.join(linked, "commondir")).strip()  # noqa: PTH118
    except OSError:
        return ""


def _content(path: str) -> str:
    with open(path, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123
        return file.read(4096)
