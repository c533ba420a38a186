"""One repository's memories for reading: ledger, index, local state and redaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from types import TracebackType

from recollect.config.config import Config
from recollect.core.age import seconds_of
from recollect.core.memory import Memory
from recollect.core.names import parse_name
from recollect.core.places import Place
from recollect.core.record import Record
from recollect.errors import Ambiguous, NotFound
from recollect.index.protocol import ALL, Filters, Progress
from recollect.ledger.ledger import Ledger
from recollect.state.local import LocalState
from recollect.store.indexing import Indexing
from recollect.store.uids import NonceMaker

# What a hook needs on every prompt is imported above; the rest is imported where it is used.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Self

    from recollect.ledger.files import CommitFiles, CommitInfo
    from recollect.redact.gate import Gate


class Reader:
    """The memories of one repository, for reading."""

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
            ledger,
            config.text("embedding.model"),
            config.text("embedding.path"),
            config.text("index.url"),
        )
        self.local = LocalState(ledger.repository.state_dir)
        self.new_nonce = NonceMaker()
        self._gate: Gate | None = None
        ledger.gate = self._redact_again
        # Someone is waiting for an answer: postpone what can be done later.
        self.has_deadline = False

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
        """Close the files; the object can be used again."""
        self.indexing.close()
        self.local.close()

    def now(self) -> float:
        """Return the current time by the clock of the ledger, in seconds since 1970."""
        return self.ledger.clock().timestamp()

    def redact(self, value: Any) -> Any:
        """Return a value of any shape without secrets; nothing else may be written."""
        return self._opened_gate()(value, self.ledger.warnings)

    def _redact_again(self, value: Any) -> Any:
        """Redact again what the ledger writes, whoever prepared it; known text is cached."""
        return self._opened_gate()(value)

    def _opened_gate(self) -> Gate:
        if self._gate is None:
            from recollect.redact.gate import Gate, make_redactor

            self._gate = Gate(make_redactor(self.config))
        return self._gate

    @property
    def work_tree(self) -> Path | None:
        """The current working tree; None in a bare repository or outside any."""
        from recollect.ledger.worktree import find_root

        repository = self.ledger.repository
        return None if repository.is_user_ledger else find_root(repository.git.directory)

    @property
    def warnings(self) -> list[str]:
        """Warnings about problems that did no harm."""
        parts = (self.config, self.ledger, self.indexing, self.local)
        return [warning for part in parts for warning in part.warnings]

    def refresh(self, progress: Progress | None = None) -> None:
        """Read what changed in the ledger since the last time."""
        self.indexing.fresh(progress)

    def get(self, memory_id: str) -> Memory:
        """Return the memory with an id; raise an error if it matches none, or several."""
        found = self.candidates(memory_id)
        if not found:
            raise NotFound(f"There is no memory {memory_id}")
        if len(found) > 1:
            names = [memory.id for memory in found]
            raise Ambiguous(f"{memory_id} matches {len(found)} memories.", names)
        typed = parse_name(memory_id)
        if typed is not None and not typed.tail and "~" in found[0].id:
            # An id must never silently change its meaning.
            raise Ambiguous(f"{memory_id} was also the id of a purged memory.", [found[0].id])
        return found[0]

    def candidates(self, memory_id: str) -> list[Memory]:
        """Return every memory that an id can mean."""
        return self.indexing.using(lambda index: index.resolve(memory_id))

    def memories(self, *, newest_first: bool = False, **filters: Any) -> list[Memory]:
        """Return memories that match the filters, oldest first; default: active and resolved."""
        wanted = self.filters(**filters)
        return self.indexing.using(lambda index: index.select(wanted))[:: -1 if newest_first else 1]

    def newest(self, limit: int, *, as_of: str | None = None, **filters: Any) -> list[Memory]:
        """Return the newest memories that match the filters; no author crowds out others.

        With `as_of`, the newest of those that were there at a date or commit.
        """
        wanted, now = self.filters(**filters), self.now()
        if as_of is not None:
            moment = self.moment(as_of)
            return self.indexing.as_of(moment).newest(wanted, limit, seconds_of(moment) or now)
        return self.indexing.using(lambda index: index.newest(wanted, limit, now))

    def count(self, **filters: Any) -> int:
        """Return how many memories match the filters; default: active and resolved."""
        wanted = self.filters(**filters)
        return self.indexing.using(lambda index: index.count(wanted))

    def moment(self, text: str) -> str:
        """Return a date, an age such as `30d`, or a revision as a timestamp."""
        from recollect.store.time_parsing import parse_time

        return parse_time(text, self.ledger.clock(), self.ledger.repository)

    def filters(self, **options: Any) -> Filters:
        """Validate filters from people and agents."""
        from recollect.store.filters import make_filters

        return make_filters(
            options,
            project=self.project,
            now=self.now(),
            moment=self.moment,
            holds=self._holds_kind,
        )

    def _holds_kind(self, kind: str) -> bool:
        """Whether the ledger has memories of a kind, known to this version or not."""
        return self.indexing.fresh().count(Filters(kind=kind, statuses=ALL)) > 0

    def history(self, memory_id: str) -> list[Record]:
        """Return the records of a memory: its creation, then its updates."""
        uid = self.get(memory_id).uid
        return self.indexing.using(lambda index: index.history(uid))

    def journal(self) -> list[tuple[Record, Place]]:
        """Return every record of the ledger, oldest first: creations, updates, purges."""
        records = self.indexing.using(lambda index: list(index.journal()))
        if self.project is None:
            return records
        mine = {memory.uid for memory in self.memories(status="all")}
        return [(record, place) for record, place in records if record.memory_uid in mine]

    def short_name(self, memory: Memory) -> str:
        """Return the shortest name that means only this memory."""
        return self.indexing.using(lambda index: index.short_name(memory))

    def files(self, memory: Memory) -> CommitFiles:
        """Return the files that the memory's commit changed, as they were then."""
        from recollect.ledger.files import CommitFiles, files_of_commit

        name = parse_name(memory.id)
        return files_of_commit(self.ledger.repository, name.anchor) if name else CommitFiles()

    def commit_info(self, memory: Memory) -> CommitInfo | None:
        """Return the commit that a memory is attached to: `sha`, `author`, `date`, `subject`.

        None if it is attached to the project, or if the commit is not in this clone.
        """
        from recollect.ledger.files import commit_info

        name = parse_name(memory.id)
        if name is None or name.anchor == self.ledger.repository.project_anchor:
            return None
        return commit_info(self.ledger.repository, name.anchor)

    def access_counts(self, memories: Sequence[Memory]) -> dict[str, int]:
        """Return how often each memory was read, cited or confirmed on this machine, by uid."""
        uses = self.local.usage.uses([memory.uid for memory in memories])
        return {m.uid: uses[m.uid].times if m.uid in uses else 0 for m in memories}

    def used(self, memories: Iterable[Memory]) -> None:
        """Record that a reader fetched memories, which makes them stronger."""
        now = self.now()
        self.local.usage.record([memory.uid for memory in memories], "fetched", now)
