"""Erases memories: named ones, expired ones, and those that have been retired long enough.

A merged memory contains words of its sources. If you purge one of them, the merged memory is purged
too, and the other sources come back; the next sleep merges them again without the purged one. If
you purge a merged memory, its sources come back, so that nothing they say is lost.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from recollect.capture.spool_flush import spool_of, stash_of
from recollect.capture.suggestions import forget
from recollect.capture.unconfirmed import noticed_like
from recollect.core.authority import is_reworded_by, may_decide
from recollect.core.memory import Memory, expires, is_expired, status_before_hiding
from recollect.core.named_tuple import NamedTuple
from recollect.core.names import as_uid_prefix
from recollect.core.record import Record
from recollect.core.spaces import marked, uid_of
from recollect.core.status import ACTIVE, ARCHIVED, RETIRED, VISIBLE
from recollect.errors import Ambiguous
from recollect.index.protocol import ALL, Filters, Index, is_purged, merged_from
from recollect.ledger.border import read_private
from recollect.ledger.purge import Target
from recollect.ledger.purge import purge as purge_targets
from recollect.sleep.lifecycle import (
    NO_USAGE,
    is_merged,
    plan_aging,
    status_since,
    was_merged,
)
from recollect.sleep.plan import BY_AGE, BY_GC, BY_MERGE, Step
from recollect.sleep.run import (
    changeable,
    policy_of,
    sleep_lock,
    without_needed,
    write_steps,
)
from recollect.state.session_files import remove_session_files
from recollect.store.commit_index import erase
from recollect.store.store import Store

_IMPORTED = frozenset({"claude-memory", "mirror"})  # older imports have no prefix
_IMPORT = "import:"  # then the name of the source
Reasons = Mapping[str, tuple[str, ...]]
NO_REASONS: Reasons = {}
_DAY = 86_400.0


class Garbage(NamedTuple):
    """Memories retired long enough, what happens to them, and what could not be erased."""

    memories: tuple[Memory, ...]
    archived: bool = False
    left: tuple[str, ...] = ()
    # Kept because a memory was merged from them that is not retired long enough itself.
    waiting: tuple[Memory, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the result as `--json` prints it."""
        return {
            "action": "archive" if self.archived else "purge",
            "memories": [
                {"id": m.id, "uid": m.uid, "summary": m.open_title, "retired": m.status_changed}
                for m in self.memories
            ],
            "left": list(self.left),
            "waiting": [memory.id for memory in self.waiting],
        }


def purge(store: Store, memories: Sequence[Memory], because: Reasons = NO_REASONS) -> list[str]:
    """Erase memories here and, after the next sync, in every clone.

    `because` names, for a memory that is purged automatically, the purged ones whose words it
    contains. Returns sentences about what could not be erased; normally none.
    """
    if not memories:
        return []
    doomed = {memory.uid: memory for memory in memories}
    doomed |= {memory.uid: memory for memory in noticed_like(store, memories)}
    made = merged_from(store.indexing.fresh(), doomed)
    for memory in made:
        store.ledger.warnings.append(
            f"{memory.id} was merged from a purged memory, so it is purged too. Its other sources"
            " are active again."
        )
    reasons = {m.uid: tuple(uid for uid in m.sources if uid in doomed) for m in made}
    doomed |= {memory.uid: memory for memory in made}
    bring_back_sources(store, doomed, for_good=True)
    index = store.indexing.fresh()
    left = purge_targets(
        store.ledger,
        [
            Target(
                uid_of(uid),
                memory.id.partition("~")[0],
                index.places(uid),
                store.new_nonce(),
                purged_nonce=memory.nonce if _can_be_made_again(memory) else "",
                because=because.get(uid, reasons.get(uid, ())),
                is_automatic=bool(because),
            )
            for uid, memory in doomed.items()
        ],
    )
    store.local.forget(list(doomed))
    for memory in doomed.values():
        forget(store, memory)
        for waiting in (spool_of(store), stash_of(store)):
            waiting.drop(memory.nonce or memory.uid)
    remove_session_files(store.ledger.repository.state_dir)
    erase(store.ledger.repository, _commits_told(doomed.values()))
    store.refresh()
    for effect in store.after_purge:
        effect(store, list(doomed.values()))
    return left


def _commits_told(memories: Iterable[Memory]) -> list[str]:
    """Return the commits whose messages were learned as these memories."""
    return [
        str(memory.provenance.get("from"))
        for memory in memories
        if memory.provenance.get("via") == f"{_IMPORT}git"
    ]


def purge_named(store: Store, name: str) -> list[str]:
    """Erase the memory with an id, or a quarantined record by its uid.

    Returns sentences about what could not be erased; normally none.
    """
    uid = find_quarantined(store, name)
    if uid is None:
        return purge(store, [store.get(name)])
    found = store.indexing.fresh().quarantined()
    places = tuple(place for place, other, _ in found if other == uid)
    left = purge_targets(store.ledger, [Target(uid, "", places, store.new_nonce())])
    store.refresh()
    return left


