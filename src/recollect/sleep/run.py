"""Sleep: plans what is due and carries it out, one runner per repository, resumable at any point.

Every write is one transaction of the ledger, and what was written is not planned again: a run that
was killed goes on where it was. The nonces of what sleep writes derive from what it is about, and a
merge says the same in every clone, so that two clones that sleep apart make the same memory of it.
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
from recollect.sleep.lifecycle import Used, moved, touched, was_merged
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
_BATCH = 1000  # writes in one transaction: others wait for it
# So long a clone in which nothing was ever used leaves everything in sight.
_QUIET = 90 * 86_400.0

Planner = Callable[[Sequence[Memory], Used, Policy, float], Plan]


def policy_of(config: Config) -> Policy:
    """What sleep goes by here."""
    return Policy(
        retention={k.name: config.number(f"kinds.{k.name}.retention_days") for k in KINDS},
        decay_per_day=config.number("sleep.decay_per_day"),
        min_age=config.number("sleep.min_age_days"),
        archived=config.number("sleep.archived_days"),
        grace=config.number("delete.grace_period_days"),
        most=int(config.number("sleep.max_memories")),
        similarity=config.number("sleep.similarity"),
    )


def used(store: Store) -> Used:
    """What the log knows of memories."""
    usage, now = store.local.usage, store.ledger.clock().timestamp()
    uses, shown, known = usage.uses(), usage.shown(), usage.known()
    quiet = -math.inf if uses else min(known.values(), default=now) + _QUIET
    return Used(uses, shown, known, begins=now, quiet_until=quiet)


def make_plan(store: Store, planner: Planner = plan_sleep) -> Plan:
    """What is due now. A run does exactly this."""
    index = store.indexing.fresh()
    now = store.ledger.clock().timestamp()
    memories = ours(index, index.select(Filters(statuses=ALL)))
    plan = planner(memories, used(store), policy_of(store.config), now)
    known = {step.memory.uid for step in plan.steps}
    corrected = _corrected(index, without(memories, known))
    plan = plan._replace(steps=(*plan.steps, *corrected))
    return plan._replace(
        # No uid lives twice: what somebody has purged is not made again.
        merges=tuple(_redacted(store, [m for m in plan.merges if not _was_purged(index, m)])),
        proposals=tuple(worth_asking(store, index, _redacted(store, plan.proposals))),
        purgeable=tuple(without_needed(index, plan.purgeable)),
    )


def _was_purged(index: Index, merge: Merge) -> bool:
    """Whether somebody purged what these sources were merged into before."""
    return is_purged(index, merge.nonce)


def plan_of_lifecycle(store: Store) -> Plan:
    """The changes of status that are due."""
    return make_plan(store, plan_lifecycle)


def plan_of_summaries(store: Store, days: float) -> Plan:
    """The merges of what is older than so many days."""
    return make_plan(store, partial(plan_summaries, days=days))._replace(steps=())


def _corrected(index: Index, memories: Iterable[Memory]) -> Iterator[Step]:
    """Sources that somebody changed in one clone while another merged them: they come back.

    What they were merged into does not hold the correction.
    """
    for memory in memories:
        if (
            was_merged(memory)
            and memory.times_updated
            and _was_changed_meanwhile(index.history(memory.uid))
        ):
            since = moved(memory) or 0.0
            reason = "changed while it was merged"
            yield Step(memory, status_before_hiding(memory), reason, BY_MERGE, since)


def _was_changed_meanwhile(history: Sequence[Record]) -> bool:
    """Whether a source is archived at another version than the one that was merged.

    The nonce of the change that archived it derives from that version; older versions of the
    program made the uid so.
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


def ours(index: Index, memories: Iterable[Memory]) -> list[Memory]:
    """Those that may be changed: what another tool keeps we only read.

    Nor what only claims to be private, or has the uid of a private memory: what is private must
    not be merged with it, and a change of it must not go to others.
    """
    shared = set(index.outside([LOCAL]))
    found = without(memories, set(index.outside({SHARED, LOCAL})))
    return [m for m in found if m.uid not in shared or not seems_private(m)]


def without_needed(index: Index, garbage: Sequence[Memory]) -> list[Memory]:
    """Garbage without the sources of merged memories that are none: to erase one takes both.

    What was archived for another merge of the same is no loss: it goes with its source.
    """
    staying = merged_from(index, {memory.uid for memory in garbage})
    staying = [memory for memory in staying if not is_spare(memory)]
    needed = {uid for memory in staying for uid in memory.sources}
    return [memory for memory in garbage if memory.uid not in needed]


