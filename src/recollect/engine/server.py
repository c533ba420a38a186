"""The warm engine: stores that stay open, used by one request at a time.

A request is a tool call or an event of a hook. Background work uses its own stores, so it never
blocks a request.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from recollect.config.config import Config, load_config, without_files
from recollect.core.capabilities import MCP, SURFACES
from recollect.engine.stores import StorePool, Stores
from recollect.errors import BadConfig
from recollect.hook_client import PING, PREFIXES
from recollect.hooks.deadline import Deadline
from recollect.hooks.received import receive
from recollect.hooks.runner import note, serve
from recollect.hosts.environment import PREFIXES as HOST_PREFIXES
from recollect.hosts.environment import PROJECT_VARIABLES
from recollect.hosts.protocol import PROMPT
from recollect.ledger.git import kill_running

if TYPE_CHECKING:
    from recollect.embedding import Embedder
    from recollect.engine.listener import Call, Listener

T = TypeVar("T")
# Seconds that an event may wait for its turn: less than the hook waits for the engine.
_TURN = 0.02
_RELEASE_SECONDS = 5.0
_HOOK_PREFIXES = (*PREFIXES, *HOST_PREFIXES)
_KILL_AGAIN = 0.05
# Seconds between two messages to a hook that waits long.
_BEAT = 0.5
# Seconds that a prompt may wait while the model loads: without it, wishes in free words are missed.
_MODEL_WAIT = 0.25


class Engine:
    """Serves tool calls and hooks for as long as the agent runs."""

    def __init__(self, directory: Path, environment: Mapping[str, str]) -> None:
        self.directory = directory
        # What the agent may do with its tools.
        self.allowed = SURFACES[MCP]
        # The agent, if it is known: the provenance of what its tools store names it.
        self.host = ""
        # Hooks find the engine by the directory of the project.
        self.environment = {**environment, PROJECT_VARIABLES[0]: str(directory)}
        self.pool = StorePool()
        self._embedder: Embedder | None = None
        self._has_tried_model = threading.Event()
        self._lock = threading.Lock()
        self._listener_lock = threading.Lock()
        self._listener: Listener | None = None
        self.last_request = time.monotonic()
        self.is_stopped = threading.Event()
        self.served = 0  # number of events served
        self.is_up = (
            threading.Event()
        )  # set once the agent can call tools: background work may start

    def config(self) -> Config:
        """Read the configuration as it is now."""
        try:
            return load_config(self.directory, self.environment)
        except BadConfig as error:
            return without_files(error.message, self.environment)

    @property
    def is_listening(self) -> bool:
        """Whether hooks can reach this engine."""
        return self._listener is not None

    @property
    def is_serving(self) -> bool:
        """Whether a request has its turn."""
        return self._lock.locked()

    def listen(self) -> None:
        """Start listening for hooks, unless another engine of this repository does."""
        with self._listener_lock:
            if self._listener is None and not self.is_stopped.is_set():
                from recollect.engine.listener import Listener

                self._listener = Listener.open(self.environment, self._serve_hook)

    def release(self) -> None:
        """Stop listening and close the stores. The next tool call opens them again."""
        with self._listener_lock:
            listener, self._listener = self._listener, None
            if listener is not None:
                listener.close()
        if self._lock.acquire(timeout=_RELEASE_SECONDS):
            try:
                self.pool.close()
                self._embedder = None
                self.pool.share_embedder(None)
            finally:
                self._lock.release()

    def stop(self) -> None:
        """Finish the current request, stop listening and close the stores."""
        self.is_stopped.set()
        self.release()

    def with_stores(self, job: Callable[[Stores], T]) -> T:
        """Run a job on the stores of the project, after the requests before it."""
        with self._turn(-1):
            stores = self.pool.open_stores(self.directory, self.config(), self.environment)
            stores.store.allowed = self.allowed
            stores.store.host = self.host
            try:
                return job(stores)
            finally:
                stores.store.host = ""  # hooks of other agents use the same store
                self.pool.record_state()

    @contextmanager
    def _turn(self, seconds: float) -> Iterator[bool]:
        acquired = self._lock.acquire(timeout=seconds)
        self.last_request = time.monotonic()
        try:
            yield acquired
        finally:
            if acquired:
                self._lock.release()

    def share_embedder(self, embedder: Embedder | None) -> None:
        """Let searches also go by meaning; None if there is no model."""
        self._embedder = embedder
        self._has_tried_model.set()
        with self._lock:
            self.pool.share_embedder(embedder)

    def _await_model(self) -> None:
        """Wait shortly for the model if it is loading: somebody typed at once."""
        if self.is_up.is_set() and not self._has_tried_model.is_set():
            self._has_tried_model.wait(_MODEL_WAIT)
            if self._embedder is not None:
                self.pool.share_embedder(self._embedder)  # this request has the turn

    # Hooks

    def _serve_hook(self, call: Call) -> None:
        """Serve one event of a hook."""
        if call.event == PING:
            with self._lock:
                call.send_line(f"here {os.getpid()} {self.served}")
            return
        environment = self._hook_environment(call.settings)
        if environment is None:
            call.send_line("no")
            return
        received = receive(call.event, call.given, environment, call.host)
        if not os.path.isabs(received.event.directory):  # noqa: PTH117
            call.send_line("no")  # only the hook knows what the path is relative to
            return
        with self._turn(_TURN) as acquired:
            if not acquired or self.is_stopped.is_set():
                call.send_line("busy")
            elif call.accept():
                if call.event == PROMPT:
                    self._await_model()
                deadline = _EngineDeadline(call.event, call)
                try:
                    serve(received, environment, deadline, moment=call.moment, pool=self.pool)
                except Exception as error:
                    if not deadline.is_over:
                        note(call.event, error, environment)
                finally:
                    deadline.say("")
                    deadline.close()
                    self.served += 1

    def _hook_environment(self, settings: Mapping[str, str]) -> Mapping[str, str] | None:
        """Return the hook's environment; None if this process cannot serve that hook."""
        if _home(settings) != _home(self.environment):
            return None
        own = {k: v for k, v in self.environment.items() if not k.startswith(_HOOK_PREFIXES)}
        return {**own, **settings}


