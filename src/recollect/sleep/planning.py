"""What one sleep would do to a store: merges first, then the lives of what is left.

Planning the outcome of a plan gives an empty plan: to sleep ten times is to sleep once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from recollect.core.kinds import BY_NAME
from recollect.core.memory import Memory, fold
from recollect.core.status import ARCHIVED, VISIBLE
from recollect.sleep.compression import plan_merges
from recollect.sleep.lifecycle import Used, due_step, plan_lives
from recollect.sleep.overlaps import plan_overlaps
from recollect.sleep.plan import BY_MERGE, Merge, Plan, Step
from recollect.sleep.policy import Policy


def plan_sleep(memories: Sequence[Memory], used: Used, policy: Policy, now: float) -> Plan:
    """Everything that is due."""
    merges, proposals = _sorted(plan_merges(memories, policy, now), used, policy, now)
    merged = {memory.uid for merge in merges for memory in merge.sources}
    apart = plan_overlaps(memories)
    rest = without(memories, merged | {step.memory.uid for step in apart})
    shown = len(merges) + sum(step.status in VISIBLE for step in apart)
    lives = plan_lives(rest, used, policy, now, merged=shown)
    return Plan(
        looked_at=len(memories),
        merges=tuple(merges),
        proposals=tuple(proposals),
        steps=(*apart, *lives.steps),
        purgeable=lives.purgeable,
        over_cap=lives.over_cap,
    )


def plan_lifecycle(memories: Sequence[Memory], used: Used, policy: Policy, now: float) -> Plan:
    """The changes of status that are due, and nothing else."""
    apart = plan_overlaps(memories)
    rest = without(memories, {step.memory.uid for step in apart})
    shown = sum(step.status in VISIBLE for step in apart)
    lives = plan_lives(rest, used, policy, now, merged=shown)
    return Plan(len(memories), (), (), (*apart, *lives.steps), lives.purgeable, lives.over_cap)


def without(memories: Iterable[Memory], uids: Collection[str]) -> list[Memory]:
    """Memories but for some."""
    return [memory for memory in memories if memory.uid not in uids]


def plan_summaries(
    memories: Sequence[Memory], used: Used, policy: Policy, now: float, *, days: float
) -> Plan:
    """The merges of what is older than so many days, and nothing else."""
    found = plan_merges(memories, policy, now, min_age=days)
    merges, proposals = _sorted(found, used, policy, now)
    return Plan(len(memories), tuple(merges), tuple(proposals))


def _sorted(
    found: Iterable[Merge], used: Used, policy: Policy, now: float
) -> tuple[list[Merge], list[Merge]]:
    """Merges to be made, and those of permanent kinds, which need a word.

    What would be archived as soon as it is made is not worth making: its sources go that way.
    """
    merges, proposals = [], []
    for merge in found:
        if BY_NAME[merge.kind].permanent:
            proposals.append(merge)
        elif due_step(as_memory(merge), used, policy, now) is None:
            merges.append(merge)
    return merges, proposals


def as_memory(merge: Merge) -> Memory:
    """The memory that a merge becomes."""
    return fold(merge.record, (), kind=merge.kind, name=f"{merge.kind}:{'0' * 40}:0")


def archiving(sources: Iterable[Memory], due: float) -> list[Step]:
    """The steps by which sources are archived in favour of what they were merged into.

    The reason does not say what that says: a purge removes the records of a memory, and no word of
    one may be in a record of another. Which one it is, `relates_to` tells.
    """
    return [Step(memory, ARCHIVED, "merged", BY_MERGE, due) for memory in sources]
