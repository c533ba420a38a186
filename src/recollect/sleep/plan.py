"""The plan of a sleep, as data. A run carries it out, and a dry run prints it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from recollect.core.memory import Memory
from recollect.core.named_tuple import NamedTuple
from recollect.core.proof import seal
from recollect.core.record import CREATE, Record
from recollect.core.status import ARCHIVED, RETIRED, VISIBLE

# What changed a status if it was not a person; recorded with the change as `status_by`.
BY_AGE: Final = "age"
BY_MERGE: Final = "merge"
BY_USE: Final = "use"
BY_GC: Final = "gc"
BY_FACT: Final = "fact"
BY_UNDO: Final = "undo"


class Step(NamedTuple):
    """A change of status: of which memory, to what, why, by what, and when it was due."""

    memory: Memory
    status: str
    reason: str
    by: str
    due: float

    def as_json(self) -> dict[str, Any]:
        """Return the step as `--json` prints it."""
        return {
            **self.memory.as_reference(),
            "from": self.memory.status,
            "to": self.status,
            "by": self.by,
            "reason": self.reason,
        }


class Merge(NamedTuple):
    """A merge of similar memories into one that names them; the sources are archived."""

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
        """The author of the newest source, who counts as its author. The same in every clone."""
        return author_of(self.sources)

    @property
    def record(self) -> Record:
        """The create record of the merged memory, without a name."""
        fields = {**self.fields, "summary": self.summary, "type": self.kind}
        body = self.body or None
        made = Record("", CREATE, fields, body, timestamp=self.created, by=self.by)
        return seal(made._replace(nonce=self.nonce))

    @property
    def uid(self) -> str:
        """The uid of the merged memory."""
        return self.record.uid

    @property
    def is_hidden(self) -> bool:
        """Whether it is made of memories that are not public."""
        return str(self.fields.get("sensitivity", "public")) != "public"

    @property
    def open_title(self) -> str:
        """Return the summary; of a merge that is not public, only its sensitivity."""
        return f"({self.fields['sensitivity']})" if self.is_hidden else self.summary

    def as_json(self) -> dict[str, Any]:
        """Return the merge as `--json` prints it; the text of one that is not public stays out."""
        text = {} if self.is_hidden else {"body": self.body, **self.fields}
        return {
            "uid": self.uid,
            "kind": self.kind,
            "summary": self.open_title,
            **text,
            "created": self.created,
            "sources": [memory.id for memory in self.sources],
        }


def author_of(sources: Iterable[Memory]) -> str | None:
    """Return the author of the newest memory, independent of their order."""
    newest = max(sources, key=lambda memory: (memory.created or "", memory.uid), default=None)
    return newest.author if newest is not None else None


class Plan(NamedTuple):
    """Everything that one sleep does."""

    looked_at: int = 0
    merges: tuple[Merge, ...] = ()
    # Merges of permanent kinds, which a person must confirm.
    proposals: tuple[Merge, ...] = ()
    steps: tuple[Step, ...] = ()
    # Retired long enough to be purged, which only `recollect gc` does.
    purgeable: tuple[Memory, ...] = ()
    # How many memories exceed the cap and cannot be archived.
    over_cap: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not (self.merges or self.proposals or self.steps)

    def limited(self, writes: int) -> Plan:
        """Return the part of the plan that fits into this many writes."""
        merges = []
        for merge in self.merges:
            if writes <= len(merge.sources):
                break
            writes -= len(merge.sources) + 1
            merges.append(merge)
        return self._replace(merges=tuple(merges), proposals=(), steps=self.steps[: max(0, writes)])

    def steps_to(self, *statuses: str) -> list[Step]:
        """Return the steps to one of some statuses."""
        return [step for step in self.steps if step.status in statuses]

    def as_json(self) -> dict[str, Any]:
        """Return the plan as `--json` prints it."""
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