def _home(environment: Mapping[str, str]) -> str | None:
    """Return the user's directory. On Windows, only some shells set the first variable."""
    return environment.get("HOME") or environment.get("USERPROFILE")


class _EngineDeadline(Deadline):
    """A deadline that answers the hook but does not end this process."""

    def __init__(self, name: str, call: Call) -> None:
        super().__init__(name, call)
        self._call = call
        self._thread = threading.get_ident()
        self._is_done = threading.Event()
        self._ends_at = self._start
        self._beat: threading.Timer | None = None

    def set(self, seconds: float) -> None:
        """Set the deadline, and tell the hook how long to wait."""
        super().set(seconds)
        self._ends_at = self._latest
        self._extend_wait()

    def _extend_wait(self) -> None:
        """Extend the hook's wait in small steps, so that it soon notices a frozen engine."""
        left = self._ends_at - time.monotonic()
        self._call.wait(max(0.0, min(left, 2 * _BEAT)))
        if left > 2 * _BEAT and not self._is_done.is_set():
            self._beat = threading.Timer(_BEAT, self._extend_wait)
            self._beat.daemon = True
            self._beat.start()

    def say(self, text: str) -> bool:
        """Send the reply, once and complete, even if it is empty."""
        is_first = super().say(text)
        if is_first and not text:
            self._call.write(b"")
        return is_first

    def close(self) -> None:
        """Stop the timers: the event is served."""
        self._is_done.set()
        if self._timer is not None:
            self._timer.cancel()
        if self._beat is not None:
            self._beat.cancel()

    def _end(self) -> None:
        """Kill the running git processes, and those that start later, until the event is done."""
        while not self._is_done.is_set():
            kill_running(self._thread)
            self._is_done.wait(_KILL_AGAIN)
