r"""What a hook does before it knows whether there is an engine: it reads its input and asks.

Everything is in one module that imports little, because with an engine this is all that a hook
does. The engine is the agent's own MCP server, `recollect mcp`, which listens on a Unix socket in a
private directory; `recollect.loopback` says how on systems without such sockets. If there is no
engine, or it is busy, slow or of another version, the hook serves the event itself. The protocol
makes sure that an event is served once:

    hook    recollect 3 VERSION EVENT HOST MOMENT BYTES BYTES\n, its environment, its input
    engine  ready\n if it can serve the event, which it has not started; anything else declines
    hook    go\n, and then it waits; without `go` the engine drops the event
    engine  wait MILLISECONDS\n any number of times, then say BYTES\n and the reply
"""

from __future__ import annotations

import os
import sys
import time

from recollect.config.locate import common_dir
from recollect.hosts.environment import FORWARDED, project_in
from recollect.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from socket import socket

MOST_INPUT = 32 << 20
CLIENT_WAITS = 4.2  # seconds, input included; the agent waits five for a hook
IN_DOUBT = (
    "Recollect: this took too long. If it is not saved yet, one of the next events saves it."
    " Check with: recollect list"
)
_INPUT_SECONDS = 3.0  # how long the agent may take to write the input

PROTOCOL = f"recollect 3 {__version__}"
NO_HOST = "-"  # a command of an older version: it does not name the host
PING = "ping"
# Seconds: until the engine is ready, and until its first reply after that.
READY, FIRST_WORD = 0.05, 2.0
# `loopback` lets an engine and its hooks on any system meet as they do on Windows.
TRANSPORT = "RECOLLECT_ENGINE_TRANSPORT"
_SOCKET, _PORT_FILE = ".sock", ".port"
_MOST_PATH = 103  # bytes, including the final NUL, that every system accepts for a socket path
_PRIME = (1 << 61) - 1
_GRACE = 0.5  # seconds that a hook waits beyond what the engine asks for
_OFF = ("0", "false", "no", "off")
# Environment variables that change how a hook works. The client sends them to the engine.
PREFIXES = ("RECOLLECT_", "GIT_", "XDG_")
NAMES = ("HOME", "USERPROFILE", "PATH", "LOCALAPPDATA", "APPDATA")

# One of these is in every prompt with a wish that a rule finds (`capture/requests.py`), and in
# most with one that only a model finds. Such a prompt is put aside before anything else is
# done. For any other, comparing bytes is all that a hook does before it asks the engine.
_WISHES = (
    *(b"rememb", b"rember", b"remeb", b"memor", b"forget", b"note ", b"note:", b"note,", b"noting"),
    *(b"n mind", b"now on", b"here on", b"point on", b"moment on", b"today", b"of now", b"onward"),
    *(b"from now", b"forward", b"henceforth", b"future", b"for later", b"for next", b"the next "),
    *(b"coming ", b"record", b" down", b"remind", b"learn", b" fact", b"rule", b"decision"),
    *(b"preference", b"convention", b"knowledge", b"order", b"instruction", b"lesson", b"track"),
    *(b"for me", b"for us", b"for you", b"for every", b"for my", b"for our", b"for the", b"retain"),
    *(b"following", b"please", b"pls", b"now for", b"keep", b"know", b"never", b"always", b"your "),
    *(b" time", b"later", b"tell ", b"again", b"save", b" session", b"worth", b"habit"),
    *(b"one to ", b"this day", b"memo", b"away:", b"stone", b"stash", b"stick", b"every ", b"law"),
    *(b"forever", b"for good", b"nobody", b"permanent", b"internal", b"until", b"whoever", b"merk"),
    *(b"next ", b"stays", b"agreed", b"must ", b"t ever "),
    # Those of `capture/request_words_abroad.py`, without their accents.
    *(b"notier", b"schreib", b"behalt", b"vergiss", b"denk", b"ab jetzt", b"ab sofort", b"von nun"),
    *(b"von jetzt", b"zukunft", b"nftig", b"retiens", b"retenez", b"souv", b"rappel", b"oublie"),
    *(b"garde ", b"gardez", b"partir de", b"navant", b"sormais", b"avenir", b"recuerd", b"rdalo"),
    *(b"rdate", b"rdese", b"ntate", b"notate", b"\xb3tate", b"olvide", b" cuenta", b" mente"),
    *(b" presente", b"adelante", b"futuro", b"ricord", b"segnat", b"dimentic", b"scordar"),
    *(b" in poi", b" in avanti", b"lembr", b"esque", b"diante", b"frente", b"onthou", b"vergeet"),
    *(b"vanaf nu", b"voortaan", b"vervolg"),
)


