"""Serves an event of a hook: in the engine, or in a child of this process.

An engine that ends between `go` and the reply may have done part of the work. The hook then writes
what the engine left in the spool to the ledger and serves the event itself. That captures nothing
twice. The hook does the same if the engine stops answering an event that holds marked text: the
moment of the event is part of the identity of its memories, so an engine that recovers captures the
same memory again.
"""

from __future__ import annotations

import os
import time

from recollect.hook_client import CLIENT_WAITS, Attempt, ask, asks, print_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from recollect.hooks.received import Received
    from recollect.hooks.supervisor import Relay


def main(arguments: list[str]) -> int:
    """Serve one event, in the engine or in a child of this process; always exit code 0."""
    attempt = Attempt(arguments)
    if attempt.answer is not None:
        print_answer(attempt.answer)
    else:
        serve(attempt)
    return 0


def serve(attempt: Attempt) -> None:
    """Serve an event that the engine did not answer."""
    given = attempt.given
    if given is None:
        from recollect.hooks.runner import main as run

        run(attempt.arguments, attempt.moment)
        return
    from recollect.hooks.supervisor import supervise

    def work(relay: Relay | None) -> None:
        _serve(attempt, given, relay)

    left = max(0.1, CLIENT_WAITS - (time.monotonic() - attempt.start))
    why = supervise(work, print_answer, left)
    if why:
        from recollect.hooks.runner import note_end

        note_end(attempt, why, os.environ)


def _serve(attempt: Attempt, given: bytes, relay: Relay | None) -> None:
    """Serve the event in this process, unless the engine does after the stash is written."""
    from recollect.core.patterns import pattern
    from recollect.quick_import import lighten, postpone_expressions

    postpone_expressions(pattern)
    lighten()
    received: Received | None = None
    event, moment, was_taken = attempt.event, attempt.moment, attempt.was_taken
    if not was_taken and asks(event, given):
        from recollect.hooks.stash import stash

        received = stash(event, moment, given, os.environ, relay, host=attempt.host)
        holds = received is None or bool(received.marked)
        answer, was_taken = ask(event, moment, given, os.environ, host=attempt.host, holds=holds)
        if answer is not None:
            (print_answer if relay is None else relay.write)(answer)
            return
    from recollect.hooks.runner import main as run

    run(
        attempt.arguments,
        moment,
        given,
        received=received,
        again=was_taken,
        relay=relay,
        spent=time.monotonic() - attempt.start,
    )
