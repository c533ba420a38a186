"""Erasing memories for good: named ones, expired ones, and what has been retired long enough.

A merged memory holds words of its sources. When one of them is purged the merged memory goes too,
and the other sources come back; the next sleep merges them again, without the purged one. When a
merged memory goes, its sources come back: what they say must be somewhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from recollect.capture.suggestions import forget
from recollect.core.memory import Memory, status_before_hiding
from recollect.core.status import ACTIVE, ARCHIVED, RETIRED, VISIBLE
from recollect.index.protocol import ALL, Filters, is_purged, merged_from
from recollect.ledger.purge import Target
from recollect.ledger.purge import purge as purge_targets
from recollect.sleep.lifecycle import (
    NEVER_USED,
    expires,
    is_expired,
    is_merged,
    moved,
    plan_lives,
    was_merged,
)
from recollect.sleep.plan import BY_AGE, BY_GC, BY_MERGE, Step
from recollect.sleep.run import (
    alone,
    ours,
    policy_of,
    without_needed,
    write_steps,
)
from recollect.state.session_files import take_away
from recollect.store.spool_flush import aside_of, spool_of
from recollect.store.store import Store


class Garbage(NamedTuple):
    """What was retired long enough: what becomes of it, and what could not be erased."""

    memories: tuple[Memory, ...]
    archived: bool = False
    left: tuple[str, ...] = ()
    # What stays because something was merged from it that is not retired long enough itself.
    waiting: tuple[Memory, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """As `--json` prints it."""
        return {
            "action": "archive" if self.archived else "purge",
            "memories": [
                {"id": m.id, "uid": m.uid, "summary": m.summary, "retired": m.status_changed}
                for m in self.memories
            ],
            "left": list(self.left),
            "waiting": [memory.id for memory in self.waiting],
        }


def purge(store: Store, memories: Sequence[Memory]) -> list[str]:
    """Erase memories here and, after the next sync, in every clone.

    Gives what could not be erased, in sentences; normally nothing.
    """
    if not memories:
        return []
    doomed = {memory.uid: memory for memory in memories}
    made = merged_from(store.indexing.fresh(), doomed)
    for memory in made:
        store.ledger.warnings.append(
            f"{memory.id} was merged from a purged memory and is purged too; its other sources"
            " are active again."
        )
    doomed |= {memory.uid: memory for memory in made}
    bring_back_sources(store, doomed, for_good=True)
    index = store.indexing.fresh()
    left = purge_targets(
        store.ledger,
        [
            Target(uid, memory.id.partition("~")[0], index.places(uid), store.new_uid())
            for uid, memory in doomed.items()
        ],
    )
    store.local.forget(list(doomed))
    for memory in doomed.values():
        forget(store, memory)
        for waiting in (spool_of(store), aside_of(store)):
            waiting.drop(memory.uid)
    take_away(store.ledger.repository.state_dir)
    store.refresh()
    for effect in store.after_purge:
        effect(store, list(doomed.values()))
    return left


def purge_remains(store: Store, memories: Sequence[Memory]) -> None:
    """Purge what was merged from a purged memory by a clone that did not know of the purge."""
    here = {memory.uid for memory in memories}
    index = store.indexing.fresh()
    remains = [
        memory
        for memory in memories
        if any(is_purged(index, uid) for uid in memory.sources if uid not in here)
    ]
    purge(store, remains)


def bring_back_sources(
    store: Store, going: Mapping[str, Memory], *, for_good: bool = False
) -> None:
    """Bring the sources of merged memories back, but for those that go themselves.

    What another merged memory in sight holds, too, need not come. Where age retired what they
    were merged into, they have faded with it: they stay archived, on account of age from now on.
    """
    made = [memory for memory in going.values() if is_merged(memory)]
    wanted = {uid: None for memory in made for uid in memory.sources if uid not in going}
    if not wanted:
        return
    index = store.indexing.fresh()
    others = [memory for memory in merged_from(index, wanted) if memory.uid not in going]
    held = {uid for memory in others if memory.status in VISIBLE for uid in memory.sources}
    faded = [memory for memory in made if (memory.status, memory.status_by) == (RETIRED, BY_AGE)]
    old = {uid for memory in faded for uid in memory.sources}
    old -= {uid for memory in made if memory not in faded for uid in memory.sources}
    steps = []
    for source in index.get_many([uid for uid in wanted if uid not in held]):
        if was_merged(source):
            status, by = status_before_hiding(source), BY_MERGE
            if source.uid in old:
                status, by = ARCHIVED, BY_AGE
            steps.append(Step(source, status, "what it was merged into is gone", by, _now(store)))
    write_steps(store, steps, "purge", gone=going.keys() if for_good else frozenset())


def garbage(store: Store) -> Garbage:
    """What `collect_garbage` would act on."""
    index = store.indexing.fresh()
    retired = index.select(Filters(statuses=frozenset({RETIRED})))
    lives = plan_lives(ours(index, retired), NEVER_USED, policy_of(store.config), _now(store))
    found = lives.purgeable
    archived = store.config.flag("delete.archive_retired")
    erasable = list(found) if archived else without_needed(index, found)
    if not archived:
        erasable += merged_from(index, {memory.uid for memory in erasable})
    return Garbage(
        tuple(erasable),
        archived=archived,
        waiting=tuple(memory for memory in found if memory not in erasable),
    )


def collect_garbage(store: Store) -> Garbage:
    """Purge, or archive, what has been retired for longer than the grace."""
    with alone(store):
        found = garbage(store)
        if found.archived:
            reason = "retired for long; kept because delete.archive_retired is on"
            steps = [Step(m, ARCHIVED, reason, BY_GC, _now(store)) for m in found.memories]
            write_steps(store, steps, "gc")
            return found
        return found._replace(left=tuple(purge(store, found.memories)))


def expired(store: Store) -> list[Memory]:
    """The memories whose own time is over, whatever their status, and what was merged from them.

    All that a purge of them erases, so that it can be told before.
    """
    index, now = store.indexing.fresh(), _now(store)
    everything = index.select(Filters(statuses=ALL, project=store.project))
    over = [m for m in everything if is_expired(m, now) and not _was_restored(m)]
    return over + merged_from(index, {memory.uid for memory in over})


def _was_restored(memory: Memory) -> bool:
    """Whether somebody brought it back after its time was over."""
    ends, since = expires(memory), moved(memory)
    return memory.status == ACTIVE and ends is not None and since is not None and ends < since


def _now(store: Store) -> float:
    return store.ledger.clock().timestamp()
