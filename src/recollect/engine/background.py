"""What the engine does while nobody waits: index, vectors, spool, sleep; and to see when to go.

Each step is small, has a store of its own, and waits while requests come.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
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

_TICK = 1.0  # seconds between two looks at the parent
_QUIET = 0.3  # seconds without a request before a step is begun
_LONGEST_PAUSE = 1.0  # seconds after which a step is begun though requests come and come
_AGAIN = 60.0  # seconds after which to look again though nothing was asked
_BATCH = 8


class Background:
    """A thread that works while the engine is idle."""

    def __init__(self, engine: Engine, end: Callable[[], None]) -> None:
        self._engine = engine
        self._end = end
        self._parent = os.getppid()
        self._embedder: Embedder | None = None
        self._has_tried = False
        self._seen = -1.0
        self._last_pass = -_AGAIN

    def start(self) -> None:
        """Listen, and begin to work."""
        self._carefully(self._look)
        for work in (self._run, self._watch):
            threading.Thread(target=work, name="recollect-background", daemon=True).start()

    def _watch(self) -> None:
        """Go when the parent has died, whatever the other thread waits for."""
        while not self._engine.is_stopped.wait(_TICK):
            if os.getppid() != self._parent:
                self._end()
                return

    def _run(self) -> None:
        while not self._engine.is_stopped.wait(_TICK):
            self._carefully(self._look)
            if self._is_due():
                self._carefully(self._pass)

    def _carefully(self, work: Callable[[], None]) -> None:
        try:
            work()
        except Exception as error:
            note_failure(data_dir(self._engine.environment), "background", describe(error))

    def _look(self) -> None:
        """Listen while there is something to listen for; let go when nobody asks any more."""
        config = self._engine.config()
        idle = time.monotonic() - self._engine.last_request
        if idle > config.number("engine.idle") * 60:
            if self._engine.is_listening:
                self._engine.let_go()
                self._embedder, self._has_tried = None, False
        elif config.flag("engine.enabled"):
            self._engine.listen()
        elif self._engine.is_listening:
            self._engine.let_go()

    def _is_due(self) -> bool:
        if not self._engine.is_listening or not self._engine.is_up.is_set():
            return False
        is_new = self._engine.last_request != self._seen
        return is_new or time.monotonic() - self._last_pass > _AGAIN

    def _pass(self) -> None:
        """Everything there is to do, step by step."""
        engine = self._engine
        asked = engine.last_request
        if not self._has_tried:
            self._load()
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
        self._seen, self._last_pass = asked, time.monotonic()

    def _pause(self) -> None:
        """Let requests go first."""
        end = time.monotonic() + _LONGEST_PAUSE
        while (now := time.monotonic()) < end and now - self._engine.last_request < _QUIET:
            if self._engine.is_stopped.wait(_QUIET):
                return

    def _steps(self, store: Recollect) -> Iterator[None]:
        yield
        drain(store)
        yield
        store.refresh()
        yield
        if self._embedder is not None:
            while store.indexing.embed_pending(store.indexing.fresh(), most=_BATCH):
                yield
        from recollect.sleep.run import sleep_if_due

        sleep_if_due(store)
        yield

    def _load(self) -> None:
        """Load the model, if there is one; every search may then go by meaning."""
        from recollect.embedding import open_embedder

        config = self._engine.config()
        self._has_tried = True
        try:
            self._embedder = open_embedder(
                config.text("embedding.model"),
                config.text("embedding.path"),
                threads=1,
                environment=os.environ,
            )
        except EmbeddingError:
            return  # `recollect doctor` tells; keywords do the work
        self._engine.share_embedder(self._embedder)
