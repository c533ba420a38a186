"""Background work of an idle engine: spool, index, vectors, sleep; and when to stop.

Each step is small, uses its own store, and waits while requests arrive.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING

from recollect.api.opening import open_stores
from recollect.api.recollect import Recollect
from recollect.capture.spool_flush import drain
from recollect.config.config import data_dir
from recollect.engine.server import Engine
from recollect.errors import EmbeddingError
from recollect.state.failures import describe, note_failure

if TYPE_CHECKING:
    from recollect.embedding import Embedder

_TICK = 1.0  # seconds between two checks of the parent
_QUIET = 0.3  # seconds without a request before a step starts
_LONGEST_PAUSE = 1.0  # seconds after which a step starts even if requests keep coming
_PASS_INTERVAL = 60.0  # seconds until the next pass if there are no requests
_BATCH = 8
_GIVE_WAY = 0.005  # seconds between two checks whether a request is still being served


class Background:
    """Threads that work while the engine is idle, and end it with its parent."""

    def __init__(self, engine: Engine, end: Callable[[], None]) -> None:
        self._engine = engine
        self._end = end
        self._parent = os.getppid()
        self._embedder: Embedder | None = None
        self._tried_loading = False
        self._seen_request = -1.0
        self._last_pass = -_PASS_INTERVAL

    def start(self) -> None:
        """Listen for hooks, and start the threads."""
        self._log_errors(self._update_listening)
        for work in (self._run, self._watch):
            threading.Thread(target=work, name="recollect-background", daemon=True).start()

    def _watch(self) -> None:
        """End the engine when the parent has died, whatever the other thread waits for."""
        while not self._engine.is_stopped.wait(_TICK):
            if os.getppid() != self._parent:
                self._end()
                return

    def _run(self) -> None:
        while not self._engine.is_up.wait(_TICK):
            if self._engine.is_stopped.is_set():
                return
            self._log_errors(self._update_listening)
        if self._engine.is_listening:
            self._log_errors(self._load_embedder)  # before the first prompt, if possible
        while not self._engine.is_stopped.wait(_TICK):
            self._log_errors(self._update_listening)
            if self._is_due():
                self._log_errors(self._pass)

    def _log_errors(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            note_failure(data_dir(self._engine.environment), "background", describe(error))

    def _update_listening(self) -> None:
        """Listen while the engine is enabled and in use; otherwise release everything."""
        config = self._engine.config()
        idle = time.monotonic() - self._engine.last_request
        if idle > config.number("engine.idle") * 60:
            if self._engine.is_listening:
                self._engine.release()
                self._embedder, self._tried_loading = None, False
        elif config.flag("engine.enabled"):
            self._engine.listen()
        elif self._engine.is_listening:
            self._engine.release()

    def _is_due(self) -> bool:
        if not self._engine.is_listening or not self._engine.is_up.is_set():
            return False
        is_new = self._engine.last_request != self._seen_request
        return is_new or time.monotonic() - self._last_pass > _PASS_INTERVAL

    def _pass(self) -> None:
        """Do one pass of background work over the stores, step by step."""
        engine = self._engine
        asked = engine.last_request
        if not self._tried_loading:
            self._load_embedder()
        for store in open_stores(engine.directory, engine.config(), engine.environment):
            if store is None:
                continue
            with store:
                if self._embedder is not None:
                    store.indexing.share_embedder(self._embedder)
                for _ in self._steps(store):
                    self._pause()
                    if engine.is_stopped.is_set():
                        return
        self._seen_request, self._last_pass = asked, time.monotonic()

    def _pause(self) -> None:
        """Wait while requests arrive."""
        end = time.monotonic() + _LONGEST_PAUSE
        while (now := time.monotonic()) < end and now - self._engine.last_request < _QUIET:
            if self._engine.is_stopped.wait(_QUIET):
                return

    def _give_way(self) -> None:
        """Let the model rest while a request is served: both would take twice as long."""
        end = time.monotonic() + _LONGEST_PAUSE
        while self._engine.is_serving and time.monotonic() < end:
            time.sleep(_GIVE_WAY)

    def _steps(self, store: Recollect) -> Iterator[None]:
        yield
        drain(store)
        yield
        store.refresh()
        yield
        if self._embedder is not None:
            while store.indexing.embed_pending(
                store.indexing.fresh(), most=_BATCH, pause=self._give_way
            ):
                yield
        from recollect.sleep.run import sleep_if_due

        sleep_if_due(store)
        yield

    def _load_embedder(self) -> None:
        """Load the embedding model, if there is one, so that searches also find by meaning."""
        from recollect.embedding import open_embedder

        config = self._engine.config()
        self._tried_loading = True
        with suppress(EmbeddingError):  # `recollect doctor` reports it; keywords still work
            self._embedder = open_embedder(
                config.text("embedding.model"),
                config.text("embedding.path"),
                threads=1,
                environment=os.environ,
            )
        self._engine.share_embedder(self._embedder)
