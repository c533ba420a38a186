"""The warm engine: memories that stay open, used by one request at a time.

A request is a tool call or a hook's event. Work that nobody waits for has a store of its own, so
that it never stands in the way of a request.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from recollect.config.config import Config, load_config, without_files
from recollect.engine.client import PREFIXES
from recollect.engine.stores import StorePool, Stores
from recollect.errors import BadConfig
from recollect.hooks.runner import Deadline, note, serve
from recollect.hosts.environment import PREFIXES as HOST_PREFIXES
from recollect.hosts.environment import PROJECT_VARIABLE
from recollect.ledger.git import kill_running
from recollect.state.engine_socket import PING

if TYPE_CHECKING:
    from recollect.embedding import Embedder
    from recollect.engine.listener import Call, Listener

T = TypeVar("T")
# Seconds that a hook's event may wait for its turn: less than the hook waits for us.
_TURN = 0.02
_LAST_WORK = 5.0
_OF_THE_HOOK = (*PREFIXES, *HOST_PREFIXES)
_KILL_AGAIN = 0.05
# Seconds after which a hook that waits long hears from us again.
_BEAT = 0.5
# Where there is none of these sockets, as on Windows, there are tools and no engine.
_CAN_LISTEN = os.name == "posix"


class Engine:
    """Serves tools and hooks for as long as the agent lives."""

    def __init__(self, directory: Path, environment: Mapping[str, str]) -> None:
        self.directory = directory
        # The project decides where hooks look for its engine.
        self.environment = {**environment, PROJECT_VARIABLE: str(directory)}
        self.pool = StorePool()
        self._lock = threading.Lock()
        self._door = threading.Lock()
        self._listener: Listener | None = None
        self.last_request = time.monotonic()
        self.is_stopped = threading.Event()
        self.served = 0  # events of hooks
        self.is_up = threading.Event()  # the agent can call tools: now there is time for more

    def config(self) -> Config:
        """The configuration as it is now."""
        try:
            return load_config(self.directory, self.environment)
        except BadConfig as error:
            return without_files(error.message, self.environment)

    @property
    def is_listening(self) -> bool:
        """Whether hooks can reach this engine."""
        return self._listener is not None

    def listen(self) -> None:
        """Let hooks reach this engine, unless another one serves them."""
        with self._door:
            if self._listener is None and not self.is_stopped.is_set() and _CAN_LISTEN:
                from recollect.engine.listener import Listener

                self._listener = Listener.open(self.environment, self._serve_hook)

    def let_go(self) -> None:
        """Stop to listen and close every file; the next tool call begins anew."""
        with self._door:
            listener, self._listener = self._listener, None
            if listener is not None:
                listener.close()
        if self._lock.acquire(timeout=_LAST_WORK):
            try:
                self.pool.close()
                self.pool.share_embedder(None)
            finally:
                self._lock.release()

    def stop(self) -> None:
        """Finish what was begun, and leave nothing behind."""
        self.is_stopped.set()
        self.let_go()

    def with_stores(self, job: Callable[[Stores], T]) -> T:
        """Run a job on the memories of the project, when it is its turn."""
        with self._turn(-1):
            stores = self.pool.open_stores(self.directory, self.config(), self.environment)
            try:
                return job(stores)
            finally:
                self.pool.record_state()

    @contextmanager
    def _turn(self, seconds: float) -> Iterator[bool]:
        mine = self._lock.acquire(timeout=seconds)
        self.last_request = time.monotonic()
        try:
            yield mine
        finally:
            if mine:
                self._lock.release()

    def share_embedder(self, embedder: Embedder | None) -> None:
        """Let searches go by meaning, too."""
        with self._lock:
            self.pool.share_embedder(embedder)

    # Hooks

    def _serve_hook(self, call: Call) -> None:
        """Serve one event of a hook that waits at the other end."""
        if call.event == PING:
            with self._lock:
                call.tell(f"here {os.getpid()} {self.served}")
            return
        payload = json.loads(call.given)
        environment = self._surroundings(call.settings)
        place = payload.get("cwd") if isinstance(payload, dict) else None
        if not isinstance(place, str) or not os.path.isabs(place) or environment is None:  # noqa: PTH117
            call.tell("no")  # where that is only the hook knows
            return
        with self._turn(_TURN) as mine:
            if not mine or self.is_stopped.is_set():
                call.tell("busy")
            elif call.is_meant():
                deadline = _EngineDeadline(call.event, call)
                try:
                    serve(
                        call.event,
                        payload,
                        environment,
                        deadline,
                        moment=call.moment,
                        pool=self.pool,
                    )
                except Exception as error:
                    if not deadline.is_over:
                        note(call.event, error, environment)
                finally:
                    deadline.say("")
                    deadline.close()
                    self.served += 1

    def _surroundings(self, settings: Mapping[str, str]) -> Mapping[str, str] | None:
        """The environment as the hook has it; None where this process cannot stand in for it."""
        if settings.get("HOME") != self.environment.get("HOME"):
            return None
        own = {k: v for k, v in self.environment.items() if not k.startswith(_OF_THE_HOOK)}
        return {**own, **settings}


class _EngineDeadline(Deadline):
    """A deadline that ends the waiting of a hook, but not this process."""

    def __init__(self, name: str, call: Call) -> None:
        super().__init__(name, call)
        self._call = call
        self._thread = threading.get_ident()
        self._is_done = threading.Event()
        self._end_of_time = self._start
        self._beat: threading.Timer | None = None

    def set(self, seconds: float) -> None:
        """Tell the hook how long this may take."""
        super().set(seconds)
        self._end_of_time = self._start + seconds
        self._reassure()

    def _reassure(self) -> None:
        """Let the hook wait, a little at a time: it shall not wait long for a frozen process."""
        left = self._end_of_time - time.monotonic()
        self._call.wait(max(0.0, min(left, 2 * _BEAT)))
        if left > 2 * _BEAT and not self._is_done.is_set():
            self._beat = threading.Timer(_BEAT, self._reassure)
            self._beat.daemon = True
            self._beat.start()

    def say(self, text: str) -> bool:
        """Answer the hook, once, whole; also where there is nothing to say."""
        is_first = super().say(text)
        if is_first and not text:
            self._call.write(b"")
        return is_first

    def close(self) -> None:
        """The work is done."""
        self._is_done.set()
        for timer in (self._timer, self._beat):
            if timer is not None:
                timer.cancel()

    def _end(self) -> None:
        """As in a hook, no git is waited for, also none that is about to start."""
        while not self._is_done.is_set():
            kill_running(self._thread)
            self._is_done.wait(_KILL_AGAIN)
