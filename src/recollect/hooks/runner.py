"""Runs `recollect hook EVENT`: reads one event from stdin and writes the reply to stdout.

This is the outermost boundary. Whatever happens inside, the agent gets one JSON object or nothing,
on time, and exit code 0. A cold hook loads this module first, so it imports little.
"""

from __future__ import annotations

import gc
import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from recollect.hooks.input import CLIENT_WAITS, IN_DOUBT, MOST_INPUT, asks, existing

if TYPE_CHECKING:
    from recollect.capture.markers import Marked
    from recollect.config.config import Config
    from recollect.hooks.pipeline import Work
    from recollect.hooks.received import Received
    from recollect.hooks.session import HookSession
    from recollect.hooks.supervisor import Relay
    from recollect.hosts.protocol import Event, Host, Reply

# Deadline in seconds until the configuration is read.
_STARTUP_DEADLINE = 3.0
# Seconds to capture marked text, even on a busy machine. The agent waits 5 seconds for a hook, and
# an engine that stopped answering may have used some of them.
_CAPTURE_SECONDS, _CAPTURE_SECONDS_AGAIN = 4.0, 2.0
_LONGEST = 60.0
# How many changed notes the index can read for each second of the deadline.
_CHANGES_PER_SECOND = 1500
# Objects until a cold hook looks for cyclic garbage. An event makes about 30,000, nearly all of
# them modules and classes that stay, so that Python's own 700 means some 40 searches for nothing.
_OBJECTS_PER_SEARCH = 100_000


class OpenSessions(Protocol):
    """Hook sessions whose stores a long-lived process keeps open between events."""

    def open_session(
        self, event: Event, config: Config, environment: Mapping[str, str], /
    ) -> HookSession:
        """Open the hook session of an event. Return it with `release`."""

    def release(self, session: HookSession, /) -> None:
        """Take a hook session back after its event."""


class Output(Protocol):
    """Where the reply goes."""

    def write(self, answer: bytes, /) -> object:
        """Write the reply."""

    def flush(self) -> None:
        """Make sure that the reply is sent."""


