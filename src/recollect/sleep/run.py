"""Runs sleep: plans what is due and carries it out, one process per repository, resumable.

Every write is one transaction of the ledger, and what is written is not planned again, so a run
that was killed continues where it stopped. Nonces derive from the content, and a merge has the same
text in every clone, so that clones that sleep independently make the same memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import Any

from recollect.config.config import Config
from recollect.core.kinds import KINDS
from recollect.core.memory import Memory, status_before_hiding, version_of
from recollect.core.note import shorten_line
from recollect.core.places import LOCAL, SHARED
from recollect.core.record import Record
from recollect.core.spaces import seems_private
from recollect.core.status import ARCHIVED, VISIBLE
from recollect.core.uid import derive_uid, uid_milliseconds
from recollect.errors import LockTimeout, NotFound, NotWritable, SecretFound, VersionConflict
from recollect.index.protocol import ALL, Filters, Index, is_purged, merged_from
from recollect.ledger.lock import exclusive
from recollect.ledger.writes import NOBODY, Change, Creation, Write
from recollect.sleep.clock import clock_problem
from recollect.sleep.lifecycle import UsageSummary, last_changed, status_since, was_merged
from recollect.sleep.overlaps import is_spare
from recollect.sleep.plan import BY_MERGE, Merge, Plan, Step
from recollect.sleep.planning import (
    archiving,
    plan_lifecycle,
    plan_sleep,
    plan_summaries,
    without,
)
from recollect.sleep.policy import Policy
from recollect.sleep.proposals import propose, worth_asking
from recollect.sleep.undo import recorded
from recollect.state.runs import SLEEP
from recollect.store.prepare import change_in
from recollect.store.store import Store

_LOCK = "sleep.lock"
_BATCH = 1000  # writes in one transaction, which others wait for
# A clone in which nothing was ever used archives nothing by age for this long.
_QUIET = 90 * 86_400.0

Planner = Callable[[Sequence[Memory], UsageSummary, Policy, float], Plan]


def policy_of(config: Config) -> Policy:
    """Return the settings of sleep in this store."""
    return Policy(
        retention={k.name: config.number(f"kinds.{k.name}.retention_days") for k in KINDS},
        decay_per_day=config.number("sleep.decay_per_day"),
        min_age=config.number("sleep.min_age_days"),
        archived=config.number("sleep.archived_days"),
        grace=config.number("delete.grace_period_days"),
        unconfirmed=config.number("capture.unconfirmed_days"),
        most=int(config.number("sleep.max_memories")),
        similarity=config.number("sleep.similarity"),
    )


def used(store: Store) -> UsageSummary:
    """Return what the usage log knows about memories."""
    usage, now = store.local.usage, store.now()
    uses, shown, known = usage.uses(), usage.shown(), usage.known()
    quiet = -math.inf if uses else min(known.values(), default=now) + _QUIET
    return UsageSummary(uses, shown, known, begins=now, quiet_until=quiet)


def make_plan(store: Store, planner: Planner = plan_sleep) -> Plan:
    """Plan what is due now. A run carries out exactly this plan."""
    index = store.indexing.fresh()
    now = store.now()
    memories = changeable(index, index.select(Filters(statuses=ALL)))
    plan = planner(memories, used(store), policy_of(store.config), now)
    known = {step.memory.uid for step in plan.steps}
    corrected = _corrected(index, without(memories, known))
    plan = plan._replace(steps=(*plan.steps, *corrected))
    return plan._replace(
        # A uid is never used twice: what somebody purged is not made again.
        merges=tuple(_redacted(store, [m for m in plan.merges if not _was_purged(index, m)])),
        proposals=tuple(worth_asking(store, index, _redacted(store, plan.proposals))),
        purgeable=tuple(without_needed(index, plan.purgeable)),
    )


def _was_purged(index: Index, merge: Merge) -> bool:
    """Return whether somebody purged an earlier merge of these sources."""
    return is_purged(index, merge.nonce)


def plan_of_lifecycle(store: Store) -> Plan:
    """Plan the status changes that are due."""
    return make_plan(store, plan_lifecycle)


def plan_of_summaries(store: Store, days: float) -> Plan:
    """Plan the merges of memories older than this many days."""
    return make_plan(store, partial(plan_summaries, days=days))._replace(steps=())


def _corrected(index: Index, memories: Iterable[Memory]) -> Iterator[Step]:
    """Return steps that restore sources that one clone changed while another merged them.

    The merged memory does not contain the correction.
    """
    for memory in memories:
        if (
            was_merged(memory)
            and memory.times_updated
            and _was_changed_meanwhile(index.history(memory.uid))
        ):
            since = status_since(memory) or 0.0
            reason = "changed while it was being merged"
            yield Step(memory, status_before_hiding(memory), reason, BY_MERGE, since)


def _was_changed_meanwhile(history: Sequence[Record]) -> bool:
    """Return whether a source is archived at another version than the merged one.

    The nonce of the change that archived it derives from that version. Older versions of the
    program derived the uid from it.
    """
    creation, *updates = history
    archivings = [
        update
        for update in updates
        if (update.fields.get("status"), update.fields.get("status_by")) == (ARCHIVED, BY_MERGE)
    ]
    if not archivings:
        return False
    last = archivings[-1]
    before = [
        update
        for update in updates
        if update.rev < last.rev or (update.rev == last.rev and "status_by" not in update.fields)
    ]
    if last.nonce is None:
        creation = creation._replace(digest="")
        before = [update._replace(digest="") for update in before]
    seen, mark = version_of(creation, before), last.nonce or last.uid
    return mark != _step_nonce(creation.uid, seen, ARCHIVED, BY_MERGE, uid_milliseconds(mark))


def changeable(index: Index, memories: Iterable[Memory]) -> list[Memory]:
    """Return the memories that may be changed: those of another tool are read-only.

    Also drops memories that only claim to be private, or have the uid of a private memory: private
    memories must not be merged with them, and their changes must not be shared.
    """
    shared = set(index.outside([LOCAL]))
    found = without(memories, set(index.outside({SHARED, LOCAL})))
    return [m for m in found if m.uid not in shared or not seems_private(m)]


def without_needed(index: Index, garbage: Sequence[Memory]) -> list[Memory]:
    """Return the garbage without the sources of merged memories that stay.

    A merge that was archived for another one is no loss: it goes with its source.
    """
    staying = merged_from(index, {memory.uid for memory in garbage})
    staying = [memory for memory in staying if not is_spare(memory)]
    needed = {uid for memory in staying for uid in memory.sources}
    return [memory for memory in garbage if memory.uid not in needed]


def _redacted(store: Store, merges: Iterable[Merge]) -> Iterator[Merge]:
    """Redact merges; drop those that contain what must not be stored any more."""
    for merge in merges:
        if merge.fields.get("sensitivity") == "secret":
            yield merge
            continue
        try:
            summary, body = store.redact(merge.summary), store.redact(merge.body)
        except SecretFound as error:
            names = ", ".join(store.short_name(memory) for memory in merge.sources)
            store.ledger.warnings.append(f"Not merged: {names}. {error.message}")
        else:
            yield merge._replace(summary=shorten_line(str(summary)), body=str(body))


@contextmanager
def sleep_lock(store: Store) -> Iterator[None]:
    """Hold the lock of sleep in this repository; raise an error if another process has it."""
    with ExitStack() as stack:
        try:
            stack.enter_context(exclusive(store.ledger.repository.state_dir / _LOCK, 0.0))
        except LockTimeout:
            raise LockTimeout(
                "Another sleep is running in this repository.", "Try again in a minute."
            ) from None
        yield


def sleep(store: Store, planner: Callable[[Store], Plan] = make_plan) -> Plan:
    """Carry out what is due, and return it."""
    with sleep_lock(store):
        return carry_out(store, planner(store))


def sleep_if_due(
    store: Store, *, most: int | None = None, writes: int | None = None
) -> Plan | None:
    """Sleep if it is due and no other process does; return None if there was nothing to do.

    A hook has little time: `most` skips stores with more memories than that, and `writes` limits
    the work. A later sleep does the rest.
    """
    if not is_due(store) or clock_problem(store):
        return None
    if most is not None and store.indexing.fresh().count(Filters(statuses=ALL)) > most:
        return None
    if store.indexing.behind:
        return None  # the index is not complete yet

    def planner(store: Store) -> Plan:
        plan = make_plan(store)
        return plan if writes is None else plan.limited(writes)

    try:
        return sleep(store, planner)
    except (LockTimeout, NotWritable):
        return None


def is_due(store: Store) -> bool:
    """Return whether a session has ended since the last sleep, or a day has passed."""
    if not store.config.flag("sleep.enabled"):
        return False
    return store.local.maintenance.is_due(store.now())


def carry_out(store: Store, plan: Plan) -> Plan:
    """Write a plan, kind by kind, in transactions of moderate size; return what was written."""
    index = store.indexing.fresh()
    units: dict[str, list[list[Write]]] = {}
    for merge in plan.merges:
        made: list[Write] = [_creation(merge)]
        made += [_step(index, step, merge.uid) for step in archiving(merge.sources, merge.due)]
        units.setdefault(merge.kind, []).append(made)
    for step in plan.steps:
        units.setdefault(step.memory.kind, []).append([_step(index, step)])
    every = [write for unit in units.values() for part in unit for write in part]
    with store.deferred_effects("sleep"), recorded(store, SLEEP, every) as written:
        left = {n for k in sorted(units) for n in _write(store, units[k], "sleep", written)}
    for merge in plan.proposals:
        propose(store, merge)
    store.local.make_folder()
    now = store.now()
    everything = index.select(Filters(statuses=ALL))
    store.local.usage.know([memory.uid for memory in everything], now)
    store.local.maintenance.record_sleep(now)
    store.refresh()
    return plan._replace(
        merges=tuple(merge for merge in plan.merges if merge.nonce not in left),
        steps=tuple(step for step in plan.steps if _nonce(step) not in left),
    )


def write_steps(
    store: Store, steps: Sequence[Step], reason: str, *, gone: Set[str] = frozenset()
) -> None:
    """Write status changes, and drop relations to memories that are gone."""
    index = store.indexing.fresh()
    with store.deferred_effects(reason):
        _write(store, [[_step(index, step, gone=gone)] for step in steps], reason)
    store.refresh()


def archive_sources(store: Store, merged: Memory) -> None:
    """Archive the sources of a merge after a person confirmed it."""
    index = store.indexing.fresh()
    sources = [m for m in index.get_many(merged.sources) if m.status in VISIBLE]
    # Use a time that is the same in every clone in which somebody confirms.
    steps = archiving(
        sources, max((last_changed(source) or 0.0 for source in sources), default=0.0)
    )
    with store.deferred_effects("merge"):
        _write(store, [[_step(index, step, merged.uid)] for step in steps], "merge")
    store.refresh()


def _write(
    store: Store, units: Iterable[list[Write]], reason: str, log: list[Record] | None = None
) -> list[str]:
    """Write units in transactions of moderate size; a unit is never split.

    Returns the nonces of what was not written.
    """
    left: list[str] = []
    written: list[Record] = [] if log is None else log
    batch: list[list[Write]] = []
    for unit in [*units, []]:
        if batch and (not unit or sum(map(len, batch)) + len(unit) > _BATCH):
            try:
                written += store.write([write for part in batch for write in part], reason)
            except (NotFound, VersionConflict):
                left += _write_apart(store, batch, reason, written)
            batch = []
        batch.append(unit)
    return left


def _write_apart(
    store: Store, units: Iterable[list[Write]], reason: str, written: list[Record]
) -> list[str]:
    """Write units one by one; one that somebody changed meanwhile is left to the next sleep."""
    left: list[str] = []
    for unit in units:
        try:
            written += store.write(unit, reason)
        except (NotFound, VersionConflict) as error:
            store.ledger.warnings.append(
                f"Sleep skipped a change until the next run: {error.message}"
            )
            left += [write.nonce for write in unit]
    return left


def _creation(merge: Merge) -> Creation:
    return Creation(
        nonce=merge.nonce,
        kind=merge.kind,
        fields={**merge.fields, "summary": merge.summary},
        body=merge.body,
        revision=None,  # it belongs to the project, not to the commit of a source
        created=merge.created,
        by=merge.by or NOBODY,
    )


def _step(
    index: Index, step: Step, merged: str | None = None, gone: Set[str] = frozenset()
) -> Change:
    memory = step.memory
    fields: dict[str, Any] = {
        "status": step.status,
        "status_by": step.by,
        "status_reason": step.reason,
    }
    if merged is not None:
        fields["relates_to"] = [*memory.relates_to, merged]
    elif not gone.isdisjoint(memory.relates_to):
        fields["relates_to"] = [uid for uid in memory.relates_to if uid not in gone]
    # Only if the memory is still as planned: somebody may have changed it since.
    return change_in(index, memory, _nonce(step), fields, expected=memory.version)


def _nonce(step: Step) -> str:
    memory = step.memory
    return _step_nonce(memory.uid, memory.version, step.status, step.by, int(step.due * 1000))


def _step_nonce(uid: str, version: str, status: str, by: str, milliseconds: int) -> str:
    """Return a nonce: the same in every clone that takes the same step from the same state."""
    return derive_uid("\n".join((uid, version, status, by)), milliseconds)
