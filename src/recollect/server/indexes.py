"""The indexes of the repositories, opened for those that a person may see, and no others."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

from recollect.api.recollect import Recollect
from recollect.api.shared import SharedIndex


class _OfOne:
    """The index of one repository, which says so."""

    def __init__(self, index: Any, name: str) -> None:
        self._index = index
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    def repositories_of(self, uids: Sequence[str], /) -> Mapping[str, Sequence[str]]:
        known = self._index.get_many(list(uids))
        return {memory.uid: [self._name] for memory in known}


class Indexes:
    """The indexes of all repositories."""

    def __init__(self, open_store: Callable[[str], Recollect | None]) -> None:
        self._open_store = open_store

    @contextmanager
    def reading(self, names: Collection[str]) -> Iterator[list[SharedIndex]]:
        """Open the indexes of some repositories."""
        with ExitStack() as stack:
            found: list[Any] = []
            for name in sorted(names):
                store = self._open_store(name)
                if store is None:
                    continue  # nothing of it has been read yet
                stack.enter_context(store)
                found.append(_OfOne(store.indexing.without_refresh(), name))
            yield found
