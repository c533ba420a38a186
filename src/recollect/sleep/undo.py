"""Undoes the last change of a memory, or everything that an import or a sleep wrote.

Nothing is removed: undo writes new records with the earlier values, and the history keeps
everything. It skips and reports what somebody changed since. A purge cannot be undone.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from recollect.core.authority import counting_fields
from recollect.core.memory import UNDOES, Memory, fold
from recollect.core.named_tuple import NamedTuple
from recollect.core.record import BODY, PURGE, Record
from recollect.core.status import RETIRED
from recollect.core.uid import is_nonce
from recollect.errors import NotFound, NothingToUndo
from recollect.index.protocol import Index, made_with
from recollect.ledger.writes import Write
from recollect.sleep.plan import BY_UNDO
from recollect.state.runs import SLEEP, Run
from recollect.store.prepare import change_of

if TYPE_CHECKING:
    from recollect.store.store import Store

LAST = "--last"
# Fields that follow from other fields, or only ever grow.
_NOT_TAKEN_BACK = frozenset({"changes", "times_updated", "slugs", "type", "id", UNDOES, BODY})
_OF_STATUS = ("status", "status_reason", "status_by")


class Reversal(NamedTuple):
    """What undo writes for one memory: the earlier values, and the records it takes back."""

    memory: Memory
    fields: dict[str, Any]
    body: str | None
    takes_back: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the reversal as `--json` prints it."""
        shown = {"id": self.memory.id, "uid": self.memory.uid, "summary": self.memory.open_title}
        body = {} if self.body is None else {BODY: self.body}
        return {**shown, "set": {**self.fields, **body}, "takes_back": list(self.takes_back)}


class Kept(NamedTuple):
    """A memory that undo leaves unchanged, and why."""

    memory: Memory
    why: str

    def as_json(self) -> dict[str, Any]:
        """Return the memory as `--json` prints it."""
        return {"id": self.memory.id, "uid": self.memory.uid, "why": self.why}