class Attempt:
    """A hook that was called: its input, and what the engine answered to it."""

    def __init__(self, arguments: list[str]) -> None:
        """Read the input, and let the engine serve the event if there is one."""
        self.start, self.moment = time.monotonic(), time.time_ns() // 1_000_000
        self.arguments = arguments
        self.event, host = [*arguments, "", ""][:2]
        # It becomes a word of the request.
        self.host = host if host.isascii() and host.replace("-", "").isalnum() else ""
        self.given: bytes | None = None  # not read yet
        self.answer: bytes | None = None
        self.was_taken = False  # the engine may have done part of the work
        if len(arguments) in (1, 2) and sys.stdin is not None:
            self.given = _read_input()
            if not asks(self.event, self.given):  # with marked text, the slower stash comes first
                self.answer, self.was_taken = ask(
                    self.event, self.moment, self.given, os.environ, host=self.host
                )


def _read_input() -> bytes:
    """Read stdin. If it does not end in time, return what has arrived."""
    if sys.platform == "win32":
        return _read_beside()
    import select

    parts, size, end = [], 0, time.monotonic() + _INPUT_SECONDS
    while size < MOST_INPUT:
        if not select.select([0], [], [], max(0.0, end - time.monotonic()))[0]:
            break
        part = os.read(0, 1 << 16)
        if not part:
            break
        parts.append(part)
        size += len(part)
    return b"".join(parts)


def _read_beside() -> bytes:
    """Read stdin in a thread: Windows cannot wait for a pipe with a time limit."""
    import threading

    parts: list[bytes] = []

    def read() -> None:
        size = 0
        while size < MOST_INPUT and (part := os.read(0, 1 << 16)):
            parts.append(part)
            size += len(part)

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    reader.join(_INPUT_SECONDS)
    return b"".join(parts)


def print_answer(answer: bytes) -> None:
    """Write the reply to stdout."""
    while answer:
        try:
            answer = answer[os.write(1, answer) :]
        except OSError:
            return  # nobody reads it


def asks(event: str, given: bytes) -> bool:
    """Whether the input may hold marked text (`[remember]`) or, in a prompt, a wish."""
    lower = given.lower()
    if b"[remember" in lower:
        return True
    # In other events, the words are the agent's, and only a marker counts.
    return event == "prompt" and any(words in lower for words in _WISHES)


def existing(directory: str, environment: Mapping[str, str]) -> str:
    """Return the directory of an event; if it no longer exists, that of the project."""
    if not directory or os.path.isdir(directory):  # noqa: PTH112
        return directory
    return project_in(environment) or directory


def ask(
    event: str,
    moment: int,
    given: bytes,
    environment: Mapping[str, str],
    *,
    host: str = "",
    holds: bool = False,
) -> tuple[bytes | None, bool]:
    """Return the engine's reply, or None if the hook must serve; and whether the engine started.

    `host` is the one that the hook's command names. `holds` says that the event holds text that
    somebody asked to keep.
    """
    if environment.get("RECOLLECT_ENGINE_ENABLED", "").strip().lower() in _OFF:
        return None, False
    engine = connect(environment)
    if engine is None:
        return None, False
    has_started = False
    try:
        settings = "\0".join(
            f"{name}={value}"
            for name, value in environment.items()
            if name in NAMES or name in FORWARDED or name.startswith(PREFIXES)
        ).encode("utf-8", "surrogateescape")
        head = (
            f"{PROTOCOL} {event} {host or NO_HOST} {moment} {len(settings)} {len(given)}\n".encode()
        )
        engine.sendall(head + settings + given)
        lines = Lines(engine)
        if lines.line() != b"ready":
            return None, False
        engine.settimeout(FIRST_WORD)
        engine.sendall(b"go\n")
        has_started = True
        while True:
            word, _, number = lines.line().partition(b" ")
            if word == b"say":
                return lines.exactly(int(number)), True
            if word != b"wait":
                return None, True
            engine.settimeout(int(number) / 1000 + _GRACE)
    except TimeoutError:
        # An engine that has started and hangs may still finish, so the hook does not do the work
        # again. Marked text is the exception: better captured twice than lost.
        return (b"", True) if has_started and not holds else (None, has_started)
    except (OSError, ValueError):
        return None, has_started
    finally:
        engine.close()


