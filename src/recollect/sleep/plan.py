"""What sleep is going to do, as data. A run carries out a plan, and a dry run prints the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple

from recollect.core.memory import Memory
from recollect.core.proof import seal
from recollect.core.record import CREATE, Record
from recollect.core.status import ARCHIVED, RETIRED, VISIBLE

# Who changed a status, where it was no person: written with the change as `status_by`.
BY_AGE: Final = "age"
BY_MERGE: Final = "merge"
BY_USE: Final = "use"
BY_GC: Final = "gc"
BY_FACT: Final = "fact"
BY_UNDO: Final = "undo"


class Step(NamedTuple):
    """A memory changes its status: into which, why, on whose account, and since when it is due."""

    memory: Memory
    status: str
    reason: str
    by: str
    due: float

    def as_json(self) -> dict[str, Any]:
        """The step as `--json` prints it."""
        return {
            "id": self.memory.id,
            "uid": self.memory.uid,
            "kind": self.memory.kind,
            "summary": self.memory.summary,
            "from": self.memory.status,
            "to": self.status,
            "by": self.by,
            "reason": self.reason,
        }


class Merge(NamedTuple):
    """Memories that say much the same become one, which names them; they are archived."""

    nonce: str
    kind: str
    summary: str
    body: str
    fields: Mapping[str, Any]
    created: str
    due: float
    sources: tuple[Memory, ...]

    @property
    def by(self) -> str | None:
        """Whose words it holds: the author of the newest source. The same in every clone."""
        return author_of(self.sources)

    @property
    def record(self) -> Record:
        """The creation that it becomes, without a name."""
        fields = {**self.fields, "summary": self.summary, "type": self.kind}
        body = self.body or None
        made = Record("", CREATE, fields, body, timestamp=self.created, by=self.by)
        return seal(made._replace(nonce=self.nonce))

    @property
    def uid(self) -> str:
        """The uid of the memory that it becomes."""
        return self.record.uid

    def as_json(self) -> dict[str, Any]:
        """The merge as `--json` prints it."""
        return {
            "uid": self.uid,
            "kind": self.kind,
            "summary": self.summary,
            "body": self.body,
            **self.fields,
            "created": self.created,
            "sources": [memory.id for memory in self.sources],
        }


def author_of(sources: Iterable[Memory]) -> str | None:
    """Who wrote the newest of some memories; the same whatever their order."""
    newest = max(sources, key=lambda memory: (memory.created or "", memory.uid), default=None)
    return newest.author if newest is not None else None


class Plan(NamedTuple):
    """Everything that one sleep does."""

    looked_at: int = 0
    merges: tuple[Merge, ...] = ()
    # Merges of permanent kinds: somebody must say yes.
    proposals: tuple[Merge, ...] = ()
    steps: tuple[Step, ...] = ()
    # Retired long enough to be purged; `recollect gc` does it, nothing else does.
    purgeable: tuple[Memory, ...] = ()
    # How many more than the soft cap are left, because none of them may go.
    over_cap: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.merges or self.proposals or self.steps)

    def limited(self, writes: int) -> Plan:
        """As much of the plan as so many writes can do; what is left is due the next time."""
        merges = []
        for merge in self.merges:
            if writes <= len(merge.sources):
                break
            writes -= len(merge.sources) + 1
            merges.append(merge)
        return self._replace(merges=tuple(merges), proposals=(), steps=self.steps[: max(0, writes)])

    def steps_to(self, *statuses: str) -> list[Step]:
        """The steps into a status, or several."""
        return [step for step in self.steps if step.status in statuses]

    def as_json(self) -> dict[str, Any]:
        """The plan as `--json` prints it."""
        return {
            "looked_at": self.looked_at,
            "merge": [merge.as_json() for merge in self.merges],
            "propose": [merge.as_json() for merge in self.proposals],
            "restore": [step.as_json() for step in self.steps_to(*VISIBLE)],
            "archive": [step.as_json() for step in self.steps_to(ARCHIVED)],
            "retire": [step.as_json() for step in self.steps_to(RETIRED)],
            "purgeable": [memory.id for memory in self.purgeable],
            "over_cap": self.over_cap,
        }
