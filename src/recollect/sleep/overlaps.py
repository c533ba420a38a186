"""Resolves merged memories that share sources, and restores sources that no merge contains.

Two clones may sleep independently, and one may know more than the other. Of two merged memories
that share a source, one stays: first one that a person edited or restored, then the one with more
sources. The other is archived. A source that was archived for a merge comes back if no merged
memory contains it any more. All of this depends only on the memories, so clones agree after a sync,
and the next sleep completes what was interrupted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recollect.core.memory import Memory, status_before_hiding
from recollect.core.status import ARCHIVED, RETIRED, VISIBLE
from recollect.sleep.lifecycle import expiry_due, is_merged, status_since, was_merged
from recollect.sleep.plan import BY_AGE, BY_MERGE, Step


def plan_overlaps(memories: Sequence[Memory], now: float) -> list[Step]:
    """Return the steps after which each source is in one merge or visible; restores come first.

    A source that has expired is not restored: it would be retired by the next sleep.
    """
    staying, leaving = _split(memories)
    going = {memory.uid for memory in leaving}
    held = {
        uid
        for memory in (*staying, *filter(_holds, memories))
        if memory.uid not in going
        for uid in memory.sources
    }
    due = max((status_since(memory) or 0.0 for memory in (*staying, *leaving)), default=0.0)
    hidden = [m for m in memories if was_merged(m) and expiry_due(m, now) is None]
    stays = {memory.uid for memory in staying}
    reworded = [memory for memory in hidden if memory.uid in stays]
    free = [m for m in hidden if not is_merged(m) and m.uid not in held]
    return [
        *(
            _restore(memory, "edited by a person", status_since(memory) or 0.0)
            for memory in reworded
        ),
        *(_restore(m, "no merged memory contains it", status_since(m) or 0.0) for m in free),
        *(
            Step(memory, ARCHIVED, "another memory was merged from the same sources", BY_MERGE, due)
            for memory in leaving
        ),
    ]


def _restore(memory: Memory, reason: str, due: float) -> Step:
    return Step(memory, status_before_hiding(memory), reason, BY_MERGE, due)


def is_spare(memory: Memory) -> bool:
    """Return whether a merged memory was archived for another one, and nobody edited it."""
    return is_merged(memory) and was_merged(memory) and not memory.times_updated


def _holds(memory: Memory) -> bool:
    """Return whether the sources of a merged memory can stay hidden.

    A merge that a person archived keeps its sources, and one that fades takes its sources with it.
    """
    if memory.status == RETIRED:
        return memory.status_by == BY_AGE
    return memory.status in VISIBLE or (memory.status == ARCHIVED and not was_merged(memory))


def _is_wanted(memory: Memory) -> bool:
    """Return whether a person edited or restored it."""
    is_back = memory.status_by is None and memory.status_changed != memory.created
    return memory.times_updated > 0 or is_back


def _split(memories: Iterable[Memory]) -> tuple[list[Memory], list[Memory]]:
    """Return the merged memories that stay, and those that share sources with one that stays.

    A memory that was edited in one clone while another archived it stays.
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
