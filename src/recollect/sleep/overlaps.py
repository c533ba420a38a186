"""What merged memories hold: no two of them the same source, and no source is held by none.

Two clones sleep apart, and one knows more than the other: of two merged memories that share a
source one stays, what somebody has reworded or brought back, then what was made of more. Another
one is archived. A source that was archived for a merge and that nothing holds any more comes back,
however that came about. All of that depends on the memories alone, so clones that have synced
agree, and what was left half done is done by the next sleep.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.core.memory import Memory, status_before_hiding
from recollect.core.status import ARCHIVED, RETIRED, VISIBLE
from recollect.sleep.lifecycle import is_merged, moved, was_merged
from recollect.sleep.plan import BY_AGE, BY_MERGE, Step


def plan_overlaps(memories: Sequence[Memory]) -> list[Step]:
    """The steps after which each source is held once, or is in sight; what comes back is first."""
    staying, leaving = _sorted(memories)
    going = {memory.uid for memory in leaving}
    held = {
        uid
        for memory in (*staying, *filter(_holds, memories))
        if memory.uid not in going
        for uid in memory.sources
    }
    due = max((moved(memory) or 0.0 for memory in (*staying, *leaving)), default=0.0)
    reworded = [memory for memory in staying if memory.status not in VISIBLE]
    free = [m for m in memories if was_merged(m) and not is_merged(m) and m.uid not in held]
    return [
        *(_back(memory, "somebody has reworded it", moved(memory) or 0.0) for memory in reworded),
        *(_back(m, "nothing in sight was merged from it", moved(m) or 0.0) for m in free),
        *(
            Step(memory, ARCHIVED, "another one was merged from the same", BY_MERGE, due)
            for memory in leaving
        ),
    ]


def _back(memory: Memory, reason: str, due: float) -> Step:
    return Step(memory, status_before_hiding(memory), reason, BY_MERGE, due)


def is_spare(memory: Memory) -> bool:
    """Whether a merged memory was archived for another one, and nobody has a word of it."""
    return is_merged(memory) and was_merged(memory) and not memory.times_updated


def _holds(memory: Memory) -> bool:
    """Whether what a memory was merged from need not be in sight itself.

    What a person archived stays with all that is in it, and what fades takes its sources along.
    """
    if memory.status == RETIRED:
        return memory.status_by == BY_AGE
    return memory.status in VISIBLE or (memory.status == ARCHIVED and not was_merged(memory))


def _is_wanted(memory: Memory) -> bool:
    """Whether somebody has reworded it, or brought it back."""
    is_back = memory.status_by is None and memory.status_changed != memory.created
    return memory.times_updated > 0 or is_back


def _sorted(memories: Iterable[Memory]) -> tuple[list[Memory], list[Memory]]:
    """The merged memories that stay, and those that share sources with one that does.

    What was reworded in one clone while another one archived it is among those that stay.
    """
    found = [
        memory
        for memory in memories
        if memory.sources
        and (memory.status in VISIBLE or (was_merged(memory) and memory.times_updated))
    ]
    found.sort(
        key=lambda memory: (_is_wanted(memory), len(memory.sources), memory.uid), reverse=True
    )
    staying: list[Memory] = []
    leaving: list[Memory] = []
    held: set[str] = set()
    for memory in found:
        if _is_wanted(memory) or held.isdisjoint(memory.sources):
            staying.append(memory)
            held.update(memory.sources)
        else:
            leaving.append(memory)
    return staying, leaving