class Deadline:
    """Ends the process when its time is up, with the reply as it is by then."""

    def __init__(self, name: str, output: Output, relay: Relay | None = None) -> None:
        self._name = name
        self._output = output
        self._relay = relay
        self._lock = threading.Lock()
        self._is_answered = False
        self._timer: threading.Timer | None = None
        self._start = time.monotonic()
        self.is_over = False
        self.reply: Reply | None = None
        self.host: Host | None = None
        self.folder: str | None = None
        # The event and its work, to note what was left undone.
        self.event: Event | None = None
        self.work: Work | None = None
        self.is_done = False
        # Whether the event holds marked text: the user must know if it may not be captured.
        self.asks = False
        # How long capturing marked text may take if the deadline is shorter.
        self.capture_seconds = _CAPTURE_SECONDS

    def set(self, seconds: float) -> None:
        """Set the deadline, in seconds since the start."""
        if self._timer is not None:
            self._timer.cancel()
        left = max(0.001, self._start + seconds - time.monotonic())
        if self._relay is not None:
            self._relay.wait(left)
        self._timer = threading.Timer(left, self._over)
        self._timer.daemon = True
        self._timer.start()

    def milliseconds(self) -> float:
        """How long the event has taken so far."""
        return (time.monotonic() - self._start) * 1000

    def say(self, text: str) -> bool:
        """Print the reply, once and complete. Return whether this call printed it."""
        with self._lock:
            if self._is_answered:
                return False
            self._is_answered = True
            if text or self._relay is not None:
                self._output.write(text.encode("ascii"))
                self._output.flush()
            return True

    def ready(self) -> None:
        """Give the parent the reply so far, in case this process gets no further."""
        if self._relay is None or self._is_answered:
            return
        self._relay.ready(self._render().encode("ascii"))

    def _render(self) -> str:
        """Format the reply so far for the host."""
        from recollect.hosts.registry import host_of

        return (self.host or host_of({}, {})).write_reply(self._name, self._so_far())

    def _so_far(self) -> Reply:
        """Return the reply so far, with a warning if marked text may not be captured."""
        from recollect.hosts.protocol import Reply

        reply = self.reply or Reply()
        if not self.asks or reply.notice or reply.alarm:
            return reply
        doubted = Reply()
        vars(doubted).update(vars(reply), alarm=[IN_DOUBT])
        return doubted

    def _over(self) -> None:
        from pathlib import Path

        from recollect.state.failures import note_failure
        from recollect.state.unfinished import RAN_OUT

        try:
            self.is_over = True
            is_cut = self.say(self._render())
            if is_cut and self.folder is not None:
                note_failure(Path(self.folder), self._name, {"error": "Deadline"})
            if self.event is not None and not self.is_done:
                during = "" if self.work is None else self.work.stage
                step = {"what": RAN_OUT, "during": during or "opening the store"}
                if not is_cut:
                    step["reason"] = "after the reply"
                done = [] if self.work is None else self.work.untold
                note_cut(self.event, [*done, step], self.milliseconds())
        finally:
            self._end()

    def _end(self) -> None:
        from recollect.ledger.git import kill_running

        try:
            kill_running()
        finally:
            os._exit(0)


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
    gc.set_threshold(_OBJECTS_PER_SEARCH)  # before the imports, which make most of the objects
    from recollect.hosts.protocol import EVENTS

    name = arguments[0] if arguments else ""
    if name in ("-h", "--help") or name not in EVENTS:
        sys.stderr.write(
            "Usage: recollect hook EVENT < hook.json\n\nServes one event of an agent: "
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
    deadline.capture_seconds = min(_CAPTURE_SECONDS_AGAIN if again else _CAPTURE_SECONDS, left)
    deadline.set(min(_STARTUP_DEADLINE, left))
    try:
        if given is None:
            given = sys.stdin.buffer.read(MOST_INPUT)
            if asks(name, given):
                from recollect.hooks.stash import stash

                received = stash(name, moment, given, os.environ)
        if received is None:
            from recollect.hooks.received import receive

            received = receive(name, given, os.environ)
        serve(received, os.environ, deadline, moment=moment, again=again)
    except BaseException as error:
        if not deadline.is_over:
            note(name, error, os.environ)
    deadline.say("")
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
    from recollect.errors import RecollectError
    from recollect.hooks.opening import open_session, read_config
    from recollect.hooks.pipeline import Work, run
    from recollect.hooks.pipelines import LATE, PIPELINES, UNHURRIED
    from recollect.hosts.protocol import SESSION_START, Reply
    from recollect.redact.gate import clean_event
    from recollect.state.database import BROKEN
    from recollect.state.sessions import Trace

    place = existing(event.directory, environment)
    event = deadline.event = event._replace(directory=place, moment=moment)
    config = received.config or read_config(event, environment)
    event = clean_event(event, config)
    key = "hook.session_deadline" if name in UNHURRIED else "hook.deadline"
    seconds = min(config.number(key) / 1000, _LONGEST)
    if received.marked is None:
        received = received._replace(marked=_marked_in(event))
    wishes = any(item.via == REQUESTED and item.content for item in received.marked or ())
    is_asked = deadline.asks = wishes or MARKER in event.text.lower()
    deadline.set(max(seconds, deadline.capture_seconds if is_asked else 0.0))
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
        if again:
            session.flush_spool()  # first write what the engine left in the spool
        work = Work(event, session, received)
        deadline.reply, deadline.work = work.reply, work
        for part in PIPELINES[name]:
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

        def save_trace(steps: list[dict[str, Any]]) -> None:
            milliseconds = round(deadline.milliseconds(), 1)
            try:
                session.store.local.sessions.trace(
                    Trace(session.now(), event.session, name, milliseconds, steps)
                )
            except BROKEN:
                session.store.local.replace_broken()

        # Late stages may be cut off, so save the trace of the reply first.
        save_trace(work.tell())
        run(LATE.get(name, ()), work)
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


def _marked_in(event: Event) -> Sequence[Marked]:
    """Return what an event asks to keep, without importing anything for one that asks nothing."""
    if not asks(event.name, event.text.encode("utf-8", "replace")):
        return ()
    from recollect.hooks.marking import all_marked_in

    return all_marked_in(event)


def note(name: str, error: BaseException, environment: Mapping[str, str]) -> None:
    """Record a failure for `recollect doctor`."""
    from recollect.config.config import data_dir
    from recollect.state.failures import describe, note_failure

    with suppress(Exception):  # there is nowhere left to report it
        note_failure(data_dir(environment), name, describe(error))


def note_end(
    name: str, why: str, environment: Mapping[str, str], given: bytes, moment: int, spent: float
) -> None:
    """Record that the process which served an event was ended, after so many seconds."""
    from recollect.config.config import data_dir
    from recollect.hooks.received import receive
    from recollect.state.failures import note_failure
    from recollect.state.unfinished import ENDED, RAN_OUT

    with suppress(Exception):
        note_failure(data_dir(environment), name, {"error": why})
        event = receive(name, given, environment).event
        place = existing(event.directory, environment)
        step = {"what": RAN_OUT} if why == "Deadline" else {"what": ENDED, "reason": why}
        note_cut(event._replace(directory=place, moment=moment), [step], spent * 1000)


def note_cut(event: Event, steps: Sequence[Mapping[str, Any]], milliseconds: float) -> None:
    """Record for `recollect why` that an event was ended before it was done."""
    from recollect.config.locate import git_state
    from recollect.state.sessions import Trace
    from recollect.state.unfinished import note_unfinished

    folder = git_state(event.directory)
    if folder is not None and not event.ignored:  # outside a repository, only `doctor` tells
        at, taken = event.moment / 1000, round(milliseconds, 1)
        note_unfinished(folder, Trace(at, event.session, event.name, taken, list(steps)))
