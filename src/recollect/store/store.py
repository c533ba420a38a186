"""The parts of one repository's memory, wired together: ledger, index, local state, redaction."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from recollect.config.config import Config
from recollect.core.memory import Memory, fold
from recollect.core.names import parse_name
from recollect.core.places import Place
from recollect.core.record import Record
from recollect.errors import Ambiguous, NotFound
from recollect.index.protocol import ALL, Filters, Progress
from recollect.ledger.ledger import Ledger
from recollect.ledger.worktree import find_root
from recollect.state.local import LocalState
from recollect.store.indexing import Indexing
from recollect.store.uids import UidMaker

# What a hook needs on every prompt is imported above; the rest where it is used.
if TYPE_CHECKING:
    from recollect.ledger.writes import Change, Creation, Write
    from recollect.redact import Redactor


# Why something is written where no person or agent asked for this very change.
MAINTENANCE = frozenset({"sleep", "purge", "gc", "fact", "merge", "import"})
AfterWrite = Callable[["Store", "Sequence[Write]", str], None]
AfterPurge = Callable[["Store", "Sequence[Memory]"], None]


class Store:
    """The memories of one repository, and the one way to write them.

    What follows from a write (`after_write`) and from a purge (`after_purge`) is named by whoever
    opens the store: `api` does.
    """

    def __init__(
        self,
        ledger: Ledger,
        config: Config,
        project: str | None = None,
    ) -> None:
        self.ledger = ledger
        self.config = config
        self.project = project
        self.indexing = Indexing(
            ledger, config.text("embedding.model"), config.text("embedding.path")
        )
        self.local = LocalState(ledger.repository.state_dir)
        self.new_uid = UidMaker()
        self._redactor: Redactor | None = None
        # Somebody waits for an answer: what can be done afterwards must wait.
        self.is_hurried = False
        self.after_write: Sequence[AfterWrite] = ()
        self.after_purge: Sequence[AfterPurge] = ()
        self._deferred: list[Write] | None = None
        # The summaries of sessions that the last write retired.
        self.rolled_out: list[Memory] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the files; the object can be used again."""
        self.indexing.close()
        self.local.close()

    def redact(self, value: Any) -> Any:
        """A value without secrets, whatever it is made of; nothing else may be written."""
        if self._redactor is None:
            from recollect.redact.gate import make_redactor

            self._redactor = make_redactor(self.config)
        from recollect.redact.gate import clean

        return clean(self._redactor, value, self.ledger.warnings)

    @property
    def work_tree(self) -> Path | None:
        """The working tree it was opened in; none in a bare repository or outside of any."""
        repository = self.ledger.repository
        return None if repository.is_user_ledger else find_root(repository.git.directory)

    @property
    def warnings(self) -> list[str]:
        """What went wrong without doing harm."""
        parts = (self.config, self.ledger, self.indexing, self.local)
        return [warning for part in parts for warning in part.warnings]

    # Writing

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
        if self._deferred is None:
            self.run_effects(writes, reason)
        else:
            self._deferred += writes
        return written

    @contextmanager
    def deferred_effects(self, reason: str) -> Iterator[None]:
        """Several writes, and what follows from them once, at the end."""
        before, self._deferred = self._deferred, []
        try:
            yield
        finally:
            writes, self._deferred = self._deferred, before
            if before is None:
                self.run_effects(writes, reason)
            else:
                before += writes

    def run_effects(self, writes: Sequence[Write], reason: str) -> None:
        """Do what follows from a write; `write` calls it."""
        for effect in self.after_write:
            effect(self, writes, reason)

    def prepare(self, record: Mapping[str, Any], uid: str | None = None) -> Creation:
        """A memory that can be written, under a new uid or one that it was given before."""
        from recollect.store.prepare import prepare

        return prepare(self, record, uid)

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

    # Reading

    def refresh(self, progress: Progress | None = None) -> None:
        """Read what changed in the ledger since the last time."""
        self.indexing.fresh(progress)

    def get(self, memory_id: str) -> Memory:
        """The memory of an id; refuses one that means none, or several."""
        found = self.candidates(memory_id)
        if not found:
            raise NotFound(f"There is no memory {memory_id}")
        if len(found) > 1:
            names = [memory.id for memory in found]
            raise Ambiguous(f"{memory_id} means {len(found)} memories.", names)
        typed = parse_name(memory_id)
        if typed is not None and not typed.tail and "~" in found[0].id:
            # An id must never silently come to mean another memory.
            raise Ambiguous(f"{memory_id} was also the id of a purged memory.", [found[0].id])
        return found[0]

    def candidates(self, memory_id: str) -> list[Memory]:
        """Every memory that an id can mean."""
        return self.indexing.using(lambda index: index.resolve(memory_id))

    def memories(self, *, newest_first: bool = False, **filters: Any) -> list[Memory]:
        """Memories that pass the filters, oldest first; active and resolved ones by default."""
        wanted = self.filters(**filters)
        return self.indexing.using(lambda index: index.select(wanted, newest_first=newest_first))

    def moment(self, text: str) -> str:
        """A date, an age such as `30d`, or a revision, as a timestamp."""
        from recollect.store.time_parsing import moment_named

        return moment_named(text, self.ledger.clock(), self.ledger.repository)

    def filters(self, **options: Any) -> Filters:
        """The filters that people and agents give, checked."""
        from recollect.store.filters import make_filters

        return make_filters(
            options, project=self.project, moment=self.moment, holds=self._holds_kind
        )

    def _holds_kind(self, kind: str) -> bool:
        """Whether the ledger has memories of a kind, known to this version or not."""
        return self.indexing.fresh().count(Filters(kind=kind, statuses=ALL)) > 0

    def history(self, memory_id: str) -> list[Record]:
        """The records of a memory: its creation, then its updates."""
        uid = self.get(memory_id).uid
        return self.indexing.using(lambda index: index.history(uid))

    def journal(self) -> list[tuple[Record, Place]]:
        """Every record of the ledger, oldest first: creations, updates, purges."""
        records = self.indexing.using(lambda index: list(index.journal()))
        if self.project is None:
            return records
        mine = {memory.uid for memory in self.memories(status="all")}
        return [(record, place) for record, place in records if record.memory_uid in mine]

    def short_name(self, memory: Memory) -> str:
        """The shortest name that means this memory only."""
        return self.indexing.using(lambda index: index.short_name(memory))

    def files(self, memory: Memory) -> list[tuple[str, str]]:
        """The files that the memory's commit changed, as they were then."""
        from recollect.ledger.files import files_of_commit

        name = parse_name(memory.id)
        return files_of_commit(self.ledger.repository, name.anchor) if name else []

    def used(self, memories: Iterable[Memory]) -> None:
        """Note that memories were fetched by a reader, which makes them stronger."""
        now = self.ledger.clock().timestamp()
        self.local.usage.record([memory.uid for memory in memories], "fetched", now)
