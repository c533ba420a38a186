"""Writing the memories of one repository: the one way to do it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from recollect.config.config import Config
from recollect.core.memory import Memory, fold
from recollect.core.record import Record
from recollect.ledger.ledger import Ledger
from recollect.store.reader import Reader

# What a hook needs on every prompt is imported above; the rest where it is used.
if TYPE_CHECKING:
    from recollect.ledger.writes import Change, Creation, Write

# Why something is written where no person or agent asked for this very change.
MAINTENANCE = frozenset({"sleep", "purge", "gc", "fact", "merge", "import"})
# What was asked for, and the record that it became.
Done = tuple["Write", Record]
AfterWrite = Callable[["Store", Sequence[Done], str], None]
AfterPurge = Callable[["Store", "Sequence[Memory]"], None]


class Store(Reader):
    """The memories of one repository, and the one way to write them.

    What follows from a write (`after_write`) and from a purge (`after_purge`) is named by whoever
    opens the store: `api` does.
    """

    def __init__(self, ledger: Ledger, config: Config, project: str | None = None) -> None:
        super().__init__(ledger, config, project)
        self.after_write: Sequence[AfterWrite] = ()
        self.after_purge: Sequence[AfterPurge] = ()
        self._deferred: list[Done] | None = None
        # The summaries of sessions that the last write retired.
        self.retired_sessions: list[Memory] = []

    def capture(
        self, kind: str, summary: str, body: str = "", *, at: str | None = "HEAD", **fields: Any
    ) -> Memory:
        """Remember something, next to the commit `at`; with None, next to the project as a whole.

        When this returns, the memory is in the ledger and survives a crash.
        """
        draft = {"kind": kind, "summary": summary, "body": body, "at": at, **fields}
        return self.capture_many([draft])[0]

    def capture_many(self, records: Iterable[Mapping[str, Any]]) -> list[Memory]:
        """Remember several things at once, in one commit for each kind: all of them or none."""
        return self.create([self.prepare(record) for record in records])

    def create(self, creations: Sequence[Creation]) -> list[Memory]:
        """Write what was prepared."""
        if not creations:
            return []
        written = self.write(creations, "capture")
        return [
            fold(record, (), kind=creation.kind, name=record.id or "")
            for creation, record in zip(creations, written, strict=True)
        ]

    def write(self, writes: Sequence[Write], reason: str) -> list[Record]:
        """Write what was prepared, in one commit for each kind; what depends on it follows."""
        written = self.ledger.write(writes, reason)
        done = list(zip(writes, written, strict=True))
        if self._deferred is None:
            self.run_effects(done, reason)
        else:
            self._deferred += done
        return written

    @contextmanager
    def deferred_effects(self, reason: str) -> Iterator[None]:
        """Several writes, and what follows from them once, at the end."""
        before, self._deferred = self._deferred, []
        try:
            yield
        finally:
            done, self._deferred = self._deferred, before
            if before is None:
                self.run_effects(done, reason)
            else:
                before += done

    def run_effects(self, done: Sequence[Done], reason: str) -> None:
        """Do what follows from a write; `write` calls it."""
        for effect in self.after_write:
            effect(self, done, reason)

    def prepare(self, record: Mapping[str, Any], nonce: str | None = None) -> Creation:
        """A memory that can be written, with a new nonce or one that it was given before."""
        from recollect.store.prepare import prepare

        return prepare(self, record, nonce)

    def update(
        self,
        memory_id: str,
        *,
        summary: str | None = None,
        body: str | None = None,
        if_version: str = "",
        **fields: Any,
    ) -> Memory:
        """Change a memory; a field set to None is taken back. The history keeps what it was.

        With `if_version`, one that is at another version by now is left alone: a conflict.
        """
        from recollect.store.prepare import prepare_update

        memory = self.get(memory_id)
        change = prepare_update(self, memory, summary, body, fields)
        if change is None:
            return memory
        return self._write(change._replace(expected=if_version), "edit")

    def set_status(self, memory_id: str, status: str, reason: str = "") -> Memory:
        """Resolve, archive, retire or restore a memory; an illegal step is refused."""
        from recollect.store.prepare import prepare_status

        change = prepare_status(self, self.get(memory_id), status, reason)
        return self._write(change, str(change.fields["status"]))

    def _write(self, change: Change, reason: str) -> Memory:
        self.write([change], reason)
        return self.get(change.of)
