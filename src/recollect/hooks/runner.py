"""`recollect hook EVENT`: one event of an agent, from its stdin to its stdout.

This is the outermost boundary: whatever happens in here, the agent sees one JSON object or nothing,
in time, and exit code 0. It is imported before anything else, so it imports little.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

from recollect.hooks.input import CLIENT_WAITS, IN_DOUBT, MOST_INPUT, asks, existing

if TYPE_CHECKING:
    from recollect.config.config import Config
    from recollect.hooks.session import HookSession
    from recollect.hooks.supervisor import Relay
    from recollect.hosts.protocol import Event, Host, Reply

# Events at which nobody waits for the next word.
_SESSION_EVENTS = ("session-start", "session-end", "stop", "pre-compact")
# Seconds until the configuration is known.
_PATIENCE = 3.0
# What somebody asks to keep is kept, also on a machine that is busy. The client waits for 5, and an
# engine that fell silent may have taken some of that.
_TO_KEEP, _TO_KEEP_AGAIN = 4.0, 2.0
_LONGEST = 60.0
# How many changed notes there is time to take in, for each second of the deadline.
_CHANGES_PER_SECOND = 1500


class OpenSessions(Protocol):
    """Sessions that a long-lived process keeps open between events."""

    def open_session(
        self, event: Event, config: Config, environment: Mapping[str, str], /
    ) -> HookSession:
        """The session of an event; `release` gives it back."""

    def release(self, session: HookSession, /) -> None:
        """Note the state in which an event leaves what it used."""


class Output(Protocol):
    """Where an answer goes."""

    def write(self, answer: bytes, /) -> object:
        """Give it."""

    def flush(self) -> None:
        """See that it has been given."""


class Deadline:
    """Ends the process when its time is over, with what there is to say by then."""

    def __init__(self, name: str, output: Output, relay: Relay | None = None) -> None:
        self._name = name
        self._output = output
        self._relay = relay
        self._lock = threading.Lock()
        self._said = False
        self._timer: threading.Timer | None = None
        self._start = time.monotonic()
        self.is_over = False
        self.reply: Reply | None = None
        self.host: Host | None = None
        self.folder: str | None = None
        # Whether somebody asked to keep something, who must be told if that is in doubt.
        self.asks = False
        # Seconds that there are for that, where the deadline is shorter.
        self.to_keep = _TO_KEEP

    def set(self, seconds: float) -> None:
        """Let the time be over so many seconds after the beginning."""
        if self._timer is not None:
            self._timer.cancel()
        left = max(0.001, self._start + seconds - time.monotonic())
        if self._relay is not None:
            self._relay.wait(left)
        self._timer = threading.Timer(left, self._over)
        self._timer.daemon = True
        self._timer.start()

    def milliseconds(self) -> float:
        """How long it has taken so far."""
        return (time.monotonic() - self._start) * 1000

    def say(self, text: str) -> bool:
        """Print the answer, once, whole; whether this was the time."""
        with self._lock:
            if self._said:
                return False
            self._said = True
            if text or self._relay is not None:
                self._output.write(text.encode("ascii"))
                self._output.flush()
            return True

    def ready(self) -> None:
        """Have what there is to say by now said, should this process not get any further."""
        if self._relay is None or self._said:
            return
        self._relay.ready(self._render().encode("ascii"))

    def _render(self) -> str:
        """What there is to say by now, as the host reads it."""
        from recollect.hosts.registry import host_of

        return (self.host or host_of({}, {})).write_reply(self._name, self._so_far())

    def _so_far(self) -> Reply:
        """What there is to say; who asked to keep something is told if that is in doubt."""
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

        try:
            self.is_over = True
            if self.say(self._render()) and self.folder is not None:
                note_failure(Path(self.folder), self._name, {"error": "Deadline"})
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
    again: bool = False,
    relay: Relay | None = None,
    spent: float = 0.0,
) -> int:
    """Serve one event; always exit code 0.

    `given` is the input where it has been read, `spent` the seconds since the hook was called, and
    `again` says that an engine may have done a part. With a `relay`, this is the child of a process
    that waits for it.
    """
    from recollect.hosts.protocol import EVENTS

    name = arguments[0] if arguments else ""
    if name in ("-h", "--help") or name not in EVENTS:
        sys.stderr.write(
            "Usage: recollect hook EVENT < hook.json\n\nServes an event of an agent: "
            + ", ".join(EVENTS)
            + "\nIt is called by the plugin; see recollect install --help\n"
        )
        return 0
    output: Output
    if relay is not None:
        output = relay
    else:
        output = open(os.devnull, "wb") if sys.stdout is None else sys.stdout.buffer  # noqa: PTH123, SIM115
    deadline = Deadline(name, output, relay)
    deadline.asks = relay is not None and relay.is_ready  # it was put aside
    left = max(0.1, CLIENT_WAITS - spent)
    deadline.to_keep = min(_TO_KEEP_AGAIN if again else _TO_KEEP, left)
    deadline.set(min(_PATIENCE, left))
    try:
        if given is None:
            given = sys.stdin.buffer.read(MOST_INPUT)
            if asks(given):
                from recollect.hooks.stash import stash

                stash(name, moment, given, os.environ)
        payload = json.loads(given)
        payload = payload if isinstance(payload, dict) else {}
        serve(name, payload, os.environ, deadline, moment=moment, again=again)
    except BaseException as error:
        if not deadline.is_over:
            note(name, error, os.environ)
    deadline.say("")
    return 0


def serve(
    name: str,
    payload: Mapping[str, object],
    environment: Mapping[str, str],
    deadline: Deadline,
    *,
    moment: int,
    pool: OpenSessions | None = None,
    again: bool = False,
) -> None:
    """Run the pipeline of an event and print what it has to say.

    The engine calls it with its `pool`, which stay open; a hook opens and closes its own.
    """
    from recollect.config.config import data_dir
    from recollect.core.marks import MARKER
    from recollect.hosts.registry import host_of

    host = deadline.host = host_of(payload, environment)
    event = host.read_event(name, payload, environment)._replace(host=host.NAME)
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
    from recollect.hooks.pipelines import LATE, PIPELINES
    from recollect.hosts.protocol import Reply
    from recollect.redact.gate import clean_event
    from recollect.state.database import BROKEN
    from recollect.state.sessions import Trace

    place = existing(event.directory, environment)
    event = event._replace(directory=place, moment=moment)
    config = read_config(event, environment)
    event = clean_event(event, config)
    seconds = min(config.number(_deadline_key(name)) / 1000, _LONGEST)
    is_asked = deadline.asks = MARKER in event.text.lower()
    deadline.set(max(seconds, deadline.to_keep if is_asked else 0.0))
    deadline.ready()
    try:
        opened = open_session if pool is None else pool.open_session
        session = opened(event, config, environment)
    except RecollectError as error:
        if is_asked:
            reply = Reply()
            reply.alarm.append(f"Recollect: this was NOT kept. {error.message} {error.hint}")
            deadline.say(host.write_reply(name, reply))
        raise
    try:
        for store in session.stores:
            store.indexing.most_changes = int(seconds * _CHANGES_PER_SECOND)
        if again:
            session.drain()  # what the engine left in the spool must be known first
        work = Work(event, session)
        deadline.reply = work.reply
        for part in PIPELINES[name]:
            run((part,), work)
            deadline.ready()
        behind = sum(store.indexing.behind for store in session.stores)
        if behind:
            work.note("behind", changes=behind)
            if name == "session-start":
                work.reply.notice.append(
                    f"Recollect: {behind} changes are not in the index yet, too many for a hook."
                    " Take them in with: recollect reindex"
                )
        deadline.say(host.write_reply(name, work.reply))

        def keep_trace(steps: list[dict[str, Any]]) -> None:
            milliseconds = round(deadline.milliseconds(), 1)
            try:
                session.store.local.sessions.trace(
                    Trace(session.now(), event.session, name, milliseconds, steps)
                )
            except BROKEN:
                session.store.local.replace_broken()

        # What comes late may be cut off, so what was said is traced before.
        keep_trace(work.trace)
        traced = len(work.trace)
        run(LATE.get(name, ()), work)
        if work.trace[traced:]:
            keep_trace(work.trace[traced:])
        for failure in () if deadline.is_over else work.failures:
            note(name, failure, environment)
    finally:
        for store in session.stores:
            store.has_deadline = False
            if pool is None:
                store.close()
        if pool is not None:
            pool.release(session)


def _deadline_key(name: str) -> str:
    return "hook.session_deadline" if name in _SESSION_EVENTS else "hook.deadline"


def note(name: str, error: BaseException, environment: Mapping[str, str]) -> None:
    """Keep a failure where `recollect doctor` finds it."""
    from recollect.config.config import data_dir
    from recollect.state.failures import describe, note_failure

    with suppress(Exception):  # there is nowhere left to tell
        note_failure(data_dir(environment), name, describe(error))


def note_end(name: str, why: str, environment: Mapping[str, str]) -> None:
    """Keep that the process which served an event was ended."""
    from recollect.config.config import data_dir
    from recollect.state.failures import note_failure

    with suppress(Exception):
        note_failure(data_dir(environment), name, {"error": why})
