"""Follows the repositories: every worker looks for what is due, and one of them does it.

Which one is decided by a lock of the database, which is gone with whoever held it. The table of
mirrors says what was tried when, for all workers and for `/readyz`.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recollect.api.following import follow_remote
from recollect.api.opening import open_followed
from recollect.api.recollect import Recollect
from recollect.errors import RecollectError
from recollect.redact.gate import redact_message
from recollect.server.database import Age, Database
from recollect.server.logs import log
from recollect.server.metrics import REFRESH_SECONDS, REFRESHES
from recollect.server.settings import Followed, Settings
from recollect.store.shared_indexing import SharedIndexing

if TYPE_CHECKING:
    from recollect.embedding import Embedder
    from recollect.server.indexes import Indexes

_TICK = 1.0
_AT_ONCE = 4
FOLDER: Final = "mirrors"


class _Stopping(Exception):
    """The server ends."""


class Mirrors:
    """The mirrors of one server."""

    def __init__(
        self,
        settings: Settings,
        database: Database,
        indexes: Indexes,
        environment: Mapping[str, str],
    ) -> None:
        self._settings = settings
        self._database = database
        self._indexes = indexes
        self._environment = environment
        self._stopped = threading.Event()
        self._pool = ThreadPoolExecutor(_AT_ONCE, "recollect-mirror")
        self._running: set[str] = set()
        self.embedder: Callable[[], Embedder | None] = lambda: None

    def start(self) -> None:
        """Follow in the background until `stop`."""
        threading.Thread(target=self._run, name="recollect-due", daemon=True).start()

    def stop(self) -> None:
        """Begin nothing new, and wait for what is running."""
        self._stopped.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def register(self) -> None:
        """Make a row for each repository."""
        for name in self._settings.names:
            self._database.run(
                "insert into mirrors (repository) values (%s) on conflict do nothing",
                name,
            )

    def ask(self, name: str) -> None:
        """Have a repository looked at, by whichever worker is first."""
        self._database.run("update mirrors set wanted = now() where repository = %s", name)

    def ages(self) -> list[Age]:
        """What is known about each mirror."""
        rows = self._database.run(
            "select repository, extract(epoch from now() - read)::float8,"
            " extract(epoch from now() - changed)::float8, memories, problem"
            " from mirrors where repository = any(%s) order by repository",
            list(self._settings.names),
        )
        return [Age(*row) for row in rows]

    def _run(self) -> None:
        while not self._stopped.wait(_TICK):
            try:
                due = self._due()
            except RecollectError as error:
                log("mirrors", error=error.message)
                continue
            except Exception as error:  # without this thread, no purge would arrive any more
                log("mirrors", error=type(error).__name__)
                continue
            for one in due:
                if one.name not in self._running:
                    self._running.add(one.name)
                    self._pool.submit(self._look, one)

    def _due(self) -> list[Followed]:
        rows = self._database.run(
            "select repository, tried is null or coalesce(wanted > tried, false),"
            " extract(epoch from now() - tried)::float8 from mirrors"
        )
        known = {name: (asked, age) for name, asked, age in rows}
        return [
            one
            for one in self._settings.repositories
            if one.name in known
            and (known[one.name][0] or float(known[one.name][1]) >= one.interval)
        ]

    def _look(self, one: Followed) -> None:
        try:
            self.refresh(one)
        except _Stopping:
            pass  # whoever looks next makes the rest of the vectors
        except Exception as error:
            # A thread that dies would leave the repository behind without a word.
            log("refresh", repository=one.name, error=type(error).__name__)
        finally:
            self._running.discard(one.name)

    def refresh(self, one: Followed) -> bool:
        """Look at one remote now, unless another worker does; whether this one did."""
        with self._indexes.leading(one.name) as is_leader:
            if not is_leader:
                return False
            self._database.run("update mirrors set tried = now() where repository = %s", one.name)
            started = time.monotonic()
            try:
                self._follow(one)
            except RecollectError as error:
                problem = str(redact_message(error.message))[:500]
                REFRESHES.labels("failed").inc()
                log("refresh", repository=one.name, error=problem)
                self._database.run(
                    "update mirrors set problem = %s where repository = %s",
                    problem,
                    one.name,
                )
                return True
            REFRESHES.labels("ok").inc()
            REFRESH_SECONDS.observe(time.monotonic() - started)
        return True

    def _follow(self, one: Followed) -> None:
        with self.opened(one) as store:
            taken = follow_remote(store, one.url, pause=self._go_on)
            memories = store.count(status="all")
            embedder = self.embedder()
            has_more = embedder is not None and bool(
                store.indexing.without_refresh().count_pending(embedder.name)
            )
        self._database.run(
            "update mirrors set read = now(), problem = '', memories = %s,"
            " changed = case when %s then now() else changed end,"
            # The rest of the vectors, when others who waited for the lock have had it.
            " wanted = case when %s then clock_timestamp() else wanted end where repository = %s",
            memories,
            taken.changed,
            has_more,
            one.name,
        )
        if taken.changed:
            log("refresh", repository=one.name, memories=memories, removed=taken.removed)

    def _go_on(self) -> None:
        if self._stopped.is_set():
            raise _Stopping

    def opened(self, one: Followed, author: str = "") -> Recollect:
        """Open the mirror of a repository; to change it, hold its lock."""
        store = open_followed(self.path(one.name), one.url, self._environment, author=author)
        index = self._indexes.of(one.name)
        store.indexing = SharedIndexing(store.ledger, index, self.embedder())
        return store

    def path(self, name: str) -> Path:
        """The folder of a mirror. Names are checked when the settings are read."""
        return self._settings.data / FOLDER / f"{name}.git"
