"""Writing the memories of one repository: the only write path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from recollect.config.config import Config
from recollect.core.memory import Memory, fold
from recollect.core.record import Record
from recollect.core.spaces import in_its_space, seems_private
from recollect.core.status import RETIRED, WITHDRAWN
from recollect.ledger.ledger import Ledger
from recollect.store.reader import Reader

# What a hook needs on every prompt is imported above; the rest is imported where it is used.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, ClassVar

    from recollect.ledger.writes import Change, Creation, Write

# The reason for a write that no person or agent asked for.
MAINTENANCE = frozenset({"sleep", "purge", "gc", "fact", "merge", "import"})
# A requested write, and the record that it became.
Done = tuple["Write", Record]
AfterWrite = Callable[["Store", Sequence[Done], str], None]
AfterPurge = Callable[["Store", "Sequence[Memory]"], None]


class Store(Reader):
    """The memories of one repository, and the only way to write them.

    `api` names what follows a write (`after_write`) and a purge (`after_purge`).
    """

    # The agent whose tools write; the provenance of new memories names it.
    host: str = ""
    after_write: ClassVar[Sequence[AfterWrite]] = ()
    after_purge: ClassVar[Sequence[AfterPurge]] = ()

    def __init__(self, ledger: Ledger, config: Config, project: str | None = None) -> None:
        super().__init__(ledger, config, project)
        self._deferred: list[Done] | None = None

    def capture(
        self, kind: str, summary: str, body: str = "", *, at: str | None = "HEAD", **fields: Any
    ) -> Memory:
        """Store a memory at the commit `at`; with None, at the project as a whole.

        When this returns, the memory is in the ledger and survives a crash.
        """
        draft = {"kind": kind, "summary": summary, "body": body, "at": at, **fields}
        return self.capture_many([draft])[0]

    def capture_many(self, records: Iterable[Mapping[str, Any]]) -> list[Memory]:
        """Store several memories at once, in one commit per kind: all or none."""
        return self.create([self.prepare(record) for record in records])

    def create(self, creations: Sequence[Creation]) -> list[Memory]:
        """Write prepared creations."""
        if not creations:
            return []
        written = self.write(creations, "capture")
        return [
            in_its_space(
                fold(record, (), kind=creation.kind, name=record.id or ""),
                record.uid,
                (record,),
                is_local=creation.is_local,
            )
            for creation, record in zip(creations, written, strict=True)
        ]

    def write(self, writes: Sequence[Write], reason: str) -> list[Record]:
        """Write prepared records in one commit per kind, then run the effects."""
        written = self.ledger.write(writes, reason)
        done = list(zip(writes, written, strict=True))
        if self._deferred is None:
            self._run_effects(done, reason)
        else:
            self._deferred += done
        return written

    @contextmanager
    def deferred_effects(self, reason: str) -> Iterator[None]:
        """Group several writes, and run their effects once, at the end."""
        before, self._deferred = self._deferred, []
        try:
            yield
        finally:
            done, self._deferred = self._deferred, before
            if before is None:
                self._run_effects(done, reason)
            else:
                before += done

    def _run_effects(self, done: Sequence[Done], reason: str) -> None:
        for effect in self.after_write:
            effect(self, done, reason)

    def prepare(self, record: Mapping[str, Any], nonce: str | None = None) -> Creation:
        """Return a creation that can be written, with a new nonce or the given one."""
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
        """Change a memory; None removes a field. The history keeps the old version.

        With `if_version`, a memory at another version stays unchanged, and a conflict is raised.
        """
        from recollect.store.prepare import prepare_update

        memory = self.get(memory_id)
        change = prepare_update(self, memory, summary, body, fields)
        if change is None:
            return memory
        return self._write(change._replace(expected=if_version), "edit")

    def set_status(self, memory_id: str, status: str, reason: str = "") -> Memory:
        """Resolve, archive, retire or restore a memory; an illegal transition is rejected."""
        from recollect.store.prepare import prepare_status

        memory = self.get(memory_id)
        change = prepare_status(self, memory, status, reason)
        if memory.extra.get(WITHDRAWN) and not seems_private(memory):
            return self._write_status(change)
        return self._write(change, str(change.fields["status"]))

    def take_back(self, memory_id: str, reason: str = "") -> Memory:
        """Retire a memory as its author: what was not sent yet stays on this machine."""
        from recollect.store.prepare import prepare_status

        return self._write_status(prepare_status(self, self.get(memory_id), RETIRED, reason))

    def _write_status(self, change: Change) -> Memory:
        from recollect.store.withdrawing import write_status

        write_status(self, change, lambda made: self.write([made], str(made.fields["status"])))
        return self.get(change.of)

    def _write(self, change: Change, reason: str) -> Memory:
        self.write([change], reason)
        return self.get(change.of)
