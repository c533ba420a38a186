"""Plans what a sleep does: merges first, then status changes of the remaining memories.

After a plan is carried out, the next plan is empty: sleeping ten times equals sleeping once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from recollect.core.kinds import BY_NAME
from recollect.core.memory import Memory, fold
from recollect.core.status import ARCHIVED, VISIBLE
from recollect.sleep.compression import plan_merges
from recollect.sleep.lifecycle import UsageSummary, due_step, plan_aging
from recollect.sleep.overlaps import plan_overlaps
from recollect.sleep.plan import BY_MERGE, Merge, Plan, Step
from recollect.sleep.policy import Policy


def plan_sleep(memories: Sequence[Memory], used: UsageSummary, policy: Policy, now: float) -> Plan:
    """Plan everything that is due."""
    merges, proposals = _split(plan_merges(memories, policy, now), used, policy, now)
    merged = {memory.uid for merge in merges for memory in merge.sources}
    apart = plan_overlaps(memories, now)
    rest = without(memories, merged | {step.memory.uid for step in apart})
    shown = len(merges) + sum(step.status in VISIBLE for step in apart)
    aging = plan_aging(rest, used, policy, now, merged=shown)
    return Plan(
        looked_at=len(memories),
        merges=tuple(merges),
        proposals=tuple(proposals),
        steps=(*apart, *aging.steps),
        purgeable=aging.purgeable,
        over_cap=aging.over_cap,
    )


def plan_lifecycle(
    memories: Sequence[Memory], used: UsageSummary, policy: Policy, now: float
) -> Plan:
    """Plan only the status changes that are due."""
    apart = plan_overlaps(memories, now)
    rest = without(memories, {step.memory.uid for step in apart})
    shown = sum(step.status in VISIBLE for step in apart)
    aging = plan_aging(rest, used, policy, now, merged=shown)
    return Plan(len(memories), (), (), (*apart, *aging.steps), aging.purgeable, aging.over_cap)


def without(memories: Iterable[Memory], uids: Collection[str]) -> list[Memory]:
    """Return the memories except some."""
    return [memory for memory in memories if memory.uid not in uids]


def plan_summaries(
    memories: Sequence[Memory], used: UsageSummary, policy: Policy, now: float, *, days: float
) -> Plan:
    """Plan only the merges of memories older than this many days."""
    found = plan_merges(memories, policy, now, min_age=days)
    merges, proposals = _split(found, used, policy, now)
    return Plan(len(memories), tuple(merges), tuple(proposals))


def _split(
    found: Iterable[Merge], used: UsageSummary, policy: Policy, now: float
) -> tuple[list[Merge], list[Merge]]:
    """Separate merges to make from those of permanent kinds, which a person must confirm.

    A merge that would be archived at once is dropped: its sources are archived themselves.
    """
    merges, proposals = [], []
    for merge in found:
        if BY_NAME[merge.kind].permanent:
            proposals.append(merge)
        elif due_step(as_memory(merge), used, policy, now) is None:
            merges.append(merge)
    return merges, proposals


def as_memory(merge: Merge) -> Memory:
    """Return the memory that a merge becomes."""
    return fold(merge.record, (), kind=merge.kind, name=f"{merge.kind}:{'0' * 40}:0")


def archiving(sources: Iterable[Memory], due: float) -> list[Step]:
    """Return the steps that archive the sources of a merge.

    The reason does not quote the merged memory: a purge removes the records of a memory, so no
    record of another may repeat its words. `relates_to` names the merged memory.
    """
    return [Step(memory, ARCHIVED, "merged", BY_MERGE, due) for memory in sources]
