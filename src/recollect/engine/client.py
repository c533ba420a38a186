r"""Asks the warm engine to serve an event, before the hook imports anything else.

The engine is the agent's own MCP server, `recollect mcp`, which listens on a Unix socket in a
private directory. If there is no engine, or it is busy, slow or of another version, the hook serves
the event itself. The protocol makes sure that an event is served once:

    hook    recollect 2 VERSION EVENT MOMENT BYTES BYTES\n, its environment, its input
    engine  ready\n if it can serve the event, which it has not started; anything else declines
    hook    go\n, and then it waits; without `go` the engine drops the event
    engine  wait MILLISECONDS\n any number of times, then say BYTES\n and the reply

An engine that ends between `go` and the reply may have done part of the work. The hook then writes
what the engine left in the spool to the ledger and serves the event itself. That captures nothing
twice. The hook does the same if the engine stops answering an event that holds marked text: the
moment of the event is part of the identity of its memories, so an engine that recovers captures the
same memory again.
"""

from __future__ import annotations

import os
import sys
import time

from recollect.hooks.input import CLIENT_WAITS, MOST_INPUT, asks
from recollect.hosts.environment import FORWARDED
from recollect.state.engine_socket import FIRST_WORD, PROTOCOL, Lines, connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

    from recollect.hooks.received import Received
    from recollect.hooks.supervisor import Relay

_GRACE = 0.5  # seconds that a hook waits beyond what the engine asks for
_INPUT_SECONDS = 3.0  # how long the agent may take to write the input
_OFF = ("0", "false", "no", "off")
# Environment variables that change how a hook works. The client sends them to the engine.
PREFIXES = ("RECOLLECT_", "GIT_", "XDG_")
NAMES = ("HOME", "PATH", "LOCALAPPDATA", "APPDATA")


def main(arguments: list[str]) -> int:
    """Serve one event, in the engine or in a child of this process; always exit code 0."""
    start, moment = time.monotonic(), time.time_ns() // 1_000_000
    if len(arguments) != 1 or os.name != "posix" or sys.stdin is None:
        from recollect.hooks.runner import main as serve

        return serve(arguments, moment)
    given, was_taken = _read_input(), False
    if not asks(arguments[0], given):  # with marked text, the slower stash comes first
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

        note_end(arguments[0], why, os.environ, given, moment, time.monotonic() - start)
    return 0


def leave(code: int) -> NoReturn:
    """Exit. If another process did the work, at once: there is nothing to tidy up here."""
    if "recollect.hooks.runner" in sys.modules:
        sys.exit(code)
    os._exit(code)  # Python's own way takes as long as a tenth of a bare interpreter


def _serve(
    arguments: list[str],
    moment: int,
    given: bytes,
    start: float,
    relay: Relay | None,
    *,
    was_taken: bool,
) -> None:
    """Serve the event in this process, unless the engine does after the stash is written."""
    received: Received | None = None
    if not was_taken and asks(arguments[0], given):
        from recollect.hooks.stash import stash

        received = stash(arguments[0], moment, given, os.environ, relay)
        holds = received is None or bool(received.marked)
        answer, was_taken = ask(arguments[0], moment, given, os.environ, holds=holds)
        if answer is not None:
            (_print if relay is None else relay.write)(answer)
            return
    from recollect.hooks.runner import main as serve

    spent = time.monotonic() - start
    serve(
        arguments,
        moment,
        given,
        received=received,
        again=was_taken,
        relay=relay,
        spent=spent,
    )


def _read_input() -> bytes:
    """Read stdin. If it does not end in time, return what has arrived."""
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


def _print(answer: bytes) -> None:
    while answer:
        try:
            answer = answer[os.write(1, answer) :]
        except OSError:
            return  # nobody reads it


def ask(
    event: str,
    moment: int,
    given: bytes,
    environment: Mapping[str, str],
    *,
    holds: bool = False,
) -> tuple[bytes | None, bool]:
    """Return the engine's reply, or None if the hook must serve; and whether the engine started.

    `holds` says that the event holds text that somebody asked to keep.
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
        head = f"{PROTOCOL} {event} {moment} {len(settings)} {len(given)}\n".encode()
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