class Undo(NamedTuple):
    """What an undo does, or would do."""

    target: str
    reversals: tuple[Reversal, ...]
    kept: tuple[Kept, ...] = ()
    is_dry_run: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the undo as `--json` prints it."""
        return {
            "target": self.target,
            "dry_run": self.is_dry_run,
            "undone": [reversal.as_json() for reversal in self.reversals],
            "kept": [kept.as_json() for kept in self.kept],
        }


@contextmanager
def recorded(store: Store, kind: str, writes: Iterable[Write]) -> Iterator[list[Record]]:
    """Record what a run writes; the caller adds its records to the list that this yields."""
    # The uid of a record is known once it is written; until then, its nonce stands for it.
    planned = [(write.nonce, getattr(write, "of", write.nonce)) for write in writes]
    written: list[Record] = []
    if not planned:
        yield written
        return
    store.local.make_folder()
    now = store.now()
    name = store.local.runs.begin(kind, now, planned, store.local.maintenance.last_sleep())
    try:
        yield written
    finally:
        done = [(record.uid, record.memory_uid) for record in written]
        store.local.runs.end(name, written=done)


def undo(store: Store, target: str, *, dry_run: bool = False) -> Undo:
    """Undo a run, by its name or the last one, or the last change of a memory."""
    run = _run(store, target)
    planned = _of_run(store, run) if run is not None else _of_memory(store, target)
    if dry_run:
        return planned._replace(is_dry_run=True)
    changes = [
        change_of(
            store,
            reversal.memory,
            {**reversal.fields, UNDOES: list(reversal.takes_back)},
            reversal.body,
            reversal.memory.version,
        )
        for reversal in planned.reversals
    ]
    if changes:
        store.write(changes, "undo")
    if run is not None:
        now = store.now()
        store.local.runs.undone(run.name, now)
        if run.kind == SLEEP:
            _remove_future_times(store, run, now)
    return planned


def _remove_future_times(store: Store, run: Run, now: float) -> None:
    """Remove future times that a sleep under a wrong clock has recorded."""
    last = store.local.maintenance.last_sleep()
    store.local.maintenance.set_back(now, run.slept_before if last is None or last > now else last)


def _run(store: Store, target: str) -> Run | None:
    if target != LAST:
        run = store.local.runs.named(target)
        if run is not None and run.is_undone:
            raise NothingToUndo(f"{run.name} is already undone.")
        return run
    for run in store.local.runs.all():
        if not run.is_undone:
            return run
    raise NothingToUndo(
        "There is no import or sleep to undo.",
        "To undo the last change of a memory, run: recollect undo ID",
    )


def _of_run(store: Store, run: Run) -> Undo:
    index = store.indexing.fresh()
    named = frozenset(name for name, _ in run.records)
    owners = list(dict.fromkeys(_memory_uid(index, name) for _, name in run.records))
    reversals: list[Reversal] = []
    kept: list[Kept] = []
    for memory in index.get_many(owners):
        create, *updates = index.history(memory.uid)
        written = {r.uid for r in (create, *updates) if r.uid in named or r.nonce in named}
        if create.uid in written:
            others = [u for u in updates if u.uid not in written and "status_by" not in u.fields]
            if others:
                kept.append(Kept(memory, f"changed since by {others[-1].by or 'somebody'}"))
            elif memory.status != RETIRED:
                fields = {"status": RETIRED, "status_reason": f"{run.name} was undone"}
                reversals.append(Reversal(memory, fields, None, (create.uid,)))
            continue
        taken = [update.uid for update in updates if update.uid in written]
        found, why = _reversal(store, memory, create, updates, taken)
        if found is not None:
            # sleep changed it, so this does not count as an edit by a person
            if "status" in found.fields:
                found.fields.setdefault("status_by", BY_UNDO)
            reversals.append(found)
        if why:
            kept.append(Kept(memory, why))
    return Undo(run.name, tuple(reversals), tuple(kept))


def _memory_uid(index: Index, name: str) -> str:
    """Return the uid of a memory that a run names; a run that was killed names it by its nonce."""
    made = made_with(index, name) if is_nonce(name) else None
    return name if made is None else made.uid


def _of_memory(store: Store, target: str) -> Undo:
    try:
        memory = store.get(target)
    except NotFound:
        _refuse_purged(store, target)
        raise
    create, *updates = store.indexing.fresh().history(memory.uid)
    undone = {str(uid) for update in updates for uid in update.fields.get(UNDOES) or ()}
    for update in reversed(updates):
        counts = update.body is not None or counting_fields(update, create, store.ledger.author)
        if UNDOES in update.fields or update.uid in undone or not counts:
            continue
        found, why = _reversal(store, memory, create, updates, [update.uid])
        if found is not None:
            return Undo(memory.id, (found,))
        if why:
            return Undo(memory.id, (), (Kept(memory, why),))
    raise NothingToUndo(
        f"{memory.id} has no change to undo.",
        f"To retire the memory itself, run: recollect retire {memory.id}",
    )


def _refuse_purged(store: Store, target: str) -> None:
    for record, _ in store.journal():
        if record.op == PURGE and target in (record.of, record.id):
            raise NothingToUndo(
                f"{target} was purged. A purge cannot be undone.", "Capture it again."
            )


def _reversal(
    store: Store,
    memory: Memory,
    create: Record,
    updates: Sequence[Record],
    taken: Collection[str],
) -> tuple[Reversal | None, str]:
    """Return the change that reverts some updates, and why a part of them has to stay."""
    kept = [update for update in updates if update.uid not in taken]
    owner = store.ledger.author
    before = fold(create, kept, kind=memory.kind, name=memory.id, owner=owner)
    touched = _touched(update for update in updates if update.uid in taken)
    last = max(number for number, update in enumerate(updates) if update.uid in taken)
    later = _touched(updates[last + 1 :])
    fields: dict[str, Any] = {}
    for name in sorted(touched - _NOT_TAKEN_BACK - later):
        was, now = _value(before, name), _value(memory, name)
        if was != now and name not in _OF_STATUS:
            fields[name] = was
    if "status" in touched - later and before.status != memory.status:
        fields["status"] = before.status
        fields["status_reason"] = before.status_reason or "undone"
        if before.status_by is not None:
            fields["status_by"] = before.status_by
    body = None
    if BODY in touched - later and before.body != memory.body:
        body = before.body
    over = sorted((touched & later) - _NOT_TAKEN_BACK - {"status_reason", "status_by"})
    over += [BODY] if BODY in touched & later else []
    why = f"changed again since: {', '.join(over)}" if over else ""
    if not fields and body is None:
        return None, why
    return Reversal(memory, fields, body, tuple(taken)), why


def _touched(updates: Iterable[Record]) -> set[str]:
    found: set[str] = set()
    for update in updates:
        found |= update.fields.keys()
        if update.body is not None:
            found.add(BODY)
    return found


def _value(memory: Memory, name: str) -> Any:
    """Return a field as an update states it; None if it is not set."""
    value = memory.as_json().get(name, memory.extra.get(name))
    return None if value in ([], {}, "") else value