def _redacted(store: Store, merges: Iterable[Merge]) -> Iterator[Merge]:
    """Merges as they are written; without those that say what must not be stored any more."""
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
    """Nobody else sleeps in this repository while this lasts; it is refused where somebody does."""
    with ExitStack() as stack:
        try:
            stack.enter_context(exclusive(store.ledger.repository.state_dir / _LOCK, 0.0))
        except LockTimeout:
            raise LockTimeout(
                "Another process looks after these memories right now.", "Try again in a minute."
            ) from None
        yield


def sleep(store: Store, planner: Callable[[Store], Plan] = make_plan) -> Plan:
    """Do what is due, and tell what that was."""
    with sleep_lock(store):
        return carry_out(store, planner(store))


def sleep_if_due(
    store: Store, *, most: int | None = None, writes: int | None = None
) -> Plan | None:
    """Sleep, if it is time and nobody else does; None where there was nothing to do.

    A hook has little time: with `most`, it is done only where there are no more memories than that,
    and with `writes`, only so much of it. Whoever has time does the rest.
    """
    if not is_due(store) or clock_problem(store):
        return None
    if most is not None and store.indexing.fresh().count(Filters(statuses=ALL)) > most:
        return None
    if store.indexing.behind:
        return None  # the index does not know everything yet

    def planner(store: Store) -> Plan:
        plan = make_plan(store)
        return plan if writes is None else plan.limited(writes)

    try:
        return sleep(store, planner)
    except (LockTimeout, NotWritable):
        return None


def is_due(store: Store) -> bool:
    """Whether a session has ended since the last sleep, or a day has passed."""
    if not store.config.flag("sleep.enabled"):
        return False
    return store.local.maintenance.is_due(store.ledger.clock().timestamp())


def carry_out(store: Store, plan: Plan) -> Plan:
    """Write what a plan says, kind by kind, in transactions of moderate size; tell what was."""
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
    now = store.ledger.clock().timestamp()
    everything = index.select(Filters(statuses=ALL))
    store.local.usage.know([memory.uid for memory in everything], now)
    store.local.maintenance.slept(now)
    store.refresh()
    return plan._replace(
        merges=tuple(merge for merge in plan.merges if merge.nonce not in left),
        steps=tuple(step for step in plan.steps if _nonce(step) not in left),
    )


def write_steps(
    store: Store, steps: Sequence[Step], reason: str, *, gone: Set[str] = frozenset()
) -> None:
    """Write changes of status; what is gone is related to no more."""
    index = store.indexing.fresh()
    with store.deferred_effects(reason):
        _write(store, [[_step(index, step, gone=gone)] for step in steps], reason)
    store.refresh()


def archive_sources(store: Store, merged: Memory) -> None:
    """Archive what a memory was merged from, after somebody said that it may be."""
    index = store.indexing.fresh()
    sources = [m for m in index.get_many(merged.sources) if m.status in VISIBLE]
    # Not now, but a moment that is the same in every clone in which somebody says so.
    steps = archiving(sources, max((touched(source) or 0.0 for source in sources), default=0.0))
    with store.deferred_effects("merge"):
        _write(store, [[_step(index, step, merged.uid)] for step in steps], "merge")
    store.refresh()


def _write(
    store: Store, units: Iterable[list[Write]], reason: str, log: list[Record] | None = None
) -> list[str]:
    """Write units in transactions of moderate size; what belongs together is written together.

    Gives the nonces of what was not written.
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
    """Write what can be written; what somebody changed meanwhile is left to the next sleep."""
    left: list[str] = []
    for unit in units:
        try:
            written += store.write(unit, reason)
        except (NotFound, VersionConflict) as error:
            store.ledger.warnings.append(f"Sleep left something for later: {error.message}")
            left += [write.nonce for write in unit]
    return left


def _creation(merge: Merge) -> Creation:
    return Creation(
        nonce=merge.nonce,
        kind=merge.kind,
        fields={**merge.fields, "summary": merge.summary},
        body=merge.body,
        revision=None,  # it belongs to the project, not to one of its sources' commits
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
    # Only as long as it is what was planned for: somebody may have changed it since.
    return change_in(index, memory, _nonce(step), fields, expected=memory.version)


def _nonce(step: Step) -> str:
    memory = step.memory
    return _step_nonce(memory.uid, memory.version, step.status, step.by, int(step.due * 1000))


def _step_nonce(uid: str, version: str, status: str, by: str, milliseconds: int) -> str:
    """The same in every clone that takes the same step from the same state."""
    return derive_uid("\n".join((uid, version, status, by)), milliseconds)