def ping(environment: Mapping[str, str], patience: float = FIRST_WORD) -> tuple[int, int] | None:
    """Return the engine's process id and how many events it has served.

    It answers when it has finished its current work. None if there is no engine, or it hangs.
    """
    engine = connect(environment, patience)
    if engine is None:
        return None
    try:
        engine.settimeout(patience)
        engine.sendall(f"{PROTOCOL} {PING} {NO_HOST} 0 0 0\n".encode())
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


def connect(environment: Mapping[str, str], seconds: float = READY) -> socket | None:
    """Connect to the engine of the current project."""
    for path in addresses(environment):
        if not is_private(os.path.dirname(path)):  # noqa: PTH120
            continue
        engine = _connect(path, seconds)
        if engine is not None:
            return engine
    return None


def _connect(path: str, seconds: float) -> socket | None:
    if sys.platform == "win32" or not path.endswith(_SOCKET):
        from recollect.loopback import connect as connect_by_tcp

        return connect_by_tcp(path, seconds)
    import _socket

    engine = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
    try:
        engine.settimeout(seconds)
        engine.connect(path)
    except OSError:
        engine.close()
        return None
    return engine  # type: ignore[return-value, unused-ignore]


def is_private(folder: str) -> bool:
    """Whether a directory exists, is ours, and is closed to everyone else."""
    try:
        found = os.lstat(folder)
    except OSError:
        return False
    if sys.platform == "win32":  # no such permissions: it is in the user's profile
        return found.st_mode & 0o170000 == 0o040000
    return found.st_mode & 0o170077 == 0o040000 and found.st_uid == os.geteuid()


def is_by_tcp(environment: Mapping[str, str]) -> bool:
    """Whether the engine listens on a port: see `recollect.loopback`."""
    return sys.platform == "win32" or environment.get(TRANSPORT, "").strip().lower() == "loopback"


def addresses(environment: Mapping[str, str]) -> Iterator[str]:
    """Return where the engine of the current project may listen; it uses the first that works."""
    project = project_in(environment) or _here()
    key = int.from_bytes(os.fsencode(common_dir(project)), "big") % _PRIME
    ending = _PORT_FILE if is_by_tcp(environment) else _SOCKET
    for folder in _folders(environment):
        path = f"{folder}/{key:016x}{ending}"
        if ending == _PORT_FILE or len(os.fsencode(path)) < _MOST_PATH:
            yield path


def _here() -> str:
    try:
        return os.getcwd()  # noqa: PTH109
    except OSError:
        return "/"


def _folders(environment: Mapping[str, str]) -> Iterator[str]:
    if sys.platform == "win32":
        profile = environment.get("LOCALAPPDATA", "")
        if os.path.isabs(profile):  # noqa: PTH117
            yield f"{profile}/recollect/run"
        return
    runtime = environment.get("XDG_RUNTIME_DIR", "")
    if runtime.startswith("/"):
        yield f"{runtime}/recollect"
    cache = environment.get("XDG_CACHE_HOME") or environment.get("HOME", "") + "/.cache"
    if cache.startswith("/"):
        yield f"{cache}/recollect/run"
    yield f"/tmp/recollect-{os.geteuid()}"  # noqa: S108  (only if it is ours, and private)
