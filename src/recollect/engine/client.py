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

from recollect.hooks.input import CLIENT_WAITS, MOST_INPUT, asks
from recollect.hosts.environment import PROJECT_VARIABLE
from recollect.state.engine_socket import FIRST_WORD, PROTOCOL, Lines, connect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.hooks.supervisor import Relay

_GRACE = 0.5  # seconds that a hook waits longer than the engine asks for
_INPUT = 3.0  # seconds in which the agent hands over the input
_OFF = ("0", "false", "no", "off")
# What may change how a hook works.
PREFIXES = ("RECOLLECT_", "GIT_", "XDG_")
NAMES = ("HOME", "PATH", "LOCALAPPDATA", "APPDATA")
_OF_THE_AGENT = (PROJECT_VARIABLE, "CURSOR_VERSION")


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
        from recollect.hooks.stash import stash

        stash(arguments[0], moment, given, os.environ, relay)
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
        heard = Lines(engine)
        if heard.line() != b"ready":
            return None, False
        engine.settimeout(FIRST_WORD)
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
