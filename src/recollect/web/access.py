"""How the pages reach the memory: one job at a time, in a thread, on stores that stay open.

Looking at a page records nothing as used. Private memories are hidden until somebody asks for them
in the page, and again after the server ends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from anyio import to_thread

import recollect
from recollect.api.recollect import Recollect
from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.engine.server import Engine
from recollect.engine.stores import Stores
from recollect.errors import ValidationError

if TYPE_CHECKING:
    from recollect.capture.suggestions import Suggestion

T = TypeVar("T")
_MOST_NOTICES = 20


class UndoStep(NamedTuple):
    """How to take back a part of an action: undo the last change of a memory, or retire it."""

    uid: str
    # Somebody may have changed the memory since: then it is left alone.
    version: str
    retires: bool = False


class Place(NamedTuple):
    """A key of the configuration, in the file of the user or of the project around a directory."""

    key: str
    directory: Path
    is_user: bool


class SettingStep(NamedTuple):
    """How to take back a change of a setting: what the file said before, if it still says `now`."""

    place: Place
    before: str | None
    now: str | None


class Notice(NamedTuple):
    """What an action did, for the next page, and how to undo it."""

    text: str
    steps: tuple[UndoStep, ...] = ()
    is_error: bool = False
    # Rejected suggestions, which an undo puts back.
    rejected: tuple[Suggestion, ...] = ()
    # The name of a sleep, and a changed setting.
    run: str = ""
    setting: SettingStep | None = None

    @property
    def can_undo(self) -> bool:
        """Whether there is something to undo."""
        return bool(self.steps or self.rejected or self.run or self.setting)


class Access:
    """The memory of one directory, for one person in one browser."""

    def __init__(
        self,
        directory: Path,
        environment: Mapping[str, str],
        *,
        mine: bool = False,
        read_only: bool = False,
    ) -> None:
        self.directory = directory
        self.read_only = read_only
        # Whether private, secret and unclassified memories are shown.
        self.reveals = False
        self._mine = mine
        self._engine = Engine(directory, environment)
        self._is_warm = threading.Event()
        self._notices: dict[str, Notice] = {}

    async def ask(self, job: Callable[[Recollect], T]) -> T:
        """Run a job on the memory, after those before it."""

        def work() -> T:
            return self._engine.with_stores(lambda stores: job(self._store(stores)))

        return await to_thread.run_sync(work)

    async def ask_slowly(self, job: Callable[[Recollect], T]) -> T:
        """Run a job that may take long on a store of its own, so that no page waits for it."""

        def work() -> T:
            with recollect.open(self.directory, mine=self._mine) as store:
                return job(store)

        return await to_thread.run_sync(work)

    def _store(self, stores: Stores) -> Recollect:
        if not self._mine:
            return stores.store
        if stores.personal is None and not stores.store.ledger.repository.is_user_ledger:
            raise ValidationError(
                "You have no memories of your own yet.",
                "Capture one with: recollect --mine capture …",
            )
        return stores.personal or stores.store

    def warm_up(self) -> None:
        """Load the model for search by meaning in the background; until then, words find."""

        def load() -> None:
            with recollect.open(self.directory) as store:
                embedder = store.indexing.embedder
            self._engine.share_embedder(embedder)
            self._is_warm.set()

        threading.Thread(target=load, name="recollect-model", daemon=True).start()

    @property
    def mode(self) -> str | None:
        """How a search matches: as configured, or by words while the model is loading."""
        return None if self._is_warm.is_set() else "text"

    @property
    def sensitivities(self) -> tuple[str, ...]:
        """What lists and searches may contain."""
        return ("all",) if self.reveals else ("public",)

    def hides(self, memory: Memory) -> bool:
        """Whether the text of a memory must not be shown now."""
        return memory.sensitivity != "public" and not self.reveals

    def hides_any(self, *memories: Memory) -> bool:
        """Whether the text of one of several memories must not be shown now."""
        return any(map(self.hides, memories))

    def shown(self, memory: Memory) -> str:
        """Return the summary of a memory, or what stands for it."""
        return f"({memory.sensitivity})" if self.hides(memory) else memory.summary

    def tell(self, key: str, notice: Notice) -> None:
        """Keep a notice for the page that follows an action."""
        while len(self._notices) >= _MOST_NOTICES:
            del self._notices[next(iter(self._notices))]
        self._notices[key] = notice

    def notice(self, key: str) -> Notice | None:
        """Return the notice of an action, if it is still kept."""
        return self._notices.get(key)

    def take(self, key: str) -> Notice | None:
        """Return the notice of an action and forget it: an action is undone once."""
        return self._notices.pop(key, None)

    def close(self) -> None:
        """Close the stores."""
        self._engine.stop()
