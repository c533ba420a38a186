"""A pool of stores that a long-lived process keeps open.

A reused store must behave like a newly opened one. So before each use, the pool checks everything
that could differ: the branch, a repository created in between, settings, replaced files. If
anything differs, the pool opens the store again.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from recollect.api.opening import existing_directory, leave_named_repository, open_stores
from recollect.api.recollect import Recollect
from recollect.config.config import Config, data_dir
from recollect.core.named_tuple import NamedTuple
from recollect.hook_client import NAMES, PREFIXES
from recollect.hooks.session import HookSession
from recollect.ledger.repository import has_user_ledger
from recollect.state.local import STATE_FILE
from recollect.store.indexing import INDEX_FILE

if TYPE_CHECKING:
    from recollect.embedding import Embedder
    from recollect.hosts.protocol import Event

_MOST_OPEN = 8

Key = tuple[str, tuple[tuple[str, str], ...]]


class Stores(NamedTuple):
    """The store of a project, and the user's own store if there is one."""

    store: Recollect
    personal: Recollect | None

    @property
    def all(self) -> list[Recollect]:
        """Every store, the project's first."""
        return [self.store] if self.personal is None else [self.store, self.personal]


class _Open(NamedTuple):
    stores: Stores
    config: Config
    signature: object


class StorePool:
    """Open stores by directory and environment. Only one thread at a time may use a pool."""

    def __init__(self) -> None:
        self._open: OrderedDict[Key, _Open] = OrderedDict()
        self._embedder: Embedder | None = None

    def share_embedder(self, embedder: Embedder | None) -> None:
        """Let every open store also search by meaning."""
        self._embedder = embedder
        for opened in self._open.values():
            for store in opened.stores.all:
                store.indexing.share_embedder(embedder)

    def open_session(
        self, event: Event, config: Config, environment: Mapping[str, str]
    ) -> HookSession:
        """Open the hook session of an event. Return it with `release`."""
        directory = existing_directory(event.directory or None)
        stores = self.open_stores(directory, config, environment)
        return HookSession(*stores, event._replace(directory=str(directory)))

    def release(self, session: HookSession) -> None:
        """Take a hook session back after its event."""
        for key, opened in self._open.items():
            if opened.stores.store is session.store:
                self._record_state(key, opened)
                return

    def open_stores(
        self, directory: Path, config: Config, environment: Mapping[str, str]
    ) -> Stores:
        """Return the stores of a directory, opened now or before."""
        variables = dict(environment)
        leave_named_repository(variables)
        key = _key(directory, variables)
        known = self._open.pop(key, None)
        if known is not None:
            home = data_dir(environment)
            if known.config == config and known.signature == _signature(directory, known, home):
                self._open[key] = known
                return known.stores
            _close(known)
        stores = Stores(*open_stores(directory, config, variables))
        for store in stores.all:
            if self._embedder is not None:
                store.indexing.share_embedder(self._embedder)
        opened = _Open(stores, config, None)
        self._open[key] = opened
        self._record_state(key, opened)
        while len(self._open) > _MOST_OPEN:
            _close(self._open.popitem(last=False)[1])
        return stores

    def record_state(self) -> None:
        """Record the state of every open store after a request."""
        for key, opened in list(self._open.items()):
            self._record_state(key, opened)

    def _record_state(self, key: Key, opened: _Open) -> None:
        for store in opened.stores.all:
            store.indexing.most_changes, store.indexing.behind = None, 0
            store.indexing.look(once=False)
            store.ledger.forget_author()
            for warnings in (store.ledger.warnings, store.indexing.warnings, store.local.warnings):
                warnings.clear()
        home = data_dir(dict(key[1]))
        signature = _signature(Path(key[0]), opened, home)
        self._open[key] = opened._replace(signature=signature)

    def close(self) -> None:
        """Close every store."""
        while self._open:
            _close(self._open.popitem()[1])


def _close(opened: _Open) -> None:
    for store in opened.stores.all:
        store.close()


def _key(directory: Path, environment: Mapping[str, str]) -> Key:
    named = (
        (name, value)
        for name, value in environment.items()
        if name in NAMES or name.startswith(PREFIXES)
    )
    return str(directory), tuple(sorted(named))


def _signature(directory: Path, opened: _Open, home: Path) -> object:
    """Return a value that changes when the store would open differently."""
    repository = opened.stores.store.ledger.repository
    try:
        head = (repository.git_dir / "HEAD").read_bytes()
    except OSError:
        return object()  # equal to nothing, so the store is opened again
    if repository.branch is None and head.startswith(b"ref:") and not repository.is_user_ledger:
        return object()  # before the first commit the branch has no name yet
    files = [
        _identity(store.ledger.repository.state_dir / name)
        for store in opened.stores.all
        for name in (INDEX_FILE, STATE_FILE)
    ]
    above = [_identity(parent / ".git") for parent in (directory, *directory.parents)]
    return head, files, above, has_user_ledger(home)


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return found.st_dev, found.st_ino
