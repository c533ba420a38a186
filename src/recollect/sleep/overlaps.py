"""Merged memories that share sources: two clones slept apart, and one knew more than the other.

One of them stays: what somebody has reworded, then what was made of more. Another one is archived,
and those of its sources that nothing in sight holds any more come back. That depends on the
memories alone, so clones that have synced agree. What somebody has reworded or brought back is
never archived for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.core.memory import Memory
from recollect.core.status import ARCHIVED, VISIBLE
from recollect.sleep.lifecycle import before_sleep, moved
from recollect.sleep.plan import BY_MERGE, Step


def plan_overlaps(memories: Sequence[Memory]) -> list[Step]:
    """The steps after which no source is in two merged memories; what comes back is first."""
    staying, leaving = _sorted(memories)
    if not leaving:
        return []
    due = max(moved(memory) or 0.0 for memory in (*staying, *leaving))
    held = {uid for memory in staying for uid in memory.sources}
    free = {uid for memory in leaving for uid in memory.sources} - held
    back = [
        Step(m, before_sleep(m), "what it was merged into is archived", BY_MERGE, due)
        for m in memories
        if m.uid in free and (m.status, m.status_by) == (ARCHIVED, BY_MERGE)
    ]
    reason = "another one was merged from the same"
    return [*back, *(Step(memory, ARCHIVED, reason, BY_MERGE, due) for memory in leaving)]


def _sorted(memories: Iterable[Memory]) -> tuple[list[Memory], list[Memory]]:
    """The merged memories that stay, and those that share sources with one that does."""
    found = [memory for memory in memories if memory.status in VISIBLE and memory.sources]
    found.sort(
        key=lambda memory: (memory.times_updated > 0, len(memory.sources), memory.uid),
        reverse=True,
    )
    staying: list[Memory] = []
    leaving: list[Memory] = []
    held: set[str] = set()
    for memory in found:
        if memory.times_updated or held.isdisjoint(memory.sources):
            staying.append(memory)
            held.update(memory.sources)
        else:
            leaving.append(memory)
    return staying, leaving
