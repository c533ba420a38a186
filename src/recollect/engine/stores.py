"""The memories that a long-lived process keeps open, each as fresh as if it were opened now.

Whatever could make an open one differ from a new one is looked at first: the branch, a repository
that came between, other settings, a file that was replaced. What differs is opened again.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from recollect.api.opening import existing_directory, leave_named_repository, open_stores
from recollect.api.recollect import Recollect
from recollect.config.config import Config, data_dir
from recollect.engine.client import NAMES, PREFIXES
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
    """The memory of a project, and the person's own where there is one."""

    store: Recollect
    personal: Recollect | None

    @property
    def all(self) -> list[Recollect]:
        """Both, the project's first."""
        return [self.store] if self.personal is None else [self.store, self.personal]


class _Open(NamedTuple):
    stores: Stores
    config: Config
    signature: object


class StorePool:
    """Open memories by directory and surroundings. Only one thread at a time may use it."""

    def __init__(self) -> None:
        self._open: OrderedDict[Key, _Open] = OrderedDict()
        self._embedder: Embedder | None = None

    def share_embedder(self, embedder: Embedder | None) -> None:
        """Let every open memory search by meaning, too."""
        self._embedder = embedder
        for opened in self._open.values():
            for store in opened.stores.all:
                store.indexing.share_embedder(embedder)

    def open_session(
        self, event: Event, config: Config, environment: Mapping[str, str]
    ) -> HookSession:
        """What counts where an agent works; `release` gives it back."""
        directory = existing_directory(event.directory or None)
        stores = self.open_stores(directory, config, environment)
        return HookSession(*stores, event._replace(directory=str(directory)))

    def release(self, session: HookSession) -> None:
        """Note the state in which an event leaves what it used."""
        for key, opened in self._open.items():
            if opened.stores.store is session.store:
                self._record_state(key, opened)
                return

    def open_stores(
        self, directory: Path, config: Config, environment: Mapping[str, str]
    ) -> Stores:
        """The memories around a directory, opened now or before."""
        surroundings = dict(environment)
        leave_named_repository(surroundings)
        key = _key(directory, surroundings)
        known = self._open.pop(key, None)
        if known is not None:
            home = data_dir(environment)
            if known.config == config and known.signature == _signature(directory, known, home):
                self._open[key] = known
                return known.stores
            _close(known)
        stores = Stores(*open_stores(directory, config, surroundings))
        for store in stores.all:
            store.ledger.is_long_lived = True
            if self._embedder is not None:
                store.indexing.share_embedder(self._embedder)
        opened = _Open(stores, config, None)
        self._open[key] = opened
        self._record_state(key, opened)
        while len(self._open) > _MOST_OPEN:
            _close(self._open.popitem(last=False)[1])
        return stores

    def record_state(self) -> None:
        """Note the state in which everything is after work on it."""
        for key, opened in list(self._open.items()):
            self._record_state(key, opened)

    def _record_state(self, key: Key, opened: _Open) -> None:
        for store in opened.stores.all:
            store.indexing.most_changes, store.indexing.behind = None, 0
            store.ledger.__dict__.pop("author", None)  # who it is may change
            for warnings in (store.ledger.warnings, store.indexing.warnings, store.local.warnings):
                warnings.clear()
        home = data_dir(dict(key[1]))
        signature = _signature(Path(key[0]), opened, home)
        self._open[key] = opened._replace(signature=signature)

    def close(self) -> None:
        """Let go of every file."""
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
    """What tells whether an open memory is the one that would be opened now."""
    repository = opened.stores.store.ledger.repository
    try:
        head = (repository.git_dir / "HEAD").read_bytes()
    except OSError:
        return object()  # equal to nothing: it is opened again
    if repository.branch is None and head.startswith(b"ref:") and not repository.is_user_ledger:
        return object()  # before the first commit a branch has no name yet, and will get one
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
