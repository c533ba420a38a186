"""Runs `recollect hook EVENT`: reads one event from stdin and writes the reply to stdout.

This is the outermost boundary. Whatever happens inside, the agent gets one JSON object or nothing,
on time, and exit code 0. A cold hook loads this module first, so it imports little.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from contextlib import suppress

from recollect.hook_client import CLIENT_WAITS, MOST_INPUT, asks, existing
from recollect.hooks.deadline import (
    CAPTURE_SECONDS,
    CAPTURE_SECONDS_AGAIN,
    Deadline,
    note_cut,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Protocol

    from recollect.config.config import Config
    from recollect.hook_client import Attempt
    from recollect.hooks.deadline import Output
    from recollect.hooks.received import Received
    from recollect.hooks.session import HookSession
    from recollect.hooks.supervisor import Relay
    from recollect.hosts.protocol import Event

    class OpenSessions(Protocol):
        """Hook sessions whose stores a long-lived process keeps open between events."""

        def open_session(
            self, event: Event, config: Config, environment: Mapping[str, str], /
        ) -> HookSession:
            """Open the hook session of an event. Return it with `release`."""

        def release(self, session: HookSession, /) -> None:
            """Take a hook session back after its event."""


# Deadline in seconds until the configuration is read.
_STARTUP_DEADLINE = 3.0
_LONGEST = 60.0
# How many changed notes the index can read for each second of the deadline.
_CHANGES_PER_SECOND = 1500


def main(
    arguments: list[str],
    moment: int,
    given: bytes | None = None,
    *,
    received: Received | None = None,
    again: bool = False,
    relay: Relay | None = None,
    spent: float = 0.0,
) -> int:
    """Serve one event; always exit code 0.

    `given` is the input if it is already read, `received` the event if it is already parsed, and
    `spent` the seconds since the hook was called. `again` means that an engine may have done part
    of the work. With a `relay`, this process is a child and its parent waits for it.
    """
    from recollect.hosts.protocol import EVENTS

    name, named = [*arguments, "", ""][:2]
    if name in ("-h", "--help") or name not in EVENTS:
        sys.stderr.write(
            "Usage: recollect hook EVENT [AGENT] < hook.json\n\nServes one event of an agent: "
            + ", ".join(EVENTS)
            + "\nThe plugin calls this command; see recollect install --help\n"
        )
        return 0
    output: Output
    if relay is not None:
        output = relay
    else:
        output = open(os.devnull, "wb") if sys.stdout is None else sys.stdout.buffer  # noqa: PTH123, SIM115
    deadline = Deadline(name, output, relay)
    deadline.asks = relay is not None and relay.is_ready  # the stash has it
    left = max(0.1, CLIENT_WAITS - spent)
    deadline.capture_seconds = min(CAPTURE_SECONDS_AGAIN if again else CAPTURE_SECONDS, left)
    deadline.set(min(_STARTUP_DEADLINE, left))
    try:
        if given is None:
            given = sys.stdin.buffer.read(MOST_INPUT)
            if asks(name, given):
                from recollect.hooks.stash import stash

                received = stash(name, moment, given, os.environ, host=named)
        if received is None:
            from recollect.hooks.received import receive

            received = receive(name, given, os.environ, named)
        serve(received, os.environ, deadline, moment=moment, again=again)
    except BaseException as error:
        if not deadline.is_over:
            note(name, error, os.environ)
    deadline.say("")
    from recollect.core.patterns import keep_compiled

    keep_compiled()
    return 0


def serve(
    received: Received,
    environment: Mapping[str, str],
    deadline: Deadline,
    *,
    moment: int,
    pool: OpenSessions | None = None,
    again: bool = False,
) -> None:
    """Run the pipeline of an event and print the reply.

    The engine passes its `pool` of open stores. Without one, the stores are opened and closed here.
    """
    from recollect.config.config import data_dir
    from recollect.core.marks import MARKER, REQUESTED

    host, event = received.host, received.event
    name = event.name
    deadline.host = host
    if event.ignored:
        if event.asked:
            from recollect.capture.vouching import note_request

            place = existing(event.directory, environment)
            note_request(event._replace(directory=place, moment=moment), environment)
        return
    deadline.folder = str(data_dir(environment))
    from recollect.hooks.opening import open_session, read_config
    from recollect.hosts.protocol import SESSION_START, TOOL_PRE, WRITES, Reply
    from recollect.redact.gate import clean_event

    place = existing(event.directory, environment)
    event = deadline.event = event._replace(directory=place, moment=moment)
    config = received.config or read_config(event, environment)
    if name == TOOL_PRE:  # before every write of a file, so the answer must be fast
        from recollect.mirror.guard import touches_mirror

        if event.action not in WRITES or not touches_mirror(config, event.files, event.directory):
            return
    event = clean_event(event, config)
    from recollect.errors import RecollectError
    from recollect.hooks.pipeline import Work, run
    from recollect.hooks.pipelines import LATE, PIPELINES, UNHURRIED, WHEN_OFF
    from recollect.state.database import BROKEN
    from recollect.state.sessions import Trace

    key = "hook.session_deadline" if name in UNHURRIED else "hook.deadline"
    seconds = min(config.number(key) / 1000, _LONGEST)
    marked, forgets = received.marked or (), False
    if asks(name, event.text.encode("utf-8", "replace")):  # else nothing is imported
        from recollect.hooks.marking import all_marked_in, forgets_kept

        marked = all_marked_in(event) if received.marked is None else marked
        forgets = forgets_kept(event)
    received = received._replace(marked=marked)
    wishes = any(item.via == REQUESTED and item.content for item in marked)
    is_asked = deadline.asks = wishes or MARKER in event.text.lower()
    deadline.set(max(seconds, deadline.capture_seconds if is_asked or forgets else 0.0))
    deadline.ready()
    try:
        opened = open_session if pool is None else pool.open_session
        session = opened(event, config, environment)
    except RecollectError as error:
        if is_asked:
            reply = Reply()
            reply.alarm.append(f"Recollect: this was NOT saved. {error.message} {error.hint}")
            deadline.say(host.write_reply(name, reply))
        raise
    try:
        for store in session.stores:
            store.indexing.most_changes = int(seconds * _CHANGES_PER_SECOND)
            store.indexing.look(once=True)
        if again:
            session.flush_spool()  # first write what the engine left in the spool
        work = Work(event, session, received)
        deadline.reply, deadline.work = work.reply, work

        def take_time() -> bool:
            if not deadline.is_over:
                deadline.asks = True
                deadline.set(max(seconds, deadline.capture_seconds))
            return not deadline.is_over

        work.take_time = take_time
        off = next((key for key in _switches(name) if not config.flag(key)), "")
        if off:
            work.note("switched off", reason=f"{off} is off")
        for part in WHEN_OFF.get(name, ()) if off else PIPELINES[name]:
            run((part,), work)
            deadline.ready()
        behind = sum(store.indexing.behind for store in session.stores)
        if behind:
            work.note("behind", changes=behind)
            if name == SESSION_START:
                work.reply.notice.append(
                    f"Recollect: {behind} changes are not in the index yet, too many for a hook."
                    " Update the index with: recollect reindex"
                )
        deadline.say(host.write_reply(name, work.reply))
        for store in session.stores:
            store.indexing.look(once=False)

        def save_trace(steps: list[dict[str, Any]]) -> None:
            milliseconds = round(deadline.milliseconds(), 1)
            try:
                session.store.local.sessions.trace(
                    Trace(session.now(), event.session, name, milliseconds, steps, event.host)
                )
            except BROKEN:
                session.store.local.replace_broken()

        # Late stages may be cut off, so save the trace of the reply first.
        save_trace(work.tell())
        run(() if off else LATE.get(name, ()), work)
        if work.untold:
            save_trace(work.tell())
        deadline.is_done = True
        for failure in () if deadline.is_over else work.failures:
            note(name, failure, environment)
    finally:
        for store in session.stores:
            store.has_deadline = False
            if pool is None:
                store.close()
        if pool is not None:
            pool.release(session)


def _switches(name: str) -> tuple[str, str]:
    """Return the keys that turn an event off."""
    return "hook.enabled", f"hook.{name}.enabled"


def note(name: str, error: BaseException, environment: Mapping[str, str]) -> None:
    """Record a failure for `recollect doctor`."""
    from recollect.config.config import data_dir
    from recollect.state.failures import describe, note_failure

    with suppress(Exception):  # there is nowhere left to report it
        note_failure(data_dir(environment), name, describe(error))


def note_end(attempt: Attempt, why: str, environment: Mapping[str, str]) -> None:
    """Record that the process which served an event was ended."""
    from recollect.config.config import data_dir
    from recollect.hooks.received import receive
    from recollect.state.failures import note_failure
    from recollect.state.unfinished import ENDED, RAN_OUT

    spent = time.monotonic() - attempt.start
    with suppress(Exception):
        note_failure(data_dir(environment), attempt.event, {"error": why})
        event = receive(attempt.event, attempt.given or b"", environment, attempt.host).event
        place = existing(event.directory, environment)
        step = {"what": RAN_OUT} if why == "Deadline" else {"what": ENDED, "reason": why}
        note_cut(event._replace(directory=place, moment=attempt.moment), [step], spent * 1000)