def find_quarantined(store: Store, name: str) -> str | None:
    """Return the uid of the one quarantined record that a name matches, if it matches no memory."""
    prefix = as_uid_prefix(name)
    if prefix is None or store.candidates(name):
        return None
    found = {uid for _, uid, _ in store.indexing.fresh().quarantined() if uid.startswith(prefix)}
    if len(found) > 1:
        raise Ambiguous(f"{name} matches {len(found)} quarantined records.", sorted(found))
    return next(iter(found), None)


def _can_be_made_again(memory: Memory) -> bool:
    """Return whether a sleep, an import or a hook could make it again with the same nonce."""
    via = memory.provenance.get("via")
    is_imported = via in _IMPORTED or str(via).startswith(_IMPORT)
    return bool(memory.sources or memory.provenance.get("hook") or is_imported)


def shared_memories(store: Store, uids: Collection[str]) -> set[str]:
    """Return the memories of the shared space with these uids, never a private one."""
    private = read_private(store.ledger.repository.git).uids if uids else frozenset()
    return {marked(uid) if uid in private else uid for uid in uids}


def purge_late_merges(store: Store, memories: Sequence[Memory]) -> None:
    """Purge what a clone that did not know of a purge merged from the purged memory.

    Only a create record names sources. A memory that a person edited since is theirs: it stays, and
    they get a warning.
    """
    here = {memory.uid for memory in memories}
    index = store.indexing.fresh()
    remains: dict[str, tuple[str, ...]] = {}
    for memory in memories:
        gone = tuple(u for u in memory.sources if u not in here and is_purged(index, u))
        if gone and is_reworded_by(index.history(memory.uid)[1:], store.ledger.author):
            store.ledger.warnings.append(
                f"{memory.id} was merged from a memory that is now purged. You edited it, so it"
                f" stays. If it still contains the purged text, run: recollect purge {memory.id}"
            )
        elif gone:
            remains[memory.uid] = gone
    purge(store, [memory for memory in memories if memory.uid in remains], remains)


def bring_back_sources(
    store: Store, going: Mapping[str, Memory], *, for_good: bool = False
) -> None:
    """Restore the sources of merged memories, except those that are purged themselves.

    Sources that another visible merge contains stay archived. If age retired the merged memory, its
    sources faded with it: they stay archived, from now on because of age.
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
            steps.append(
                Step(source, status, "the memory that it was merged into is gone", by, store.now())
            )
    write_steps(store, steps, "purge", gone=going.keys() if for_good else frozenset())


def garbage(store: Store) -> Garbage:
    """Return what `collect_garbage` would act on."""
    index = store.indexing.fresh()
    retired = index.select(Filters(statuses=frozenset({RETIRED})))
    aging = plan_aging(changeable(index, retired), NO_USAGE, policy_of(store.config), store.now())
    found = _long_enough(store, index, aging.purgeable)
    archived = store.config.flag("delete.archive_retired")
    erasable = list(found) if archived else without_needed(index, found)
    if not archived:
        erasable += merged_from(index, {memory.uid for memory in erasable})
    return Garbage(
        tuple(erasable),
        archived=archived,
        waiting=tuple(memory for memory in found if memory not in erasable),
    )


def _long_enough(store: Store, index: Index, retired: Sequence[Memory]) -> list[Memory]:
    """Return the memories whose grace period is over, even if somebody else retired them.

    Dates of other people are only claims, so their retirements count from when this clone first saw
    them.
    """
    owner, now = store.ledger.author if retired else "", store.now()
    theirs = [m for m in retired if not _retired_by_us(index.history(m.uid), m.author, owner)]
    store.local.make_folder()
    since = store.local.maintenance.retired_since([memory.uid for memory in theirs], now)
    grace = policy_of(store.config).grace * _DAY
    return [m for m in retired if m.uid not in since or now - since[m.uid] >= grace]


def _retired_by_us(history: Sequence[Record], author: str | None, owner: str) -> bool:
    """Return whether the author or the owner made the last change of status."""
    moves = [record.by for record in history if "status" in record.fields]
    return not moves or may_decide(moves[-1], author, owner)


def collect_garbage(store: Store) -> Garbage:
    """Purge, or archive, memories that have been retired longer than the grace."""
    with sleep_lock(store):
        found = garbage(store)
        if found.archived:
            reason = "retired long ago; kept because delete.archive_retired is on"
            steps = [Step(m, ARCHIVED, reason, BY_GC, store.now()) for m in found.memories]
            write_steps(store, steps, "gc")
            return found
        return found._replace(left=tuple(purge(store, found.memories)))


def expired(store: Store) -> list[Memory]:
    """Return the expired memories, whatever their status, and what was merged from them.

    This is everything that a purge of them erases, so that it can be listed first.
    """
    index, now = store.indexing.fresh(), store.now()
    everything = index.select(Filters(statuses=ALL, project=store.project))
    over = [m for m in everything if is_expired(m, now) and not _was_restored(m)]
    return over + merged_from(index, {memory.uid for memory in over})


def _was_restored(memory: Memory) -> bool:
    """Return whether somebody restored it after it expired."""
    ends, since = expires(memory), status_since(memory)
    return memory.status == ACTIVE and ends is not None and since is not None and ends < since
