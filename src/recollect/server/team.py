"""The parts of one worker together."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.config.config import load_config
from recollect.errors import EmbeddingError, RecollectError
from recollect.server.asking import Asking
from recollect.server.audit import Audit
from recollect.server.database import Age, Database
from recollect.server.indexes import Indexes
from recollect.server.logs import log
from recollect.server.mirrors import Mirrors
from recollect.server.people import People
from recollect.server.settings import Settings
from recollect.server.tools import Services
from recollect.server.writing import Writing

if TYPE_CHECKING:
    from recollect.embedding import Embedder

_HOUSEKEEPING = 3600.0


class Team:
    """One worker: the database, the mirrors, and what answers people."""

    def __init__(self, settings: Settings, environment: Mapping[str, str]) -> None:
        self.settings = settings
        self._config = load_config(Path(settings.data.anchor), environment)
        self._environment = dict(environment)
        self._embedder: Embedder | None = None
        self._embedder_tried = False
        self._loading = threading.Lock()
        self._stopped = threading.Event()
        self.database = Database(settings.database)
        self.database.migrate()
        self.people = People(self.database, settings.requests_per_minute)
        self.audit = Audit(self.database)
        self.indexes = Indexes(settings.database)
        self.mirrors = Mirrors(settings, self.database, self.indexes, environment)
        self.mirrors.embedder = self.embedder
        self.mirrors.register()
        self.services = Services(
            Asking(
                self.indexes,
                self.mirrors,
                self.audit,
                self._config,
                self.embedder,
                settings.names,
            ),
            Writing(settings, self.indexes, self.mirrors, self.audit),
        )

    def start(self) -> None:
        """Follow the repositories, and look after the tables, in the background."""
        self.mirrors.start()
        threading.Thread(target=self._look_after, name="recollect-tidy", daemon=True).start()

    def stop(self) -> None:
        """End what runs, and close everything."""
        self._stopped.set()
        self.mirrors.stop()
        self.indexes.close()
        self.database.close()

    def check(self) -> list[Age]:
        """What is known about the mirrors, if the database and the index answer."""
        with self.indexes.reading(self.settings.names[:1]) as (index,):
            index.cursor()
        return self.mirrors.ages()

    def embedder(self) -> Embedder | None:
        """The model, loaded once by whoever needs it first; without one, words find."""
        with self._loading:
            if not self._embedder_tried:
                self._embedder_tried = True
                from recollect.embedding import open_embedder

                try:
                    self._embedder = open_embedder(
                        self._config.text("embedding.model"),
                        self._config.text("embedding.path"),
                        environment=self._environment,
                    )
                except EmbeddingError as error:
                    log("model", error=error.message)
        return self._embedder

    def _look_after(self) -> None:
        while True:
            try:
                self.people.forget_spent()
                self.audit.forget(self.settings.audit_days)
                if self._embedder is not None:
                    self.indexes.look_after(self._embedder.dimensions)
            except RecollectError as error:
                log("tables", error=error.message)
            except Exception as error:
                log("tables", error=type(error).__name__)
            if self._stopped.wait(_HOUSEKEEPING):
                return
